# SPDX-License-Identifier: Apache-2.0
"""Judges a law: compares its outcomes in each condition with those of Reno and CUBIC.

Let d be the difference between the candidate and the worst standard, seed by seed, and m the margin
of the outcome. The verdict on an outcome is

    worse    if the 95 % interval of d lies beyond m on the worse side
    as good  if this interval does not reach beyond m on the worse side
    open     if it contains that limit, so that more seeds may decide
    better   if the interval of the difference from the best standard lies beyond m on the
             better side

If the RFC sets a bound, the outcome is as good if its whole interval lies within the bound, worse
if it lies beyond, and otherwise open. The verdict on a criterion is the worst verdict on its
outcomes, or `better` if one outcome is better and all others are as good.
"""

from __future__ import annotations

from typing import Final

import msgspec

from ecnomy.analysis.evaluate.criteria import Condition, Criterion, CriterionColumn
from ecnomy.analysis.evaluate.runs import Evaluation, Values
from ecnomy.analysis.statistics.intervals import LEVEL, Interval, t_interval

__all__ = [
    "BETTER",
    "OPEN",
    "VERDICTS",
    "WORSE",
    "JudgedCriterion",
    "OutcomeVerdict",
    "judged",
    "verdict_of",
]

WORSE: Final = "worse"
OPEN: Final = "open"
GOOD: Final = "as good"
BETTER: Final = "better"
VERDICTS: Final = (WORSE, OPEN, BETTER, GOOD)  # the first among the outcomes' verdicts counts


class OutcomeVerdict(msgspec.Struct, frozen=True):
    """The verdict on one outcome in one condition.

    Attributes:
        verdict: worse, open, as good or better.
        means: law -> mean with its interval, in the unit of the column, the candidate first; None
            if fewer than two runs have a value.
    """

    case: Condition
    figure: CriterionColumn
    verdict: str
    means: dict[str, Interval | None]

    @property
    def candidate(self) -> Interval | None:
        """The candidate's mean."""
        return next(iter(self.means.values()))

    @property
    def standards(self) -> list[Interval]:
        """The means of the standards, except standards without a mean."""
        return [mean for mean in list(self.means.values())[1:] if mean is not None]

    @property
    def excess(self) -> float:
        """The number of margins by which the candidate is worse than the worst standard.

        If the outcome has a bound, it is the ratio of the value to this bound.
        """
        own = self.candidate
        if own is None or not self.standards:
            return 0.0
        if self.figure.at_most is not None:
            return own.mean / self.figure.at_most
        worst, _ = _ends(self.figure, [one.mean for one in self.standards])
        gap = (worst - own.mean) * _sign(self.figure)
        return gap / (_margin(self.figure, worst) or 1.0)


class JudgedCriterion(msgspec.Struct, frozen=True):
    """The verdicts on a criterion."""

    criterion: Criterion
    verdicts: tuple[OutcomeVerdict, ...]

    @property
    def verdict(self) -> str:
        """The verdict on the whole criterion."""
        verdicts = {one.verdict for one in self.verdicts}
        return next(one for one in VERDICTS if one in verdicts)

    @property
    def decisive(self) -> OutcomeVerdict:
        """The verdict on the most extreme outcome among those with the criterion's verdict."""
        own = [one for one in self.verdicts if one.verdict == self.verdict]
        if self.verdict == BETTER:
            return min(own, key=lambda one: one.excess)
        return max(own, key=lambda one: one.excess)


def judged(evaluation: Evaluation, values: Values) -> list[JudgedCriterion]:
    """Return the verdicts on all criteria, in the order of the criteria."""
    return [
        JudgedCriterion(
            criterion,
            tuple(
                _judge(evaluation, case, figure, values)
                for case in evaluation.cases(criterion)
                for figure in case.figures
            ),
        )
        for criterion in evaluation.criteria
    ]


def _judge(
    evaluation: Evaluation, case: Condition, figure: CriterionColumn, values: Values
) -> OutcomeVerdict:
    given = {
        law: values[(case.criterion.name, case.label, law)].get(figure.column, [])
        for law in evaluation.laws
    }
    return verdict_of(case, figure, given)


def verdict_of(
    case: Condition, figure: CriterionColumn, given: dict[str, list[float | None]]
) -> OutcomeVerdict:
    """Return the verdict on an outcome.

    Args:
        case: the condition.
        figure: the outcome to judge.
        given: law -> value per seed (None for a run without a value), the candidate first.
    """
    own, *standards = given.values()
    means = {law: _mean(of) for law, of in given.items()}
    if figure.at_most is not None:
        return OutcomeVerdict(
            case, figure, _within(means[next(iter(given))], figure.at_most), means
        )
    compared = [(of, mean.mean) for of in standards if (mean := _mean(of)) is not None]
    if means[next(iter(given))] is None or not compared:
        return OutcomeVerdict(case, figure, OPEN, means)
    worst, best = _ends(figure, [mean for _, mean in compared])
    by = {mean: of for of, mean in compared}
    return OutcomeVerdict(
        case, figure, _beside(figure, own, by[worst], by[best], (worst, best)), means
    )


def _beside(
    figure: CriterionColumn,
    own: list[float | None],
    worst: list[float | None],
    best: list[float | None],
    ends: tuple[float, float],
) -> str:
    """Return the verdict on values, by comparison with the worst and the best standard."""
    behind, ahead = _gain(figure, own, worst), _gain(figure, own, best)
    if behind is None or ahead is None:
        return OPEN
    if ahead.low > _margin(figure, ends[1]):
        return BETTER
    margin = _margin(figure, ends[0])
    if behind.high < -margin:
        return WORSE
    return GOOD if behind.low >= -margin else OPEN


def _gain(
    figure: CriterionColumn, own: list[float | None], other: list[float | None]
) -> Interval | None:
    """Return the interval of the amount by which `own` is better, paired by seed."""
    pairs = [(a, b) for a, b in zip(own, other, strict=True) if a is not None and b is not None]
    if len(pairs) < 2:
        return None
    return t_interval([(a - b) * _sign(figure) for a, b in pairs], LEVEL)


def _within(mean: Interval | None, bound: float) -> str:
    if mean is None:
        return OPEN
    if mean.low > bound:
        return WORSE
    return GOOD if mean.high <= bound else OPEN


def _mean(values: list[float | None]) -> Interval | None:
    defined = [value for value in values if value is not None]
    return t_interval(defined, LEVEL) if len(defined) > 1 else None


def _sign(figure: CriterionColumn) -> int:
    return 1 if figure.better == "higher" else -1


def _ends(figure: CriterionColumn, means: list[float]) -> tuple[float, float]:
    low, high = min(means), max(means)
    return (low, high) if figure.better == "higher" else (high, low)


def _margin(figure: CriterionColumn, mean: float) -> float:
    return max(figure.margin * abs(mean), figure.least)
