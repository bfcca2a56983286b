# SPDX-License-Identifier: Apache-2.0
"""Turns the gold and silver run of conftest into one with two carriers and chosen numbers.

left-net owns access, right-net the bottleneck, both in each direction. left-net receives the
payments for all marks, and pays right-net 0.04 money for each. Its price changes from 0.11 to 0.13
at 60 s, and to 0.09 at 150 s. Gold and silver are alternatives of two customers: gold.i or silver.i
is on.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

S = 10**12
TRANSIT_MICRO = 40_000
PRICES = {0: 110_000, 60 * S: 130_000, 150 * S: 90_000}
# (second, customer, whether it then has gold); flow i is gold.i, flow 2 + i silver.i
CHOICES = (
    (2, 0, True), (2, 1, True), (40, 0, False), (70, 1, False), (70, 0, True), (100, 0, False),
    (160, 1, True),
)  # fmt: skip
AGENTS = [
    {"name": "left-net", "role": "connectivity-provider", "links": ["access*"]},
    {"name": "right-net", "role": "connectivity-provider", "links": ["bottleneck*"]},
    {"name": "users", "role": "customer", "sources": ["gold", "silver"]},
]


def scenario(folder: Path, **keys: object) -> None:
    """Writes the scenario of a run's manifest."""
    file = folder / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "scenario": keys}))


def two_carriers(folder: Path) -> Path:
    """Changes a folder of `make_run` in place."""
    scenario(folder, market={"agents": AGENTS})
    ledger = pd.read_parquet(folder / "ledger.parquet")
    ledger["credit"] = ledger["credit"].replace("isp", "left-net")
    marks = ledger[ledger["kind"] == "marks"].groupby("t_ps")["quantity"].sum()
    owed = pd.DataFrame(
        {
            "t_ps": marks.index,
            "debit": "left-net",
            "credit": "right-net",
            "amount_micro": TRANSIT_MICRO * marks.to_numpy(),
            "kind": "settlement",
            "flow": -1,
            "quantity": marks.to_numpy(),
            "price_micro": TRANSIT_MICRO,
        }
    )
    pd.concat([ledger, owed]).sort_values("t_ps").to_parquet(folder / "ledger.parquet")
    _write_agents(folder)
    _write_pairs(folder)
    return folder


def _write_agents(folder: Path) -> None:
    posted = [(t_ps, "left-net", -1, "price_micro_per_mark", p) for t_ps, p in PRICES.items()]
    posted.insert(1, (0, "right-net", -1, "price_micro_per_mark", TRANSIT_MICRO))
    chosen = [
        (second * S, "users", flow, "active", float(on))
        for second, user, gold in CHOICES
        for flow, on in ((user, gold), (2 + user, not gold))
    ]
    names = ["t_ps", "agent", "flow", "name", "value"]
    table = pd.DataFrame([*posted, *chosen], columns=names).sort_values("t_ps", kind="stable")
    table.to_parquet(folder / "agents.parquet", index=False)


def _write_pairs(folder: Path) -> None:
    """Marks on data at the bottleneck (source k: 100 (k + 1)), and 7 on ACKs, to be ignored."""
    rows = []
    for source in range(3):
        for link in (0, 1, 2, 3):
            marks = {1: 100 * (source + 1), 2: 7}.get(link, 0)
            rows.append({"source": source, "link": link, "arrivals": 10_000, "marks": marks})
    pd.DataFrame(rows).to_parquet(folder / "pairs.parquet", index=False)


def switch_off(folder: Path) -> np.ndarray:
    """Sets the column `active` of flow_epochs from CHOICES; returns it, [report, flow].

    Removes the traffic of flows while they are off from their counters.
    """
    table = pd.read_parquet(folder / "flow_epochs.parquet")
    reports, flows = table["t_ps"].nunique(), table["flow"].nunique()
    on = np.ones((reports, flows), dtype=np.int64)
    for second, user, gold in CHOICES:
        on[second + 1 :, user], on[second + 1 :, 2 + user] = gold, not gold
    for name in ("sent", "acked_bytes", "delivered", "ce", "delay_sum_ps"):
        values = table[name].to_numpy().reshape(reports, flows)
        grown = np.diff(values, axis=0, prepend=values[:1]) * on
        table[name] = grown.cumsum(axis=0).ravel()
    table.assign(active=on.ravel()).to_parquet(folder / "flow_epochs.parquet", index=False)
    return on
