# SPDX-License-Identifier: Apache-2.0
"""Outcome columns that siris2002's sweeps need beyond the runner's columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.statistics.intervals import dispersion

if TYPE_CHECKING:
    import pandas as pd

    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["BATCHES", "batches", "burstiness", "convergence", "rates", "waits"]

BATCHES: Final = 30
_SMOOTH: Final = 20  # samples in the moving mean that determines the rise time
_SHOWN: Final = 5  # the picture keeps one sample of this many
_MARKS_IN: Final = 5  # intervals of 10 ms over which marks are summed


def burstiness(results: Path) -> dict[str, float]:
    """Return the burstiness of sending and marking in the measured window.

    Returns:
        `<source>.sent_cv`, the coefficient of variation of a flow's packets in 10 ms (the source's
        coefficient times the root of its number of flows, which is exact for independent flows);
        `bottleneck.marks_dispersion`, variance / mean of the number of marks in 50 ms.
    """
    import pandas as pd

    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    counts = pd.read_parquet(results / "counts.parquet")
    counts = counts[counts["t_ps"] > run.measured.from_ps]
    figures: dict[str, float] = {}
    for source in run.plan.sources:
        sent = _counts(counts, "sent", source.name)
        if sent.size > 1 and sent.mean() > 0:
            cv = float(sent.std(ddof=1) / sent.mean())
            figures[f"{source.name}.sent_cv"] = cv * float(np.sqrt(source.count))
    marks = _counts(counts, "marks", "bottleneck")
    whole = marks[: len(marks) // _MARKS_IN * _MARKS_IN].reshape(-1, _MARKS_IN).sum(axis=1)
    if whole.size > 1 and whole.mean() > 0:
        figures["bottleneck.marks_dispersion"] = dispersion(whole)
    return figures


def _counts(counts: pd.DataFrame, name: str, subject: str) -> Floats:
    own: Any = counts[(counts["name"] == name) & (counts["subject"] == subject)]
    return np.asarray(own.sort_values("t_ps")["count"], dtype=np.float64)


def batches(results: Path) -> dict[str, Floats]:
    """Return batch means at the bottleneck, over BATCHES equal parts of the measured window.

    Returns:
        `load`, `p` (marked over arrived packets) and `wait_s`. If recorded: `arrivals_variance`,
        the variance of packets per counting interval, and `<source>.cwnd_cv`, the mean coefficient
        of variation of its flows' windows.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    link = next(i for i, each in enumerate(run.plan.links) if each.name == "bottleneck")
    rate_bps = run.plan.links[link].rate_bps
    table = run.table("link_epochs")
    own = table[table["link"] == link].drop_duplicates("t_ps").sort_values("t_ps")
    edges = np.linspace(run.measured.from_ps, run.measured.to_ps, BATCHES + 1)
    at = np.searchsorted(own["t_ps"].to_numpy(), np.round(edges))
    change = {
        name: np.diff(own[name].to_numpy()[at].astype(np.float64))
        for name in ("arrivals", "marks", "departures", "departed_bytes", "queue_integral")
    }
    span_s = np.diff(edges) / PS_PER_S
    return {
        "load": 8 * change["departed_bytes"] / (rate_bps * span_s),
        "p": change["marks"] / change["arrivals"],
        "wait_s": change["queue_integral"] / change["departures"],
        **_fluctuations(run, edges),
    }


def _fluctuations(run: RawRun, edges: Floats) -> dict[str, Floats]:
    fluctuations: dict[str, Floats] = {}
    counts = run.table("counts")
    if len(counts):
        own = counts[(counts["name"] == "arrivals") & (counts["subject"] == "bottleneck")]
        batch = np.searchsorted(edges, own["t_ps"].to_numpy()) - 1
        grouped = own["count"].groupby(batch).var()
        fluctuations["arrivals_variance"] = np.asarray(
            grouped.loc[0 : BATCHES - 1], dtype=np.float64
        )
    series = run.table("series")
    if len(series):
        series = series[(series["t_ps"] > edges[0]) & (series["t_ps"] <= edges[-1])]
        series = series.assign(batch=np.searchsorted(edges, series["t_ps"].to_numpy()) - 1)
        flows = series.groupby(["subject", "batch"])["value"].agg(["mean", "std"])
        cv = (flows["std"] / flows["mean"]).unstack("batch").to_numpy(dtype=np.float64)
        first = 0
        for source in run.plan.sources:
            own_cv = cv[first : first + source.count]
            fluctuations[f"{source.name}.cwnd_cv"] = np.asarray(
                own_cv.mean(axis=0), dtype=np.float64
            )
            first += source.count
    return fluctuations


def waits(results: Path) -> dict[str, float]:
    """Return the waiting times of packets in the measured window, from one-way delays of all flows.

    Returns:
        `wait.mean_s`, `wait.std_s` and `wait.max_s`, with the resolution of a bin. Propagation and
        transmission times, equal for all flows, are subtracted. The rest is the wait at the
        bottleneck and at the fast access link.
    """
    from ecnomy.markets.plan.structs import Tcp
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    source = run.plan.sources[0]
    assert isinstance(source.transport, Tcp), "these scenarios have no datagrams"
    wire_bits = 8 * (source.transport.mss_bytes + source.transport.header_bytes)
    path = [run.plan.links[link] for link in source.path]
    alone_s = sum(link.delay_ps / PS_PER_S + wire_bits / link.rate_bps for link in path)
    table = run.table("histograms")
    bins = table[table["name"] == "delay"].groupby("low")["count"].sum()
    low = bins.index.to_numpy(dtype=np.float64)
    middle_s = (low + (low[1] - low[0]) / 2 - alone_s)[bins > 0]
    weight = bins.to_numpy(dtype=np.float64)[bins > 0]
    mean_s = float(np.average(middle_s, weights=weight))
    variance = float(np.average((middle_s - mean_s) ** 2, weights=weight))
    return {
        "wait.mean_s": mean_s,
        "wait.std_s": float(np.sqrt(variance)),
        "wait.max_s": float(middle_s[-1]),
    }


def rates(results: Path) -> dict[str, Floats]:
    """Return the row `goodput`: the goodput of every flow [bit/s], in the order of the plan."""
    from ecnomy.markets.results.rawrun import open_raw

    flows = open_raw(results).table("flows").sort_values("flow")
    return {"goodput": flows["goodput_bps"].to_numpy(dtype=np.float64)}


def convergence(results: Path) -> dict[str, float | Floats]:
    """Return the rise time and the variation of windows.

    Returns:
        `rise_s`, the time at which the mean window of all flows, averaged over 20 samples, first
        reaches 90 % of its mean over the last half; `cwnd.mean` and `cwnd.std` over the last half,
        where the deviation is averaged over flows; `course`, every fifth sample of the first flow's
        window.
    """
    from ecnomy.markets.results.rawrun import open_raw

    series = open_raw(results).table("series")
    windows = series.pivot(index="t_ps", columns="subject", values="value")
    values = windows.to_numpy(dtype=np.float64)
    last = values[len(values) // 2 :]
    together = np.convolve(values.mean(axis=1), np.full(_SMOOTH, 1 / _SMOOTH), "valid")
    reached = int(np.argmax(together >= 0.9 * last.mean())) + _SMOOTH - 1
    return {
        "rise_s": float(windows.index[reached]) / PS_PER_S,
        "cwnd.mean": float(last.mean()),
        "cwnd.std": float(last.std(axis=0, ddof=1).mean()),
        "course": values[::_SHOWN, 0],
    }
