# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of experiment 1: losses, rates and queue in windows of 0.25 s (the epoch).

Totals cover the measured window. Only the runs of seed 1 also return the rows `loss`, `queue`,
`throughput` and `goodput` for the figures, with one number per window.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S

if TYPE_CHECKING:
    import pandas as pd

    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["PACKET_BYTES", "PICTURED_SEED", "goodput_share", "loss_share", "windows"]

PACKET_BYTES: Final = 500
PICTURED_SEED: Final = 1
_BOTTLENECK: Final = "bottleneck"


def windows(results: Path) -> dict[str, float | list[float]]:
    """Return the losses, marks and queue at the bottleneck, and the rates behind it.

    Returns:
        loss_share (drops / arrivals), drops, lossy_windows (share of windows with a drop),
        marks_share (marks / arrivals), throughput_bps and goodput_bps (of all flows), goodput_share
        (goodput / throughput), queue_mean_bytes and queue_std_bytes (over windows), timeouts_per_s
        (of a flow), and the rows of seed 1.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    link = _differences(run, "link_epochs", "link", _index(run))
    flows = _differences(run, "flow_epochs", "", -1)
    seconds = link["t_ps"] / PS_PER_S
    queue = link["queue_integral"] / seconds * PACKET_BYTES
    throughput = flows["delivered_bytes"] * 8 / seconds
    goodput = flows["acked_bytes"] * 8 / seconds
    measures: dict[str, float | list[float]] = {
        "loss_share": loss_share(link["drops"], link["arrivals"]),
        "drops": float(link["drops"].sum()),
        "lossy_windows": float(np.mean(link["drops"] > 0)),
        "marks_share": float(link["marks"].sum() / link["arrivals"].sum()),
        "throughput_bps": float(throughput.mean()),
        "goodput_bps": float(goodput.mean()),
        "goodput_share": goodput_share(goodput, throughput),
        "queue_mean_bytes": float(queue.mean()),
        "queue_std_bytes": float(queue.std(ddof=1)),
        "timeouts_per_s": float(flows["timeouts"].sum() / seconds.sum() / _flows(run)),
    }
    if run.plan.seed == PICTURED_SEED:
        loss = link["drops"] / np.maximum(link["arrivals"], 1)
        rows = {"loss": loss, "queue": queue, "throughput": throughput, "goodput": goodput}
        measures |= {name: row.tolist() for name, row in rows.items()}
    return measures


def loss_share(drops: Floats, arrivals: Floats) -> float:
    """Return the share of arriving packets that were dropped."""
    return float(drops.sum() / arrivals.sum())


def goodput_share(goodput: Floats, throughput: Floats) -> float:
    """Return the ratio of bytes delivered to applications to bytes delivered to hosts."""
    return float(goodput.sum() / throughput.sum())


def _index(run: RawRun) -> int:
    return [link.name for link in run.plan.links].index(_BOTTLENECK)


def _flows(run: RawRun) -> int:
    return sum(source.count for source in run.plan.sources)


def _differences(run: RawRun, table: str, column: str, index: int) -> dict[str, Floats]:
    """Return each counter's changes between reports of the measured window, summed over rows."""
    frame: pd.DataFrame = run.table(table)
    if column:
        frame = frame[frame[column] == index]
    frame = frame[frame["t_ps"] >= run.measured.from_ps]
    summed: Any = frame.groupby("t_ps").sum(numeric_only=True).sort_index()
    changes = {name: np.diff(summed[name].to_numpy(dtype=np.float64)) for name in summed}
    changes["t_ps"] = np.diff(summed.index.to_numpy(dtype=np.float64))
    return changes
