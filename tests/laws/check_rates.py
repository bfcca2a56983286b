# SPDX-License-Identifier: Apache-2.0
"""The REM source, primal control and Vegas against their oracles."""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections.abc import Sequence
from typing import Final

from check_window import START, same
from law_api import Laws, Window, WindowState
from oracle_rates import PrimalOracle, RemSourceOracle, VegasOracle
from tiers import in_full

__all__ = ["RATE_CHECKS", "RateEvent", "compare_primal", "compare_rem", "compare_vegas"]

RateEvent = tuple[str, float, float]
MS: Final = 10**9
STARTS: Final[Sequence[WindowState]] = [START, (1.0, 0.0, 1.0, 1e9), (3.0, 8.0, 2.0, 40.0)]
# utility, w, phi, min_rate, max_rate, N, initial share, beta, smoothed, step, RTT error, its std
FIG7: Final = [0, 12_000.0, 1.4, 100.0, 24_000.0, 100, 1.0, 0.01, 0, 0.1, 0.0, 0.0]


def rate_events(seed: int, steps: int, rtt_ms: float, marked: float) -> list[RateEvent]:
    """ACKs with an RTT sample, some of them marked, and rare events in between."""
    draw = random.Random(seed)
    events: list[RateEvent] = []
    for _ in range(steps):
        n = draw.choice([1, 1, 1, 1, 2, 3, 0])
        k = sum(draw.random() < marked for _ in range(n)) + (draw.random() < 0.01)
        rare: list[RateEvent] = [
            ("loss", draw.uniform(0, draw.choice([3, 40])), 0),
            ("ece", draw.uniform(0, draw.choice([3, 40])), 0),
            ("timeout", draw.uniform(0, 40), 0),
            ("weight", draw.uniform(1, 2e4), 0),
            ("aim", draw.uniform(1, 5e3), 0),
            ("disturb", struct.unpack("f", struct.pack("f", draw.gauss(0, 1)))[0], 0),
            ("begin", 0, 0),
            ("ack", 300, draw.choice([0, 140, 300])),
        ]
        if draw.random() < 0.03:
            events.append(draw.choice(rare))
        if draw.random() < 0.9:
            events.append(("rtt", round(rtt_ms * MS * draw.uniform(1, 1.3)), 0))
        events.append(("ack", n, k))
    return events


def law_step(law: Window, window: WindowState, event: RateEvent) -> WindowState:
    """The law's answer to one event."""
    kind, a, b = event
    if kind == "weight":
        law.set_weight(a)
    elif kind == "aim":
        law.aim(a)
    elif kind == "disturb":
        law.disturb(a)
    answers = {
        "ack": lambda: law.on_ack(window, int(a), int(b)),
        "rtt": lambda: law.on_rtt(window, int(a)),
        "begin": lambda: law.begin(window),
        "ece": lambda: law.on_congestion(window, a),
        "loss": lambda: law.on_loss(window, a),
        "timeout": lambda: law.on_timeout(window, a),
    }
    return answers[kind]() if kind in answers else window


def _near_round(oracle: RemSourceOracle, packets: float) -> bool:
    """Return whether twelve digits do not determine if these packets end a round trip."""
    left = float(oracle.cwnd - oracle.answered) - packets
    return left != 0 and abs(left) < 1e-9 * float(oracle.cwnd)


def _near_whole(oracle: RemSourceOracle) -> bool:
    """Return whether twelve digits do not determine to which integer the target is rounded."""
    target = oracle.target()
    if target is None or target == 0:
        return False
    return abs(float(target) - round(float(target))) < 1e-9 * float(target)


def rem_step(oracle: RemSourceOracle, event: RateEvent) -> None:
    """The oracle's answer; losses, echoes and timeouts do not change the window."""
    kind, a, b = event
    if kind == "ack":
        oracle.ack(int(a), int(b))
    elif kind == "rtt":
        oracle.sample(int(a))
    elif kind == "begin":
        oracle.begin()
    elif kind == "disturb":
        oracle.normal = type(oracle.normal)(a)
    elif kind == "weight":
        oracle.w = type(oracle.w)(a)
    elif kind == "aim":
        oracle.w = type(oracle.w)(a) / oracle.phi.ln()


def compare_rem(
    laws: Laws, values: Sequence[float], start: WindowState, events: Sequence[RateEvent]
) -> int:
    """Compares the law with the pseudocode; returns the number of windows compared."""
    law, oracle, window = laws.window("rem", values), RemSourceOracle(start, values), start
    assert law.per_mark() and law.every_ack() and law.recovery() == "all-acked"
    compared = 0
    for i, event in enumerate(events):
        if event[0] == "ack" and _near_round(oracle, max(event[1:])):
            break
        window = law_step(law, window, event)
        rem_step(oracle, event)
        if event[0] == "ack" and _near_whole(oracle):
            break
        compared += 1
        where = f"rem {values}, start {start}, event {i} {event}"
        assert math.isclose(window[0], float(oracle.cwnd), rel_tol=1e-9), (
            f"{where}: cwnd {window[0]}, oracle {oracle.cwnd}"
        )
        assert math.isclose(law.weight(), float(oracle.w), rel_tol=1e-12), where
    return compared


