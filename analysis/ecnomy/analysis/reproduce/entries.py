# SPDX-License-Identifier: Apache-2.0
"""Runs the code of an entry, which computes quantities from runs and draws a figure.

A module `reproduce/<paper>/<module>.py` has

    figures(studies) -> Samples       quantities by name, each with one value per seed or batch
    draw(studies, figure) -> None     the figure, in the layout of the paper's figure (optional)

If runs need extra columns, it also has the functions that its sweep files name under `measure`.
These modules do not know the regions that claims expect.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.catalogue import Claim, ClaimReason, Paper, PaperEntry
from ecnomy.analysis.reproduce.grid import grid_of, read_under, variants_of
from ecnomy.analysis.reproduce.judge import (
    CONFIRMED,
    DEPENDS,
    INCONCLUSIVE,
    NOT_TESTABLE,
    PENDING,
    REPORTED,
    At,
    ClaimVerdict,
    Samples,
    judge,
    over_grid,
)
from ecnomy.analysis.reproduce.studies import Form, Studies
from ecnomy.analysis.statistics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "ClaimOutcome",
    "MeasuredEntry",
    "cause_of",
    "code_of",
    "measured",
    "reason_of",
    "why_text",
]


class EntryModule(Protocol):
    """The module of an entry."""

    def figures(self, studies: Studies) -> Samples:
        """Return the samples of each quantity, by name."""

    def draw(self, studies: Studies, figure: Figure) -> None:
        """Draw the entry's plots on the figure."""


class ClaimOutcome(msgspec.Struct, frozen=True):
    """The outcome of a claim.

    Attributes:
        claim: `paper.entry.cN`.
        verdict: the verdict, with the quantities behind it.
        reason: the alternatives, control or missing measurement that leave the verdict open, or "".
        cause: the finding on the claim (findings.yaml) with quantities inserted, or "".
        controls: further quantities to which the cause refers, by name.
        identity: whether the claim checks our arithmetic or input rather than the paper's result.
        over: the settings over which the claim was judged, or None if they are not declared.
    """

    claim: str
    priority: str
    verdict: ClaimVerdict
    reason: str = ""
    cause: str = ""
    controls: dict[str, Interval] = {}
    identity: bool = False
    over: tuple[str, ...] | None = None

    @property
    def why(self) -> str:
        """Return the reason why the claim is not confirmed, or ""."""
        return why_text(self.reason, self.cause)


def code_of(paper: Paper, entry: PaperEntry) -> EntryModule:
    """Import and return the module of an entry."""
    return cast(
        EntryModule,
        importlib.import_module(f"ecnomy.analysis.reproduce.{paper.paper}.{entry.module}"),
    )


class MeasuredEntry(msgspec.Struct, frozen=True, eq=False):
    """The runs of an entry, the quantities measured from them, and the outcomes of its claims.

    Attributes:
        studies: the loaded runs.
        samples: quantities of the entry; empty if it has no module or all its claims are pending.
        outcomes: the outcome of each claim.
    """

    studies: Studies
    samples: Samples
    outcomes: tuple[ClaimOutcome, ...]


def measured(paper: Paper, item: str, form: Form, studies: Studies | None = None) -> MeasuredEntry:
    """Return an entry's quantities and outcomes from existing runs: `studies`, or those of `form`.

    Raises:
        ResultsError: runs are missing or failed.
    """
    entry = paper.entries[item]
    studies = studies or Studies(paper, entry.studies, form)
    samples = _samples(paper, entry, studies)
    under = {}
    for variant in variants_of(paper, item) if form.grid else ():
        varied = Studies(paper, entry.studies, form, variant)
        under[variant.name] = _samples(paper, entry, varied)
    outcomes = []
    for number, claim in entry.claims.items():
        verdict = judge(claim, samples)
        grid = [
            At(v.setting, v.alternative, judge(read_under(claim, v), under[v.name]))
            for v in (grid_of(paper, item, number) if form.grid else ())
        ]
        verdict = over_grid(verdict, grid)
        finding = paper.findings.get(f"{item}.{number}")
        cause, controls = cause_of(verdict, finding, samples, studies)
        outcomes.append(
            ClaimOutcome(
                claim=f"{paper.paper}.{item}.{number}",
                priority=claim.priority,
                verdict=verdict,
                reason=reason_of(verdict, claim),
                cause=cause,
                controls=controls,
                identity=claim.kind == "identity",
                over=entry.grid_of(number),
            )
        )
    return MeasuredEntry(studies, samples, tuple(outcomes))


def _samples(paper: Paper, entry: PaperEntry, studies: Studies) -> Samples:
    if not entry.module or all(claim.pending for claim in entry.claims.values()):
        return {}
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN means not measured
        return code_of(paper, entry).figures(studies)


def reason_of(verdict: ClaimVerdict, claim: Claim) -> str:
    """Return the alternatives, control or missing measurement that leave a claim open, or ""."""
    from ecnomy.analysis.reproduce.wording import grid_text

    if verdict.verdict in (PENDING, NOT_TESTABLE):
        return claim.pending or claim.not_testable
    if verdict.verdict == CONFIRMED:
        return ""
    over = grid_text(verdict) if verdict.verdict in (DEPENDS, INCONCLUSIVE) else ""
    return why_text(over, verdict.note)


def cause_of(
    verdict: ClaimVerdict, finding: ClaimReason | None, samples: Samples, studies: Studies
) -> tuple[str, dict[str, Interval]]:
    """Return the cause of a claim's verdict, or "", and the quantities that it names.

    A claim has no cause if it is not judged, is confirmed at the chosen settings, has a verdict
    with a note, or is reported without a finding.
    """
    from ecnomy.analysis.reproduce.wording import MISSING, UNKNOWN, filled

    if verdict.verdict in (PENDING, NOT_TESTABLE, CONFIRMED) or verdict.alone == CONFIRMED:
        return "", {}
    if verdict.note or (verdict.alone == REPORTED and not finding):
        return "", {}
    if finding is not None:
        return filled(finding, samples, studies)
    missing = any(figure.measured is None for figure in verdict.figures)
    return (MISSING if verdict.alone == INCONCLUSIVE and missing else UNKNOWN), {}


def why_text(reason: str, cause: str) -> str:
    """Return a reason and a cause as one text."""
    return "; ".join(text for text in (reason, cause) if text)
