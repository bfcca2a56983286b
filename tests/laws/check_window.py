# SPDX-License-Identifier: Apache-2.0
"""The window laws, the round-trip time and the retransmission timeout against their oracles."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from law_api import Laws, WindowState
from oracle_window import RenoOracle, RtoOracle, WtpOracle, round_trips

__all__ = [
    "START",
    "WINDOW_CHECKS",
    "WindowEvent",
    "check_gain",
    "compare_reno",
    "compare_round_trip",
    "compare_rto",
    "compare_wtp",
    "same",
    "window_events",
]

# ("ack", n, k), ("ece", used), ("loss", used), ("timeout", used), ("weight", w)
WindowEvent = tuple[str, float, float]
MS: Final = 10**9
START: Final[WindowState] = (1.0, 64.0, 1.0 / 64, 50.0)


def window_events(seed: int, steps: int) -> list[WindowEvent]:
    """ACKs, a few of them marked, with rare losses and timeouts."""
    draw = random.Random(seed)
    events: list[WindowEvent] = []
    for _ in range(steps):
        n, k = draw.choice([0, 1, 1, 1, 2, 5]), draw.choice([0] * 12 + [1, 1, 2])
        rare: list[WindowEvent] = [
            ("loss", draw.uniform(0, draw.choice([3, 40])), 0),
            ("timeout", draw.uniform(0, 40), 0),
            ("ece", draw.uniform(0, draw.choice([3, 40])), 0),
            ("weight", draw.uniform(0.05, 20), 0),
        ]
        events.append(draw.choice(rare) if draw.random() < 0.02 else ("ack", n, k))
    return events


def same(law: WindowState, cwnd: object, ssthresh: object, where: str) -> None:
    """Asserts that cwnd and ssthresh agree to twelve digits."""
    assert math.isclose(law[0], float(str(cwnd)), rel_tol=1e-9), f"{where}: cwnd {law[0]}, {cwnd}"
    near = math.isclose(law[1], float(str(ssthresh)), rel_tol=1e-9)
    assert near, f"{where}: ssthresh {law[1]}, oracle {ssthresh}"


def compare_wtp(
    laws: Laws, values: Sequence[float], start: WindowState, events: Sequence[WindowEvent]
) -> None:
    """Compares the law's trajectory with that of the equation."""
    law = laws.window("wtp", values)
    assert law.per_mark(), "WTP learns of every mark"
    assert law.recovery() == "all-acked"
    form, gain, w_inc, w_dec = values
    oracle = WtpOracle(start, int(form), gain, w_inc, w_dec)
    window = start
    for i, (kind, a, b) in enumerate(events):
        slow = oracle.cwnd < oracle.ssthresh
        if kind == "ack":
            trips = (i % 7) / 5 * (2.5 if i % 100 < 50 else 0.02) if i % 3 else -1.0
            window = law.on_ack(window, int(a), int(b), trips)
            oracle.ack(int(a), int(b), trips)
        elif kind == "loss":
            window = law.on_loss(window, a)
            oracle.loss(a)
        elif kind == "timeout":
            window = law.on_timeout(window, a)
            oracle.timeout()
        elif kind == "weight":
            law.set_weight(a)
            oracle.set_weight(a)
        else:
            window = law.on_congestion(window, a)
        where = f"wtp {values}, start {start}, event {i} {kind} {a} {b}, slow start {slow}"
        same(window, oracle.cwnd, oracle.ssthresh, where)
        assert window[2:] == start[2:], where
        assert math.isclose(law.weight(), float(oracle.w_inc * oracle.w_dec), rel_tol=1e-12), where


def check_wtp(laws: Laws) -> None:
    """WTP follows its oracle in three forms, with the papers' gains and weights and all bounds."""
    starts = [START, (1.0, 0.0, 1.0, 1000.0), (3.0, 8.0, 2.0, 4.0), (1.0, 64.0, 1.0, 1e9)]
    pairs = [(1.0, 1.0), (4.0, 1.0), (1.0, 10.0), (0.3, 2.5)]
    for seed, (form, gain, pair, start) in enumerate(
        itertools.product([0, 1, 2], [0.05, 0.5, 1.0], pairs, starts)
    ):
        compare_wtp(laws, [form, gain, *pair], start, window_events(seed, 150))


