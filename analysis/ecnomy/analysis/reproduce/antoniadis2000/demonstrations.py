# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of the demonstrations in section 5, and of those in section 2 on who pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.antoniadis2000.phases import PHASES
from ecnomy.analysis.reproduce.antoniadis2000.steps import (
    grown,
    held_mean,
    variation,
)

if TYPE_CHECKING:
    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["background", "budget", "pages", "streaming", "who_pays"]

Columns = Mapping[str, float | Sequence[float] | None]
_FINE_S: Final = 0.05  # the epoch of streaming.yaml
_TRIPS: Final = {5: 4, 10: 8}  # number of round trips of 40 ms -> epochs
_SHOWN: Final = slice(40 * 20, 40 * 20 + 200)  # ten seconds from 40 s on
_PHASES: Final = {name: slice(*PHASES[name]) for name in ("calm", "crowd")}  # seconds
_COURSE_S: Final = 2
_PROVIDERS: Final = ("isp", "shop", "log-shop")  # agents of who-pays.yaml other than those of users


def streaming(results: Path) -> Columns:
    """Return each source's mean rate [Mbit/s], its variation, and the course of one flow's rate.

    The variation is that between windows of one epoch, of 5 round trips and of 10 round trips.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    first = round(run.measured.from_ps / PS_PER_S / _FINE_S)
    columns: dict[str, float | Sequence[float]] = {}
    for name, steps in grown(run, "acked_bytes", _FINE_S).items():
        own = steps[:, first:]
        columns[f"{name}.mbps"] = float(8 * own.mean() / _FINE_S / 1e6)
        columns[f"{name}.cv_epoch"] = variation(own)
        for trips, epochs in _TRIPS.items():
            columns[f"{name}.cv_{trips}_trips"] = variation(own, epochs)
        shown = steps[0, _SHOWN].reshape(-1, _TRIPS[5]).sum(axis=1)
        columns[f"{name}.course_mbps"] = (8 * shown / (_TRIPS[5] * _FINE_S) / 1e6).tolist()
    return columns


def budget(results: Path) -> Columns:
    """Return uploads' largest and mean cost [money], mean time [s], and share of complete files.

    `paid` is the mean amount paid so far, every 4 s.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    paid = grown(run, "mark_charge_micro", 1.0)["upload"] / MICRO
    flows = run.table("flows")
    own = set(flows.loc[flows["source"] == "upload", "flow"])
    files: Any = run.table("transfers")
    files = files[files["flow"].isin(own) & (files["complete"] == 1)]
    times = (files["end_ps"] - files["start_ps"]).to_numpy(dtype=np.float64) / PS_PER_S
    whole = paid.sum(axis=1)
    return {
        "most_paid": float(whole.max()),
        "mean_paid": float(whole.mean()),
        "complete": len(files) / len(own),
        "file_s": float(times.mean()) if len(times) else None,
        "paid": paid.cumsum(axis=1).mean(axis=0)[:: 2 * _COURSE_S].tolist(),
    }


def pages(results: Path) -> Columns:
    """Return the number and mean time of complete pages begun in the measured window, by source."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    sources = run.table("flows").set_index("flow")["source"]
    table: Any = run.table("transfers")
    table = table[(table["complete"] == 1) & (table["start_ps"] >= run.measured.from_ps)]
    times = (table["end_ps"] - table["start_ps"]) / PS_PER_S
    columns: dict[str, float | None] = {}
    for name, own in times.groupby(sources.loc[table["flow"]].to_numpy()):
        columns[f"{name}.page_s"] = float(own.mean())
        columns[f"{name}.pages"] = float(len(own))
    return columns


def background(results: Path) -> Columns:
    """Return requested pages [Mbit/s], the number of participating users, and the cost per MB."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    seconds = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    flows: Any = run.table("flows")
    own = flows[flows["source"] == "surfers"]
    megabytes = float(own["delivered_bytes"].sum()) / 1e6
    cost = float(own["mark_charge_micro"].sum()) / MICRO / megabytes if megabytes else None
    return {
        "offered_mbps": float(8 * own["file_bytes"].sum() / seconds / 1e6),
        "users": _users(run, len(own)),
        "money_per_mb": cost,
    }


def _users(run: RawRun, all_of_them: int) -> float:
    """Return the mean number of participating users, or all users if no agent reports a number."""
    table: Any = run.table("agents")
    said = table[table["name"] == "users"].sort_values("t_ps")
    if said.empty:
        return float(all_of_them)
    times, values = (said[name].to_numpy(dtype=np.float64) for name in ("t_ps", "value"))
    return held_mean(times, values, run.measured.from_ps, run.measured.to_ps)


def who_pays(results: Path) -> Columns:
    """Return each source's rates, fees and marks by phase, and its charge and profit over time.

    Returns:
        Rates are in bit/s, fees and marks in money/s per flow. `messages_per_min` counts, per flow,
        the changes to the sender's settings that users' agents make after the first second.
        `changes_per_min` also counts those of providers' agents.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    rates = {name: 8 * steps for name, steps in grown(run, "acked_bytes", 1.0).items()}
    fees, marks = (
        {name: steps / MICRO for name, steps in grown(run, column, 1.0).items()}
        for column in ("fee_micro", "mark_charge_micro")
    )
    columns: dict[str, Any] = {}
    for name in ("resold", "direct", "resold-log", "direct-log"):
        charge = fees[name] if name.startswith("resold") else marks[name]
        columns[f"{name}.charge_cv"] = variation(charge[:, _PHASES["calm"].start :])
        for phase, when in _PHASES.items():
            columns[f"{name}.{phase}_bps"] = float(rates[name][:, when].mean())
            columns[f"{name}.{phase}_fee"] = float(fees[name][:, when].mean())
            columns[f"{name}.{phase}_marks"] = float(marks[name][:, when].mean())
        profit = (fees[name] - marks[name]).sum(axis=0)
        columns[f"{name}.profit_course"] = profit[::_COURSE_S].tolist()
        columns[f"{name}.charge_course"] = charge.sum(axis=0)[::_COURSE_S].tolist()
        columns |= _messages(run, name)
    return columns


def _messages(run: RawRun, source: str) -> dict[str, float]:
    flows, table = run.table("flows"), run.table("agents")
    own = flows.loc[flows["source"] == source, "flow"]
    said: Any = table[table["flow"].isin(own) & (table["t_ps"] > PS_PER_S)]
    minutes = len(own) * run.plan.duration_ps / PS_PER_S / 60
    users = said[~said["agent"].isin(_PROVIDERS)]
    return {
        f"{source}.messages_per_min": len(users) / minutes,
        f"{source}.changes_per_min": len(said) / minutes,
    }
