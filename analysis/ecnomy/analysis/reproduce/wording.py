# SPDX-License-Identifier: Apache-2.0
"""Describes quantities and reasons in words."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Final

from ecnomy.analysis.reproduce.catalogue import ClaimReason
from ecnomy.analysis.reproduce.judge import (
    At,
    ClaimVerdict,
    JudgedQuantity,
    Samples,
    contradicted,
    deciding,
    interval_of,
)
from ecnomy.analysis.statistics.intervals import Interval

if TYPE_CHECKING:
    from ecnomy.analysis.reproduce.studies import Studies

__all__ = [
    *("MISSING", "UNKNOWN"),
    *("figure_text", "figures_named", "filled", "grid_text", "interval_text", "region_text"),
]

MISSING: Final = "not measured in this form"
UNKNOWN: Final = "cause unknown; no controlled runs yet"
_NAMED: Final = re.compile(r"\{([^{}]+)\}")


def interval_text(interval: Interval | None) -> str:
    """Return `mean [low, high]`, only the mean for a single value, or `none` for None."""
    if interval is None:
        return "none"
    if interval.n == 1:
        return f"{interval.mean:.4g}"
    return f"{interval.mean:.4g} [{interval.low:.4g}, {interval.high:.4g}]"


def region_text(low: float | None, high: float | None) -> str:
    """Return the region of a claim as text."""
    if low is None and high is None:
        return "reported"
    if low is None:
        return f"<= {high:.4g}"
    if high is None:
        return f">= {low:.4g}"
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


def figure_text(figure: JudgedQuantity) -> str:
    """Return a quantity with its region as text."""
    measured, region = interval_text(figure.measured), region_text(figure.low, figure.high)
    return f"{figure.name} {measured}, expected {region}"


def grid_text(verdict: ClaimVerdict) -> str:
    """Return text on the alternatives with another verdict, and on the quantities that decide it.

    The result is "" if all alternatives agree.
    """
    others = [at for at in verdict.grid if at.verdict.verdict != verdict.alone]
    if not others:
        return ""
    return f"{verdict.alone} as chosen; " + "; ".join(_at_text(at, verdict) for at in others)


def _at_text(at: At, alone: ClaimVerdict) -> str:
    beside = alone if alone.alone != at.verdict.verdict else None
    figure = deciding(at.verdict, _at_chosen(beside))
    decisive = f" ({figure_text(figure)})" if figure else ""
    note = f" ({at.verdict.note})" if at.verdict.note else ""
    return f"{at.verdict.verdict} with {at.setting} {at.alternative}{decisive}{note}"


def _at_chosen(verdict: ClaimVerdict | None) -> ClaimVerdict | None:
    return ClaimVerdict(verdict.alone, verdict.figures) if verdict else None


def filled(
    finding: ClaimReason, samples: Samples, studies: Studies
) -> tuple[str, dict[str, Interval]]:
    """Return a finding's text with quantities and settings inserted, and the quantities by name.

    The quantities are those in its text and in its conditions. A note replaces the text of a
    control if no quantity in this text was measured, and a cause if the runs do not meet its
    conditions.
    """
    controls: dict[str, Interval] = {}

    def put(match: re.Match[str]) -> str:
        study, at, path = match[1].partition("@")
        if at:
            return studies.setting(study, path)
        interval = interval_of(samples[match[1]]) if match[1] in samples else None
        if interval is None:
            return f"({MISSING})"
        controls[match[1]] = interval
        return interval_text(interval)

    def inserted(text: str) -> str:
        names = [name for name in _NAMED.findall(text) if "@" not in name]
        missing = not any(name in samples and interval_of(samples[name]) for name in names)
        return MISSING if names and missing else _NAMED.sub(put, text)

    for name in samples:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in finding.when):
            interval = interval_of(samples[name])
            controls |= {name: interval} if interval else {}
    other = contradicted(finding, samples)
    lines = [_elsewhere(other) if other else _NAMED.sub(put, finding.cause)]
    lines += [f"tried: {inserted(tried.run)}: {inserted(tried.shows)}" for tried in finding.tried]
    return "; ".join(lines), controls


def figures_named(finding: ClaimReason) -> set[str]:
    """Return the names of the quantities in a finding's texts."""
    texts = [finding.cause, *(text for tried in finding.tried for text in (tried.run, tried.shows))]
    return {name for text in texts for name in _NAMED.findall(text) if "@" not in name}


def _elsewhere(figure: JudgedQuantity) -> str:
    """Return the text that replaces a cause whose conditions the runs do not meet."""
    region, measured = region_text(figure.low, figure.high), interval_text(figure.measured)
    known = f"the recorded cause applies to runs with {figure.name} {region}"
    return f"cause unknown: {known}, but here it is {measured}"
