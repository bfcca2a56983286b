# SPDX-License-Identifier: Apache-2.0
"""Figures and reasons in words."""

from __future__ import annotations

import re
from typing import Final

from ecnomy.analysis.reproduce.catalogue import Finding
from ecnomy.analysis.reproduce.judge import Judged, Samples, interval_of
from ecnomy.analysis.statistics import Interval

__all__ = ["figure_text", "filled", "interval_text", "region_text"]

_MISSING: Final = "not measured in this form"
_NAMED: Final = re.compile(r"\{([^{}]+)\}")


def interval_text(interval: Interval | None) -> str:
    """`mean [low, high]`, or the value alone where there is no interval."""
    if interval is None:
        return "none"
    if interval.n == 1:
        return f"{interval.mean:.4g}"
    return f"{interval.mean:.4g} [{interval.low:.4g}, {interval.high:.4g}]"


def region_text(low: float | None, high: float | None) -> str:
    """The region of a claim."""
    if low is None and high is None:
        return "reported"
    if low is None:
        return f"<= {high:.4g}"
    if high is None:
        return f">= {low:.4g}"
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


def figure_text(figure: Judged) -> str:
    """A figure with its region."""
    measured, region = interval_text(figure.measured), region_text(figure.low, figure.high)
    return f"{figure.name} {measured}, expected {region}"


def filled(finding: Finding, samples: Samples) -> tuple[str, dict[str, Interval]]:
    """A finding with the figures it names put in, and those figures.

    What a control shows is left out where none of its figures was measured.
    """
    controls: dict[str, Interval] = {}

    def put(match: re.Match[str]) -> str:
        interval = interval_of(samples[match[1]]) if match[1] in samples else None
        if interval is None:
            return f"({_MISSING})"
        controls[match[1]] = interval
        return interval_text(interval)

    def told(text: str) -> str:
        names = _NAMED.findall(text)
        missing = not any(name in samples and interval_of(samples[name]) for name in names)
        return _MISSING if names and missing else _NAMED.sub(put, text)

    lines = [_NAMED.sub(put, finding.cause)]
    lines += [f"tried: {tried.run}: {told(tried.shows)}" for tried in finding.tried]
    return "; ".join(lines), controls
