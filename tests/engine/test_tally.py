# SPDX-License-Identifier: Apache-2.0
"""Histograms and binned counts: against the counters, against a packet trace, against theory."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from scipy import stats

import plans
from class_plans import classed, dual, in_classes
from drive import EngineOutput, engine, run
from ecnomy.markets.plan import Histogram, Law, Plan
from processes import LIMIT_S

SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)
PER_LINK, PER_SOURCE = ("arrivals", "marks", "drops"), ("sent", "delivered", "ce")
COUNTS = [*PER_SOURCE, *PER_LINK]  # not in the engine's own order
WARMUP_S, END_S = 3.3, 21.237
EVERY_PS = 7 * 10**8  # 0.7 ms: more bins than are kept to the end, and a last one cut short
DELAY = Histogram("delay", 2 * 10**9, 16)
QUEUE = Histogram("queue", 2, 4)


def crowded(*, epoch_s: float = 30.0, trace: bool = True, **record) -> Plan:
    """TCP and datagrams; one link marks departures and overflows, the next marks arrivals."""
    departing = Law("threshold", {"threshold_packets": 5.0, "scope": 2.0})
    links = plans.duplex("one", 0, 1, 2e6, 0.004, buffer=12, marking=departing, not_ect="pass")
    links += plans.duplex("two", 1, 2, 1.9e6, 0.003, buffer=10, marking=plans.fixed(0.3))
    calls = dict(idle_mean_s=0.5, call_mean_s=2.0, interval_s=0.02, random_phase=1.0)
    long = dict(start_s=0.1, overhead_s=0.004, count=3)
    poisson = Law("poisson", {"mean_interval_s": 0.007})
    sources = [
        plans.source("tcp", [0, 2], [3, 1], plans.tcp(plans.RENO), **long),
        plans.source("udp", [0], [], plans.udp(600, ect=True), poisson, count=2),
        plans.source("far", [2], [], plans.udp(300), poisson),
        plans.source("talk", [2], [], plans.udp(200, ect=True), plans.voip(**calls), count=2),
    ]
    fields = dict(histograms=[DELAY, QUEUE], counts=COUNTS, counts_every_ps=EVERY_PS) | record
    return plans.plan(
        links, sources, END_S, warmup_s=WARMUP_S, epoch_s=epoch_s, trace=trace, **fields
    )


@pytest.fixture(scope="module")
def outcome() -> EngineOutput:
    """One run, recorded in every way."""
    return run(crowded())


def counts_of(outcome: EngineOutput, name: str) -> np.ndarray:
    """Counts by (subject, bin of time), which must be complete and in order."""
    table = outcome.table("counts")
    mine = table["name"] == outcome.plan.record.counts.index(name)
    subjects = len(outcome.plan.links if name in PER_LINK else outcome.plan.sources)
    window_ps = outcome.plan.duration_ps - outcome.plan.warmup_ps
    bins = -(-window_ps // outcome.plan.record.counts_every_ps)
    values = table["count"][mine].reshape(bins, subjects).T
    times = outcome.plan.warmup_ps + outcome.plan.record.counts_every_ps * np.arange(bins)
    assert np.array_equal(table["t_ps"][mine].reshape(bins, subjects)[:, 0], times)
    assert np.array_equal(table["subject"][mine], np.tile(np.arange(subjects), bins))
    return values


def histogram(outcome: EngineOutput, of: str) -> np.ndarray:
    """Counts by (subject, bin), which must be complete and in order."""
    table, histograms = outcome.table("histograms"), outcome.plan.record.histograms
    mine = table["name"] == [entry.of for entry in histograms].index(of)
    bins = next(entry.bins for entry in histograms if entry.of == of)
    assert np.array_equal(table["bin"][mine], np.arange(mine.sum()) % bins)
    assert np.array_equal(table["subject"][mine], np.arange(mine.sum()) // bins)
    return table["count"][mine].reshape(-1, bins)


def by_source(outcome: EngineOutput, flows: np.ndarray) -> np.ndarray:
    """Sums of a column of flows over the members of each source."""
    members = np.repeat(
        np.arange(len(outcome.plan.sources)), [s.count for s in outcome.plan.sources]
    )
    return np.bincount(members, weights=flows).astype(np.int64)


def test_sums_are_the_counters_of_the_measured_window(outcome: EngineOutput) -> None:
    """Every count and histogram adds up to the reports' figures for exactly [warm-up, end]."""
    links = outcome.over(WARMUP_S, END_S, "links")
    flows = outcome.over(WARMUP_S, END_S)
    for name in PER_LINK:
        assert np.array_equal(counts_of(outcome, name).sum(axis=1), links[name]), name
    for name in PER_SOURCE:
        expected = by_source(outcome, flows[name])
        assert np.array_equal(counts_of(outcome, name).sum(axis=1), expected), name
        assert (expected < by_source(outcome, outcome.reports[-1].flows[name]))[:2].all()
    assert np.array_equal(histogram(outcome, "queue").sum(axis=1), links["arrivals"])
    delivered = by_source(outcome, flows["delivered"])
    assert np.array_equal(histogram(outcome, "delay").sum(axis=1), delivered)
    assert links["marks"][0] > 100 and links["drops"][0] > 30 and links["marks"][2] > 100


