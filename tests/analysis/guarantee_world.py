# SPDX-License-Identifier: Apache-2.0
"""Runs of guaranteed stream providers: one from chosen numbers, one to be simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from ecnomy.markets.plan import Calls, Law, Plan
from market_world import PS, plan, source

PRICE_MICRO = 1_001  # of a mark: an odd number, to detect rounded sums
CALL_MICRO, BACK_MICRO = 150_000, 70_001
PROFIT_MICRO = 4 * CALL_MICRO - BACK_MICRO - (3 + 5 + 2 + 4) * PRICE_MICRO
LEDGER = [
    (5, "source:phones", "gsp", CALL_MICRO, "call", 0, 1),
    (6, "source:phones", "gsp", CALL_MICRO, "call", 1, 1),
    (20, "gsp", "source:phones", BACK_MICRO, "reimbursement", 1, 1),
    (30, "gsp", "isp", 3 * PRICE_MICRO, "marks", 0, 3),
    (30, "gsp", "isp", 2 * PRICE_MICRO, "marks", 3, 2),
    (32, "source:phones", "gsp", CALL_MICRO, "call", 1, 1),
    (40, "source:phones", "gsp", CALL_MICRO, "call", 2, 1),
    (60, "gsp", "isp", 5 * PRICE_MICRO, "marks", 2, 5),
    (60, "gsp", "isp", 4 * PRICE_MICRO, "marks", 4, 4),
    (60, "source:cross", "isp", 99 * PRICE_MICRO, "marks", 5, 99),
]
_LEDGER_NAMES = ["t_ps", "debit", "credit", "amount_micro", "kind", "flow", "quantity"]
# flow, start and end in s, accepted, complete, sent, late, ce, lost
CALLS = [
    (0, 5, 18, 1, 1, 200, 1, 3, 1),  # 1 % bad: kept
    (1, 6, 20, 1, 1, 100, 1, 0, 1),  # 2 % bad: broken
    (0, 22, 22, 0, 1, 0, 0, 0, 0),
    (1, 31, 31, 0, 1, 0, 0, 0, 0),
    (1, 32, 33, 1, 1, 0, 0, 0, 0),  # ended before its first packet
    (2, 40, 60, 1, 0, 50, 40, 5, 0),  # in progress at the end
]
_TEXTS = dict.fromkeys(("debit", "credit", "kind"), "string")
_CALL_NAMES = ["flow", "start_ps", "end_ps", "accepted", "complete", "sent", "late", "ce", "lost"]
AGENTS = [
    (10, "gsp", "marking_rate", 0.02),
    (20, "gsp", "blocking_threshold", 0.015),
    (40, "gsp", "marking_rate", 0.01),
]
# per flow at the end: sent, ce, lost, later than 5 ms, later than 15 ms
COUNTS = [
    (200, 3, 1, 9, 1),
    (100, 0, 1, 9, 1),
    (50, 5, 0, 50, 40),
    (600, 6, 3, 100, 3),
    (300, 6, 3, 100, 0),
    (9000, 99, 0, 0, 0),
]


def make_plan(*, calls: bool = True) -> Plan:
    """Three telephones, a steady test stream, a Poisson one from 30 s on, and other traffic."""
    asks = Calls(ask=True, max_delay_ps=15 * PS // 1000)
    beat, probe = Law("cbr", {"interval_s": 0.1}), Law("poisson", {"mean_interval_s": 0.1})
    sources = [
        msgspec.structs.replace(source("phones", count=3), traffic=Law("voip", {}), calls=asks),
        msgspec.structs.replace(source("beat"), traffic=beat),
        msgspec.structs.replace(source("probe", start_ps=30 * PS), traffic=probe),
        source("cross"),
    ]
    bare = plan(sources, duration_ps=60 * PS, title="A small provider")
    record = msgspec.structs.replace(
        bare.record, delay_thresholds_ps=[5 * PS // 1000, 15 * PS // 1000], calls=calls
    )
    return msgspec.structs.replace(bare, record=record).sealed()


def _epochs() -> pd.DataFrame:
    half, whole = np.array(COUNTS) // 2, np.array(COUNTS)
    counts = np.concatenate([0 * whole, half, whole]).T
    names = ("sent", "ce", "lost", "late_0", "late_1")
    times = {"t_ps": np.repeat([0, 30 * PS, 60 * PS], 6), "flow": np.tile(np.arange(6), 3)}
    also = {"acked_bytes": 100 * counts[0], "delivered": counts[0] - counts[2]}
    zero = {"delay_sum_ps": 0 * counts[0], "srtt_s": 0.0 * counts[0]}
    return pd.DataFrame({**times, **dict(zip(names, counts, strict=True)), **also, **zero})


def _links() -> pd.DataFrame:
    names = (
        "arrivals",
        "marks",
        "drops",
        "law_drops",
        "not_ect_drops",
        "departures",
        "departed_bytes",
        "queue_integral",
    )
    counters = {name: [0, 100, 200] for name in names}
    return pd.DataFrame({"t_ps": [0, 30 * PS, 60 * PS], "link": 0, **counters})


def _tables(ledger: list[Any], calls: list[Any], agents: list[Any]) -> dict[str, pd.DataFrame]:
    whole = dict.fromkeys(("t_ps", "amount_micro", "flow", "quantity"), "int64")
    money = pd.DataFrame(ledger, columns=_LEDGER_NAMES).astype({**whole, **_TEXTS})
    money["price_micro"] = money["amount_micro"] // money["quantity"]
    requests = pd.DataFrame(calls, columns=_CALL_NAMES).astype("int64")
    said = pd.DataFrame(agents, columns=["t_ps", "agent", "name", "value"]).assign(flow=-1)
    for table, names in ((money, ["t_ps"]), (requests, ["start_ps", "end_ps"]), (said, ["t_ps"])):
        for name in names:
            table[name] = table[name].astype("int64") * PS
    return {"ledger": money, "calls": requests, "agents": said, "flow_epochs": _epochs()}


def write_run(
    folder: Path,
    *,
    ledger: list[Any] = LEDGER,
    calls: list[Any] | None = CALLS,
    agents: list[Any] = AGENTS,
    balance_micro: int | None = PROFIT_MICRO,
    streams: tuple[str, ...] = ("beat", "probe"),
    to_ps: int = 60 * PS,
) -> Path:
    """A results folder; with `calls` None, calls were not recorded."""
    made = make_plan(calls=calls is not None)
    tables = _tables(ledger, calls or [], agents) | {"link_epochs": _links()}
    if calls is None:
        del tables["calls"]
    sources = [each.name for each in made.row_sources()]
    flows = {"flow": range(6), "name": made.flow_names(), "source": sources, "class": ""}
    tables["flows"] = pd.DataFrame(flows)
    for name, table in tables.items():
        table.to_parquet(folder / f"{name}.parquet", index=False)
    tariff = {"price": "0.15 money", "max_delay": "15000000000 ps", "max_delay_rate": 0.01}
    gsp: dict[str, Any] = {
        "name": "gsp",
        "role": "guaranteed-stream-provider",
        "sources": ["phones"],
    }
    gsp |= {"test_streams": streams, "tariff": {**tariff, "reimbursement": "0.070001 money"}}
    agents_of = [{"name": "isp", "role": "connectivity-provider"}, gsp]
    manifest = {
        "format": 1,
        "complete": True,
        "title": made.title,
        "scenario": {"market": {"agents": agents_of}},
        "plan": made,
        "plan_digest": made.digest,
        "seed": 1,
        "measured": {"from_ps": 0, "to_ps": to_ps},
    }
    if balance_micro is not None:
        manifest["balances_micro"] = {"gsp": balance_micro, "isp": 0}
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return folder


# The calls of a second row of a tariff table: one kept but claimed, and one broken.
SHOP_CALLS = [(5, 10, 15, 1, 1, 100, 1, 0, 0), (5, 20, 30, 1, 1, 100, 4, 0, 0)]
SHOP_LEDGER = [
    (10, "source:cross", "gsp", 20_000, "call", 5, 1),
    (16, "gsp", "source:cross", 20_000, "reimbursement", 5, 1),
    (20, "source:cross", "gsp", 30_000, "call", 5, 1),
    (30, "gsp", "isp", 90 * PRICE_MICRO, "marks", 5, 90),
    (31, "gsp", "source:cross", 30_000, "reimbursement", 5, 1),
]


def write_two_rows(folder: Path) -> tuple[Path, int]:
    """A provider with rows `home` (refunds a fixed amount) and `shop` (the price); its profit."""
    others = [row for row in LEDGER if row[5] != 5]
    ledger = sorted([*others, *SHOP_LEDGER])
    paid = [row[3] if row[2] == "gsp" else -row[3] for row in ledger]
    write_run(folder, ledger=ledger, calls=[*CALLS, *SHOP_CALLS], balance_micro=sum(paid))
    manifest = msgspec.json.decode((folder / "manifest.json").read_bytes())
    gsp = manifest["scenario"]["market"]["agents"][1]
    home = {**gsp.pop("tariff"), "sources": gsp.pop("sources")}
    shop = {**home, "sources": ["cross"], "max_delay_rate": 0.02, "reimbursement": "price"}
    gsp["tariffs"] = {"home": home, "shop": shop}
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return folder, sum(paid)


# One provider blocks by its test streams, the other admits all calls and has no streams.
TWO = """\
version: 1
title: Two providers
duration: 60 s
warmup: 5 s
network:
  links:
    - name: trunk
      from: town
      to: city
      rate: 2 Mbps
      delay: 2 ms
      buffer: 60 packets
      marking: {law: red, min_threshold: 3 packets, max_threshold: 30 packets, max_probability: 1,
                weight: 1, gentle: false}
