# SPDX-License-Identifier: Apache-2.0
"""Outcome columns for sweeps: the share of each source's packets that was lost or late.

measure: ecnomy.analysis.run.lateness:late_shares
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

__all__ = ["late_shares"]

_PS_PER_MS: Final = 10**9


def late_shares(results: Path) -> Mapping[str, float | None]:
    """Return `<source>.late_over_<t>ms` for each threshold t under `record: delay_thresholds`.

    The base is the packets of a source that arrived or were lost in the measured window. The value
    is the share of these packets that was lost or took longer than t from host to host, or None
    without packets.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    flows: Any = run.table("flows").groupby("source").sum(numeric_only=True)
    shares: dict[str, float | None] = {}
    for index, threshold_ps in enumerate(run.plan.record.delay_thresholds_ps):
        for source, own in flows.iterrows():
            ended = float(own["delivered"] + own["lost"])
            late = float(own[f"late_{index}"] + own["lost"])
            name = f"{source}.late_over_{threshold_ps / _PS_PER_MS:g}ms"
            shares[name] = late / ended if ended else None
    return shares
