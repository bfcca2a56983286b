# SPDX-License-Identifier: Apache-2.0
"""The results of an evaluation in sentences and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ecnomy.analysis.evaluate.criteria import Figure
from ecnomy.analysis.evaluate.runs import Evaluation
from ecnomy.analysis.evaluate.verdicts import BETTER, OPEN, WORSE, Judged, Verdict
from ecnomy.analysis.game.wording import listed
from ecnomy.analysis.statistics.intervals import Interval
from ecnomy.analysis.support.digits import significant

__all__ = ["amount", "beside", "facts", "headline", "row", "sentence", "sure", "verdict_class"]


def headline(name: str, found: Sequence[Judged]) -> str:
    """Return in how many criteria the law is worse than Reno and CUBIC."""
    worse = _of(found, WORSE)
    if not worse:
        return f"{name} is nowhere worse than Reno and CUBIC" + (
            "" if not _of(found, OPEN) else ", as far as the runs tell"
        )
    return f"{name} is worse than Reno and CUBIC by {len(worse)} of {len(found)} criteria"


def verdict_class(found: Sequence[Judged]) -> str:
    """Return the class by which the page colours the answer."""
    if _of(found, WORSE):
        return "no"
    return "undecided" if _of(found, OPEN) else "yes"


def sentence(found: Sequence[Judged]) -> str:
    """Return the criteria by which it is worse, better, or undecided."""
    told = []
    for verdict, words in ((WORSE, "Worse"), (BETTER, "Better"), (OPEN, "Undecided")):
        if own := _of(found, verdict):
            told.append(f"{words}: {listed([_lower(one.criterion.title) for one in own])}.")
    return " ".join(told) or "It is as good as they are by every criterion."


def _lower(title: str) -> str:
    """Return a title inside a sentence."""
    return title[0].lower() + title[1:]


def facts(found: Sequence[Judged], most: int = 3) -> list[tuple[str, str]]:
    """Return the largest differences: the candidate's value, and what it is."""
    order = sorted(_of(found, WORSE), key=lambda one: -one.decisive.excess)
    return [_fact(one.decisive) for one in order[:most]]


def _fact(one: Verdict) -> tuple[str, str]:
    of = f"{one.figure.of} ({one.case.criterion.title}, {one.case.label}); {beside(one)}"
    return amount(one.figure, one.candidate), of


def beside(one: Verdict) -> str:
    """Return the values of the standards, or the bound."""
    if one.figure.at_most is not None:
        return f"at most {one.figure.at_most:g}"
    names = list(one.means)[1:]
    return listed([f"{name} {amount(one.figure, one.means[name])}" for name in names])


def row(one: Judged, name: str) -> tuple[str, ...]:
    """Return section, name, verdict, what decides it, and the values of all laws."""
    by = one.decisive
    bound = "" if by.figure.at_most is None else f" (at most {by.figure.at_most:g})"
    values = (amount(by.figure, mean) for mean in by.means.values())
    what = f"{by.figure.of}{bound}; {by.case.label}"
    return (one.criterion.section, name, one.verdict, what, *values)


def amount(figure: Figure, value: Interval | None) -> str:
    """Return a mean with its unit, in three digits; "-" without a value."""
    if value is None:
        return "-"
    unit = f" {figure.unit}" if figure.unit else ""
    return f"{significant(value.mean * figure.scale, 0)}{unit}"


def sure(evaluation: Evaluation, found: Sequence[Judged]) -> str:
    """Return what the verdicts rest on."""
    figures = sum(len(one.verdicts) for one in found)
    undecided = sum(v.verdict == OPEN for one in found for v in one.verdicts)
    left = f" {undecided} of them are undecided at this number of seeds." if undecided else ""
    quick = " Quick: only the first condition of each criterion." if evaluation.quick else ""
    return (
        f"{figures} comparisons by 95 % intervals over {evaluation.seeds} seeds, each with a "
        f"margin.{left}{quick}"
    )


def _of(found: Sequence[Judged], verdict: str) -> list[Judged]:
    return [one for one in found if one.verdict == verdict]