def check_rem_source(laws: Laws) -> None:
    """REM agrees with both utilities, plain and smoothed, and with errors of both kinds."""
    utilities = [(0, 12_000.0), (1, 3_000.0)]
    shapes = [(100, 1.0, 0.01), (128, 0.3, 0.5), (1, 0.0, 1.0), (64, 0.57, 0.1), (65, 1.0, 0.02)]
    smoothings = [(0, 0.1), (1, 0.1), (2, 0.1), (2, 0.6)]
    errors = [(0.0, 0.0), (0.002, 0.0), (-0.001, 0.003)]
    compared, count = 0, 250 if in_full() else 120
    cases = list(enumerate(itertools.product(utilities, shapes, smoothings, errors)))
    cases = cases if in_full() else cases[::5]  # cases that contain every value of every parameter
    for seed, ((utility, w), (n, first, beta), (smoothed, step), (error, std)) in cases:
        values = [utility, w, 1.4, 100.0, 24_000.0, n, first, beta, smoothed, step, error, std]
        events = rate_events(seed, count, 7.0, (0.02, 0.4, 0.9)[seed % 3])
        compared += compare_rem(laws, values, STARTS[seed % 3], events)
    assert compared > 1.33 * count * len(cases)  # of about 2 per event: a near tie ends a case


def check_rem_source_first_acks(laws: Laws) -> None:
    """One unmarked ACK among a hundred means a price of -ln(1/100) / ln(phi)."""
    law, window = laws.window("rem", FIG7), (1.0, 0.0, 1.0, 1e9)
    assert law.on_ack(window, 1, 0)[0] == 1.0  # there is no RTT yet
    law.begin(window)
    window = law.on_rtt(window, 7 * MS)
    window = law.on_ack(window, 1, 1)
    assert window[0] == 1.0  # all marked: min_rate, 0.7 packets a round trip
    window = law.on_ack(window, 1, 0)
    assert window[0] == math.ceil(12_000 / (math.log(100) / math.log(1.4)) * 7e-3)
    for _ in range(100):
        window = law.on_ack(window, 1, 0)
    assert window[0] == math.ceil(24_000 * 7e-3)  # no marks: max_rate


def check_rem_source_equilibrium(laws: Laws) -> None:
    """At price n, each of Fig. 7's four sources has a window of 12 / n RTT (m = 1 - phi^-n).

    If 49, 64 or 74 of a hundred ACKs are marked, the price is 2.001, 3.036 or 4.004.
    """
    for price, marks in ((2, 49), (3, 64), (4, 74)):
        for rtt_ms in (7, 9, 11, 13):
            law, window = laws.window("rem", FIG7), (1.0, 0.0, 1.0, 1e9)
            window = law.on_rtt(window, rtt_ms * MS)
            window = law.on_ack(window, 100, marks)
            assert math.isclose(window[0], 12 / price * rtt_ms, rel_tol=0.015, abs_tol=1.0)
            assert window[0] == math.floor(window[0])


def check_rem_source_loss(laws: Laws) -> None:
    """Only the price changes the window. Losses, timeouts and echoes do not."""
    law, window = laws.window("rem", FIG7), (30.0, 64.0, 1.0, 1e9)
    answers = law.on_loss(window, 9.0), law.on_timeout(window, 3.0), law.on_congestion(window, 9.0)
    for answer in answers:
        assert answer[0] == 30.0


def compare_primal(
    laws: Laws, values: Sequence[float], start: WindowState, events: Sequence[RateEvent]
) -> None:
    """Window and rate of the law against those of the equation."""
    law, oracle, window = laws.window("primal", values), PrimalOracle(start, values), start
    assert law.per_mark() and not law.every_ack() and law.recovery() == "all-acked"
    for i, event in enumerate(events):
        kind, a, b = event
        window = law_step(law, window, event)
        answers = {"begin": oracle.begin, "loss": oracle.loss, "timeout": oracle.timeout}
        if kind in ("weight", "aim"):
            oracle.w = type(oracle.w)(a)
        elif kind == "ack":
            oracle.ack(int(a), int(b))
        elif kind == "rtt":
            oracle.sample(int(a))
        elif kind in answers:
            answers[kind]()
        where = f"primal {values}, start {start}, event {i} {event}"
        same(window, oracle.cwnd, oracle.ssthresh, where)
        assert math.isclose(law.send_rate(), float(oracle.x), rel_tol=1e-9), where
        assert math.isclose(law.weight(), float(oracle.w), rel_tol=1e-12), where


def check_primal(laws: Laws) -> None:
    """Primal control agrees with slow and fast gains, wide and tight bounds, and all events."""
    cases = [
        [10.0, 5.0, 10.0, 0.1, 1e9],
        [2000.0, 50.0, 1000.0, 100.0, 3000.0],
        [40.0, 0.2, 1.0, 5.0, 200.0],
        [0.5, 1.0, 300.0, 0.1, 40.0],
    ]
    for seed, (values, start) in enumerate(itertools.product(cases, STARTS)):
        compare_primal(laws, values, start, rate_events(seed, 600, 40.0, 0.05))


