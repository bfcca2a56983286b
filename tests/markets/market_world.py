# SPDX-License-Identifier: Apache-2.0
"""Small plans, markets and reports for tests without an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ecnomy.agents.spec import AgentSpec, ClassSpec, MarketSpec, StrategySpec
from ecnomy.markets.bridge.columns import REPORT_LINKS, REPORT_PAIRS, report_flows
from ecnomy.markets.bridge.messages import Columns, Report
from ecnomy.markets.plan import Law, Link, Plan, PlanRecord, Source, Start, Tcp, Udp

PS = 10**12
WTP = Law("wtp", {"form": 0.0, "gain": 0.5, "w_inc": 1.0, "w_dec": 1.0})
RENO = Law("reno", {"decrease": 0.5, "min_ssthresh": 2.0, "beta_ecn": 0.0})


def tcp(window: Law = WTP) -> Tcp:
    """A TCP transport with this window law."""
    return Tcp(
        window=window,
        mss_bytes=960,
        header_bytes=40,
        ack_bytes=40,
        send="paced",
        echo="accurate",
        ect="data",
        sack=False,
        delayed_acks=1,
        delayed_ack_ps=PS // 25,
        receiver_window=-1,
        slow_start=False,
        initial_window=1.0,
        min_window=0.015625,
        max_window=1e6,
        min_rto_ps=PS,
        max_rto_ps=60 * PS,
        initial_rto_ps=PS,
        initial_mark_rate=-1.0,
        reference_rtt_ps=-1,
        rtt="smoothed",
        reduce_from="window",
        repair=True,
    )


def source(
    name: str,
    *,
    count: int = 1,
    transport: Tcp | Udp | None = None,
    start_ps: int = 0,
    stop_ps: int = -1,
) -> Source:
    """A greedy source over the one link."""
    return Source(
        name=name,
        count=count,
        path=[0],
        ack_path=[],
        start=Start(start_ps, 0, 0),
        stop_ps=stop_ps,
        traffic=Law("greedy", {}),
        transport=transport or tcp(),
        send_overhead_ps=0,
    )


def plan(
    sources: Sequence[Source],
    *,
    duration_ps: int = 10 * PS,
    epoch_ps: int = PS,
    warmup_ps: int = 0,
    series: Sequence[str] = (),
    title: str = "test",
) -> Plan:
    """One 10 Mbps link from a to b."""
    link = Link(
        name="bottleneck",
        source=0,
        target=1,
        rate_bps=10_000_000,
        delay_ps=PS // 100,
        buffer_packets=60,
        buffer_bytes=-1,
        framing_bytes=10,
        not_ect="drop",
        marking=Law("fixed", {"probability": 0.1}),
        stream="link/bottleneck/marking",
    )
    record = PlanRecord(list(series), PS // 10 if series else -1, [], False, False)
    bare = Plan(
        1, title, 7, duration_ps, warmup_ps, epoch_ps, ["a", "b"], [link], list(sources), record
    )
    return bare.sealed()


def report(of: Plan, t_ps: int, epoch: int, **columns: Any) -> Report:
    """A report with these flow columns, and zeros elsewhere. `link_*` are link columns."""
    count = of.row_count
    flows = _zeros(report_flows(0), count) | {"active": np.ones(count, dtype=np.int64)}
    links = _zeros(REPORT_LINKS, len(of.links))
    crossed = [(i, link) for i, s in enumerate(of.sources) for link in (*s.path, *s.ack_path)]
    pairs = _zeros(REPORT_PAIRS, len(crossed))
    for column, name in enumerate(("source", "link")):
        pairs[name] = np.array([pair[column] for pair in crossed], dtype=np.int64)
    for name, values in columns.items():
        table, key = (links, name[5:]) if name.startswith("link_") else (flows, name)
        dtype: Any = table[key].dtype
        table[key] = np.asarray(values, dtype=dtype)
    return Report(t_ps, epoch, flows, links, pairs)


def shop(
    classes: dict[str, tuple[int, tuple[str, ...]]], *more: AgentSpec, price: int = 1000
) -> MarketSpec:
    """An ISP, a shop with classes name -> (fee micro/s, sources), and more agents."""
    sold = tuple(ClassSpec(name, fee, sources) for name, (fee, sources) in classes.items())
    isp = AgentSpec("isp", "connectivity-provider")
    return MarketSpec(price, (isp, AgentSpec("shop", "application-provider", sold), *more))


def customer(name: str, *sources: str, kind: str = "", **params: float) -> AgentSpec:
    """A customer that decides at every report."""
    strategy = StrategySpec(kind, dict(params)) if kind else None
    return AgentSpec(name, "customer", (), sources, strategy, decision_interval_ps=0)


def _zeros(table: Any, count: int) -> Columns:
    return {name: np.zeros(count, dtype=dtype) for name, dtype in table.items()}
