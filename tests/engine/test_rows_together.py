# SPDX-License-Identifier: Apache-2.0
"""Sources reported in one row: the flows behave as before, and the row holds their sums."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.agents.errors import EngineError
from ecnomy.markets.bridge import server
from ecnomy.markets.bridge.messages import Decide, flow_orders
from ecnomy.markets.plan import Law

COUNTS = {"gold": 3, "web": 5, "voice": 4, "talk": 6, "lone": 1}
SERIES = ["cwnd", "rtt", "rate", "queue"]
SIZES = dict(reading_mean_s=0.5, size=2, size_mean_bytes=30000, size_min_bytes=2000,
             size_max_bytes=1e6, size_shape=1.2, reading=0, patience_s=3, lasting=0.0)  # fmt: skip
LAWS = {
    "gold": Law("greedy", {}),
    "web": Law("web", {k: float(v) for k, v in SIZES.items()}),
    "voice": Law("cbr", {"interval_s": 0.02, "random_phase": 1.0}),
    "talk": plans.voip(idle_mean_s=2.0, call_mean_s=1.0, interval_s=0.05, random_phase=1.0),
    "lone": Law("rate-capped", {"rate_bps": 3e5, "until_s": -1.0}),
}
WINDOWS = {"gold": plans.wtp(4), "web": plans.RENO, "lone": plans.wtp(1)}


def crowd(together: set[str], decide=None, duration_s: float = 12.0) -> EngineOutput:
    """All kinds of sources over two marking links; those named are reported together."""
    links = (
        plans.duplex("a", 0, 1, 5e6, 0.005, buffer=30, marking=plans.red(3, 9, 0.5))
        + plans.duplex("b", 1, 2, 4e6, 0.010, buffer=8, marking=plans.fixed(0.05))
    )  # fmt: skip
    sources = [
        plans.source(
            name,
            [0, 2],
            [3, 1] if name in WINDOWS else [],
            plans.tcp(WINDOWS[name]) if name in WINDOWS else plans.udp(200, ect=True),
            LAWS[name],
            count=count,
            spread_s=1.0,
            overhead_s=1e-4,
            rows="together" if name in together else "each",
        )
        for name, count in COUNTS.items()
    ]
    record = dict(trace=True, calls=True, series=SERIES, every_ps=plans.PS // 2)
    thresholds = dict(delay_thresholds_ps=[30 * 10**9, 60 * 10**9])
    return run(plans.plan(links, sources, duration_s, seed=5, **record, **thresholds), decide)


def row_of(together: set[str]) -> np.ndarray:
    """The row of each flow."""
    rows, first = [], 0
    for name, count in COUNTS.items():
        mine = [0] * count if name in together else list(range(count))
        rows += [first + i for i in mine]
        first = rows[-1] + 1
    return np.array(rows)


ALL = set(COUNTS)
SOME = {"web", "talk"}


@pytest.fixture(scope="module")
def each() -> EngineOutput:
    return crowd(set())


@pytest.fixture(scope="module", params=[ALL, SOME], ids=["all", "some"])
def pair(request, each: EngineOutput) -> tuple[EngineOutput, np.ndarray]:
    """The run with sources reported together, and the row of each flow."""
    return crowd(request.param), row_of(request.param)


def test_the_same_packets_at_the_same_times(each: EngineOutput, pair) -> None:
    """Every packet event has its time, and the trace has the row in place of the flow."""
    many, rows = pair
    one, two = each.table("trace"), many.table("trace")
    assert len(one["t_ps"]) > 10_000
    for name in one:
        expected = rows[one[name]] if name == "flow" else one[name]
        assert np.array_equal(two[name], expected), name


def test_reports_hold_sums(each: EngineOutput, pair) -> None:
    """Columns are sums over the row's flows; the RTT is the mean over the flows that have one."""
    many, rows = pair
    assert len(many.plan.flow_names()) == many.plan.row_count == rows[-1] + 1
    for one, two in zip(each.reports, many.reports, strict=True):
        for name, column in one.flows.items():
            total = np.bincount(rows, weights=column)
            if name == "srtt_s":
                total /= np.maximum(np.bincount(rows, weights=column > 0), 1)
            assert np.allclose(two.flows[name], total, rtol=1e-12, atol=0), name
        assert all(np.array_equal(one.pairs[k], two.pairs[k]) for k in one.pairs)
        assert all(np.array_equal(one.links[k], two.links[k]) for k in one.links)
    assert many.reports[-1].flows["active"].sum() == sum(COUNTS.values())


def samples(outcome: EngineOutput, number: int) -> np.ndarray:
    """A series as a matrix of time x subject."""
    table = outcome.table("series")
    mine = table["name"] == number
    return table["value"][mine].reshape(-1, table["subject"][mine].max() + 1)