def check_wtp_equilibrium(laws: Laws) -> None:
    """At marking probability p, a window settles at p cwnd = w (Eq. 4) in each form."""
    for form, w_inc, w_dec in ((0, 4.0, 1.0), (1, 1.0, 4.0), (2, 2.0, 2.0)):
        law = laws.window("wtp", [form, 0.1, w_inc, w_dec])
        draw, window, inverse = random.Random(form), (40.0, 0.0, 1 / 64, 1e6), 0.0
        for _ in range(40_000):
            window = law.on_ack(window, 1, int(draw.random() < 0.1))
            inverse += 1 / window[0]
        # E[drift] = 0 is exact for the mean of 1 / cwnd over ACKs: w E[1/cwnd] = p.
        assert math.isclose(4 * inverse / 40_000, 0.1, rel_tol=0.05), (form, inverse)


def check_wtp_weight(laws: Laws) -> None:
    """The law follows the weight that is set, whatever pair it was built with."""
    for form, w_inc, w_dec in itertools.product([0, 1, 2], [1.0, 2.0], [1.0, 4.0]):
        law = laws.window("wtp", [form, 0.5, w_inc, w_dec])
        assert law.weight() == w_inc * w_dec
        law.set_weight(3.0)
        assert law.weight() == 3.0, f"form {form}, built ({w_inc}, {w_dec}): {law.weight()}"


def check_wtp_weight_zero(laws: Laws) -> None:
    """A flow with weight 0 keeps its window or falls to the minimum, and recovers."""
    for form in (0, 1, 2):
        law = laws.window("wtp", [form, 0.5, 2.0, 1.0])
        law.set_weight(0.0)
        window = law.on_ack((10.0, 0.0, 1.0, 100.0), 1, 0)
        assert 10.0 <= window[0] <= 10.5, f"form {form}: an unmarked ACK gave cwnd {window[0]}"
        for _ in range(60):
            window = law.on_ack(window, 1, 1)
        assert window[0] == 1.0, (
            f"form {form}: marks left cwnd at {window[0]}, expected the minimum"
        )
        law.set_weight(4.0)
        assert law.weight() == 4.0
        assert 1.0 < law.on_ack(window, 1, 0)[0] < 10.0


def check_gain(laws: Laws, name: str, most: float) -> None:
    """A law with a changed gain equals one built with it; the gain is limited to its range."""
    for built, gain in itertools.product([0.1, 0.5], [0.05, 0.5, 1.0, most, 2 * most]):
        values = [0.0, built, 4.0, 1.0] if name == "wtp" else [built, 4.0, 0.0]
        law = laws.window(name, values)
        values[1 if name == "wtp" else 0] = min(gain, most)
        expected = laws.window(name, values)
        law.set_gain(gain)
        assert law.gain() == expected.gain() == min(gain, most)
        assert law.weight() == 4.0
        window: WindowState = (30.0, 0.0, 1e-9, 1e9)
        assert law.on_ack(window, 2, 0) == expected.on_ack(window, 2, 0)
        if name == "wtp":
            assert law.on_ack(window, 1, 1) == expected.on_ack(window, 1, 1)
        else:
            assert law.on_congestion(window, 30.0) == expected.on_congestion(window, 30.0)


def check_wtp_gain(laws: Laws) -> None:
    """WTP's gain can be changed, as a reference round trip does (siris2002 section 5.1)."""
    check_gain(laws, "wtp", 1e3)


def compare_reno(
    laws: Laws,
    values: Sequence[float],
    start: WindowState,
    events: Sequence[WindowEvent],
    name: str = "reno",
) -> None:
    """Compares the law's trajectory with that of RFC 5681."""
    law = laws.window(name, values)
    assert not law.per_mark() and law.weight() == 0.0
    assert law.recovery() == ("all-acked" if name == "newreno" else "first-ack")
    oracle, window = RenoOracle(start, *values), start
    for i, (kind, a, b) in enumerate(events):
        slow = oracle.cwnd < oracle.ssthresh
        if kind == "ack":
            window = law.on_ack(window, int(a), int(b))
            oracle.ack(int(a))
        elif kind == "loss":
            window = law.on_loss(window, a)
            oracle.loss(a)
        elif kind == "ece":
            window = law.on_congestion(window, a)
            oracle.echo(a)
        elif kind == "timeout":
            window = law.on_timeout(window, a)
            oracle.timeout(a)
        else:
            law.set_weight(a)
        where = f"{name} {values}, start {start}, event {i} {kind} {a} {b}, slow start {slow}"
        same(window, oracle.cwnd, oracle.ssthresh, where)


