# SPDX-License-Identifier: Apache-2.0
"""Describes the results of an evaluation in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ecnomy.analysis.evaluate.criteria import Condition, Criterion, CriterionColumn, criteria
from ecnomy.analysis.evaluate.runs import Evaluation
from ecnomy.analysis.evaluate.verdicts import BETTER, OPEN, WORSE, JudgedCriterion, OutcomeVerdict
from ecnomy.analysis.game.wording import listed
from ecnomy.analysis.statistics.intervals import Interval
from ecnomy.analysis.support.number_text import significant

__all__ = [
    "amount",
    "beside",
    "facts",
    "headline",
    "margins",
    "places",
    "row",
    "sentence",
    "sure",
    "verdict_class",
]


def headline(name: str, judgements: Sequence[JudgedCriterion]) -> str:
    """Return the headline: by how many criteria the law is worse or, if by none, as good."""
    if worse := len(_of(judgements, WORSE)):
        return f"{name} is worse than both Reno and CUBIC by {_by(worse, len(judgements))}"
    sure = len(judgements) - len(_of(judgements, OPEN))
    return (
        f"{name} is at least as good as the worse of Reno and CUBIC by {_by(sure, len(judgements))}"
    )


def _by(number: int, of: int) -> str:
    """Return a phrase such as "2 of 19 criteria"."""
    return f"{number} of {of} criteri{'on' if of == 1 else 'a'}"


def verdict_class(judgements: Sequence[JudgedCriterion]) -> str:
    """Return the CSS class that colours the headline."""
    if _of(judgements, WORSE):
        return "no"
    return "undecided" if _of(judgements, OPEN) else "yes"


def sentence(judgements: Sequence[JudgedCriterion]) -> str:
    """Return sentences that list the criteria with the verdicts worse, better and open."""
    sentences = []
    for verdict, words in ((WORSE, "Worse"), (BETTER, "Better"), (OPEN, "Open")):
        if own := _of(judgements, verdict):
            sentences.append(f"{words}: {listed([_lower(one.criterion.title) for one in own])}.")
    return " ".join(sentences) or "All outcomes are within their margins or bounds."


def _lower(title: str) -> str:
    return title[0].lower() + title[1:]


def facts(judgements: Sequence[JudgedCriterion], most: int = 3) -> list[tuple[str, str]]:
    """Return the largest shortfalls of the law, each as the law's value and a description."""
    order = sorted(_of(judgements, WORSE), key=lambda one: -one.decisive.excess)
    return [_fact(one.decisive) for one in order[:most]]


def _fact(one: OutcomeVerdict) -> tuple[str, str]:
    of = f"{one.figure.of} ({one.case.criterion.title}, {one.case.label}); {beside(one)}"
    return amount(one.figure, one.candidate), of


def beside(one: OutcomeVerdict) -> str:
    """Return the values of the standards or, for an outcome with a bound, the bound."""
    if one.figure.at_most is not None:
        return f"at most {one.figure.at_most:g}"
    names = list(one.means)[1:]
    return listed([f"{name} {amount(one.figure, one.means[name])}" for name in names])


def row(one: JudgedCriterion, name: str) -> tuple[str, ...]:
    """Return a criterion's row: section, name, verdict, decisive outcome, and a value per law."""
    by = one.decisive
    bound = "" if by.figure.at_most is None else f" (at most {by.figure.at_most:g})"
    values = (amount(by.figure, mean) for mean in by.means.values())
    what = f"{by.figure.of}{bound}; {by.case.label}"
    return (one.criterion.section, name, one.verdict, what, *values)


def amount(figure: CriterionColumn, value: Interval | None) -> str:
    """Return a mean with at least three digits and its unit; "-" without a mean."""
    if value is None:
        return "-"
    unit = f" {figure.unit}" if figure.unit else ""
    return f"{significant(value.mean * figure.scale, 0)}{unit}"


def margins(criterion: Criterion) -> str:
    """Return sentences with the margin or the bound of each outcome."""
    compared = [one for one in criterion.figures if one.at_most is None]
    bounds = [f"Bound of {f.of}: {f.at_most:g}." for f in criterion.figures if f not in compared]
    if not compared:
        return " ".join(bounds)
    own = "; ".join(f"{one.of}, {_margin(one)}" for one in compared)
    return " ".join((f"Margin{'s' if len(compared) > 1 else ''}: {own}.", *bounds))


def _margin(figure: CriterionColumn) -> str:
    share = f"{figure.margin * 100:g} %"
    if not figure.least:
        return share
    unit = f" {figure.unit}" if figure.unit else ""
    return f"{share} or {figure.least * figure.scale:g}{unit}, whichever is more"


def places(cases: Sequence[Condition], most: int = 3) -> str:
    """Return the names of the conditions, or only their number if there are more than `most`."""
    if len(cases) > most:
        return f"{len(cases)} networks"
    return listed([f"{one.criterion.title} ({one.label})" for one in cases])


def sure(evaluation: Evaluation, judgements: Sequence[JudgedCriterion]) -> str:
    """Return sentences on the number of comparisons and seeds behind the verdicts."""
    figures = sum(len(one.verdicts) for one in judgements)
    left = sum(v.verdict == OPEN for one in judgements for v in one.verdicts)
    undecided = (
        f" {left} of them {'is' if left == 1 else 'are'} open at this number of seeds."
        if left
        else ""
    )
    quick = " Quick run: only the first network of each criterion." if evaluation.quick else ""
    every = len(criteria().criteria)
    some = f" Only {_by(len(judgements), every)}." if len(judgements) < every else ""
    return (
        f"{figures} comparison{'' if figures == 1 else 's'} by 95 % intervals over "
        f"{evaluation.seeds} seeds, each with a margin.{undecided}{quick}{some}"
    )


def _of(judgements: Sequence[JudgedCriterion], verdict: str) -> list[JudgedCriterion]:
    return [one for one in judgements if one.verdict == verdict]