sources:
  - {name: callers, count: 20, from: town, to: city, traffic: {kind: voip, idle: 20 s, call: 8 s},
     transport: {law: udp, payload: 100 bytes}}
  - {name: others, count: 10, from: town, to: city, traffic: {kind: voip, idle: 20 s, call: 8 s},
     transport: {law: udp, payload: 100 bytes}}
  - {name: cross, from: town, to: city, traffic: {kind: poisson, rate: 130 packets/s},
     transport: {law: udp, payload: 1000 bytes}}
  - {name: rush, from: town, to: city, start: 30 s, stop: 45 s,
     traffic: {kind: poisson, rate: 60 packets/s}, transport: {law: udp, payload: 1000 bytes}}
  - {name: beat, from: town, to: city, traffic: {kind: cbr, interval: 50 ms},
     transport: {law: udp, payload: 100 bytes}}
  - {name: probe, from: town, to: city, traffic: {kind: poisson, rate: 20 packets/s},
     transport: {law: udp, payload: 100 bytes}}
market:
  epoch: 1 s
  price_per_mark: 0.001001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: careful
      role: guaranteed-stream-provider
      sources: callers
      test_streams: [beat, probe]
      tariff: {price: 0.15 money, max_delay: 15 ms, max_delay_rate: 0.01}
      strategy: {kind: marking-quantile, quantile: 0.75, sample: 4 s, learning: 3}
    - name: bold
      role: guaranteed-stream-provider
      sources: others
      tariff: {price: 0.05 money, max_delay: 20 ms, max_delay_rate: 0.02,
               reimbursement: 0.1 money}
      strategy: {kind: accept-all}
"""
