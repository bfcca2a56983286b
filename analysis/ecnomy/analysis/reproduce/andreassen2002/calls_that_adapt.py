# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of calls that ignore marks and of calls that react to them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ecnomy.agents.times import PS_PER_S

__all__ = ["rates"]


def rates(results: Path) -> Mapping[str, float | None]:
    """Return the rates of `voice`, `adaptive` and `web` in the measured window.

    Returns:
        `<source>_marking`, the share of delivered packets that are marked; `<source>_marks_per_s`
        and `<source>_pps`, the marks and packets delivered per second and flow; `<source>_late`,
        the share of packets lost or later than 16 ms, host to host. Shares of no packets are None.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    sums: Any = run.table("flows").groupby("source").sum(numeric_only=True)
    seconds = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    columns: dict[str, float | None] = {}
    for name in ("voice", "adaptive", "web"):
        own = sums.loc[name]
        delivered, flows = float(own["delivered"]), float(own["members"])
        columns[f"{name}_marking"] = float(own["ce"]) / delivered if delivered else None
        columns[f"{name}_marks_per_s"] = float(own["ce"]) / seconds / flows
        columns[f"{name}_pps"] = delivered / seconds / flows
        ended = delivered + float(own["lost"])
        late = float(own["late_0"] + own["lost"])
        columns[f"{name}_late"] = late / ended if ended else None
    return columns
