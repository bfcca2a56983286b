# SPDX-License-Identifier: Apache-2.0
"""A star of links with chosen counters, and its results folder."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pandas as pd

from ecnomy.analysis.run.windows import Window
from ecnomy.markets.plan import Law, Link, Plan, PlanRecord
from market_world import PS as S
from market_world import source

PRICE_MICRO = 50_000
SPOKES = ("north", "east", "south_west")
# Data packets of 1000 bytes per second of each pair, and how many are marked.
PACKETS = {"demand-north-east": 100, "demand-east-north": 40, "demand-south_west-east": 60}
MARKS = {"demand-north-east": 5, "demand-east-north": 0, "demand-south_west-east": 3}
WINDOW = Window(2 * S, 10 * S)


def _link(name: str, ends: tuple[int, int], law: Law) -> Link:
    return Link(
        name=name,
        source=ends[0],
        target=ends[1],
        rate_bps=2_000_000,
        delay_ps=S // 100,
        buffer_packets=60,
        buffer_bytes=-1,
        framing_bytes=0,
        not_ect="pass",
        marking=law,
        stream=f"link/{name}/marking",
    )


def star() -> Plan:
    """Three spokes and a hub, 2 Mbps links; the eastern link marks, and 20 packets wait there."""
    none, law = Law("drop-tail", {}), Law("fixed", {"probability": 0.05})
    links = []
    for i, spoke in enumerate(SPOKES):
        links.append(_link(f"hub-{spoke}", (0, i + 1), law if spoke == "east" else none))
        links.append(_link(f"hub-{spoke}.reverse", (i + 1, 0), none))
    capped = Law("rate-capped", {"rate_bps": 8e6, "until_s": -1.0})
    paths = [([1, 2], [3, 0]), ([3, 0], [1, 2]), ([5, 2], [3, 4])]
    sources = [
        msgspec.structs.replace(source(name), path=path, ack_path=back, traffic=capped)
        for name, (path, back) in zip(PACKETS, paths, strict=True)
    ]
    nodes, record = ["hub", *SPOKES], PlanRecord([], -1, [], False, False)
    plan = Plan(1, "A star", 1, 10 * S, 2 * S, S, nodes, links, sources, record)
    return plan.sealed()


def _pairs(plan: Plan) -> pd.DataFrame:
    """Packets and marks in ten seconds, per source and link of its path, then of its ACK path."""
    rows = []
    for number, (sending, packets) in enumerate(zip(plan.sources, PACKETS.values(), strict=True)):
        for link in [*sending.path, *sending.ack_path]:
            marks = MARKS[sending.name] if link == 2 and link in sending.path else 0
            rows.append((number, link, 10 * packets, 10 * marks))
    return pd.DataFrame(rows, columns=["source", "link", "arrivals", "marks"])


def _tables(plan: Plan) -> dict[str, pd.DataFrame]:
    seconds, flows, links = np.arange(11), len(plan.sources), len(plan.links)
    sent, marks = np.array(list(PACKETS.values())), np.array(list(MARKS.values()))
    data, acks = np.zeros(links, dtype=np.int64), np.zeros(links, dtype=np.int64)
    for sending, packets in zip(plan.sources, sent, strict=True):
        data[sending.path] += packets
        acks[sending.ack_path] += packets
    marked = np.where(np.arange(links) == 2, marks.sum(), 0)
    per_flow = {
        "sent": sent,
        "acked_bytes": 1000 * sent,
        "delivered": sent,
        "ce": marks,
        "delay_sum_ps": sent * S // 50,
    }
    per_link = {
        "arrivals": data + acks,
        "marks": marked,
        "drops": 0 * data,
        "law_drops": 0 * data,
        "not_ect_drops": 0 * data,
        "departures": data + acks,
        "departed_bytes": 1000 * data + 40 * acks,
        "queue_integral": np.where(np.arange(links) == 2, 20.0, 0.0),
    }
    epochs = {"t_ps": np.repeat(seconds * S, flows), "flow": np.tile(np.arange(flows), 11)}
    epochs |= {name: np.outer(seconds, per).ravel() for name, per in per_flow.items()}
    epochs["srtt_s"] = np.full(11 * flows, 0.05)
    wires = {"t_ps": np.repeat(seconds * S, links), "link": np.tile(np.arange(links), 11)}
    wires |= {name: np.outer(seconds, per).ravel() for name, per in per_link.items()}
    flat = pd.DataFrame({"flow": range(flows), "name": plan.flow_names(), "class": [""] * flows})
    rows = [
        (t * S, "cities", "isp", PRICE_MICRO * count, "marks", flow, count, PRICE_MICRO)
        for t in range(1, 11)
        for flow, count in enumerate(marks.tolist())
        if count
    ]
    names = ["t_ps", "debit", "credit", "amount_micro", "kind", "flow", "quantity", "price_micro"]
    ledger = pd.DataFrame(rows, columns=names)
    flat["source"] = [one.name for one in plan.sources]
    return {
        "flow_epochs": pd.DataFrame(epochs),
        "link_epochs": pd.DataFrame(wires),
        "flows": flat,
        "ledger": ledger,
        "pairs": _pairs(plan),
    }


def written(folder: Path) -> Path:
    """The results folder of ten seconds on the star."""
    plan = star()
    for name, table in _tables(plan).items():
        table.to_parquet(folder / f"{name}.parquet", index=False)
    scenario = {
        "network": {"positions": {"north": [0, 1], "east": [1, 0], "hub": [0, 0]}},
        "sources": [{"name": one.name, "group": "demand"} for one in plan.sources],
    }
    manifest = {
        "format": 1,
        "complete": True,
        "title": plan.title,
        "scenario": scenario,
        "plan": plan,
        "plan_digest": plan.digest,
        "seed": 1,
        "measured": {"from_ps": 2 * S, "to_ps": 10 * S},
    }
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return folder