def in_bins(outcome: EngineOutput, t_ps: np.ndarray) -> np.ndarray:
    """Count events per bin of the measured window. Events at its end belong to the last bin."""
    plan = outcome.plan
    bins = -(-(plan.duration_ps - plan.warmup_ps) // EVERY_PS)
    index = np.minimum((t_ps - plan.warmup_ps) // EVERY_PS, bins - 1)
    return np.bincount(index, minlength=bins)


def test_counts_are_those_of_a_trace(outcome: EngineOutput) -> None:
    """Bin by bin, the packet trace of the same run gives the same counts."""
    rows, plan = outcome.table("trace"), outcome.plan
    assert (np.diff(outcome.table("counts")["t_ps"]) >= 0).all()
    source = np.repeat(np.arange(4), [s.count for s in plan.sources])[rows["flow"]]
    # Marks set as a transmission begins are dated so and may stand at the warm-up's very end.
    since = np.where(rows["event"] == MARK, rows["t_ps"] > plan.warmup_ps, True)
    inside = (rows["t_ps"] >= plan.warmup_ps) & since
    events = {"arrivals": (ENQUEUE, DROP), "marks": (MARK,), "drops": (DROP,)}
    for name, kinds in events.items():
        counts = counts_of(outcome, name)
        for link in range(4):
            mine = inside & np.isin(rows["event"], kinds) & (rows["link"] == link)
            assert np.array_equal(counts[link], in_bins(outcome, rows["t_ps"][mine])), name
    for name, extra in (("delivered", 0), ("ce", 1)):
        for index in range(4):
            got = (rows["event"] == DELIVER) & (rows["ce"] >= extra) & (source == index)
            expected = in_bins(outcome, rows["t_ps"][inside & got])
            assert np.array_equal(counts_of(outcome, name)[index], expected), name
    for index in (1, 2, 3):
        sent = inside & (rows["event"] == SEND) & (source == index)
        expected = in_bins(outcome, rows["t_ps"][sent])
        assert np.array_equal(counts_of(outcome, "sent")[index], expected)


def test_delay_histogram_is_that_of_a_trace(outcome: EngineOutput) -> None:
    """Delays equal those of a trace, since the datagrams of a flow arrive in order."""
    rows, plan = outcome.table("trace"), outcome.plan
    for index, flow in ((1, (3, 4)), (2, (5,))):
        counted = np.zeros(DELAY.bins, dtype=np.int64)
        for one in flow:
            mine = rows["flow"] == one
            sent, got = mine & (rows["event"] == SEND), mine & (rows["event"] == DELIVER)
            at = dict(zip(rows["seq"][sent].tolist(), rows["t_ps"][sent].tolist(), strict=True))
            pairs = zip(rows["seq"][got].tolist(), rows["t_ps"][got].tolist(), strict=True)
            for seq, t_ps in pairs:
                if t_ps >= plan.warmup_ps:
                    counted[min((t_ps - at[seq]) // DELAY.width, DELAY.bins - 1)] += 1
        assert np.array_equal(histogram(outcome, "delay")[index], counted)
        assert counted[:-1].sum() > 500 and (index == 2 or counted[-1] > 100)


def test_queue_histogram_is_that_of_a_trace(outcome: EngineOutput) -> None:
    """The number of waiting packets at each arrival follows from accepted packets' services."""
    rows, plan = outcome.table("trace"), outcome.plan
    for link in range(4):
        mine = (rows["link"] == link) & np.isin(rows["event"], (ENQUEUE, DROP))
        counted = np.zeros(QUEUE.bins, dtype=np.int64)
        starts: list[int] = []
        free, begun, rate = 0, 0, plan.links[link].rate_bps
        columns = zip(*(rows[k][mine].tolist() for k in ("t_ps", "event", "bytes")), strict=True)
        for t_ps, event, size in columns:
            while begun < len(starts) and starts[begun] <= t_ps:
                begun += 1
            if t_ps >= plan.warmup_ps:
                counted[min((len(starts) - begun) // QUEUE.width, QUEUE.bins - 1)] += 1
            if event == ENQUEUE:
                starts.append(max(free, t_ps))
                free = starts[-1] + (size * 8 * plans.PS + rate // 2) // rate
        assert np.array_equal(histogram(outcome, "queue")[link], counted), link
    assert (histogram(outcome, "queue")[0] > 0).all()


def test_counting_changes_nothing_and_reports_part_nothing(outcome: EngineOutput) -> None:
    """A run without counts has the same packets, and frequent reports give the same counts."""
    plain = run(crowded(trace=False, histograms=[], counts=[], counts_every_ps=-1))
    assert not plain.table("histograms") and not plain.table("counts")
    for part in ("flows", "links", "pairs"):
        mine, theirs = (getattr(o.reports[-1], part) for o in (outcome, plain))
        assert all(np.array_equal(mine[key], theirs[key]) for key in mine), part
    often = run(crowded(epoch_s=0.25, trace=False))
    for name in ("histograms", "counts"):
        ours, theirs = outcome.table(name), often.table(name)
        assert all(np.array_equal(ours[key], theirs[key]) for key in ours), name


@pytest.mark.parametrize("load", [0.5, 0.8])
def test_md1_histograms(load: float) -> None:
    """Mean delay and P(nobody waits) of M/D/1, ten seeds: theory inside the 99 % interval.

    A bin's middle is at most half a width off, which widens the interval. An arrival finds nobody
    waiting with probability pi_0 + pi_1 = (1 - rho) exp(rho).
    """
    service_s, width_s, packets = 0.001, 1e-5, 200_000
    delays, empty = [], []
    for seed in range(10):
        links = [plans.link("l", 0, 1, 8000 / service_s, 0.0)]
        traffic = Law("poisson", {"mean_interval_s": service_s / load})
        flow = plans.source("p", [0], [], plans.udp(1000), traffic)
        histograms = [
            Histogram("delay", round(width_s * plans.PS), 10_000),
            Histogram("queue", 1, 50),
        ]
        duration_s = packets * service_s / load
        plan = plans.plan(
            links, [flow], duration_s, warmup_s=1.0, epoch_s=1000, seed=seed, histograms=histograms
        )
        outcome = run(plan)
        delay, queue = histogram(outcome, "delay")[0], histogram(outcome, "queue")[0]
        assert delay[-1] == 0
        delays.append((np.arange(10_000) + 0.5) @ delay / delay.sum() * width_s)
        empty.append(queue[0] / queue.sum())
    quantile = stats.t.ppf(0.995, 9)
    theory_s = service_s + load * service_s / (2 * (1 - load))
    assert abs(np.mean(delays) - theory_s) < quantile * stats.sem(delays) + width_s / 2
    assert quantile * stats.sem(delays) < 0.02 * theory_s
    alone = (1 - load) * np.exp(load)
    assert abs(np.mean(empty) - alone) < quantile * stats.sem(empty) < 0.02


def test_marks_of_a_dual_queue_are_counted_when_its_packets_leave() -> None:
    """A mark at a departure is noticed at the link's next event, and its bin is sent later.

    Other packets cause the many events between two of this link.
    """
    links = plans.duplex("in", 0, 1, 1e9, 0.001) + plans.duplex("dual", 1, 2, 1e6, 0.005)
    links[2] = classed(links[2], dual())
    poisson, often = (Law("poisson", {"mean_interval_s": s}) for s in (0.011, 0.0002))
    marked = plans.udp(1500, ect=True, codepoint="ect-1")
    sources = [
        in_classes(plans.source("marked", [0, 2], [], marked, poisson), [-1, 0]),
        in_classes(plans.source("others", [0], [], plans.udp(100), often), [-1]),
    ]
    every_ps = 10**8
    record = dict(counts=["marks"], counts_every_ps=every_ps, trace=True)
    outcome = run(plans.plan(links, sources, 20, epoch_s=20, **record))
    rows = outcome.table("trace")
    mine = (rows["event"] == MARK) & (rows["link"] == 2)
    expected = np.bincount(rows["t_ps"][mine] // every_ps, minlength=200_000)
    assert np.array_equal(counts_of(outcome, "marks")[2], expected)
    assert expected.sum() > 1000


def test_counts_show_how_bursty_arrivals_are() -> None:
    """The index of dispersion is 1 for a Poisson source (99 % interval), and near 0 for cbr."""
    kinds = {
        "poisson": {"mean_interval_s": 0.001},
        "cbr": {"interval_s": 0.001, "random_phase": 1.0},
    }
    sources = [plans.source(k, [0], [], plans.udp(100), Law(k, v)) for k, v in kinds.items()]
    links = [plans.link("l", 0, 1, 1e9, 0.0)]
    record = dict(counts=["sent"], counts_every_ps=plans.PS // 50)
    counts = counts_of(run(plans.plan(links, sources, 100, seed=3, **record)), "sent")
    spread = counts.var(axis=1, ddof=1) / counts.mean(axis=1)
    n = counts.shape[1] - 1
    low, high = stats.chi2.ppf([0.005, 0.995], n) / n
    assert counts.shape == (2, 5000) and low < spread[0] < high and spread[1] < 0.01


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        (dict(histograms=[Histogram("jitter", 1, 1)]), 'histograms[0].of: is "jitter"'),
        (dict(histograms=[Histogram("queue", 0, 1)]), "histograms[0].width: is 0, expected"),
        (dict(histograms=[QUEUE, DELAY, QUEUE]), "histograms: has two entries of the same kind"),
        (dict(counts=["arrivals"], counts_every_ps=-1), "counts_every_ps must be positive"),
        (dict(counts=["smiles"]), 'counts[0]: is "smiles", expected arrivals'),
        (dict(counts=["ce", "ce"]), "'ce' twice"),
    ],
)
def test_a_plan_that_asks_for_nonsense_is_refused(record, complaint, tmp_path) -> None:
    """The engine exits with status 2 and names the place."""
    path = tmp_path / "plan.json"
    path.write_bytes(crowded(**record).to_json())
    done = subprocess.run(
        [engine(), "run", "--plan", str(path)], capture_output=True, text=True, timeout=LIMIT_S
    )
    assert done.returncode == 2 and complaint in done.stderr
