# SPDX-License-Identifier: Apache-2.0
"""Computes columns of a tournament's runs: rates, round trips and payments of each agent.

measure: ecnomy.analysis.tournament.player_columns:player_columns

    <agent>.goodputs_bps[k]   mean goodput of the agent's flows in epoch k of the measured window
    <agent>.round_trips_s[k]  mean smoothed round trip of its flows at the end of that epoch
    <agent>.paid_per_s        payments minus income in the measured window, money/s

The columns contain rates and round trips instead of utilities, so that any utility can be applied
to the same runs. A round trip that was not measured is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S

__all__ = ["player_columns"]


def player_columns(results: Path) -> Mapping[str, float | Sequence[float]]:
    """Return the columns of a run for each source and its agent, which has the same name.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    measured = run.measured
    names = [source.name for source in run.plan.row_sources()]
    table = run.flow_epochs.sort_values(["t_ps", "flow"], kind="stable")
    times = table["t_ps"].to_numpy(dtype=np.int64)[:: len(names)]
    acked = table["acked_bytes"].to_numpy(dtype=np.float64).reshape(-1, len(names))
    trips = np.nan_to_num(table["srtt_s"].to_numpy(dtype=np.float64)).reshape(-1, len(names))
    inside = (times >= measured.from_ps) & (times <= measured.to_ps)
    seconds = np.diff(times[inside]) / PS_PER_S
    rates = 8 * np.diff(acked[inside], axis=0) / seconds[:, None]
    ledger = run.ledger
    own = ledger[(ledger["t_ps"] > measured.from_ps) & (ledger["t_ps"] <= measured.to_ps)]
    columns: dict[str, float | Sequence[float]] = {}
    for name in dict.fromkeys(names):
        rows = [row for row, source in enumerate(names) if source == name]
        columns[f"{name}.goodputs_bps"] = rates[:, rows].mean(axis=1).tolist()
        columns[f"{name}.round_trips_s"] = trips[inside][1:, rows].mean(axis=1).tolist()
        columns[f"{name}.paid_per_s"] = _net(own, name) / MICRO / float(seconds.sum())
    return columns


def _net(ledger: Any, account: str) -> int:
    """Return an account's payments minus its income [micro-units]."""
    amounts = ledger["amount_micro"]
    paid = amounts[ledger["debit"].astype(str) == account].sum()
    received = amounts[ledger["credit"].astype(str) == account].sum()
    return int(paid) - int(received)
