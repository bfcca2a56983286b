# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of andreassen2002's sweeps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.times import PS_PER_S

if TYPE_CHECKING:
    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["MEGABIT", "calls", "mix"]

MEGABIT: Final = 2.0**20
_VOICE_BITS: Final = 142 * 8  # with Ethernet headers
_BITS: Final = 8


def mix(results: Path) -> Mapping[str, float | None]:
    """Return a row of Table 4: delays, rates and marks of voice and web.

    Returns:
        For `voice_` and `web_`: late (share of packets later than 16 ms, host to host), marking
        (share of packets marked), mbps (2^20 bit/s, IP), bytes (mean IP length of a packet) and ms
        (mean delay). web_ms is the delay over the router alone and web_host_ms the delay from host
        to host. Also download_ms, the mean download time of complete files that begin in the
        measured window (None without any), and packet_bytes, the mean IP length of all packets.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    sums: Any = run.table("flows").groupby("source").sum(numeric_only=True)
    seconds = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    columns: dict[str, float | None] = {}
    for name in ("voice", "web"):
        own = sums.loc[name]
        columns[f"{name}_late"] = float(own["late_0"] / own["delivered"])
        columns[f"{name}_marking"] = float(own["ce"] / own["delivered"])
        columns[f"{name}_mbps"] = float(own["delivered_bytes"] * _BITS / seconds / MEGABIT)
        columns[f"{name}_bytes"] = float(own["delivered_bytes"] / own["delivered"])
        delay_ms = float(own["delay_sum_ps"] / own["delivered"] / PS_PER_S * 1e3)
        columns["voice_ms" if name == "voice" else "web_host_ms"] = delay_ms
    whole = sums.loc[["voice", "web"]].sum()
    columns["packet_bytes"] = float(whole["delivered_bytes"] / whole["delivered"])
    columns["web_ms"] = _web_over_router_ms(run, sums)
    done = run.table("transfers")
    done = done[(done["complete"] == 1) & (done["start_ps"] >= run.measured.from_ps)]
    times = (done["end_ps"] - done["start_ps"]).to_numpy(dtype=np.float64)
    columns["download_ms"] = float(times.mean() / PS_PER_S * 1e3) if len(times) else None
    return columns


def _web_over_router_ms(run: RawRun, sums: Any) -> float:
    """Return the mean delay of web packets over the router, from all waits minus those of voice."""
    link = next(link for link in run.plan.links if link.name == "bottleneck")
    access = next(link for link in run.plan.links if link.name == "voice-access")
    own: Any = run.table("links").set_index("name").loc["bottleneck"]
    voice, web = sums.loc["voice"], sums.loc["web"]
    sent_s = link.delay_ps / PS_PER_S + _VOICE_BITS * (1 / link.rate_bps + 1 / access.rate_bps)
    voice_s = float(voice["delay_sum_ps"]) / PS_PER_S - float(voice["delivered"]) * sent_s
    all_s = float(own["mean_wait_s"]) * float(own["departures"])
    web_bits = float(web["delivered_bytes"] / web["delivered"]) * _BITS
    service_s = link.delay_ps / PS_PER_S + web_bits / link.rate_bps
    return 1e3 * ((all_s - voice_s) / float(web["delivered"]) + service_s)


def calls(results: Path) -> Mapping[str, float | None]:
    """Return the load that telephone users offer, and their mean idle and holding times.

    Returns:
        offered_mbps (10^6 bit/s, IP) of all users; idle_s, the mean first idle time of all users;
        holding_s, the mean holding time of complete calls that begin in the first half of the run,
        so that the end does not cut off long calls; idle_se_s and holding_se_s, the standard errors
        of these means; call_pps, the mean packet rate of complete calls longer than 1 s;
        packet_bytes, the mean IP length; and the mean and variance of the number of simultaneous
        calls, divided by the binomial's.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    flows = run.table("flows").sum(numeric_only=True)
    seconds = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    table = run.table("calls").sort_values(["user", "start_ps"])
    holding = (table["end_ps"] - table["start_ps"]).to_numpy(dtype=np.float64) / PS_PER_S
    early = table["start_ps"].to_numpy(dtype=np.float64) < run.plan.duration_ps / 2
    whole = table["complete"].to_numpy() == 1
    long_enough = holding > 1
    first = table.groupby("user")["start_ps"].min().to_numpy(dtype=np.float64) / PS_PER_S
    missing = run.plan.sources[0].count - len(first)
    horizon = run.plan.duration_ps / PS_PER_S
    exposure = float(first.sum()) + missing * horizon
    kept = holding[early & whole]
    rate = (
        table["sent"].to_numpy(dtype=np.float64)[whole & long_enough] / holding[whole & long_enough]
    )
    return {
        "offered_mbps": float(flows["sent_bytes"] * _BITS / seconds / 1e6),
        "idle_s": exposure / len(first),
        "idle_se_s": exposure / len(first) / float(np.sqrt(len(first))),
        "holding_s": float(kept.mean()),
        "holding_se_s": float(kept.std(ddof=1) / np.sqrt(len(kept))),
        "call_pps": float(rate.mean()),
        "packet_bytes": float(flows["sent_bytes"] / flows["sent"]),
        **_busy(table, run),
    }


def _busy(table: Any, run: RawRun) -> dict[str, float]:
    """Return the mean and variance of the number of busy users, divided by the binomial's."""
    times = np.arange(run.measured.from_ps, run.measured.to_ps, 600 * PS_PER_S)
    starts, ends = (table[n].to_numpy(dtype=np.float64) for n in ("start_ps", "end_ps"))
    busy = np.array([np.count_nonzero((starts <= t) & (t < ends)) for t in times], dtype=float)
    users, share = run.plan.sources[0].count, 180 / 1380
    return {
        "busy_over_binomial": float(busy.mean() / (users * share)),
        "busy_variance_over_binomial": float(
            ((busy - users * share) ** 2).mean() / (users * share * (1 - share))
        ),
    }
