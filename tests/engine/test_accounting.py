# SPDX-License-Identifier: Apache-2.0
"""Packets and marks are conserved. Reports agree with each other and with a separate trace."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.agents.errors import EngineError
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.plan import Law

SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)


def crowded(*, trace: bool = True, seed: int = 3, marking=None, extra=()) -> EngineOutput:
    """Two marking links, small buffers, all kinds of traffic; marks are lost downstream."""
    marking = marking or plans.red(3, 9, 0.5)
    links = (
        plans.duplex("a", 0, 1, 5e6, 0.005, buffer=30, marking=marking, not_ect="pass")
        + plans.duplex("b", 1, 2, 4e6, 0.010, buffer=8, marking=plans.fixed(0.05), not_ect="pass")
    )  # fmt: skip
    there, back = [0, 2], [3, 1]
    cbr = Law("cbr", {"interval_s": 0.02, "random_phase": 1.0})
    poisson = Law("poisson", {"mean_interval_s": 0.02})
    sizes = dict(reading_mean_s=0.5, size=2, size_mean_bytes=30000, size_min_bytes=2000,
                 size_max_bytes=1e6, size_shape=1.2, reading=0, patience_s=-1,
                 lasting=0.0)  # fmt: skip
    web = Law("web", {k: float(v) for k, v in sizes.items()})
    sources = [
        plans.source("gold", there, back, plans.tcp(plans.wtp(4)), count=2, spread_s=1.0),
        plans.source("reno", there, back, plans.tcp(), count=2, overhead_s=0.002, spread_s=1.0),
        plans.source("web", there, back, plans.tcp(), web, count=5),
        plans.source("voice", there, [], plans.udp(200, ect=True), cbr, count=3),
        plans.source("noise", there, [], plans.udp(500), poisson),
        *extra,
    ]  # fmt: skip
    return run(
        plans.plan(links, sources, 30, seed=seed, trace=trace, delay_thresholds_ps=[30 * 10**9])
    )


@pytest.fixture(scope="module")
def outcome() -> EngineOutput:
    return crowded()


def by(rows: dict[str, np.ndarray], key: str, size: int, where: np.ndarray) -> np.ndarray:
    return np.bincount(rows[key][where], minlength=size)


def is_data(outcome: EngineOutput, rows: dict[str, np.ndarray]) -> np.ndarray:
    """Trace rows of data packets: not SYNs or ACKs, which are 40 bytes here."""
    return rows["bytes"] > 40


def test_ce_delivered_is_what_a_trace_counts(outcome: EngineOutput) -> None:
    """Per flow, the charged counter equals a separate count of the CE packets delivered."""
    rows, flows = outcome.table("trace"), outcome.reports[-1].flows
    delivered = (rows["event"] == DELIVER) & is_data(outcome, rows)
    size = len(flows["ce"])
    assert np.array_equal(by(rows, "flow", size, delivered), flows["delivered"])
    assert np.array_equal(by(rows, "flow", size, delivered & (rows["ce"] == 1)), flows["ce"])
    assert flows["ce"].sum() > 300


def test_every_ce_set_is_accounted_for(outcome: EngineOutput) -> None:
    """CE set = delivered + dropped downstream + in flight, for every source."""
    pairs, flows = outcome.reports[-1].pairs, outcome.reports[-1].flows
    first = 0
    for index, source in enumerate(outcome.plan.sources):
        mine = pairs["source"] == index
        set_by_links = pairs["marks"][mine].sum()
        delivered = flows["ce"][first : first + source.count].sum()
        lost = pairs["ce_dropped"][mine].sum()
        assert set_by_links == delivered + lost + pairs["ce_in_flight"][mine].sum(), source.name
        first += source.count
    assert pairs["ce_dropped"].sum() > 0


def test_packets_are_conserved(outcome: EngineOutput) -> None:
    """Per flow sent = delivered + lost + under way, and packets under way fit the last second."""
    flows = outcome.reports[-1].flows
    under_way = flows["sent"] - flows["delivered"] - flows["lost"]
    assert np.all(under_way >= 0) and np.all(under_way < 60)
    rows = outcome.table("trace")
    drops = (rows["event"] == DROP) & is_data(outcome, rows)
    assert np.array_equal(by(rows, "flow", len(flows["lost"]), drops), flows["lost"])
    assert flows["lost"].sum() > 50


def test_pairs_add_up_to_links(outcome: EngineOutput) -> None:
    """Per link, the accounts of all sources sum to the link's own counters."""
    pairs, links = outcome.reports[-1].pairs, outcome.reports[-1].links
    for column in ("arrivals", "marks", "drops", "ce_dropped"):
        per_link = np.bincount(pairs["link"], weights=pairs[column], minlength=4)
        assert np.array_equal(per_link, links[column]), column


