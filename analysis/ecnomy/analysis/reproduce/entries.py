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

__all__ = ["Outcome", "code_of", "judged", "reason_of", "samples_of"]


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


def samples_of(paper: Paper, item: str, form: Form) -> Samples:
    """The figures of an entry; none where all its claims are pending.

    Raises:
        ResultsError: as judged.
    """
    entry = paper.entries[item]
    if not entry.module or all(claim.pending for claim in entry.claims.values()):
        return {}
    with np.errstate(divide="ignore", invalid="ignore"):  # what is no number is not measured
        return code_of(paper, entry).figures(Studies(paper, entry.studies, form))


def judged(paper: Paper, item: str, form: Form) -> list[Outcome]:
    """The outcome of each claim of an entry, from runs that are there.

    Raises:
        ResultsError: runs are missing or failed.
    """
    samples = samples_of(paper, item, form)
    outcomes = []
    for number, claim in paper.entries[item].claims.items():
        verdict = judge(claim, samples)
        finding = paper.findings.get(f"{item}.{number}")
        reason, controls = reason_of(verdict, claim.pending, finding, samples)
        name = f"{paper.paper}.{item}.{number}"
        outcomes.append(Outcome(name, claim.priority, verdict, reason, controls))
    return outcomes


def reason_of(
    verdict: Verdict, pending: str, finding: Finding | None, samples: Samples
) -> tuple[str, dict[str, Interval]]:
    """Why a claim is not confirmed, and the figures that this names in braces."""
    from ecnomy.analysis.reproduce.wording import filled

    if verdict.verdict == PENDING:
        return pending, {}
    if verdict.verdict in (CONFIRMED, REPORTED):
        return "", {}
    if finding is None:
        if verdict.verdict == INCONCLUSIVE and any(f.measured is None for f in verdict.figures):
            return "not measured in this form", {}
        return "cause unknown; no controlled runs yet", {}
    return filled(finding, samples)
