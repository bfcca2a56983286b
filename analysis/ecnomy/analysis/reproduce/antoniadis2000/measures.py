# SPDX-License-Identifier: Apache-2.0
"""Outcome columns that antoniadis2000's sweeps need beyond the runner's columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.antoniadis2000.windows import (
    autocorrelation_peak,
    settled_after_s,
)

if TYPE_CHECKING:
    import pandas as pd

    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["burstiness", "convergence", "growth", "settling", "shares", "windows"]

Columns = Mapping[str, float | Sequence[float]]
_STEP_S: Final = 0.1  # record.every of the sweeps
_FIRST: Final = 400  # values of a window in the picture, one per two steps


def cwnd_series(run: RawRun) -> dict[str, Floats]:
    """Return the windows of each source over time, [flow, step], with 0 before a flow begins."""
    series = run.table("series")
    series = series[series["name"] == list(run.plan.record.series).index("cwnd")]
    wide: Any = series.pivot(index="subject", columns="t_ps", values="value").fillna(0.0)
    flows = run.table("flows").set_index("flow")["source"]
    return {
        source: np.asarray(wide.loc[flows.index[flows == source]], dtype=np.float64)
        for source in dict.fromkeys(flows)
    }


def windows(results: Path) -> Columns:
    """Return the mean standard deviation of each source's windows, and one window over time.

    The latter has a value every 200 ms for 20 s; sources named `...-rest` lack it.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    skipped = round(run.measured.from_ps / PS_PER_S / _STEP_S)
    columns: dict[str, float | Sequence[float]] = {}
    for source, cwnd in cwnd_series(run).items():
        columns[f"{source}.std_cwnd"] = float(cwnd[:, skipped:].std(axis=1, ddof=1).mean())
        if not source.endswith("-rest"):
            columns[f"{source}.course"] = cwnd[0, 2 * skipped :: 2][: _FIRST // 4].tolist()
    return columns


def convergence(results: Path) -> Columns:
    """Return when the light flows' windows settle, how they fluctuate, and how rates differ.

    Returns:
        settled_s and settled_2_s, the time from which the mean window stays within 10 % or 2 % of
        its final value; std_cwnd and std_mean_cwnd, the standard deviation of a flow's window and
        of the mean window in the second half; peak and peak_of_mean, the peaks of their
        autocorrelation between 1 s and 20 s; least_share and most_share, the extreme rates / the
        mean rate; largest_cwnd; and course, the mean window every 0.5 s.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    cwnd = cwnd_series(run)["light"]
    mean = cwnd.mean(axis=0)
    half = cwnd[:, cwnd.shape[1] // 2 :]
    own = run.table("flows")["goodput_bps"].to_numpy(dtype=np.float64)
    lags = {"from_s": 1.0, "to_s": 20.0}
    return {
        "settled_s": settled_after_s(mean, _STEP_S, within=0.10),
        "settled_2_s": settled_after_s(mean, _STEP_S, within=0.02),
        "std_cwnd": float(half.std(axis=1, ddof=1).mean()),
        "std_mean_cwnd": float(half.mean(axis=0).std(ddof=1)),
        "peak": float(np.mean([autocorrelation_peak(row, _STEP_S, **lags) for row in half])),
        "peak_of_mean": autocorrelation_peak(half.mean(axis=0), _STEP_S, **lags),
        "least_share": float(own.min() / own.mean()),
        "most_share": float(own.max() / own.mean()),
        "largest_cwnd": float(cwnd.max()),
        "course": mean[4::5].tolist(),
    }


def settling(results: Path) -> Columns:
    """Return when the light flows' mean window settles after other flows begin half-way."""
    from ecnomy.markets.results.rawrun import open_raw

    mean = cwnd_series(open_raw(results))["light"].mean(axis=0)
    after = mean[len(mean) // 2 :]
    return {"settled_s": settled_after_s(after, _STEP_S, within=0.10)}


def shares(results: Path) -> Columns:
    """Return the largest throughput of a flow divided by the mean throughput of all flows."""
    from ecnomy.markets.results.rawrun import open_raw

    own = open_raw(results).table("flows")["goodput_bps"].to_numpy(dtype=np.float64)
    return {"most_share": float(own.max() / own.mean())}


def growth(results: Path) -> Columns:
    """Return a flow's window growth per round trip [packets], and its mean round trip [s]."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    series = run.table("series").sort_values("t_ps")
    names = list(run.plan.record.series)
    rows = {name: series[series["name"] == names.index(name)] for name in ("cwnd", "rtt")}
    own = rows["cwnd"][rows["cwnd"]["value"] > 1]
    times_s = own["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    per_s = float(np.polyfit(times_s, own["value"].to_numpy(dtype=np.float64), 1)[0])
    trips = rows["rtt"]["value"].to_numpy(dtype=np.float64)
    rtt_s = float(trips[trips > 0].mean())
    return {"growth_per_rtt": per_s * rtt_s, "rtt_s": rtt_s}


def burstiness(results: Path) -> Columns:
    """Return the coefficient of variation of packets sent per bin, and its ratio to Poisson's."""
    from ecnomy.markets.results.rawrun import open_raw

    counts = open_raw(results).table("counts")
    columns: dict[str, float | Sequence[float]] = {}
    for source, own in counts[counts["name"] == "sent"].groupby("subject"):
        sent: Any = np.asarray(_in_time(own), dtype=np.float64)
        cv = float(sent.std(ddof=1) / sent.mean())
        columns[f"{source}.sent_cv"] = cv
        columns[f"{source}.sent_cv_over_poisson"] = cv * float(np.sqrt(sent.mean()))
    return columns


def _in_time(own: pd.DataFrame) -> pd.Series[Any]:
    return own.sort_values("t_ps")["count"]