def check_reno(laws: Laws) -> None:
    """Reno agrees with all decreases, minimum thresholds, ABE, bounds, and without slow start."""
    starts = [START, (1.0, 0.0, 1.0, 1000.0), (2.0, 1e9, 1.0, 16.0), (3.0, 8.0, 2.0, 4.0)]
    for seed, (decrease, least, start) in enumerate(
        itertools.product([0.5, 0.25, 0.875], [1.0, 2.0, 10.0], starts)
    ):
        values = [decrease, least, (0.0, 0.8)[seed % 2]]
        compare_reno(laws, values, start, window_events(seed, 300))


def check_newreno(laws: Laws) -> None:
    """NewReno differs from Reno only in its host's recovery, not in its windows."""
    for seed, least in enumerate([1.0, 2.0, 10.0]):
        compare_reno(laws, [0.5, least, 0.0], START, window_events(seed, 400), "newreno")


def check_reno_slow_start_end(laws: Laws) -> None:
    """Slow start ends at cwnd = ssthresh; from there each ACK adds 1 / cwnd."""
    law = laws.window("reno", [0.5, 2.0, 0.0])
    window: WindowState = (1.0, 8.0, 1.0, 100.0)
    grown = []
    for _ in range(9):
        window = law.on_ack(window, 1, 0)
        grown.append(window[0])
    assert grown[:8] == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 8.125], grown


def compare_round_trip(laws: Laws, samples: Sequence[tuple[int, int]]) -> int:
    """Compare the law after every sample with the oracle over all samples so far.

    Returns:
        After how many samples the flow was saturated.
    """
    law, samples_so_far, saturated = laws.round_trip(), list[tuple[int, int]](), 0
    assert not law.known() and law.min() == 0
    for sample in samples:
        law.sample(*sample)
        samples_so_far.append(sample)
        expected = round_trips(samples_so_far)
        said = (law.min(), law.mean(), law.for_weight(), law.saturated())
        assert law.known() and said == expected, (
            f"after {len(samples_so_far)} at {sample}: {said}, {expected}"
        )
        saturated += int(said[3])
    return saturated


def check_round_trip(laws: Laws) -> None:
    """The mean is right at ends of buckets, after gaps of buckets, and in saturation."""
    saturated = 0
    for seed in range(10):
        draw, now, samples = random.Random(seed), seed % 2 * 7 * MS, []
        for _ in range(150):
            samples.append((now, draw.choice([20, 40, 40, 90, 300]) * MS + draw.randrange(9)))
            now += draw.choice([10, 100, 250, 500, 500, 2000, 2000, 3990, 4000, 9000]) * MS
        saturated += compare_round_trip(laws, samples)
    assert saturated > 100


def compare_rto(laws: Laws, initial: int, low: int, high: int, events: Sequence[int]) -> None:
    """Samples (ps) and timeouts (0); the law's integers stay within 64 ps of exact fractions."""
    law, oracle = laws.rto(initial, low, high), RtoOracle(initial, low, high)
    slack = 64
    for i, rtt in enumerate(events):
        if rtt:
            law.sample(rtt)
            oracle.sample(rtt)
            slack = 64
        else:
            law.back_off()
            oracle.timeout()
            slack *= 2
        where = f"rto in [{low}, {high}], event {i} of {events[: i + 1][-4:]}"
        assert abs(law.rto() - oracle.rto) <= slack, f"{where}: {law.rto()}, {float(oracle.rto)}"
        assert abs(law.srtt() - (oracle.srtt or Fraction(0))) <= 64, f"{where}: srtt {law.srtt()}"


def check_rto(laws: Laws) -> None:
    """The RTO is right for steady and wild round trips, timeouts in a row, floors and ceilings."""
    for seed, (low, high) in enumerate(
        itertools.product([200 * MS, 1000 * MS, MS], [60_000 * MS, 2000 * MS])
    ):
        draw = random.Random(seed)
        events = [
            draw.choice([40, 41, 43, 300, 2500]) * MS + draw.randrange(MS) for _ in range(400)
        ]
        events += [0 if draw.random() < 0.2 else e for e in events] + [0] * 40 + [40 * MS]
        compare_rto(laws, 1000 * MS, low, high, events)


WINDOW_CHECKS = {
    "wtp": [
        check_wtp,
        check_wtp_equilibrium,
        check_wtp_weight,
        check_wtp_weight_zero,
        check_wtp_gain,
    ],
    "reno": [check_reno, check_reno_slow_start_end],
    "newreno": [check_newreno],
    "round-trip": [check_round_trip],
    "rto": [check_rto],
}
