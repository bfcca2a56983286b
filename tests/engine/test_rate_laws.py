# SPDX-License-Identifier: Apache-2.0
"""The REM source, primal control and Vegas on the engine, against their theory.

athuraliya2000: in equilibrium, the rates x = U'^-1(price) fill the link. If n sources have the
utility 12 ln x, each has a rate of 12 / n packets/ms, and a window of the rate times its round
trip.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, Report, flow_orders
from ecnomy.markets.plan import Law
from test_window_laws import ROUND_TRIP_S, RTT_S, measured, pipe
from tiers import full, rare

RTTS_MS = (7, 13, 11, 9)
CAPACITY = 12.0  # packets/ms


def rem_link(phi=1.4):
    """PC3 of Fig. 7: 12 packets/ms, gamma 0.005, alpha 0.1, a price every millisecond."""
    params = dict(
        price=2, phi=phi, gamma=0.005, alpha=0.1, target_backlog_packets=0, capacity_share=1,
        interval_s=0.001, input_weight=0.1, backlog_weight=1, mark_at=0, unit=0,
        mean_packet_bytes=1000,
    )  # fmt: skip
    return Law("rem", {k: float(v) for k, v in params.items()})


def fig7(laws, duration_s=7.0, **record):
    """Sources of the given laws on Fig. 7's link, S1 to S4 with their round trips."""
    links, sources = [], []
    shared = 2 * len(laws)
    for i, law in enumerate(laws):
        links += plans.duplex(f"in{i}", i, 8, 1.2e9, RTTS_MS[i] / 2000)
        path, back = [2 * i, shared], [shared + 1, 2 * i + 1]
        sources.append(plans.source(f"s{i}", path, back, plans.tcp(law), overhead_s=8e-5))
    links += plans.duplex("shared", 8, 9, 96e6, 0.0, marking=rem_link(), not_ect="pass")
    return run(plans.plan(links, sources, duration_s, warmup_s=1.0, **record))


def windows(outcome: EngineOutput, from_s=1, to_s=7) -> np.ndarray:
    """Mean windows over time, packets."""
    return outcome.over(from_s, to_s)["cwnd_integral"] / (to_s - from_s)


@functools.cache
def alike(n: int, **options) -> EngineOutput:
    """n of Fig. 7's sources, each of utility 12 ln x."""
    return fig7([plans.rem_source(**options)] * n)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_rem_windows_are_shares_times_round_trips(n: int) -> None:
    """Fig. 7: mean windows are (12 / n) RTT within the 10 % of the paper's claim c1."""
    expected = CAPACITY / n * np.array(RTTS_MS[:n])
    assert windows(alike(n)) == pytest.approx(expected, rel=0.10)
    sent = alike(n).over(1, 7)["delivered"]
    assert sent.sum() > 0.9 * 12_000 * 6  # and the link is used


@pytest.mark.parametrize("smoothed", [1, 2])
def test_smoothed_rem_has_the_same_windows(smoothed: int) -> None:
    """Section II-D: windows that move by a packet or a tenth settle where plain ones do."""
    outcome = alike(4, smoothed=smoothed)
    assert windows(outcome, 2) == pytest.approx(3.0 * np.array(RTTS_MS), rel=0.10)


def test_smoothed_rem_moves_by_one_packet_a_round_trip() -> None:
    """Without marks, the window grows from one packet by one packet in every round trip."""
    outcome = lone(plans.rem_source(smoothed=1, initial_fraction=0.0))
    cwnd = outcome.table("series")["value"][1:]
    # After a window of w packets the next has w + 1; a round trip is RTT_S, sampled once in each.
    assert np.all(np.diff(cwnd)[5:40] == 1.0)


def lone(law: Law, duration_s=4.0, **transport) -> EngineOutput:
    """One source on a fast link that marks nothing, its window sampled every round trip."""
    links = plans.duplex("l", 0, 1, 1e10, RTT_S / 2, marking=plans.fixed(0.0))
    flow = plans.source("f", [0], [1], plans.tcp(law, **transport))
    every = round(ROUND_TRIP_S * plans.PS)
    return run(plans.plan(links, [flow], duration_s, series=["cwnd"], every_ps=every))


def test_rem_rtt_error_is_a_utility_of_its_own() -> None:
    """Table II: an RTT that is 2 ms too long scales windows by 1 + 2 ms / RTT, within 7 % (c3)."""
    outcome = alike(4, rtt_error_s=0.002)
    believed = 1 + 2 / np.array(RTTS_MS)
    expected = CAPACITY * np.array(RTTS_MS) * believed / believed.sum()
    assert expected == pytest.approx([22.30, 37.16, 32.21, 27.25], abs=0.01)
    assert windows(outcome) == pytest.approx(expected, rel=0.07)


