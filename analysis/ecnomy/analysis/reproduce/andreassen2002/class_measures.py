# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of andreassen2002's runs with two classes of service."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.andreassen2002.measures import MEGABIT

if TYPE_CHECKING:
    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["by_class", "shares"]

_BITS: Final = 8


def by_class(results: Path) -> Mapping[str, float | None]:
    """Return a row of Table 2: delays and rates of voice and web.

    Returns:
        For `voice_` and `web_`: late (share of packets lost or later than 16 ms, host to host),
        lost, mbps (2^20 bit/s, IP), ms (mean delay over the router), host_ms (mean delay, host to
        host), and longest_ms (longest wait at the router). Also download_ms, the mean download time
        of complete files that begin in the measured window (None without any), and packet_bytes,
        the mean IP length of all packets.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    sums: Any = run.table("flows").groupby("source").sum(numeric_only=True)
    seconds = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    classes = _measured_classes(run)
    link = next(link for link in run.plan.links if link.name == "bottleneck")
    columns: dict[str, float | None] = {}
    for name in ("voice", "web"):
        own, rows = sums.loc[name], classes.loc[name]
        sent = float(own["delivered"] + own["lost"])
        columns[f"{name}_late"] = float(own["late_0"] + own["lost"]) / sent
        columns[f"{name}_lost"] = float(own["lost"]) / sent
        columns[f"{name}_mbps"] = float(own["delivered_bytes"] * _BITS / seconds / MEGABIT)
        wire_bytes = float(rows["departed_bytes"] / rows["departures"]) + link.framing_bytes
        waited_s = float(rows["delay_sum_ps"] / rows["departures"]) / PS_PER_S
        service_s = link.delay_ps / PS_PER_S + wire_bytes * _BITS / link.rate_bps
        columns[f"{name}_ms"] = 1e3 * (waited_s + service_s)
        host_s = float(own["delay_sum_ps"] / own["delivered"]) / PS_PER_S
        columns[f"{name}_host_ms"] = 1e3 * host_s
        columns[f"{name}_longest_ms"] = 1e3 * float(rows["delay_max_ps"]) / PS_PER_S
    whole = sums.loc[["voice", "web"]].sum()
    columns["packet_bytes"] = float(whole["delivered_bytes"] / whole["delivered"])
    done = run.table("transfers")
    done = done[(done["complete"] == 1) & (done["start_ps"] >= run.measured.from_ps)]
    times = (done["end_ps"] - done["start_ps"]).to_numpy(dtype=np.float64)
    columns["download_ms"] = float(times.mean() / PS_PER_S * 1e3) if len(times) else None
    return columns


def shares(results: Path) -> Mapping[str, float]:
    """Return the shares of the bottleneck's rate used by voice and web, with Ethernet headers."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    link = next(link for link in run.plan.links if link.name == "bottleneck")
    could = link.rate_bps * (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    classes = _measured_classes(run)
    wire = classes["departed_bytes"] + link.framing_bytes * classes["departures"]
    return {f"{name}_share": float(wire[name] * _BITS / could) for name in ("voice", "web")}


def _measured_classes(run: RawRun) -> Any:
    table = run.table("classes")
    own = table[table["t_ps"] >= run.measured.from_ps].groupby("class_name")
    sums = own.sum(numeric_only=True)
    sums["delay_max_ps"] = own["delay_max_ps"].max()
    return sums
