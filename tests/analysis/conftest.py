# SPDX-License-Identifier: Apache-2.0
"""A results folder from chosen numbers: gold and silver, capped until 60 s, web from 60 s on.

The numbers are drawn from a seeded generator around known means, so that the tests can compare
the analysis with its input. No engine and no market is involved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis.gsp_report import business_plots
from ecnomy.markets.plan import Law, Link, Plan, PlanRecord, Source, Start, Tcp
from tiers import in_full

S = 1_000_000_000_000
PRICE_MICRO = 110_000
FEES_MICRO = {"gold": 4_000_000, "silver": 1_000_000}
CLASS_MBPS = {"gold": 2.9, "silver": 0.73}
WEB_MBPS = 0.13
MakeRun = Callable[..., Path]


def _link(name: str, source: int, target: int, rate_bps: int, law: Law) -> Link:
    return Link(
        name=name,
        source=source,
        target=target,
        rate_bps=rate_bps,
        delay_ps=S // 100,
        buffer_packets=60,
        buffer_bytes=-1,
        framing_bytes=0,
        not_ect="drop",
        marking=law,
        stream=f"link/{name}",
    )


def _source(name: str, count: int, start_s: int, traffic: Law, window: str) -> Source:
    tcp = Tcp(
        window=Law(window, {}),
        mss_bytes=960,
        header_bytes=40,
        ack_bytes=40,
        send="paced",
        echo="accurate",
        ect="data",
        sack=False,
        delayed_acks=1,
        delayed_ack_ps=S // 25,
        receiver_window=-1,
        slow_start=True,
        initial_window=2.0,
        min_window=1 / 64,
        max_window=1000.0,
        min_rto_ps=S // 5,
        max_rto_ps=60 * S,
        initial_rto_ps=S,
        initial_mark_rate=-1.0,
        reference_rtt_ps=-1,
        rtt="smoothed",
        reduce_from="window",
        repair=True,
    )
    start = Start(at_ps=start_s * S, stagger_ps=0, spread_ps=S)
    return Source(name, count, [0, 1], [2, 3], start, -1, traffic, tcp, 0)


def make_plan(phased: bool = True) -> Plan:
    """The plan: two gold, two silver, twenty web flows, 10 Mbps in the middle."""
    capped = Law("rate-capped", {"rate_bps": 5e5, "until_s": 60.0})
    priced = capped if phased else Law("greedy", {})
    red = Law("red", {"min_threshold": 5.0, "max_threshold": 15.0})
    none = Law("drop-tail", {})
    plan = Plan(
        plan=1,
        title="Gold and silver customers on one congested link",
        seed=7,
        duration_ps=180 * S,
        warmup_ps=10 * S,
        epoch_ps=S,
        nodes=["provider", "edge", "town"],
        links=[
            _link("access", 0, 1, 100_000_000, none),
            _link("bottleneck", 1, 2, 10_000_000, red),
            _link("bottleneck.back", 2, 1, 10_000_000, none),
            _link("access.back", 1, 0, 100_000_000, none),
        ],
        sources=[
            _source("gold", 2, 0, priced, "wtp"),
            _source("silver", 2, 0, priced, "wtp"),
            _source("background", 20, 60 if phased else 0, Law("web", {}), "reno"),
        ],
        record=PlanRecord([], -1, [], False, True),
    )
    return plan.sealed()


def _increments(plan: Plan, rng: np.random.Generator, phased: bool) -> dict[str, Any]:
    """Per-second packets and marks of each flow, [second, flow]."""
    steps = plan.duration_ps // S
    packets, marks = np.zeros((steps, 24)), np.zeros((steps, 24))
    congested = np.arange(steps) >= (60 if phased else 0)
    for flow in range(24):
        name = "gold" if flow < 2 else "silver" if flow < 4 else "background"
        if flow < 4:
            quiet = rng.normal(60.0, 0.5, steps)  # 0.48 Mbps of 1,000-byte packets
            busy = CLASS_MBPS[name] * 125 * np.exp(rng.normal(0, 0.08, steps))
            packets[:, flow] = np.where(congested, busy, quiet)
        else:
            web = WEB_MBPS * 125 * rng.exponential(1.0, steps)
            packets[:, flow] = np.where(congested, web, 0)
    packets = np.rint(packets)
    marks = np.where(congested[:, None], rng.binomial(packets.astype(int), 0.1), 0)
    return {"packets": packets.astype(np.int64), "marks": marks.astype(np.int64)}


def _cumulative(values: np.ndarray) -> np.ndarray:
    return np.vstack([np.zeros((1, values.shape[1]), values.dtype), values.cumsum(axis=0)])


def _flow_epochs(increments: dict[str, Any], congested: np.ndarray) -> pd.DataFrame:
    packets, marks = _cumulative(increments["packets"]), _cumulative(increments["marks"])
    reports, flows = packets.shape
    srtt = np.where(congested, 0.052, 0.041)[:, None] * (packets > 0)
    delay = np.where(congested[1:], 0.031, 0.021)[:, None] * S * increments["packets"]
    table = {
        "t_ps": np.repeat(np.arange(reports) * S, flows),
        "flow": np.tile(np.arange(flows), reports),
        "sent": packets.ravel(),
        "acked_bytes": (1000 * packets).ravel(),
        "delivered": packets.ravel(),
        "ce": marks.ravel(),
        "delay_sum_ps": _cumulative(delay.astype(np.int64)).ravel(),
        "srtt_s": srtt.ravel(),
    }
    return pd.DataFrame(table)


def _link_epochs(increments: dict[str, Any], congested: np.ndarray) -> pd.DataFrame:
    packets, marks = increments["packets"].sum(axis=1), increments["marks"].sum(axis=1)
    zero = np.zeros_like(packets)
    queue = np.where(congested[1:], 9.5, 0.05)
    arrivals = _cumulative(np.stack([packets] * 4, axis=1))
    marked = _cumulative(np.stack([zero, marks, zero, zero], axis=1))
    sizes = np.array([1000, 1000, 40, 40])
    waiting = _cumulative(np.stack([0 * queue, queue, 0 * queue, 0 * queue], axis=1))
    reports = len(arrivals)
    return pd.DataFrame(
        {
            "t_ps": np.repeat(np.arange(reports) * S, 4),
            "link": np.tile(np.arange(4), reports),
            "arrivals": arrivals.ravel(),
            "marks": marked.ravel(),
            "drops": np.zeros(4 * reports, dtype=np.int64),
            "law_drops": np.zeros(4 * reports, dtype=np.int64),
            "not_ect_drops": np.zeros(4 * reports, dtype=np.int64),
            "departures": arrivals.ravel(),
            "departed_bytes": (arrivals * sizes).ravel(),
            "queue_integral": waiting.ravel(),
        }
    )


def _ledger(increments: dict[str, Any]) -> pd.DataFrame:
    rows = []
    for step, marks in enumerate(increments["marks"].tolist()):
        t_ps = (step + 1) * S
        for flow, count in enumerate(marks):
            name = "gold" if flow < 2 else "silver" if flow < 4 else ""
            payer = "shop" if name else "source:background"
            if name:
                fee = FEES_MICRO[name]
                rows.append((t_ps, f"source:{name}", "shop", fee, "class-fee", flow, S, fee))
            if count:
                due = PRICE_MICRO * count
                rows.append((t_ps, payer, "isp", due, "marks", flow, count, PRICE_MICRO))
    names = ["t_ps", "debit", "credit", "amount_micro", "kind", "flow", "quantity", "price_micro"]
    return pd.DataFrame(rows, columns=names)


def _write(folder: Path, plan: Plan, phased: bool, until_s: int, market: bool) -> None:
    rng = np.random.Generator(np.random.PCG64(7))
    increments = _increments(plan, rng, phased)
    congested = np.arange(181) > (60 if phased else 0)
    names = [s.name for s in plan.sources for _ in range(s.count)]
    tables = {
        "flow_epochs": _flow_epochs(increments, congested),
        "link_epochs": _link_epochs(increments, congested),
        "flows": pd.DataFrame(
            {
                "flow": np.arange(24),
                "name": plan.flow_names(),
                "source": names,
                "class": [n if market and n != "background" else "" for n in names],
            }
        ),
    }
    if market:
        tables["ledger"] = _ledger(increments)
    for name, table in tables.items():
        kept = table[table["t_ps"] <= until_s * S] if "t_ps" in table else table
        kept.to_parquet(folder / f"{name}.parquet", index=False)


@pytest.fixture(scope="session")
def make_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeRun]:
    """Makes results folders, with the options phased, market and until_s (partial if below 180)."""

    def make(*, phased: bool = True, market: bool = True, until_s: int = 180) -> Path:
        folder = tmp_path_factory.mktemp("run")
        plan = make_plan(phased)
        _write(folder, plan, phased, until_s, market)
        complete = until_s == 180
        manifest = {
            "format": 1,
            "complete": complete,
            "reason": "" if complete else "the engine died at t = 100 s",
            "title": plan.title,
            "scenario": {},
            "plan": plan,
            "plan_digest": plan.digest,
            "seed": plan.seed,
            "versions": {"ecnomy": "0.1.0", "engine": "0.1.0"},
            "measured": {"from_ps": plan.warmup_ps, "to_ps": until_s * S},
        }
        (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
        return folder

    return make


@pytest.fixture(scope="session")
def gold_silver(make_run: MakeRun) -> Path:
    """A complete run with market and two phases."""
    return make_run()


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the fast tier pictures of reports are not drawn, because this takes most of the time.

    Pages that tests of a file share are drawn, and so are the pictures of tests marked `drawn`.
    """
    if not in_full():
        monkeypatch.setattr(business_plots, "svg_of", lambda figure: b"<svg/>")
