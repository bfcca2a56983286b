# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of experiment 2, from the table of classes with intervals of 0.25 s.

Only the runs of seed 1 also return rows over time for the figures, in windows of 0.5 s.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.christin2003.windows import PICTURED_SEED

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CLASSES", "WINDOW_S", "class_figures", "classes"]

CLASSES: Final = (1, 2, 3, 4)
WINDOW_S: Final = 0.25
_FROM_S: Final = 10.0  # start of the figures "after 10 s"
_SETTLED_S: Final = 5.0  # throughputs have settled
_BOUND_BPS: Final = 5e6
_IN: Final = 2  # windows per value of a row


def classes(results: Path) -> dict[str, float | list[float]]:
    """Return the losses, delays and throughputs of each class.

    Returns:
        For class n: loss.n (drops / arrivals), drops.n (number), and marks.n (marks / arrivals);
        delay_s.n, the mean delay; throughput_bps.n and throughput_cv.n, over windows after 5 s. For
        class 1: late_share, delay_max_s and windows_at_bound, the share of windows after 5 s with
        at least 5 Mbps. Names with `after_10` count from 10 s. throughput_bps is the sum of all
        classes. Seed 1 adds rows over time.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    frame: Any = run.table("classes")
    columns: dict[str, float | list[float]] = {}
    total: Floats = np.zeros(0)
    for number in CLASSES:
        own = frame[frame["class"] == number - 1].sort_values("t_ps")
        columns |= class_figures(own, number)
        rate = _rates(own)
        total = rate if number == 1 else total + rate
        if run.plan.seed == PICTURED_SEED:
            columns |= _rows(own, number)
    columns["throughput_bps"] = float(total.mean())
    return columns


def class_figures(own: pd.DataFrame, number: int) -> dict[str, float | list[float]]:
    """Return the measures of class `number` from its rows in order of time."""
    column = {
        name: own[name].to_numpy(dtype=np.float64)
        for name in own
        if name != "class_name" and name != "link_name"
    }
    after = column["t_ps"] >= _FROM_S * PS_PER_S
    rate = _rates(own)
    columns: dict[str, float | list[float]] = {
        f"loss.{number}": column["drops"].sum() / column["arrivals"].sum(),
        f"loss_after_10.{number}": column["drops"][after].sum() / column["arrivals"][after].sum(),
        f"drops.{number}": column["drops"].sum(),
        f"drops_after_10.{number}": column["drops"][after].sum(),
        f"marks.{number}": column["marks"].sum() / column["arrivals"].sum(),
        f"delay_s.{number}": column["delay_sum_ps"].sum() / column["departures"].sum() / PS_PER_S,
        f"throughput_bps.{number}": float(rate.mean()),
        f"throughput_cv.{number}": float(rate.std(ddof=1) / rate.mean()),
    }
    if number == 1:
        departures = column["departures"]
        columns |= {
            "late_share": column["late"].sum() / departures.sum(),
            "late_share_after_10": column["late"][after].sum() / departures[after].sum(),
            "delay_max_s": column["delay_max_ps"].max() / PS_PER_S,
            "delay_max_after_10_s": column["delay_max_ps"][after].max() / PS_PER_S,
            "windows_at_bound": float(np.mean(rate >= _BOUND_BPS)),
        }
    return {
        name: value if isinstance(value, list) else float(value) for name, value in columns.items()
    }


def _rates(own: pd.DataFrame) -> Floats:
    """Return the throughput in each window after 5 s [bit/s]."""
    settled = own["t_ps"].to_numpy(dtype=np.float64) >= _SETTLED_S * PS_PER_S
    rate: Floats = own["departed_bytes"].to_numpy(dtype=np.float64)[settled] * 8 / WINDOW_S
    return rate


def _rows(own: pd.DataFrame, number: int) -> dict[str, list[float]]:
    rate = _pairs(own["departed_bytes"]).mean(axis=1) * 8 / WINDOW_S
    arrived = _pairs(own["busy_arrived_bytes"])[:, -1]
    dropped = _pairs(own["busy_dropped_bytes"])[:, -1]
    rows = {
        f"throughput.{number}": rate.tolist(),
        f"busy_loss.{number}": (dropped / np.maximum(arrived, 1)).tolist(),
    }
    if number == 1:
        sums, counts = _pairs(own["delay_sum_ps"]).sum(axis=1), _pairs(own["departures"])
        rows["delay_mean.1"] = (sums / np.maximum(counts.sum(axis=1), 1) / PS_PER_S).tolist()
        rows["delay_max.1"] = (_pairs(own["delay_max_ps"]).max(axis=1) / PS_PER_S).tolist()
    return rows


def _pairs(column: Any) -> Floats:
    values = np.asarray(column, dtype=np.float64)
    return values[: len(values) // _IN * _IN].reshape(-1, _IN)
