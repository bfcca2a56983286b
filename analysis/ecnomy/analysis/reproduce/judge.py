# SPDX-License-Identifier: Apache-2.0
"""Judges whether quantities lie where a paper says, under all settings that it leaves open.

Each quantity is compared with its region:

    confirmed      its 90 % interval lies inside
    refuted        it lies outside, after Holm's correction over the quantities of the claim
    inconclusive   neither, or there are no values to average
    reported       it has no bound: neither the paper nor our catalogue states a region

A claim is reported if its quantities have no bounds. It is confirmed if all its quantities with
bounds are confirmed, refuted if one is refuted, and otherwise inconclusive.

*Confirmed* states that all k quantities lie inside. The null hypothesis is a union: at least one
quantity lies outside. Each quantity is tested at 5 % on either side, and the union is rejected if
all its parts are rejected. That test has size 5 % for any number of quantities (Berger 1982,
intersection-union tests). For the two sides of a region, it consists of two one-sided tests. Both
reject if the 90 % interval lies inside (Schuirmann 1987). *Refuted* states that at least one
quantity lies outside. Among k quantities inside, some seem to lie outside by chance. Holm's steps
therefore compare the smallest p-value with 5 % / k, the next with 5 % / (k - 1), and so on until
one is above its limit (Holm 1979, A simple sequentially rejective multiple test procedure).

The source of the p-value depends on the quantity. For values per seed or batch, it comes from
Student's t. For a statistic that is not a mean (a rank correlation of means), it is about the share
of bootstrap draws that are not beyond the bound. For any other interval, the p-value is 5 % if the
interval lies outside, because no more is known. A theoretical quantity or a count is a single
value, which cannot lie outside by chance. It therefore needs no correction, refutes by itself, and
does not count among the k.

If a claim has a control, the control must be refuted, by the same rules. Otherwise the claim is
uninformative. Confirmed then becomes inconclusive, while refuted remains refuted.

With a grid (grid.py), the claim is judged at the chosen settings and under each alternative. The
verdict is confirmed or refuted if all agree, `depends` if two are opposite, and otherwise
inconclusive. It is not corrected for the number of settings, because each setting is a separate
question. Only this module compares quantities with regions.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.catalogue import Bound, Claim, ClaimReason
from ecnomy.analysis.statistics.intervals import DrawnInterval, Interval, p_beyond, t_interval

__all__ = [
    "ALPHA",
    "CONFIRMED",
    "DEPENDS",
    "INCONCLUSIVE",
    "NOT_TESTABLE",
    "PENDING",
    "REFUTED",
    "REPORTED",
    "VERDICTS",
    "At",
    "ClaimVerdict",
    "JudgedQuantity",
    "Sample",
    "Samples",
    "agreement",
    "contradicted",
    "deciding",
    "holm",
    "interval_of",
    "judge",
    "over_grid",
    "settled",
    "verdict_words",
    "whole_of",
]

CONFIRMED: Final = "confirmed"
REFUTED: Final = "refuted"
DEPENDS: Final = "depends"
INCONCLUSIVE: Final = "inconclusive"
NOT_TESTABLE: Final = "not testable"
REPORTED: Final = "reported"
PENDING: Final = "pending"
VERDICTS: Final = (
    *(CONFIRMED, REFUTED, DEPENDS, INCONCLUSIVE, NOT_TESTABLE),
    *(REPORTED, PENDING),
)
LEVEL: Final = 0.90
ALPHA: Final = 0.05  # size of the test on either side of an interval at LEVEL

Sample = Floats | Sequence[float] | float | Interval
Samples = Mapping[str, Sample]


class JudgedQuantity(msgspec.Struct, frozen=True):
    """A quantity compared with its region; None means no measurement, or no bound on that side.

    Attributes:
        p: p-value of the hypothesis that the true value lies inside, or None without a test.
    """

    name: str
    measured: Interval | None
    low: float | None
    high: float | None
    verdict: str
    p: float | None = None


class At(msgspec.Struct, frozen=True):
    """The outcome of a claim under one alternative of a setting."""

    setting: str
    alternative: str
    verdict: ClaimVerdict


class ClaimVerdict(msgspec.Struct, frozen=True):
    """The verdict on a claim, with the quantities behind it.

    Attributes:
        verdict: the verdict; over the grid if the claim has a grid.
        figures: the quantities at the chosen settings.
        control: the quantities of the control, if there is one and `figures` are confirmed.
        note: why the verdict is inconclusive although the quantities lie inside, or "".
        alone: the verdict at the chosen settings only.
        grid: the verdict under each alternative.
        depends: the settings on which the verdict depends.
    """

    verdict: str
    figures: tuple[JudgedQuantity, ...] = ()
    control: tuple[JudgedQuantity, ...] = ()
    note: str = ""
    alone: str = ""
    grid: tuple[At, ...] = ()
    depends: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The verdict in words."""
        grid = [(at.setting, at.verdict.verdict) for at in self.grid]
        return verdict_words(self.verdict, self.depends, self.alone, grid)


