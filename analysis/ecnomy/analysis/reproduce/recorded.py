# SPDX-License-Identifier: Apache-2.0
"""A claim's record in papers.json: its quantities in full and quick form, and its grid."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.analysis.reproduce.claim_digests import ClaimMade
from ecnomy.analysis.reproduce.entries import ClaimOutcome, why_text
from ecnomy.analysis.reproduce.judge import ClaimVerdict, JudgedQuantity, deciding, verdict_words
from ecnomy.analysis.statistics.intervals import Interval

__all__ = [
    "CONTROL",
    "REASON",
    "RecordedClaim",
    "RecordedFigure",
    "Under",
    "gives_again",
    "quick_figures",
    "recorded",
]

CLAIM: Final = ""
CONTROL: Final = "control"
REASON: Final = "reason"
_DIGITS: Final = 9
_P_DIGITS: Final = 3

Region = tuple[float | None, float | None]
Numbers = tuple[float, float, float, int]  # mean, ends of the interval, sample size


class RecordedFigure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quantity in full form (`measured`) and in quick form (`quick`); None if not measured.

    Attributes:
        region: expected (low, high), with None for no bound; None if `of` is "reason".
        verdict: verdict on the quantity; "" if only the quick form has it, or if `of` is "reason".
        p: p-value of the hypothesis that the true value lies in the region (see judge.py).
        of: part that uses the quantity: "" (the claim itself), "control" or "reason".
    """

    name: str
    region: Region | None = None
    measured: Numbers | None = None
    verdict: str = ""
    p: float | None = None
    of: str = CLAIM
    quick: Numbers | None = None
    quick_verdict: str = ""


class Under(msgspec.Struct, frozen=True, omit_defaults=True):
    """The verdict under one alternative of a setting, with the quantity that decides it."""

    setting: str
    alternative: str
    verdict: str
    figure: RecordedFigure | None = None


class RecordedClaim(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The recorded outcome of a claim.

    Attributes:
        claim: `paper.entry.cN`.
        verdict: the verdict over the grid.
        alone: the verdict at the chosen settings.
        depends: the settings on which the verdict depends.
        reason, cause: as in `ClaimOutcome`.
        over: the settings over which to judge the claim, or None if they are not declared.
        versions: the engine of the runs, and the version of ecnomy.
        made_of: the digests behind the outcome; empty if unknown.
        grid: the verdicts under alternatives; empty if the alternatives were not run.
    """

    claim: str
    priority: str
    verdict: str
    alone: str = ""
    depends: tuple[str, ...] = ()
    identity: bool = False
    over: tuple[str, ...] | None = None
    reason: str = ""
    cause: str = ""
    quick_verdict: str = ""
    versions: dict[str, str] = {}
    made_of: ClaimMade = ClaimMade()
    figures: tuple[RecordedFigure, ...] = ()
    grid: tuple[Under, ...] = ()

    @property
    def why(self) -> str:
        """Return the reason why the claim is not confirmed, or ""."""
        return why_text(self.reason, self.cause)

    @property
    def verdict_words(self) -> str:
        """Return the verdict in words."""
        grid = [(under.setting, under.verdict) for under in self.grid]
        return verdict_words(self.verdict, self.depends, self.alone, grid)


def recorded(
    outcome: ClaimOutcome,
    quick: ClaimOutcome | None,
    versions: dict[str, str],
    made_of: ClaimMade | None = None,
) -> RecordedClaim:
    """Return the record of a claim's outcome."""
    verdict = outcome.verdict
    return RecordedClaim(
        claim=outcome.claim,
        priority=outcome.priority,
        verdict=verdict.verdict,
        alone=verdict.alone,
        depends=verdict.depends,
        identity=outcome.identity,
        over=outcome.over,
        reason=outcome.reason,
        cause=outcome.cause,
        quick_verdict=quick.verdict.verdict if quick else "",
        versions=versions,
        made_of=made_of or ClaimMade(),
        figures=_with_quick(_figures(outcome), _figures(quick) if quick else []),
        grid=tuple(
            Under(at.setting, at.alternative, at.verdict.verdict, _deciding(at.verdict, verdict))
            for at in verdict.grid
        ),
    )


def _deciding(verdict: ClaimVerdict, chosen: ClaimVerdict) -> RecordedFigure | None:
    figure = deciding(verdict, ClaimVerdict(chosen.alone, chosen.figures))
    return _of_judged(figure, CLAIM) if figure else None


def _figures(outcome: ClaimOutcome) -> list[RecordedFigure]:
    own = [_of_judged(figure, CLAIM) for figure in outcome.verdict.figures]
    own += [_of_judged(figure, CONTROL) for figure in outcome.verdict.control]
    controls = outcome.controls.items()
    return own + [RecordedFigure(name, measured=_numbers(i), of=REASON) for name, i in controls]


def _of_judged(judged: JudgedQuantity, of: str) -> RecordedFigure:
    p = None if judged.p is None else _rounded(judged.p, _P_DIGITS)
    region = (judged.low, judged.high)
    return RecordedFigure(judged.name, region, _numbers(judged.measured), judged.verdict, p, of)


def _with_quick(
    whole: list[RecordedFigure], quick: list[RecordedFigure]
) -> tuple[RecordedFigure, ...]:
    """Return full quantities with quick counterparts, then quantities of the quick form only."""
    left = list(quick)
    figures = []
    for figure in whole:
        same = next((q for q in left if _key(q) == _key(figure)), None)
        if same is not None:
            left.remove(same)
            figure = _beside(figure, same)
        figures.append(figure)
    return (*figures, *(_beside(RecordedFigure(q.name, q.region, of=q.of), q) for q in left))


def quick_figures(of: RecordedClaim | ClaimOutcome) -> tuple[str, list[Any]]:
    """Return a claim's quick verdict and quick quantities, from a record or a new outcome."""
    if isinstance(of, RecordedClaim):
        figures = [f for f in of.figures if f.quick is not None or f.quick_verdict]
        quantities = [(*_key(f), f.quick, f.quick_verdict) for f in figures]
        return of.quick_verdict, sorted(quantities, key=repr)
    quantities = [(*_key(f), f.measured, f.verdict) for f in _figures(of)]
    return of.verdict.verdict, sorted(quantities, key=repr)


def gives_again(record: RecordedClaim, outcome: ClaimOutcome) -> bool:
    """Return whether a quick outcome has the quick verdict and quantities of a record.

    Quantities that only a reworded reason names do not count, because the record lacks them.
    """
    (verdict, figures), (now, measured) = quick_figures(record), quick_figures(outcome)
    return now == verdict and figures == [
        one for one in measured if one[2] != REASON or one in figures
    ]


def _key(figure: RecordedFigure) -> Any:
    return figure.name, figure.region, figure.of


def _beside(figure: RecordedFigure, quick: RecordedFigure) -> RecordedFigure:
    return msgspec.structs.replace(figure, quick=quick.measured, quick_verdict=quick.verdict)


def _numbers(interval: Interval | None) -> Numbers | None:
    if interval is None:
        return None
    mean, low, high = (_rounded(v) for v in (interval.mean, interval.low, interval.high))
    return mean, low, high, interval.n


def _rounded(value: float, digits: int = _DIGITS) -> float:
    return float(f"{value:.{digits}g}")
