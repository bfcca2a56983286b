# SPDX-License-Identifier: Apache-2.0
"""christin2003's arithmetic on small traces by hand, and the cost of its catalogue."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis.reproduce.christin2003.classes import class_figures
from ecnomy.analysis.reproduce.christin2003.filtering import passed, rho
from ecnomy.analysis.reproduce.christin2003.interpolation import (
    exact_excess,
    interpolated_excess,
    interpolation_figures,
    line_errors,
)
from ecnomy.analysis.reproduce.christin2003.laws import name_of
from ecnomy.analysis.reproduce.christin2003.projection import begin_times, due_marks
from ecnomy.analysis.reproduce.christin2003.rounds import (
    SenderRounds,
    round_trips,
    router_rounds,
    sender_rounds,
)
from ecnomy.analysis.reproduce.christin2003.traces import ENQUEUE, Bottleneck, FlowTrace
from ecnomy.analysis.reproduce.christin2003.tracing import (
    matched,
    twice_in_a_round,
    window_bound,
    window_growth,
)
from ecnomy.analysis.reproduce.christin2003.windows import goodput_share, loss_share
from ecnomy.analysis.reproduce.entries import code_of
from ecnomy.analysis.reproduce.studies import Form, load_study
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan.structs import Tcp
from ecnomy.markets.scenario import Scenario
from kept_papers import paper_of
from tiers import in_full

MS = 10**9
PAPER = paper_of("christin2003")


def times(*values: float) -> np.ndarray:
    """Milliseconds in picoseconds."""
    return np.array([round(value * MS) for value in values], dtype=np.int64)


def test_rounds_that_a_router_tells_by_silences() -> None:
    """Bursts of 2, 3 and 2 packets 100 ms apart are rounds, and R moves by a tenth of the error."""
    rounds = router_rounds(times(0, 80, 100, 101, 200, 201, 202, 300, 301), 10, 0.9)
    assert rounds.start_ps.tolist() == times(80, 100, 200, 300).tolist()
    assert rounds.window.tolist() == [1, 2, 3, 2]
    assert not rounds.forced.any()
    first = 0.9 * 80 + 0.1 * 20
    second = 0.9 * first + 0.1 * 100
    expected = [80, first, second, 0.9 * second + 0.1 * 100]
    assert rounds.rtt_ps / MS == pytest.approx(expected)


def test_the_safeguard_lets_a_round_have_one_packet_more() -> None:
    """Without silences, rounds have 1, 1, then 2, 3, 4 packets, all but the first three forced."""
    rounds = router_rounds(times(0, 100, 350, *[350 + i for i in range(1, 12)]), 0.9, 0.9)
    assert rounds.window.tolist() == [1, 2, 3, 4, 3]
    assert rounds.forced.tolist() == [False, False, True, True, True]


def test_rounds_of_a_sender() -> None:
    """A round ends when its first packet is acknowledged; packets sent again are noted."""
    flow = FlowTrace(
        sent_ps=times(0, 1, 100, 101, 102, 210),
        sent_seq=np.array([0, 1, 2, 3, 1, 5]),
        acked_ps=times(99, 101.5, 205, 320),
        acked_seq=np.array([1, 2, 4, 6]),
        arrived_ps=times(10, 11, 110, 111, 112, 220),
        arrived_seq=np.array([0, 1, 2, 3, 1, 5]),
        marked_ps=times(),
    )
    rounds = sender_rounds(flow)
    assert rounds.start_ps.tolist() == times(0, 100, 210).tolist()
    assert rounds.window.tolist() == [2, 3, 1]
    assert rounds.repairs.tolist() == [False, True, False]
    trips = round_trips(flow) / MS
    assert trips[[0, 2, 3, 5]].tolist() == [99, 105, 104, 110]
    assert np.isnan(trips[[1, 4]]).all()  # packet 1 was sent twice


def test_eq_3_round_by_round() -> None:
    """In 4, 5, 2, 3, 6 packets two steps violate Eq. 3, one by more than a packet."""
    rounds = SenderRounds(
        times(1, 2, 3, 4, 5), np.array([4, 5, 2, 3, 6]), np.zeros(5, dtype=np.bool_)
    )
    bound = window_bound([rounds], 0)
    assert bound["rounds"] == 4
    assert bound["within_eq3"] == 0.5
    assert bound["within_eq3_and_a_packet"] == 0.75


def test_a_mark_is_due_where_the_next_round_overshoots() -> None:
    """One packet per 10 ms: a mark is due once the backlog and W + 1 exceed the buffer."""
    count = 8
    trace = Bottleneck(
        t_ps=times(*[10 * i for i in range(count)]),
        event=np.full(count, ENQUEUE),
        flow=np.zeros(count, dtype=np.int64),
        seq=np.arange(count),
        bytes=np.full(count, 1000),
        rate_bps=64_000,
        buffer_bytes=5900.0,
        measured_ps=0,
    )
    begins = begin_times(trace.t_ps, trace.bytes, trace.rate_bps)
    assert begins.tolist() == times(*[125 * i for i in range(count)]).tolist()
    # R = 10 ms, K = 0.5: no silence, so W = 1, 2, 3 at 10, 20, 30 ms, the round expected at 20 ms.
    # At 20 ms 2 packets wait, 2000 + 3000 < 5900; at 30 ms 3 wait, 3000 + 4000 > 5900.
    due = due_marks(trace, 0.5, 0.9)
    assert [(mark.decided_ps, mark.packet) for mark in due] == [(30 * MS, 1)]


def test_projections_by_hand() -> None:
    """Three flows of 1000-byte packets at 1 byte/ps: the exact one peaks before its last round."""
    tau, window = np.array([3000.0, -5.0, 9000.0]), np.array([3.0, 1.0, 4.0])
    hit = np.array([False, False, True])
    coming = 1000.0 * np.where(hit, window / 2, window + 1)
    # Due at 0: 2000; at 3000: 6000 - 3000; at 9000: 8000 - 9000.
    assert exact_excess(tau, coming, 1.0) == 3000
    mean = 1000 * 8 / 3
    line = 2 * (mean + 1000) + mean / 2 - 9000
    assert interpolated_excess(tau, window, np.full(3, 1000.0), hit, 1.0) == pytest.approx(line)


def test_the_line_against_the_staircase() -> None:
    """A staircase of 2, 6 and 8 at 0, 3, 9: a line to 6 ends a quarter short and is 4 off at 3."""
    tau, coming = np.array([3.0, 0.0, 9.0]), np.array([4.0, 2.0, 2.0])
    assert line_errors(tau, coming, 6.0) == (0.25, 0.5)


def test_the_replay_marks_what_overshoots() -> None:
    """Two flows with rounds of one packet per 100 ms: a large buffer causes no marks."""
    at = sorted([*range(0, 1000, 100), *range(5, 1000, 100)])
    trace = Bottleneck(
        t_ps=times(*at),
        event=np.full(len(at), ENQUEUE),
        flow=np.array([0 if t % 100 == 0 else 1 for t in at]),
        seq=np.arange(len(at)),
        bytes=np.full(len(at), 1000),
        rate_bps=160_000,
        buffer_bytes=9000.0,
        measured_ps=500 * MS,
    )
    roomy = interpolation_figures(trace, heuristic=False)
    assert roomy["overshoots.exact"] == 0 and roomy["marked_most"] == 0
    tight = interpolation_figures(
        msgspec.structs.replace(trace, buffer_bytes=500.0), heuristic=False
    )
    # At each arrival 1000 bytes wait with a buffer of 500: every round is marked exactly once.
    assert tight["overshoots.exact"] == 1 and tight["marked_most"] == 1


def test_marks_are_matched_by_packet() -> None:
    """The share of due marks that were made, and of marks made that were due."""
    assert matched([1, 2, 3, 4], [2, 3, 9]) == (0.5, pytest.approx(2 / 3))


def test_second_marks_of_a_round_are_counted() -> None:
    """Rounds begin at 100, 200 and 300 ms; two of four marks are not the first in their round."""
    arrivals = np.array([0, 100, 101, 102, 200, 201, 202, 300, 301]) * MS
    starts = router_rounds(arrivals, 10.0, 0.9).start_ps
    assert starts.tolist() == [100 * MS, 200 * MS, 300 * MS]
    assert twice_in_a_round(arrivals, np.array([101, 200, 201, 202]) * MS) == 2
    assert twice_in_a_round(arrivals, np.array([102, 202, 300]) * MS) == 0


def test_growth_of_windows_from_half_to_half() -> None:
    """With the safeguard a window grows like the root of time, else like time; silences end it."""
    arrivals = np.concatenate([[0, 1], 100 + np.arange(40_000)]) * MS
    windows = router_rounds(arrivals, 0.5, 0.9).window
    assert windows[:-1].tolist() == list(range(1, len(windows)))
    assert window_growth([arrivals], 0.5, 0) == pytest.approx(2**0.5, rel=0.02)
    assert window_growth([np.arange(40_000) * MS], 0.5, 0) == pytest.approx(2, rel=0.001)
    silent = np.array([100 * n + k for n in range(100) for k in range(3)]) * MS
    assert window_growth([silent], 10.0, 10 * 100 * MS) == 1


@pytest.mark.parametrize("parallel", [False, True])
def test_no_flow_beyond_m_is_missed(parallel: bool) -> None:
    """Flows above M bytes are recorded in any order of packets; a single small one is not."""
    random = np.random.Generator(np.random.Philox(key=7))
    for _ in range(50):
        flow = random.integers(0, 12, size=400)
        size = random.integers(40, 1500, size=400)
        hashes = random.integers(0, 4, size=(3, 12))
        known = passed(flow, size, hashes, 20_000.0, parallel)
        total = np.bincount(flow, weights=size, minlength=12)
        assert set(np.flatnonzero(total > 20_000).tolist()) <= known
    one = np.zeros(3, dtype=np.int64)
    assert passed(one, np.full(3, 100), one.reshape(3, 1), 1000.0, parallel) == set()


def test_the_serial_filter_by_hand() -> None:
    """With M = 300 in three stages, each stage passes flows beyond 100 bytes."""
    hashes = np.array([[0, 0], [0, 1], [0, 1]])
    flow = np.array([0, 1, 0, 0, 0])
    size = np.array([60, 60, 90, 90, 90])
    # Stage 1: 60, 120, 210, 300, 390. Flow 0: stage 2 90, 180, 270; stage 3 90, 180.
    assert passed(flow[:4], size[:4], hashes, 300.0, False) == set()
    assert passed(flow, size, hashes, 300.0, False) == {0}


def test_rho_is_all_over_identified() -> None:
    """Of 1,100 bytes the recorded flows sent 1,000."""
    total = np.array([700.0, 300.0, 100.0])
    assert rho(total, {0, 1}) == pytest.approx(1.1)
    assert rho(total, {0, 1, 2}) == 1.0


def test_figures_of_a_class() -> None:
    """Late packets, losses and windows at the bound are counted overall and after 10 s."""
    rows = 48
    frame = pd.DataFrame({name: np.zeros(rows) for name in ("drops", "marks", "late")})
    frame["t_ps"] = np.arange(rows) * 250 * MS
    frame["arrivals"], frame["departures"] = 100.0, 100.0
    frame["departed_bytes"] = np.where(np.arange(rows) % 2, 200_000.0, 100_000.0)
    frame["delay_sum_ps"], frame["delay_max_ps"] = 100 * 5.0 * MS, 9.0 * MS
    frame.loc[0, ["drops", "late", "delay_max_ps"]] = [48, 24, 30 * MS]
    frame.loc[40, ["drops", "late", "delay_max_ps"]] = [8, 16, 12 * MS]
    found = class_figures(frame, 1)
    assert found["loss.1"] == pytest.approx(56 / 4800)
    assert found["loss_after_10.1"] == pytest.approx(8 / 800)
    assert found["late_share"] == pytest.approx(40 / 4800)
    assert found["late_share_after_10"] == pytest.approx(16 / 800)
    assert found["delay_max_s"] == pytest.approx(0.030)
    assert found["delay_max_after_10_s"] == pytest.approx(0.012)
    assert found["delay_s.1"] == pytest.approx(0.005)
    assert found["throughput_bps.1"] == pytest.approx(4.8e6)
    assert found["windows_at_bound"] == 0.5


def test_shares_weigh_windows_by_what_came() -> None:
    """Shares are weighted by arrivals, so a window of few packets counts little."""
    assert loss_share(np.array([1.0, 0.0]), np.array([1.0, 99.0])) == 0.01
    assert goodput_share(np.array([9.0, 1.0]), np.array([10.0, 10.0])) == 0.5


def test_short_names_tell_variants_apart() -> None:
    """RED with mark_p, the PI tunings and options of the paper's algorithms have own names."""
    assert name_of({"law": "red", "mark_p": 0.1}) == "red"
    assert name_of({"law": "red"}) == "red-marks"
    assert name_of({"law": "pi", "a": 1.643e-4}) == "pi-exact"
    assert name_of({"law": "pi", "a": 0.2395e-4}) == "pi-approximate"
    options = {"law": "flow-projection", "mean_packet": "500 bytes", "buffer": "75 kB"}
    assert name_of(options) == "reference.buffer=75kB"