def test_rem_rtt_error_is_white_and_normal() -> None:
    """Without marks, cwnd is max_rate (RTT + e), where e is normal and independent."""
    law = plans.rem_source(initial_fraction=0.0, rtt_error_std_s=0.002, max_rate=5e3)
    cwnd = lone(law, 60.0).table("series")["value"][5:]
    errors_s = (cwnd - 0.5) / 5e3 - ROUND_TRIP_S  # rounded up to whole packets: 0.5 on average
    n = len(errors_s)
    assert n > 1400
    assert abs(errors_s.mean()) < 4 * 0.002 / math.sqrt(n)
    assert errors_s.std() == pytest.approx(0.002, rel=4 / math.sqrt(2 * n))
    assert abs(np.corrcoef(errors_s[1:], errors_s[:-1])[0, 1]) < 4 / math.sqrt(n)
    skew = np.mean((errors_s / 0.002) ** 3)
    assert abs(skew) < 4 * math.sqrt(15 / n)  # the sixth moment of a standard normal is 15


def test_rem_with_quadratic_utilities() -> None:
    """Two sources with x = M - w p and different (M, w) share as in the optimum, within 5 %."""
    pairs = [(9.0, 1.0), (8.0, 0.5)]  # packets/ms
    laws = [
        plans.rem_source(utility=1, max_rate=most * 1e3, w=w * 1e3, min_rate=10)
        for most, w in pairs
    ]
    delivered = fig7(laws, 11.0).over(1, 11)["delivered"] / 10_000
    assert 0.9 * CAPACITY < delivered.sum() <= CAPACITY
    # The optimum for what is carried: PC3 leaves some of the link idle.
    price = (17.0 - delivered.sum()) / 1.5
    assert delivered == pytest.approx([m - w * price for m, w in pairs], rel=0.05)


