# SPDX-License-Identifier: Apache-2.0
"""Section 4.2: an ideal provider of guaranteed streams, on random samples of marks and delays.

Marking rates M are drawn from a Beta distribution. Delay rates L are 4 M e^N with normal N
(correlated), or have the same distribution independently of M. From one set of samples, the
provider fits the Beta distribution by moments, blocks requests if M exceeds its (1 - B^G) quantile,
and sets the charge V by the paper's formula. A second set of samples serves as the connections.
Each connection costs M. The paper gives no numbers, so R = V and P = 0.2 mu are our choices. The
samples of each run of Table 8 test whether M has a Beta distribution.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from ecnomy.analysis.reproduce.andreassen2002.integrated import ACCEPT_ALL, by_strategy
from ecnomy.analysis.reproduce.andreassen2002.mixes import mixes
from ecnomy.analysis.reproduce.andreassen2002.stream_table import STREAMS
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["ConnectionBooks", "beta_fits", "figures", "keep_books"]

SEEDS: Final = range(1, 11)
_DRAWS: Final = 20_000
_MEAN: Final = 1.2e-3  # about as large as the marking rates of table 8
_DEVIATION: Final = 6e-4
_BLOCKED: Final = 0.1  # B^G
_LATE: Final = 0.01  # L^G
_MARGIN: Final = 0.2  # P / mu
_SLOPE: Final = 4.0
_NOISE: Final = 0.4


class ConnectionBooks(NamedTuple):
    """The results of the connections that a provider sells.

    Attributes:
        profit_over_wanted: mean profit of an accepted connection, divided by P.
        blocked: share of requests that are blocked.
        late_difference: mean delay rate of accepted samples minus that of blocked samples.
        broken: share of accepted connections whose guarantee is broken.
    """

    profit_over_wanted: float
    blocked: float
    late_difference: float
    broken: float


def _draw(rng: np.random.Generator, *, correlated: bool) -> tuple[Floats, Floats]:
    fit = theory.BetaMarking.of_moments(_MEAN, _DEVIATION**2)
    marks = rng.beta(fit.a, fit.b, _DRAWS)
    cause = marks if correlated else rng.beta(fit.a, fit.b, _DRAWS)
    return marks, _SLOPE * cause * np.exp(rng.normal(0, _NOISE, _DRAWS))


def keep_books(learnt: tuple[Floats, Floats], sold: tuple[Floats, Floats]) -> ConnectionBooks:
    """Return the results of selling samples (M, L) at a tariff estimated from learnt samples."""
    marks, late = learnt
    fit = theory.BetaMarking.of_moments(float(marks.mean()), float(marks.var(ddof=1)))
    threshold = fit.blocking_threshold(_BLOCKED)
    accepted = marks <= threshold
    cost = float(marks[accepted].mean())
    broken = float((late[accepted] > _LATE).mean())
    wanted = _MARGIN * cost
    back = (wanted + cost) / (1 - 2 * broken)  # R = V
    charge = theory.guaranteed_charge(wanted, back, broken, cost)
    marks, late = sold
    accepted = marks <= threshold
    paid = np.where(late[accepted] > _LATE, -back, charge) - marks[accepted]
    return ConnectionBooks(
        profit_over_wanted=float(paid.mean()) / wanted,
        blocked=float((~accepted).mean()),
        late_difference=float(late[accepted].mean() - late[~accepted].mean()),
        broken=float((late[accepted] > _LATE).mean()),
    )


def beta_fits(marking: Floats) -> float:
    """Return the Kolmogorov-Smirnov p-value of samples against the fitted Beta distribution.

    The p-value is too large, because the distribution has the moments of the same samples. It is
    NaN if no Beta distribution fits.
    """
    from scipy.stats import beta, kstest

    try:
        fit = theory.BetaMarking.of_moments(float(marking.mean()), float(marking.var(ddof=1)))
    except InputError:
        return float("nan")
    return float(kstest(marking, beta(fit.a, fit.b).cdf).pvalue)


def _beta_of_streams(studies: Studies) -> dict[str, Floats | float]:
    """Return p-values and marks per sample, by seed, for each setting and stream of Table 8."""
    samples: dict[str, Floats | float] = {}
    for voice, mix in mixes(studies["streams"]).items():
        for threshold, runs in mix.items():
            for number, stream in enumerate(STREAMS, 1):
                rows = runs.row(f"sample.marking.{stream}")
                at = f"{voice}.{threshold}.{number}"
                samples[f"beta.p.{at}"] = np.array([beta_fits(row) for row in rows])
                samples[f"marks_a_sample.{at}"] = runs.sample(f"marks.{stream}") / rows.shape[1]
    return samples


def figures(studies: Studies) -> Samples:
    """Return profits, blocked shares and delay rates, and their deviations in standard errors."""
    samples = _beta_of_streams(studies)
    for name in ("charge_variation", "cost_variation", "net_variation", "broken"):
        samples[f"sold.{name}"] = by_strategy(studies["sold"], ACCEPT_ALL).sample(name)
    for name, correlated in (("correlated", True), ("uncorrelated", False)):
        books: list[ConnectionBooks] = []
        for seed in SEEDS:
            rng = np.random.Generator(np.random.Philox(key=[seed, int(correlated)]))
            books.append(
                keep_books(_draw(rng, correlated=correlated), _draw(rng, correlated=correlated))
            )
        profit, blocked, late, broken = (np.array(row) for row in zip(*books, strict=True))
        samples[f"profit_over_wanted.{name}"] = profit
        samples[f"errors_off.profit.{name}"] = _errors(profit - 1)
        samples[f"blocked.{name}"] = blocked
        samples[f"errors_off.blocked.{name}"] = _errors(blocked - _BLOCKED)
        samples[f"late.accepted_minus_blocked.{name}"] = late
        samples[f"errors_off.late.{name}"] = _errors(late)
        samples[f"broken.{name}"] = broken
    return samples


def _errors(row: Floats) -> float:
    return float(row.mean() / (row.std(ddof=1) / np.sqrt(len(row))))
