# SPDX-License-Identifier: Apache-2.0
"""Renders recorded causes with the current text of findings.yaml and the recorded quantities."""

from __future__ import annotations

import fnmatch
from pathlib import Path

import msgspec

from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.judge import LEVEL
from ecnomy.analysis.reproduce.recorded import REASON, RecordedClaim
from ecnomy.analysis.reproduce.studies import Form, Studies
from ecnomy.analysis.reproduce.wording import MISSING, UNKNOWN, figures_named, filled
from ecnomy.analysis.statistics.intervals import Interval

__all__ = ["cause_now"]


def cause_now(record: RecordedClaim, paper: Paper) -> str | None:
    """Return the cause of a record in the current words, or "" if it has no cause.

    The result is None if the finding has changed and its text or conditions need quantities that
    the record lacks.
    """
    item, _, number = record.claim.partition(".")[2].rpartition(".")
    finding = paper.findings.get(f"{item}.{number}")
    if not record.cause:
        return ""
    if finding is None:
        return record.cause if record.cause == MISSING else UNKNOWN
    ordered = sorted(record.figures, key=lambda figure: figure.of == REASON)
    held = {f.name: Interval(*f.measured[:3], LEVEL, f.measured[3]) for f in ordered if f.measured}
    unknown = {p for p in finding.when if not fnmatch.filter(held, p)}
    kept = {pattern: held_in for pattern, held_in in finding.when.items() if pattern not in unknown}
    studies = Studies(paper, paper.entries[item].studies, Form(Path()))
    cause, _ = filled(msgspec.structs.replace(finding, when=kept), held, studies)
    if cause == record.cause:
        return cause
    return None if unknown or figures_named(finding) - set(held) else cause