def verdict_words(
    verdict: str, depends: Sequence[str], alone: str, grid: Sequence[tuple[str, str]]
) -> str:
    """Return a verdict in words, with the settings on which it depends or that leave it open.

    Args:
        verdict: the verdict over the grid.
        depends: the settings on which the verdict depends.
        alone: the verdict at the chosen settings.
        grid: (setting, verdict) for each alternative.
    """
    if verdict == DEPENDS:
        return f"{verdict} on {', '.join(depends)}"
    if verdict == INCONCLUSIVE and alone in (CONFIRMED, REFUTED):
        left_open = [setting for setting, own_verdict in grid if own_verdict != alone]
        return f"{alone} as chosen; {agreement(len(grid) - len(left_open), len(grid), left_open)}"
    return verdict


def agreement(agree: int, of: int, left_open: Iterable[str]) -> str:
    """Return how many alternatives agree with the chosen settings, and the settings left open."""
    names = list(dict.fromkeys(left_open))
    verb = "is" if len(names) == 1 else "are"
    count_text = f"{agree} of {of} alternatives agree"
    return count_text + (f", {' and '.join(names)} {verb} open" if names else "")


def judge(claim: Claim, samples: Samples) -> ClaimVerdict:
    """Return the verdict on a claim at one choice of settings.

    Args:
        claim: the claim, with its expected regions.
        samples: by name of the quantity: one value per seed or batch, one exact value, or an
            interval.
    """
    if claim.pending:
        return ClaimVerdict(PENDING)
    figures = _held(claim.expect, samples)
    if claim.not_testable:
        return ClaimVerdict(NOT_TESTABLE, figures)
    verdict = whole_of({figure.verdict for figure in figures})
    if claim.control is None or verdict != CONFIRMED:
        return ClaimVerdict(verdict, figures)
    control = _held(claim.control.expect, samples)
    failed = whole_of({figure.verdict for figure in control})
    if failed == REFUTED:
        return ClaimVerdict(verdict, figures, control)
    how = {CONFIRMED: "holds", REPORTED: "has no bound"}.get(failed, "is undecided")
    note = f"cannot discriminate: it {how} in its control too ({claim.control.says})"
    return ClaimVerdict(INCONCLUSIVE, figures, control, note)


def whole_of(verdicts: set[str]) -> str:
    """Return the verdict on a claim, given the verdicts on its quantities."""
    if REFUTED in verdicts:
        return REFUTED
    bounded = verdicts - {REPORTED}
    if not bounded:
        return REPORTED if verdicts else INCONCLUSIVE
    return CONFIRMED if bounded == {CONFIRMED} else INCONCLUSIVE


def over_grid(alone: ClaimVerdict, grid: Sequence[At]) -> ClaimVerdict:
    """Return the verdict on a claim, given those at the chosen settings and for alternatives."""
    each = [(at.setting, at.verdict.verdict) for at in grid]
    verdict, depends = settled(alone.verdict, each)
    return msgspec.structs.replace(
        alone, verdict=verdict, alone=alone.verdict, grid=tuple(grid), depends=depends
    )


def settled(alone: str, grid: Sequence[tuple[str, str]]) -> tuple[str, tuple[str, ...]]:
    """Return the verdict over a grid, and the settings on which it depends.

    `alone` and `grid` are as in verdict_words.
    """
    verdicts = {alone, *(verdict for _, verdict in grid)}
    if {CONFIRMED, REFUTED} <= verdicts:
        flips = {CONFIRMED, REFUTED} - {alone}
        return DEPENDS, tuple(dict.fromkeys(name for name, verdict in grid if verdict in flips))
    return (alone if len(verdicts) == 1 else INCONCLUSIVE), ()