def test_reports_never_run_backwards(outcome: EngineOutput) -> None:
    """Cumulative counters grow from report to report, at every epoch from zero."""
    assert [r.t_ps for r in outcome.reports] == [k * plans.PS for k in range(31)]
    assert not any(
        v.any() for k, v in outcome.reports[0].flows.items() if k not in ("weight", "cwnd")
    )
    for part in ("flows", "links", "pairs"):
        for name in getattr(outcome.reports[0], part):
            if name in ("in_flight", "active", "cwnd", "srtt_s", "weight", "queue_packets",
                        "queue_bytes", "probability", "ce_in_flight", "file_left"):  # fmt: skip
                continue
            column = np.array([getattr(r, part)[name] for r in outcome.reports])
            assert np.all(np.diff(column, axis=0) >= -1e-9), (part, name)


def test_late_packets_are_what_a_trace_counts(outcome: EngineOutput) -> None:
    """`late_0` counts deliveries later than 30 ms; voice packets match send and delivery rows."""
    rows, flows = outcome.table("trace"), outcome.reports[-1].flows
    voice = 9
    mine = rows["flow"] == voice
    sent, got = mine & (rows["event"] == SEND), mine & (rows["event"] == DELIVER)
    sent_at = dict(zip(rows["seq"][sent].tolist(), rows["t_ps"][sent].tolist(), strict=True))
    arrived_at = dict(zip(rows["seq"][got].tolist(), rows["t_ps"][got].tolist(), strict=True))
    delays = [t_ps - sent_at[seq] for seq, t_ps in arrived_at.items()]
    assert flows["late_0"][voice] == sum(d > 30 * 10**9 for d in delays) > 0
    assert flows["delay_sum_ps"][voice] == sum(delays)