def test_rem_window_survives_losses() -> None:
    """If the queue is too short for max_rate RTT, packets are lost, but the window stays.

    Now and then a retransmission is lost too, and the flow waits for its timer.
    """
    links = plans.duplex("l", 0, 1, 8e6, RTT_S / 2, buffer=10)
    law = plans.rem_source(initial_fraction=0.0, max_rate=1250.0)
    flow = plans.source("f", [0], [1], plans.tcp(law, sack=True))
    outcome = run(plans.plan(links, [flow], 10.0, series=["cwnd"], every_ps=plans.PS // 10))
    over = outcome.over(2, 10)
    assert over["lost"][0] > 50 and over["retransmitted"][0] > 50
    # RTT between the bare one, 41.04 ms, and that with ten packets of a millisecond before it.
    cwnd = outcome.table("series")["value"][10:]
    assert np.all((cwnd >= math.ceil(1250 * 0.04104)) & (cwnd <= math.ceil(1250 * 0.0515)))
    assert over["acked"][0] > 0.5 * 1000 * 8


def primal_run(law: Law, probability: float, delay_s: float, **transport) -> EngineOutput:
    """Eight flows of primal control on a link that marks with a fixed probability."""
    links = plans.duplex("l", 0, 1, 1e10, delay_s, marking=plans.fixed(probability))
    flows = plans.source("f", [0], [1], plans.tcp(law, **transport), count=8)
    return run(plans.plan(links, [flows], 250, warmup_s=50, epoch_s=50))


@pytest.mark.parametrize("delay_s", [0.005, 0.08])
@pytest.mark.parametrize("probability", [rare(0.01), 0.1])
def test_primal_rate_is_weight_over_marking(probability: float, delay_s: float) -> None:
    """x = w / p, whatever the round trip (siris2002 Eq. 1 at rest)."""
    w = 20.0
    # A mark moves the rate by a twentieth.
    law = plans.primal(w, 0.05 * w / probability, initial_rate=w / probability)
    over = primal_run(law, probability, delay_s).over(50, 250)
    marks = 8 * 200 * w
    # The sum of n w / x - k is what x has moved by, over kappa: at most the range of x, some four
    # deviations of sqrt(kappa w / (2 p)) either way, for each flow; and the marks of the ACKs on
    # their way at either end.
    slack = 8 * 8 * math.sqrt(0.05 / 2) * w / probability / law.params["kappa"]
    slack += 8 * 2 * delay_s * w * 4
    assert over["ce"].sum() == pytest.approx(marks, abs=slack)
    # Packets per mark vary by a geometric distribution.
    deviation = math.sqrt((1 - probability) * marks) / probability
    packets = marks / probability
    assert over["sent"].sum() == pytest.approx(packets, abs=4 * deviation + slack / probability)


@pytest.mark.parametrize("w", [0.5, rare(1.0), 4.0])
def test_primal_meets_its_target_at_rates_of_a_few_packets_per_second(w: float) -> None:
    """The rate is w / p even if kappa, 5 packets/s per mark, exceeds it (siris2002 Eq. 1)."""
    probability, seconds = 0.3, 1000
    links = plans.duplex("l", 0, 1, 1e10, 0.02, marking=plans.fixed(probability))
    law = plans.primal(w, initial_rate=w / probability)
    flows = plans.source("f", [0], [1], plans.tcp(law), count=20)
    over = run(plans.plan(links, [flows], seconds + 50, warmup_s=50, epoch_s=50)).over(50, 1050)
    assert over["ce"].sum() == pytest.approx(20 * seconds * w, rel=0.05)


def test_primal_takes_marks_per_second_from_the_market() -> None:
    """A decision's mark rate is the weight, at once and whatever the round trip."""
    law = plans.primal(5.0, 20.0, initial_rate=200.0)
    links = plans.duplex("l", 0, 1, 1e10, 0.05, marking=plans.fixed(0.05))
    flow = plans.source("f", [0], [1], plans.tcp(law), count=4)

    def decide(report: Report) -> Decide:
        orders = flow_orders(np.arange(4), mark_rate=10.0 if report.epoch == 0 else 30.0)
        return Decide(report.epoch, flows=orders)

    outcome = run(plans.plan(links, [flow], 300, epoch_s=100), decide)
    assert np.all(outcome.reports[1].flows["weight"] == 10.0)
    assert np.all(outcome.reports[3].flows["weight"] == 30.0)
    early, late = outcome.over(0, 100)["ce"].sum(), outcome.over(200, 300)["ce"].sum()
    assert late / early == pytest.approx(3.0, rel=4 * math.sqrt(1 / 4000 + 1 / 12000))


def test_primal_paces_at_its_rate() -> None:
    """Without marks, a packet leaves every 1 / x at max_rate, whatever the window and the RTT."""
    law = plans.primal(max_rate=250.0, initial_rate=250.0)
    over = lone(law, 10.0).over(1, 10)
    assert over["sent"][0] == pytest.approx(250 * 9, abs=1)


@pytest.mark.parametrize("rate_bps", [4e6, 2e7])
def test_vegas_keeps_alpha_to_beta_packets_queued(rate_bps: float) -> None:
    """One flow over drop-tail fills the link with one to three waiting packets and no loss."""
    links = plans.duplex("in", 0, 1, 1e9, 0.001)
    links += plans.duplex("neck", 1, 2, rate_bps, RTT_S / 2, buffer=50)
    flow = plans.source("v", [0, 2], [3, 1], plans.tcp(plans.vegas(), echo="off"))
    outcome = run(plans.plan(links, [flow], 40, warmup_s=20))
    queue = outcome.over(20, 40, part="links")["queue_integral"][2] / 20
    over = outcome.over(20, 40)
    assert over["lost"][0] == 0 and over["acked"][0] == pytest.approx(
        rate_bps / 8000 * 20, rel=0.01
    )
    smallest_s = 2 * (0.001 + RTT_S / 2) + (8000 + 320) / 1e9 + (8000 + 320) / rate_bps
    window = over["cwnd_integral"][0] / 20
    queued = window - rate_bps / 8000 * smallest_s
    assert 1 - 1e-6 <= queued <= 3 + 1e-6
    assert queue == pytest.approx(queued, abs=0.1)  # packets are back to back, except in bursts


@full
def test_vegas_answers_marks_as_rfc_3168_says() -> None:
    """Without queues, growth by a packet per round trip and cuts by a quarter give the mean."""
    state = {"acked": 0.0, "round": 0.0}

    def rise(window: float) -> float:
        state["round"] = state["round"] or window
        state["acked"] += 1
        if state["acked"] < state["round"]:
            return window
        state["acked"] = state["round"] = 0.0
        return window + 1

    def cut(window: float) -> float:
        state["acked"] = state["round"] = 0.0
        return max(2.0, 0.75 * window)

    expected = pipe(rise, cut, 1e-3, 2_000_000)
    means = measured(plans.vegas(), 1e-3, count=8, from_s=50, to_s=650)
    assert means.window == pytest.approx(expected.window, rel=0.03)
    assert means.rate == pytest.approx(expected.rate, rel=0.03)
