# SPDX-License-Identifier: Apache-2.0
"""Tahoe, MulTCP and sender-only WTP, which answer marks once per round trip: their oracles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from check_window import START, WindowEvent, check_gain, same, window_events
from law_api import Laws, Window, WindowState
from oracle_once_per_round import (
    MulTcpOracle,
    OncePerRound,
    TahoeOracle,
    WtpSenderOracle,
    wtp_marked_half,
)

__all__ = ["ONCE_PER_ROUND_CHECKS", "RECOVERY", "compare_once_per_round"]

RECOVERY = {"tahoe": "go-back", "multcp": "all-acked", "wtp-sender": "all-acked"}
STARTS: Sequence[WindowState] = [
    START,
    (1.0, 0.0, 1.0, 1000.0),
    (2.0, 1e9, 1.0, 16.0),
    (3.0, 8.0, 2.0, 4.0),
    (90.0, 0.0, 1.0, 1e9),
]


def oracle_of(name: str, values: Sequence[float], start: WindowState) -> OncePerRound:
    """The law's oracle with the same parameters and window."""
    if name == "tahoe":
        return TahoeOracle(start, *values)
    a, b, c = values
    if name == "multcp":
        return MulTcpOracle(start, flows=a, halve=b == 1, least=c)
    return WtpSenderOracle(start, gain=a, w=b, only_down=c == 1)


def law_step(law: Window, window: WindowState, event: WindowEvent) -> WindowState:
    """The law's answer to one event."""
    kind, a, b = event
    if kind == "ack":
        return law.on_ack(window, int(a), int(b))
    if kind == "ece":
        return law.on_congestion(window, a)
    if kind == "loss":
        return law.on_loss(window, a)
    if kind == "timeout":
        return law.on_timeout(window, a)
    law.set_weight(a)
    return window


def oracle_step(oracle: OncePerRound, event: WindowEvent) -> None:
    """Lets the oracle answer one event."""
    kind, a, _ = event
    if kind == "ack":
        oracle.ack(int(a))
    elif kind == "ece":
        oracle.echo(a)
    elif kind == "loss":
        oracle.loss(a)
    elif kind == "timeout":
        oracle.timeout(a)
    else:
        oracle.set_weight(a)


def compare_once_per_round(
    laws: Laws,
    name: str,
    values: Sequence[float],
    start: WindowState,
    events: Sequence[WindowEvent],
) -> None:
    """The trajectory of the law against that of its paper."""
    law, oracle, window = laws.window(name, values), oracle_of(name, values, start), start
    assert not law.per_mark() and law.recovery() == RECOVERY[name], law.recovery()
    for i, event in enumerate(events):
        window = law_step(law, window, event)
        oracle_step(oracle, event)
        where = f"{name} {values}, start {start}, event {i} {event}"
        same(window, oracle.cwnd, oracle.ssthresh, where)
        assert window[2:] == start[2:], where
        assert math.isclose(law.weight(), float(oracle.weight), rel_tol=1e-12), where


def check_tahoe(laws: Laws) -> None:
    """Tahoe follows its oracle with all decreases, minimum thresholds and bounds."""
    for seed, (decrease, least, start) in enumerate(
        itertools.product([0.5, 0.25, 0.875], [1.0, 2.0, 10.0], STARTS)
    ):
        values = [decrease, least, (0.0, 0.8)[seed % 2]]
        compare_once_per_round(laws, "tahoe", values, start, window_events(seed, 300))


def check_tahoe_loss_and_mark(laws: Laws) -> None:
    """At 40 packets a loss leaves 1 packet, with slow start up to 20, and a mark leaves 20."""
    law = laws.window("tahoe", [0.5, 2.0, 0.0])
    full: WindowState = (40.0, 0.0, 1.0, 100.0)
    assert law.on_loss(full, 40.0)[:2] == (1.0, 20.0)
    assert law.on_congestion(full, 40.0)[:2] == (20.0, 20.0)
    window, grown = law.on_loss(full, 40.0), []
    for _ in range(20):
        window = law.on_ack(window, 1, 0)
        grown.append(window[0])
    assert grown == [*map(float, range(2, 21)), 20.05]


def check_multcp(laws: Laws) -> None:
    """MulTCP follows its oracle for 1 to 1,000 flows, with both decreases and all bounds."""
    for seed, (flows, decrease, least, start) in enumerate(
        itertools.product([1.0, 2.0, 2.5, 10.0, 1000.0], [0.0, 1.0], [1.0, 2.0, 10.0], STARTS)
    ):
        values = [flows, decrease, least]
        compare_once_per_round(laws, "multcp", values, start, window_events(seed, 150))


