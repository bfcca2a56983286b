# SPDX-License-Identifier: Apache-2.0
"""The equilibrium of random exponential marking (REM).

    m = 1 - phi^-p,  p = -log_phi(1 - m)      (Eq. 2 to 4, for a link and for a path alike)
    x = U'^-1(p), windows x RTT               (Eq. 5)
    backlog: 0 (PC1, if it targets less than the capacity), p / gamma (PC2), b0 where p > 0 (PC3)

The optimum of Eq. 6, 7 gives prices and rates. If a source's estimate of its round trip is 1 +
error times the true value, its utility is distorted (Eq. 15, 16). Source: Athuraliya, Low 2000.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.theory.optimum import FlowProblem, network_optimum
from ecnomy.analysis.theory.utility import DistortedUtility, FlowUtility

__all__ = ["RemEquilibrium", "rem_equilibrium", "rem_marking", "rem_price", "rem_source_rate"]


def _log_base(phi: float) -> float:
    if not (phi > 1 and np.isfinite(phi)):
        raise InputError(f"phi must be above 1 and finite, got {phi}")
    return float(np.log(phi))


def rem_marking(price: npt.ArrayLike, phi: float) -> Floats:
    """Return m = 1 - phi^-p for link or path prices of any shape (Eq. 2, 3).

    Raises:
        InputError: a price is negative, or phi is not above 1.
    """
    prices = np.asarray(price, dtype=np.float64)
    if not (prices >= 0).all():
        raise InputError("prices must not be negative")
    return np.asarray(-np.expm1(-prices * _log_base(phi)), dtype=np.float64)


def rem_price(marking: npt.ArrayLike, phi: float) -> Floats:
    """Return p = -log_phi(1 - m), a source's estimate of its price (Eq. 4); infinite at m = 1.

    Raises:
        InputError: a probability is outside [0, 1], or phi is not above 1.
    """
    shares = np.asarray(marking, dtype=np.float64)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise InputError("marking probabilities must lie in [0, 1]")
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(-shares) / _log_base(phi), dtype=np.float64)


def rem_source_rate(marking: npt.ArrayLike, utility: FlowUtility, phi: float) -> Floats:
    """Return a source's rate x = U'^-1(-log_phi(1 - m)) at an end-to-end marking (Eq. 4, 5).

    The rate has no upper limit, as in Fig. 1b. With a logarithmic utility, it is infinite at m = 0.

    Args:
        marking: end-to-end marking probabilities, of any shape.
        utility: a utility with scalar parameters.
        phi: base of the marking.

    Raises:
        InputError: a probability is outside [0, 1], or phi is not above 1.
    """
    return utility.demand(rem_price(marking, phi))


class RemEquilibrium(msgspec.Struct, frozen=True):
    """The operating point of L REM links and S sources."""

    rates: Floats  # (S,), in the unit of the capacities
    prices: Floats  # (L,)
    path_prices: Floats  # (S,)
    link_marking: Floats  # (L,), m_l
    path_marking: Floats  # (S,), end to end
    backlogs: Floats  # (L,), packets
    windows: Floats  # (S,), packets
    loads: Floats  # (L,), input rate / true capacity


def rem_equilibrium(
    problem: FlowProblem,
    rtts: Sequence[float],
    *,
    phi: float,
    rule: str = "pc3",
    gamma: float = 0.005,
    capacity_share: float = 1.0,
    target_backlog: float = 0.0,
    rtt_errors: float | Sequence[float] = 0.0,
    queueing: bool = False,
) -> RemEquilibrium:
    """Return the equilibrium of REM sources over REM links.

    Args:
        problem: the network with its true capacities, in packets per unit of time.
        rtts: round-trip propagation times, in the same unit of time.
        phi: base of the marking.
        rule: "pc1", "pc2" or "pc3".
        gamma: change of the price per packet. It affects only the backlog of PC2 and, if the target
            is the true capacity, of PC1 (for which p = gamma b then holds too).
        capacity_share: target share of the capacity under PC1, 0.85 in the paper; it must be 1 for
            PC2 and PC3.
        target_backlog: b0 of PC3, packets.
        rtt_errors: relative errors of the sources' round-trip estimates.
        queueing: whether windows include the backlogs on the path, unlike in the paper.

    Raises:
        InputError: an argument has a wrong shape or value, or the optimum was not found.
    """
    round_trips = _checked(problem, rtts, rule, gamma, capacity_share, target_backlog)
    capacities = np.asarray(problem.capacities, dtype=np.float64)
    error = np.asarray(rtt_errors, dtype=np.float64)
    aimed = msgspec.structs.replace(
        problem,
        capacities=tuple(capacities * capacity_share),
        utility=DistortedUtility(problem.utility, error) if error.any() else problem.utility,
    )
    best = network_optimum(aimed)
    use = problem.incidence()
    backlogs = np.where(best.prices > 0, target_backlog, 0.0)
    if rule == "pc2" or (rule == "pc1" and capacity_share == 1):
        backlogs = best.prices / gamma
    waiting = use @ (backlogs / capacities) if queueing else 0.0
    return RemEquilibrium(
        rates=best.rates,
        prices=best.prices,
        path_prices=best.path_prices,
        link_marking=rem_marking(best.prices, phi),
        path_marking=rem_marking(best.path_prices, phi),
        backlogs=np.asarray(backlogs, dtype=np.float64),
        windows=best.rates * (round_trips + waiting),
        loads=use.T @ best.rates / capacities,
    )


def _checked(
    problem: FlowProblem,
    rtts: Sequence[float],
    rule: str,
    gamma: float,
    capacity_share: float,
    target_backlog: float,
) -> Floats:
    """Check the arguments and return the round trips as an array."""
    round_trips = np.asarray(rtts, dtype=np.float64)
    if round_trips.shape != (len(problem.routes),) or not (round_trips > 0).all():
        raise InputError(
            f"expected one positive round trip for each of {len(problem.routes)} flows"
        )
    if rule not in ("pc1", "pc2", "pc3"):
        raise InputError(f"the price rule must be 'pc1', 'pc2' or 'pc3', got {rule!r}")
    if not 0 < capacity_share <= 1 or (rule != "pc1" and capacity_share != 1):
        raise InputError(
            "the share of the capacity must lie in (0, 1], and must be 1 except with PC1"
        )
    if not gamma > 0 or target_backlog < 0 or (rule != "pc3" and target_backlog):
        raise InputError("gamma must be positive; only PC3 has a target backlog, of 0 or more")
    return round_trips