def check_primal_equilibrium(laws: Laws) -> None:
    """At marking probability p there are w marks per second: the mean of 1 / x per ACK is p / w."""
    for p, w in ((0.1, 50.0), (0.02, 10.0)):
        law, window = laws.window("primal", [w, 0.01 * w / p, w / p, 1e-3, 1e9]), START
        draw, inverse, acks = random.Random(7), 0.0, 60_000
        for _ in range(acks):
            inverse += 1 / law.send_rate()
            window = law.on_ack(window, 1, int(draw.random() < p))
        # The sum of w / x - k is (x_end - x_0) / kappa, a few hundred of p acks marks, whose
        # number has a standard deviation of sqrt(p acks), 2.9 % at most.
        assert math.isclose(w * inverse / acks, p, rel_tol=0.1), (p, w, inverse)


def check_primal_timeout(laws: Laws) -> None:
    """A timeout leaves one packet per round trip, or the old rate if that is lower."""
    for rate, left in ((1000.0, 25.0), (10.0, 10.0)):
        law = laws.window("primal", [10, 5, rate, 0.1, 1e9])
        window = law.on_timeout(law.on_rtt(START, 40 * MS), 3.0)
        assert math.isclose(law.send_rate(), left) and math.isclose(window[0], 0.04 * left)


def compare_vegas(
    laws: Laws, values: Sequence[float], start: WindowState, events: Sequence[RateEvent]
) -> None:
    """The trajectory of the law against that of the paper."""
    law, oracle, window = laws.window("vegas", values), VegasOracle(start, values), start
    assert not law.per_mark() and not law.every_ack() and law.recovery() == "all-acked"
    for i, (kind, a, b) in enumerate(events):
        window = law_step(law, window, (kind, a, b))
        if kind == "ack":
            oracle.ack(int(a))
        elif kind == "rtt":
            oracle.sample(int(a))
        elif kind == "begin":
            oracle.begin()
        elif kind == "loss":
            oracle.loss(a)
        elif kind == "ece":
            oracle.echo(a)
        elif kind == "timeout":
            oracle.timeout(a)
        where = f"vegas {values}, start {start}, event {i} {kind} {a}"
        same(window, float(oracle.cwnd), float(oracle.ssthresh), where)
        assert law.weight() == 0.0


def check_vegas(laws: Laws) -> None:
    """Vegas follows its oracle at usual and unusual thresholds, with more and less delay."""
    cases = [
        [1.0, 3.0, 1.0, 0.75, 2.0],
        [2.0, 2.0, 0.0, 0.5, 1.0],
        [0.5, 6.0, 4.0, 0.9, 5.0],
    ]
    for seed, (values, start) in enumerate(itertools.product(cases, STARTS)):
        compare_vegas(laws, values, start, rate_events(seed, 900, 40.0, 0.0))


def rounds_of(law: Window, window: WindowState, rtts_ms: Sequence[float]) -> list[float]:
    """The window after each round of whole ACKs, all with the same RTT."""
    windows = []
    for rtt_ms in rtts_ms:
        for _ in range(int(window[0])):
            window = law.on_rtt(window, round(rtt_ms * MS))
            window = law.on_ack(window, 1, 0)
        windows.append(window[0])
    return windows


def check_vegas_slow_start(laws: Laws) -> None:
    """Without delay the window doubles every other round, until one packet is queued."""
    law, start = laws.window("vegas", [1, 3, 1, 0.75, 2]), (2.0, math.inf, 1.0, 1e9)
    assert rounds_of(law, start, [40.0] * 6) == [4, 4, 8, 8, 16, 16]
    law.begin(start)
    # 4 packets at 60 instead of 40 ms: 4 (60 - 40) / 60 = 4/3 of them wait, more than gamma.
    assert rounds_of(law, start, [40.0, 60.0, 40.0, 40.0]) == [4, 4, 5, 6]


def check_vegas_keeps_alpha_to_beta_queued(laws: Laws) -> None:
    """A window of ten packets grows below 1 queued packet, and falls above 3."""
    for queued, change in ((0.9, 1), (1.1, 0), (2.9, 0), (3.1, -1)):
        law, start = laws.window("vegas", [1, 3, 1, 0.75, 2]), (10.0, 0.0, 1.0, 1e9)
        law.on_rtt(start, 40 * MS)
        law.on_ack(start, 10, 0)  # a round that only sets the smallest RTT
        rtt_ms = 40 / (1 - queued / 10)
        assert rounds_of(law, start, [rtt_ms]) == [10 + change], queued


RATE_CHECKS = {
    "rem-source": [
        check_rem_source,
        check_rem_source_first_acks,
        check_rem_source_equilibrium,
        check_rem_source_loss,
    ],
    "primal": [check_primal, check_primal_equilibrium, check_primal_timeout],
    "vegas": [check_vegas, check_vegas_slow_start, check_vegas_keeps_alpha_to_beta_queued],
}