def check_multcp_one_flow(laws: Laws) -> None:
    """MulTCP with one flow equals Reno, with either decrease."""
    for decrease in (0.0, 1.0):
        reno = laws.window("reno", [0.5, 2.0, 0.0])
        one = laws.window("multcp", [1.0, decrease, 2.0])
        left = right = (2.0, 30.0, 1.0, 1000.0)
        for event in window_events(5, 600):
            left, right = law_step(reno, left, event), law_step(one, right, event)
            assert left == right, (event, left, right)


def check_multcp_balance(laws: Laws) -> None:
    """MulTCP regains a cut of one flow in W / (2 w^2) round trips, a cut of all in W / (2 w)."""
    rounds, full = {}, 2000.0
    for decrease in (0.0, 1.0):
        law = laws.window("multcp", [8.0, decrease, 2.0])
        window, acks = law.on_congestion((full, 0.0, 1.0, 1e9), full), 0
        while window[0] < full:
            window, acks = law.on_ack(window, 1, 0), acks + 1
        # From W1 to W2 the number of ACKs is the integral of W / w dW.
        low = full * (1 - 1 / 16 if decrease == 0 else 0.5)
        rounds[decrease] = acks
        assert math.isclose(acks, (full**2 - low**2) / 16, rel_tol=1e-3), (decrease, acks)
    assert rounds[1.0] > 6 * rounds[0.0]


def check_wtp_sender(laws: Laws) -> None:
    """Sender-only WTP agrees with all gains, weights and options, with and without slow start."""
    for seed, (gain, w, only_down, start) in enumerate(
        itertools.product([0.05, 0.5, 1.0], [0.3, 1.0, 4.0, 60.0], [0.0, 1.0], STARTS)
    ):
        values = [gain, w, only_down]
        compare_once_per_round(laws, "wtp-sender", values, start, window_events(seed, 150))


def check_wtp_sender_is_wtp_at_half(laws: Laws) -> None:
    """With half of a round's ACKs marked at fixed cwnd, its response is the sum of WTP's."""
    for cwnd, gain, w in itertools.product([2, 10, 64, 500], [0.05, 0.5, 1.0], [1.0, 4.0, 80.0]):
        window: WindowState = (float(cwnd), 0.0, 1e-9, 1e9)
        sender, wtp = laws.window("wtp-sender", [gain, w, 0]), laws.window("wtp", [0, gain, w, 1])
        change = sender.on_congestion(window, cwnd)[0] - cwnd
        half = sum(wtp.on_ack(window, 1, 1)[0] - cwnd for _ in range(cwnd // 2))
        paper = wtp_marked_half(cwnd, Fraction(gain), Fraction(w))
        assert abs(change - float(paper)) <= 1e-9, (cwnd, gain, w, change)
        assert abs(change - half) <= 1e-9, (cwnd, gain, w, half)
        grown = sender.on_ack(window, 1, 0)[0]
        assert grown == wtp.on_ack(window, 1, 0)[0], (cwnd, gain, w, grown)


def check_wtp_sender_below_its_weight(laws: Laws) -> None:
    """Below w an echo raises the window, unless only_down is set. Above w both forms lower it."""
    below, above = (2.0, 0.0, 1.0, 100.0), (20.0, 0.0, 1.0, 100.0)
    plain, down = (laws.window("wtp-sender", [0.5, 10.0, flag]) for flag in (0.0, 1.0))
    assert plain.on_congestion(below, 2.0)[0] == 4.0
    assert down.on_congestion(below, 2.0)[0] == 2.0
    assert plain.on_congestion(above, 20.0)[0] == down.on_congestion(above, 20.0)[0] == 17.5


def check_wtp_sender_gain(laws: Laws) -> None:
    """The gain can be changed, up to the limit of 1."""
    check_gain(laws, "wtp-sender", 1.0)


ONCE_PER_ROUND_CHECKS = {
    "tahoe": [check_tahoe, check_tahoe_loss_and_mark],
    "multcp": [check_multcp, check_multcp_one_flow, check_multcp_balance],
    "wtp-sender": [
        check_wtp_sender,
        check_wtp_sender_is_wtp_at_half,
        check_wtp_sender_below_its_weight,
        check_wtp_sender_gain,
    ],
}