def test_transfers_are_whole_files(outcome: EngineOutput) -> None:
    """A finished file's packets were all acknowledged, and its size is what its stream drew."""
    transfers = outcome.table("transfers")
    assert len(transfers["flow"]) > 30
    assert np.all(transfers["end_ps"] > transfers["start_ps"])
    web = transfers["flow"] == 5
    assert np.array_equal(transfers["number"][web], np.arange(1, web.sum() + 1))
    payload = transfers["bytes"][web].sum()
    flows = outcome.reports[-1].flows
    headers = np.sum(-(-transfers["bytes"][web] // 960)) * 40
    assert 0 <= flows["acked_bytes"][5] - payload - headers < 1e6
    for column in ("retransmitted", "ece"):  # the rest is of the file under way
        totals = np.bincount(transfers["flow"], transfers[column], minlength=len(flows[column]))
        assert totals.any() and np.all(totals <= flows[column]), column


@pytest.mark.parametrize("count", [1000, 8192])
def test_a_report_of_many_flows_is_whole(count: int) -> None:
    """Equal flows have equal figures, even if frames are split within a column."""
    cbr = Law("cbr", {"interval_s": 0.1, "random_phase": 0.0})
    voice = plans.source("voice", [0], [], plans.udp(200), cbr, count=count)
    flows = run(plans.plan(plans.duplex("l", 0, 1, 1e10, 0.005), [voice], 1)).reports[-1].flows
    assert flows["delivered"][0] >= 9
    assert [name for name, column in flows.items() if np.ptp(column)] == ["delay_sum_ps"]


def test_same_seed_same_bytes() -> None:
    """Two runs of one plan agree in every report and record; another seed does not."""
    first, second, other = crowded(), crowded(), crowded(seed=4)
    for a, b in zip(first.reports, second.reports, strict=True):
        for part in ("flows", "links", "pairs"):
            for name, column in getattr(a, part).items():
                assert column.tobytes() == getattr(b, part)[name].tobytes()
    one, two, three = (o.table("trace") for o in (first, second, other))
    assert all(one[k].tobytes() == two[k].tobytes() for k in one)
    assert one["t_ps"].tobytes() != three["t_ps"].tobytes()


def test_tracing_changes_nothing() -> None:
    """A traced run has the same reports as an untraced run."""
    for a, b in zip(crowded().reports, crowded(trace=False).reports, strict=True):
        assert all(np.array_equal(a.flows[k], b.flows[k]) for k in a.flows)


def test_a_new_source_leaves_the_draws_of_others_unchanged() -> None:
    """A user's files, reading times and datagram times are the same with an additional source."""
    stranger = plans.source("stranger", [0, 2], [3, 1], plans.tcp(), count=3, spread_s=1.0)
    alone, together = crowded(), crowded(extra=[stranger])
    for flow in range(9, 13):
        sent = [o.table("trace") for o in (alone, together)]
        times = [r["t_ps"][(r["flow"] == flow) & (r["event"] == SEND)] for r in sent]
        assert np.array_equal(times[0], times[1])
    files = [outcome.table("transfers") for outcome in (alone, together)]
    for flow in range(4, 9):
        sizes = [rows["bytes"][rows["flow"] == flow] for rows in files]
        both = min(map(len, sizes))
        assert both > 2 and np.array_equal(sizes[0][:both], sizes[1][:both])


def test_the_answer_to_the_last_report_is_not_applied() -> None:
    """A probability of 2 would end the run at any earlier report."""
    link = plans.link("l", 0, 1, 1e6, 0.001, marking=plans.fixed(0.5))
    plan = plans.plan([link], [], 3)

    def run_with(epoch: int) -> EngineOutput:
        wrong = {"link": np.array([0]), "param": np.array([0]), "value": np.array([2.0])}
        return run(
            plan, lambda report: Decide(report.epoch, {}, wrong if report.epoch == epoch else {})
        )

    with pytest.raises(EngineError, match="probability"):
        run_with(2)
    assert run_with(3).finish is not None


@pytest.mark.parametrize(("count", "each"), [(1, 5), (3, 2)], ids=["one-flow", "row-of-three"])
def test_a_sum_of_delays_that_is_no_number_ends_the_run(count: int, each: int) -> None:
    """At 2e6 s per packet, `each` packets of a flow exceed 2^63 ps, and one fewer is reported."""
    delay_s, every_s = 2e6, 1e5
    links = [plans.link("moon", 0, 1, 1e6, delay_s)]
    traffic = Law("cbr", {"interval_s": every_s, "random_phase": 0.0})
    rows = "together" if count > 1 else "each"
    source = plans.source("s", [0], [], plans.udp(), traffic, count=count, rows=rows)
    sums_ps: list[int] = []

    def decide(report: Report) -> Decide:
        sums_ps.append(int(report.flows["delay_sum_ps"][0]))
        return Decide(report.epoch)

    with pytest.raises(EngineError, match=r"out-of-range: flows.delay_sum_ps\[0\]"):
        run(plans.plan(links, [source], 4e6, epoch_s=every_s), decide)
    most_ps = round(delay_s * 1e12) * count
    assert most_ps * (each - 1) <= sums_ps[-1] < 2**63 <= most_ps * each


@pytest.mark.parametrize("overhead_s", [0.0, 0.0004, 0.004, 0.04])
def test_datagrams_keep_their_order_whatever_the_overhead(overhead_s: float) -> None:
    """Datagrams keep their order, and are delayed by at most the overhead."""
    beat = Law("cbr", {"interval_s": 0.001, "random_phase": 0.0})
    source = plans.source("s", [0], [], plans.udp(), beat, overhead_s=overhead_s)
    trace = run(plans.plan(plans.duplex("a", 0, 1, 1e9, 0.01), [source], 2, trace=True))
    table = trace.table("trace")
    left = table["event"] == 0
    t_ps, seq = table["t_ps"][left], table["seq"][left]
    assert len(t_ps) > 1900 and seq.tolist() == list(range(len(seq)))
    assert (np.diff(table["t_ps"]) >= 0).all()
    late_ps = t_ps - seq * 10**9
    assert (late_ps >= 0).all() and (late_ps <= overhead_s * 1e12).all()
    assert late_ps.max() >= 0.9 * overhead_s * 1e12
