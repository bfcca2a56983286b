# SPDX-License-Identifier: Apache-2.0
"""An entry's own code: what is taken from its runs, and its picture.

A module `reproduce/<paper>/<module>.py` has

    figures(studies) -> Samples       figures by name, one value per seed or batch each
    draw(studies, figure) -> None     the picture, in the layout of the paper's (may be missing)

and, where runs need columns of their own, functions that its sweep files name under `measure`.
None of it knows what a claim expects.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.catalogue import Entry, Finding, Paper
from ecnomy.analysis.reproduce.judge import (
    CONFIRMED,
    INCONCLUSIVE,
    PENDING,
    REPORTED,
    Samples,
    Verdict,
    judge,
)
from ecnomy.analysis.reproduce.studies import Form, Studies
from ecnomy.analysis.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Measured", "Outcome", "code_of", "measured", "reason_of"]


class Code(Protocol):
    """The module of an entry."""

    def figures(self, studies: Studies) -> Samples:
        """Figures by name."""

    def draw(self, studies: Studies, figure: Figure) -> None:
        """The picture."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of a claim.

    Attributes:
        claim: `paper.entry.cN`.
        verdict: with the figures behind it.
        reason: why it is not confirmed, "" where it is.
        controls: further figures that the reason speaks of, by name.
    """

    claim: str
    priority: str
    verdict: Verdict
    reason: str = ""
    controls: dict[str, Interval] = {}


def code_of(paper: Paper, entry: Entry) -> Code:
    """The module of an entry."""
    return cast(
        Code,
        importlib.import_module(f"ecnomy.analysis.reproduce.{paper.paper}.{entry.module}"),
    )


class Measured(msgspec.Struct, frozen=True, eq=False):
    """An entry's runs, what is taken from them, and what became of its claims.

    Attributes:
        studies: its runs, as loaded.
        samples: its figures; none where all its claims are pending.
        outcomes: one per claim.
    """

    studies: Studies
    samples: Samples
    outcomes: tuple[Outcome, ...]


def measured(paper: Paper, item: str, form: Form) -> Measured:
    """An entry measured and judged, from runs that are there.

    Raises:
        ResultsError: runs are missing or failed.
    """
    entry = paper.entries[item]
    studies = Studies(paper, entry.studies, form)
    samples: Samples = {}
    if entry.module and not all(claim.pending for claim in entry.claims.values()):
        with np.errstate(divide="ignore", invalid="ignore"):  # what is no number is not measured
            samples = code_of(paper, entry).figures(studies)
    outcomes = []
    for number, claim in entry.claims.items():
        verdict = judge(claim, samples)
        finding = paper.findings.get(f"{item}.{number}")
        reason, controls = reason_of(verdict, claim.pending, finding, samples)
        name = f"{paper.paper}.{item}.{number}"
        outcomes.append(Outcome(name, claim.priority, verdict, reason, controls))
    return Measured(studies, samples, tuple(outcomes))


def reason_of(
    verdict: Verdict, pending: str, finding: Finding | None, samples: Samples
) -> tuple[str, dict[str, Interval]]:
    """Why a claim is not confirmed, what a reported one tells; and the figures named in it."""
    from ecnomy.analysis.reproduce.wording import filled

    if verdict.verdict == PENDING:
        return pending, {}
    if verdict.verdict == CONFIRMED or (verdict.verdict == REPORTED and finding is None):
        return "", {}
    if finding is None:
        if verdict.verdict == INCONCLUSIVE and any(f.measured is None for f in verdict.figures):
            return "not measured in this form", {}
        return "cause unknown; no controlled runs yet", {}
    return filled(finding, samples)
