# SPDX-License-Identifier: Apache-2.0
"""Equilibrium rates on a network whose links mark by load or by queue.

A flow with the willingness to pay w per round trip T sends

    x = w / (p T)          p = sum of its links' probabilities     (Siris et al. 2002, Eq. 1)

A flow with the utility U sends the rate x at which U'(x) = p, so that w(t) = x U'(x). Options add
- the queueing delay in the round trip,
- the floor of ACK-clocked windows (half a packet less than cwnd is in flight, see wtp.py),
- p = 1 - prod(1 - p_j), because a packet carries at most one mark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.support.first_use import scipy_part
from ecnomy.analysis.theory.routes import incidence
from ecnomy.analysis.theory.utility import FlowUtility

__all__ = [
    "LoadLink",
    "NetworkEquilibrium",
    "QueueLink",
    "utility_network",
    "wtp_network",
    "wtp_rates_pps",
]

Demand = Callable[[Floats, Floats], Floats]  # (path probabilities, queueing delays) -> rates
LEAST = 1e-12  # replaces a path probability of 0, which would make the rate infinite
SWEEPS = 20_000


class LoadLink(msgspec.Struct, frozen=True):
    """A link that marks by its load, as load-based marking and virtual queues do."""

    capacity_pps: float
    curve: Callable[[float], float]  # probability at a load; continuous, not decreasing
    max_load: float = 1.0

    @property
    def top(self) -> float:
        """The largest load."""
        return self.max_load

    def load(self, state: float) -> float:
        """Return the load in a state, which is the state itself."""
        return state


class QueueLink(msgspec.Struct, frozen=True):
    """A link that marks by its mean queue, like RED.

    In the fluid model, the link is full or its queue is empty.
    """

    capacity_pps: float
    curve: Callable[[float], float]  # probability at a queue; continuous, not decreasing
    max_queue_packets: float

    @property
    def top(self) -> float:
        """The largest mean queue, packets."""
        return self.max_queue_packets

    def load(self, state: float) -> float:
        """Return the load in any state, 1, because only a full link has a constant queue."""
        return 1.0


class NetworkEquilibrium(msgspec.Struct, frozen=True):
    """The operating point of S flows and L links."""

    rates_pps: Floats  # (S,)
    path_probabilities: Floats  # (S,)
    probabilities: Floats  # (L,)
    loads: Floats  # (L,), arrivals / capacity
    queues_packets: Floats  # (L,), 0 for links that mark by load


def wtp_rates_pps(
    weights: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    rtts_s: npt.ArrayLike,
    *,
    floor: bool = False,
) -> Floats:
    """Return the rates x = w / (p T), packets/s; all arrays have the same shape.

    Args:
        weights: w, marks per round trip.
        probabilities: marking probabilities p of the paths, above 0; sums over links may exceed 1.
        rtts_s: round-trip times T including queueing, seconds.
        floor: whether senders are ACK-clocked, with cwnd >= 1 and cwnd - 0.5 packets in flight.

    Raises:
        InputError: an argument is out of range.
    """
    w, p, t = (np.asarray(x, dtype=np.float64) for x in (weights, probabilities, rtts_s))
    if not ((w > 0).all() and (t > 0).all() and ((p > 0) & np.isfinite(p)).all()):
        raise InputError("weights, probabilities and round trips must be positive")
    windows = w / p
    return np.asarray((np.maximum(windows, 1.0) - 0.5 if floor else windows) / t, dtype=np.float64)


def wtp_network(
    routes: Sequence[Sequence[int]],
    links: Sequence[LoadLink | QueueLink],
    weights: Sequence[float],
    rtts_s: Sequence[float],
    *,
    queueing: bool = True,
    floor: bool = False,
    compose: str = "sum",
) -> NetworkEquilibrium:
    """Return the equilibrium of WTP flows (Siris et al. 2002, Eq. 1, w_r = weight / round trip).

    Args:
        routes: for each flow, the indices of the links that it crosses.
        links: the capacity and the marking curve of each link.
        weights: willingness to pay of each flow, marks per round trip.
        rtts_s: round-trip times without queues, seconds.
        queueing: whether the queues of `QueueLink`s lengthen round trips.
        floor: see `wtp_rates_pps`.
        compose: the path's probability: "sum" of the links' p, or "product", 1 - prod(1 - p).

    Raises:
        InputError: an argument has a wrong shape or value, or a link cannot mark enough to limit
            the flows.
    """
    w, t = np.asarray(weights, dtype=np.float64), np.asarray(rtts_s, dtype=np.float64)
    if not w.shape == t.shape == (len(routes),):
        raise InputError(f"expected one weight and one round trip for each of {len(routes)} routes")

    def demand(probabilities: Floats, delays_s: Floats) -> Floats:
        return wtp_rates_pps(w, probabilities, t + delays_s * queueing, floor=floor)

    return _settle(routes, links, demand, compose)


def utility_network(
    routes: Sequence[Sequence[int]],
    links: Sequence[LoadLink | QueueLink],
    utility: FlowUtility,
    *,
    compose: str = "sum",
) -> NetworkEquilibrium:
    """Return the equilibrium of flows that pay w(t) = x U'(x), where U'(x) = path probability.

    With "sum" and `LoadLink`s, the equilibrium maximises sum U(x) - sum C_j(y_j). C_j is the
    integral of link j's probability over its arrival rate. Rates are in packets/s, U in marks/s.

    Raises:
        InputError: as `wtp_network`.
    """
    return _settle(routes, links, lambda p, _: utility.demand(p), compose)


def _settle(
    routes: Sequence[Sequence[int]],
    links: Sequence[LoadLink | QueueLink],
    demand: Demand,
    compose: str,
) -> NetworkEquilibrium:
    """Solve for the state of one link after another until all rates are stationary."""
    if compose not in ("sum", "product"):
        raise InputError(f"compose must be 'sum' or 'product', got {compose!r}")
    if not links or any(not (link.capacity_pps > 0 and link.top > 0) for link in links):
        expected = "at least one link, each with a positive capacity and a positive largest state"
        raise InputError(f"links: expected {expected}")
    network = _Network(incidence(routes, len(links)), tuple(links), demand, compose)
    states, rates = np.zeros(len(links)), np.zeros(len(routes))
    for _ in range(SWEEPS):
        for j in range(len(links)):
            states[j] = network.fitting(states, j)
        before, rates = rates, network.rates(states)
        if (np.abs(rates - before) <= 1e-12 * rates).all():
            return network.equilibrium(states)
    raise InputError("the links' states did not settle")


class _Network(msgspec.Struct, frozen=True):
    """Rates and excess arrivals as functions of the links' states."""

    use: Floats
    links: tuple[LoadLink | QueueLink, ...]
    demand: Demand
    compose: str

    def probabilities(self, states: Floats) -> Floats:
        return np.array([link.curve(float(s)) for link, s in zip(self.links, states, strict=True)])

    def paths(self, states: Floats) -> Floats:
        p = self.probabilities(states)
        total = 1 - np.where(self.use > 0, 1 - p, 1.0).prod(axis=1)
        return np.maximum(self.use @ p if self.compose == "sum" else total, LEAST)

    def queues(self, states: Floats) -> Floats:
        queued = [isinstance(link, QueueLink) for link in self.links]
        return np.where(queued, states, 0.0)

    def rates(self, states: Floats) -> Floats:
        waits = self.queues(states) / np.array([link.capacity_pps for link in self.links])
        return self.demand(self.paths(states), self.use @ waits)

    def fitting(self, states: Floats, j: int) -> float:
        """Return the state of link j that fits its arrivals if all other states stay fixed.

        It is 0 if the arrivals always fit, and the largest state if they never fit.
        """
        link, trial = self.links[j], states.copy()

        def excess(state: float) -> float:
            trial[j] = state
            arrivals = float(self.rates(trial) @ self.use[:, j])
            return arrivals / link.capacity_pps - link.load(state)

        if excess(0.0) <= 0:
            return 0.0
        if excess(link.top) >= 0:
            return link.top
        return float(scipy_part("optimize").brentq(excess, 0.0, link.top, xtol=1e-15))

    def equilibrium(self, states: Floats) -> NetworkEquilibrium:
        rates = self.rates(states)
        loads = rates @ self.use / np.array([link.capacity_pps for link in self.links])
        for j, (link, load) in enumerate(zip(self.links, loads, strict=True)):
            if load > link.load(float(states[j])) * (1 + 1e-6):
                raise InputError(f"link {j} cannot mark enough to limit the flows to its capacity")
        return NetworkEquilibrium(
            rates, self.paths(states), self.probabilities(states), loads, self.queues(states)
        )