def deciding(verdict: ClaimVerdict, beside: ClaimVerdict | None = None) -> JudgedQuantity | None:
    """Return the quantity that decides a verdict, or None.

    For a confirmed verdict, this is the quantity with the name of the one that decides `beside`.
    """
    if verdict.verdict == CONFIRMED:
        other = deciding(beside) if beside and beside.verdict != CONFIRMED else None
        names = [figure for figure in verdict.figures if other and figure.name == other.name]
        return next(iter(names), None)
    kinds = (REFUTED, INCONCLUSIVE)
    figures = [figure for figure in verdict.figures if figure.verdict in kinds]
    return min(figures, key=lambda f: (kinds.index(f.verdict), f.p or 0), default=None)


def contradicted(finding: ClaimReason, samples: Samples) -> JudgedQuantity | None:
    """Return the first quantity that is not confirmed to meet a finding's conditions, or None."""
    for figure in _held(finding.when, samples):
        if figure.verdict != CONFIRMED:
            return figure
    return None


def _held(
    regions: Mapping[str, tuple[Bound, Bound]], samples: Samples
) -> tuple[JudgedQuantity, ...]:
    judged: list[JudgedQuantity] = []
    for pattern, (low, high) in regions.items():
        names = [name for name in samples if fnmatch.fnmatchcase(name, pattern)]
        judged += [_judged(name, samples[name], low, high) for name in names]
        if not names:
            judged.append(JudgedQuantity(pattern, None, low, high, INCONCLUSIVE))
    tested = [figure for figure in judged if figure.p is not None]
    for figure, outside in zip(tested, holm([f.p or 0.0 for f in tested]), strict=True):
        if outside:
            judged[judged.index(figure)] = msgspec.structs.replace(figure, verdict=REFUTED)
    return tuple(judged)


def holm(p_values: Sequence[float], alpha: float = ALPHA) -> list[bool]:
    """Return for each hypothesis whether Holm's steps reject it.

    The probability that they reject any true hypothesis is at most `alpha`.
    """
    rejected = [False] * len(p_values)
    for done, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[place] > alpha / (len(p_values) - done):
            break
        rejected[place] = True
    return rejected


def _judged(name: str, sample: Sample, low: float | None, high: float | None) -> JudgedQuantity:
    """Return a quantity compared with its region, before Holm's correction."""
    interval = interval_of(sample)
    if interval is None:
        return JudgedQuantity(name, None, low, high, INCONCLUSIVE)
    if low is None and high is None:
        return JudgedQuantity(name, interval, low, high, REPORTED)
    least = -math.inf if low is None else low
    most = math.inf if high is None else high
    inside = least <= interval.low and interval.high <= most
    verdict = CONFIRMED if inside else INCONCLUSIVE
    if not isinstance(sample, Interval) and np.ndim(sample) == 0:
        return JudgedQuantity(name, interval, low, high, CONFIRMED if inside else REFUTED)
    return JudgedQuantity(
        name, interval, low, high, verdict, _p_inside(sample, interval, least, most)
    )


def _p_inside(sample: Sample, interval: Interval, low: float, high: float) -> float:
    if isinstance(sample, DrawnInterval):
        return p_beyond(sample, low, high)
    if isinstance(sample, Interval):
        return ALPHA if interval.high < low or interval.low > high else 1.0
    return p_beyond(np.asarray(sample, dtype=np.float64), low, high)


def interval_of(sample: Sample) -> Interval | None:
    """Return a sample's mean and interval; None for missing values or a sequence of one value."""
    if isinstance(sample, Interval):
        return sample if math.isfinite(sample.mean) else None
    values = np.asarray(sample, dtype=np.float64)
    if values.size == 0 or not np.isfinite(values).all():
        return None
    if values.ndim == 0:
        value = float(values)
        return Interval(value, value, value, LEVEL, 1)
    if values.size == 1:
        return None
    return t_interval(values, LEVEL)