def test_every_entry_has_its_module() -> None:
    """Each entry that is not pending can be measured and drawn."""
    for entry in PAPER.entries.values():
        if all(claim.pending for claim in entry.claims.values()):
            continue
        code = code_of(PAPER, entry)
        assert callable(code.figures) and callable(code.draw)


@pytest.mark.parametrize("study", list(PAPER.studies))
def test_a_study_costs_no_more_than_its_budget(study: str, tmp_path: Path) -> None:
    """A budget is at most 1.3 times the packets of an always busy bottleneck in every run.

    The fast tier uses the first seed of each point for all seeds.
    """
    for quick in (True, False):
        sweep = load_study(PAPER, study, Form(tmp_path, quick))
        points = [p for p in sweep.points() if in_full() or p.replicate == 0]
        each = 1 if in_full() else sweep.replicates
        most = each * sum(_most_packets(sweep.scenario_at(p.params, p.seed)) for p in points)
        assert most <= PAPER.studies[study].budget
    assert PAPER.studies[study].budget <= 1.31 * most


def _most_packets(scenario: Scenario) -> float:
    """The number of data packets that the bottleneck can send."""
    plan = make_plan(scenario)
    link = next(link for link in plan.links if link.name == "bottleneck")
    tcp = plan.sources[0].transport
    assert isinstance(tcp, Tcp)
    return plan.duration_ps / 1e12 * link.rate_bps / 8 / (tcp.mss_bytes + tcp.header_bytes)
