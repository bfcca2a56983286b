# SPDX-License-Identifier: Apache-2.0
"""Outcome columns that athuraliya2000's sweeps need beyond the runner's columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Plan, Tcp
from ecnomy.markets.results.rawrun import open_raw

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["given", "link", "link_figures"]


def link(results: Path) -> dict[str, float | None]:
    """Return the loss and the steadiness of marking at the bottleneck in the measured window.

    Returns:
        `bottleneck.loss`, drops / arrivals; `bottleneck.marked`, marks / arrivals;
        `bottleneck.p_cv`, the coefficient of variation of marks / arrivals in the recorded
        intervals (None without marks), all None without arrivals; `<source>.delivered_pps`, packets
        per second and flow that reach the receivers, if the run counted `delivered`; and the
        columns of `given`.
    """
    import pandas as pd

    run = open_raw(results)
    counts = pd.read_parquet(results / "counts.parquet")
    of = {name: _counts(counts, name, "bottleneck") for name in ("arrivals", "marks", "drops")}
    figures = link_figures(of["arrivals"], of["marks"], of["drops"])
    window_s = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    for source in run.plan.sources:
        delivered = _counts(counts, "delivered", source.name)
        if delivered.size:
            figures[f"{source.name}.delivered_pps"] = float(
                delivered.sum() / window_s / source.count
            )
    return figures | given(run.plan)


def given(plan: Plan) -> dict[str, float]:
    """Return settings of the bottleneck that depend on the packet length of the first source.

    Returns:
        `bottleneck.buffer_packets`: the buffer size, or -1 without a limit;
        `bottleneck.product_packets`: the capacity times the round-trip propagation delay.
    """
    [link] = [link for link in plan.links if link.name == "bottleneck"]
    source = plan.sources[0]
    assert isinstance(source.transport, Tcp)
    bits = 8 * (source.transport.mss_bytes + source.transport.header_bytes)
    rtt_s = sum(plan.links[i].delay_ps for i in (*source.path, *source.ack_path)) / PS_PER_S
    return {
        "bottleneck.buffer_packets": float(link.buffer_packets),
        "bottleneck.product_packets": link.rate_bps * rtt_s / bits,
    }


def link_figures(arrivals: Floats, marks: Floats, drops: Floats) -> dict[str, float | None]:
    """Return the columns of `link` that follow from counts per interval."""
    total = arrivals.sum()
    if total == 0:
        return {"bottleneck.loss": None, "bottleneck.marked": None, "bottleneck.p_cv": None}
    share = marks[arrivals > 0] / arrivals[arrivals > 0]
    steady = float(share.std(ddof=1) / share.mean()) if share.size > 1 and marks.any() else None
    return {
        "bottleneck.loss": float(drops.sum() / total),
        "bottleneck.marked": float(marks.sum() / total),
        "bottleneck.p_cv": steady,
    }


def _counts(counts: pd.DataFrame, name: str, subject: str) -> Floats:
    own: Any = counts[(counts["name"] == name) & (counts["subject"] == subject)]
    return np.asarray(own.sort_values("t_ps")["count"], dtype=np.float64)