def test_series_hold_sums(each: EngineOutput, pair) -> None:
    """Windows and rates are sums over the row, RTTs means; each link still has a separate row."""
    many, rows = pair
    for number, name in enumerate(SERIES):
        one, two = samples(each, number), samples(many, number)
        assert one.any() and len(one) == len(two) == 24
        if name == "queue":
            assert np.array_equal(one, two)
            continue
        for flows, row in zip(one, two, strict=True):
            total = np.bincount(rows, weights=flows)
            if name == "rtt":
                total /= np.maximum(np.bincount(rows, weights=flows > 0), 1)
            assert np.allclose(row, total, rtol=1e-9, atol=1e-6), name


def test_transfers_and_calls_are_the_same(each: EngineOutput, pair) -> None:
    """Files of a source are numbered in the order in which they end; calls keep their user."""
    many, rows = pair
    one, two = each.table("transfers"), many.table("transfers")
    assert np.array_equal(two["flow"], rows[one["flow"]]) and len(one["flow"]) > 20
    assert all(np.array_equal(one[k], two[k]) for k in one if k not in ("flow", "number"))
    assert np.array_equal(two["number"], np.arange(1, len(two["number"]) + 1))
    one, two = each.table("calls"), many.table("calls")
    assert np.array_equal(two["flow"], rows[one["flow"]]) and len(one["flow"]) > 10
    assert len(set(two["user"].tolist())) == COUNTS["talk"]
    assert all(np.array_equal(one[k], two[k]) for k in one if k != "flow")


def orders(rows: np.ndarray):
    """Decisions that are the same for every flow, addressed to their rows."""
    flows = np.bincount(rows).astype(float)
    said = {
        2: {"mark_rate": 3.0 * flows, "rate_cap_bps": 2e5 * flows},
        5: {"weight": 1.5 * flows},
        8: {"active": 0},
        10: {"active": 1},
    }

    def decide(report):
        if report.epoch not in said:
            return Decide(report.epoch)
        return Decide(report.epoch, flow_orders(np.arange(len(flows)), **said[report.epoch]))

    return decide


def test_a_decision_for_a_row_is_shared_out_evenly(each: EngineOutput) -> None:
    """Caps, mark rates and switches have the same effect for a row as for each of its flows."""
    one, two = (crowd(names, orders(row_of(names))) for names in (set(), ALL))
    first, second = one.table("trace"), two.table("trace")
    assert np.array_equal(first["t_ps"], second["t_ps"])
    assert np.array_equal(row_of(ALL)[first["flow"]], second["flow"])
    assert len(each.table("trace")["t_ps"]) != len(first["t_ps"])
    active = [int(r.flows["active"].sum()) for r in two.reports]
    assert active[8:] == [19, 0, 0, 19, 19]


def test_a_mark_cap_for_a_row_is_kept() -> None:
    """Flows of a row stop at equal shares of its cap, and the rest is distributed: 5 + 5 + 4."""

    def decide(report):
        if report.epoch:
            return Decide(report.epoch)
        return Decide(report.epoch, flow_orders([0], mark_cap=14))

    outcome = crowd({"gold"}, decide, 40.0)
    marks = [int(r.flows["ce"][0]) for r in outcome.reports]
    assert marks[-1] == marks[-10] == 14


@pytest.mark.parametrize("together", [set(), {"gold"}, ALL], ids=["none", "gold", "all"])
def test_a_decision_for_a_row_that_is_not_there_is_refused(
    together: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine refuses decisions for rows that do not exist."""
    monkeypatch.setattr(server, "check_decide", lambda *_: None)  # the market's own check
    row = int(row_of(together)[-1]) + 1
    with pytest.raises(EngineError, match=rf"unknown-flow: .*{row}"):
        crowd(together, lambda report: Decide(report.epoch, flow_orders([row], active=1)))


@pytest.mark.parametrize("kind", ["web", "on-off", "file"])
@pytest.mark.parametrize(
    "beside", [0, 1, 3], ids=["alone", "beside-a-row-of-one", "beside-a-crowd"]
)
def test_a_row_of_one_flow_is_that_flow(kind: str, beside: int) -> None:
    """For one user's files, reports and transfers are the same as with a row for each flow."""
    law = {
        "web": LAWS["web"],
        "on-off": Law("on-off", {"packets_mean": 20.0, "pause_mean_s": 0.1, "lasting": 0.0}),
        "file": Law("file", {"size_bytes": 50_000.0}),
    }[kind]

    def outcome(rows: str) -> EngineOutput:
        links = plans.duplex("pipe", 0, 1, 2e6, 0.01, buffer=20)
        sources = [plans.source("one", [0], [1], plans.tcp(plans.RENO), law, rows=rows)]
        if beside:
            crowd = dict(count=beside, spread_s=0.5, rows="together")
            sources.append(plans.source("rest", [0], [1], plans.tcp(plans.RENO), law, **crowd))
        return run(plans.plan(links, sources, 8.0, seed=3))

    each, one = outcome("each"), outcome("together")
    first, second = each.table("transfers"), one.table("transfers")
    assert (first["flow"] == 0).sum() >= (1 if kind == "file" else 5)
    assert all(np.array_equal(first[name], second[name]) for name in first)
    for a, b in zip(each.reports, one.reports, strict=True):
        assert all(np.array_equal(a.flows[name], b.flows[name]) for name in a.flows)
