# SPDX-License-Identifier: Apache-2.0
"""SACK on the engine: each segment sent, against a simple RFC 6675 with the same ACKs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.plan import Law
from losses import (
    BACK,
    DROP,
    FEED,
    LOSSES,
    LOSSY,
    RTT_S,
    SEND,
    dropping,
    first_window,
    repeats,
    sends,
)
from sack_oracle import Sender
from tiers import full, in_full

PS = plans.PS
MS = 10**9
WINDOW = 40
NEWRENO = Law("newreno", plans.RENO.params)
PLAIN = dict(echo="off", slow_start=False)


def agree(outcome: EngineOutput, sender: Sender) -> int:
    """The engine sends what the oracle sends, ACK by ACK; returns the timeouts."""
    (_, _, first), *rest = sends(outcome)
    table = outcome.table("trace")
    timeouts = int(np.sum((table["event"] == SEND) & (table["bytes"] == 40))) - 1
    if timeouts:  # RFC 5681 section 3.1: a lost SYN
        sender.window = sender.least
    assert first == sender.allowed()
    for t_ps, said, sent in rest:
        timeouts += said is None
        expected = sender.timed_out() if said is None else sender.acknowledged(*said)
        where = f"at {t_ps / PS} s, {said}: window {sender.window}, una {sender.una}"
        assert sent == expected, where
    flows = outcome.reports[-1].flows
    assert flows["timeouts"][0] == timeouts
    return timeouts


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param(lost, id=name, marks=full if name in ("one", "two", "most") else [])
        for name, lost in LOSSES.items()
    ],
)
def test_losses_of_one_window_step_by_step(lost: list[int]) -> None:
    """After one, two and many losses, each hole is resent once with a single halving."""
    transport = plans.tcp(NEWRENO, initial_window=float(WINDOW), sack=True, **PLAIN)
    outcome = dropping(first_window(lost), transport, 1.5)
    sender = Sender(float(WINDOW))
    assert agree(outcome, sender) == 0
    assert sender.recoveries == [lost[0]]
    assert repeats(outcome) == dict.fromkeys(lost, 1)
    assert outcome.reports[-1].flows["lost"][0] == len(lost)
    assert outcome.reports[-1].flows["cwnd"][0] == pytest.approx(sender.window, rel=1e-12)


@pytest.mark.parametrize(
    "lost", [LOSSES["every third"], pytest.param(LOSSES["half of the window"], marks=full)]
)
def test_many_losses_are_repaired_in_two_round_trips(lost: list[int]) -> None:
    """All holes are resent within two round trips, whereas NewReno takes one for each hole."""
    took = []
    for sack in (True, False):
        transport = plans.tcp(
            NEWRENO, initial_window=float(WINDOW), sack=sack, min_rto_ps=60 * PS, **PLAIN
        )
        table = dropping(first_window(lost), transport, 4 if in_full() else 2).table("trace")
        resent = (table["event"] == SEND) & np.isin(table["seq"], lost) & (table["bytes"] > 40)
        times = table["t_ps"][resent] / PS
        again = times[times > 2 * RTT_S]
        assert len(again) == len(lost)
        took.append(float(again[-1] - again[0]))
    # The last hole is found 40 ms (a window) after the first, and waits until a pipe of 20 drains.
    assert took[0] < 2 * RTT_S
    assert took[1] > (len(lost) - 1) * RTT_S


@pytest.mark.parametrize("window", [plans.RENO, NEWRENO, plans.multcp(2)])
def test_every_halving_law_recovers_by_rfc_6675(window: Law) -> None:
    """Reno, NewReno and MulTCP differ in their windows only once they have SACK."""
    transport = plans.tcp(window, initial_window=float(WINDOW), sack=True, **PLAIN)
    outcome = dropping(first_window([4, 9, 30]), transport, 0.33)
    sender = Sender(float(WINDOW), keep=0.75 if window.law == "multcp" else 0.5)
    assert agree(outcome, sender) == 0 and len(sender.recoveries) == 1


def test_a_lost_retransmission_waits_for_the_timer() -> None:
    """RFC 6675 resends a hole once. The timer then clears the reports and begins at the hole."""
    lost = [5, 6, 20]
    transport = plans.tcp(NEWRENO, initial_window=float(WINDOW), sack=True, **PLAIN)
    # Segment 5 is resent at the ACK of 9, 6 as the pipe has drained to half of the window.
    trial = dropping(first_window(lost), transport, 0.4)
    again = [t for t, _, sent in sends(trial) if 6 in sent][1]
    outcome = dropping([*first_window(lost), again // MS + 1], transport, 1.2)
    sender = Sender(float(WINDOW))
    assert agree(outcome, sender) == 1
    counted = repeats(outcome)
    assert counted[6] == 2 and counted[5] == counted[20] == 1


@pytest.mark.parametrize("seed", range(6 if in_full() else 2))
@pytest.mark.parametrize("options", [{}, {"receiver_window": 24}, {"max_window": 6.0}])
def test_random_losses_of_data_and_acks(seed: int, options: dict[str, float]) -> None:
    """Half a minute with 1 in 30 packets and 1 in 10 ACKs lost agrees with the oracle."""
    path = [
        plans.link("feed", 0, 1, 8e6, 0.0),
        plans.link("there", 1, 2, 8e7, RTT_S / 2, marking=plans.fixed(1 / 30)),
        plans.link("back", 2, 0, 8e6, RTT_S / 2, marking=plans.fixed(0.1)),
    ]
    transport = plans.tcp(NEWRENO, initial_window=10.0, sack=True, **PLAIN | options)
    flow = plans.source("f", [FEED, LOSSY], [BACK], transport)
    outcome = run(plans.plan(path, [flow], 30, trace=True, seed=seed))
    offered, most = options.get("receiver_window", 10**9), options.get("max_window", 1e9)
    sender = Sender(min(10.0, most), offered=int(offered), most=most)
    agree(outcome, sender)
    assert len(sender.recoveries) > 10 and outcome.reports[-1].flows["acked"][0] > 500


@pytest.mark.parametrize("seed", range(4 if in_full() else 2))
def test_many_holes_and_few_acks(seed: int) -> None:
    """With more holes than three blocks can report, the order of the reports matters.

    The window is fixed at 30 packets, 1 in 8 packets and 3 in 10 ACKs are lost, and timeouts occur
    with a full scoreboard, which they clear.
    """
    path = [
        plans.link("feed", 0, 1, 8e6, 0.0),
        plans.link("there", 1, 2, 8e7, RTT_S / 2, marking=plans.fixed(1 / 8)),
        plans.link("back", 2, 0, 8e6, RTT_S / 2, marking=plans.fixed(0.3)),
    ]
    window = dict(initial_window=30.0, min_window=30.0, max_window=30.0)
    transport = plans.tcp(NEWRENO, sack=True, **PLAIN | window)
    flow = plans.source("f", [FEED, LOSSY], [BACK], transport)
    outcome = run(plans.plan(path, [flow], 40, trace=True, seed=seed))
    sender = Sender(30.0, least=30.0, most=30.0)
    assert agree(outcome, sender) >= 5 and sender.recoveries


@pytest.mark.parametrize("seed", range(6 if in_full() else 2))
def test_tahoe_resends_what_is_not_reported(seed: int) -> None:
    """With SACK, Tahoe goes back to the loss with one packet and skips what has arrived."""
    path = [
        plans.link("feed", 0, 1, 8e6, 0.0),
        plans.link("there", 1, 2, 8e7, RTT_S / 2, marking=plans.fixed(1 / 60)),
        plans.link("back", 2, 0, 8e6, RTT_S / 2),
    ]
    transport = plans.tcp(plans.tahoe(), initial_window=10.0, sack=True, **PLAIN)
    flow = plans.source("f", [FEED, LOSSY], [BACK], transport)
    outcome = run(plans.plan(path, [flow], 60, trace=True, seed=seed))
    sender = Sender(10.0, go_back=True)
    agree(outcome, sender)
    assert len(sender.recoveries) > 3


@pytest.mark.parametrize("lost", [[36], [30, 37], [20, 33], [10, 37], [37, 38, 39], [39]])
def test_losses_near_the_end_of_a_file(lost: list[int]) -> None:
    """Without new data, rules 3 and 4 or the timer resend segments not yet known to be lost."""
    transport = plans.tcp(NEWRENO, initial_window=float(WINDOW), sack=True, **PLAIN)
    size = Law("file", {"size_bytes": WINDOW * 960.0})
    outcome = dropping(first_window(lost), transport, 1.0, size)
    sender = Sender(float(WINDOW), end=WINDOW)
    agree(outcome, sender)
    transfers = outcome.table("transfers")
    assert list(transfers["complete"]) == [1]


def test_all_four_rules_of_nextseg_are_used() -> None:
    """Rules 3 and 4 apply at the end of a file, and 1 and 2 before it."""
    rules = set[int]()
    transport = plans.tcp(NEWRENO, initial_window=float(WINDOW), sack=True, **PLAIN)
    for lost, segments in ([10, 20], 400), ([10, 36], WINDOW), ([10, 20, 39], WINDOW):
        size = Law("file", {"size_bytes": segments * 960.0})
        sender = Sender(float(WINDOW), end=segments)
        agree(dropping(first_window(lost), transport, 1.0, size), sender)
        rules |= sender.rules
    assert rules == {1, 2, 3, 4}


@pytest.mark.parametrize("send", ["paced", "ack-clocked"])
def test_weighted_windows_repair_with_sack(send: str) -> None:
    """With WTP, paced or not, every loss of a burst is resent once, without a timeout."""
    lost = list(range(12, 36, 2))
    transport = plans.tcp(
        plans.wtp(4), initial_window=float(WINDOW), sack=True, send=send, min_rto_ps=60 * PS,
        **PLAIN,
    )  # fmt: skip
    # Paced at RTT / 40, packets leave 2.5 ms apart; each drop time hits at most one of them.
    times = [101 + 5 * n // 2 if send == "paced" else 101 + n for n in lost]
    outcome = dropping(times, transport, 1.5)
    flows = outcome.reports[-1].flows
    table = outcome.table("trace")
    dropped = Counter(table["seq"][table["event"] == DROP].tolist())
    assert len(dropped) >= 5 and repeats(outcome) == dropped
    assert flows["timeouts"][0] == 0 and flows["acked"][0] > 150


@pytest.mark.parametrize("sack", [True, False])
def test_a_window_below_one_packet_recovers(sack: bool) -> None:
    """With cwnd at 1/4 (6.25 packets/s) and 1 in 20 lost, all data gets through."""
    links = [
        plans.link("l", 0, 1, 1e9, 0.02, marking=plans.fixed(0.05)),
        plans.link("r", 1, 0, 1e9, 0.02),
    ]
    transport = plans.tcp(plans.wtp(), echo="off", sack=sack, max_window=0.25)
    outcome = run(plans.plan(links, [plans.source("f", [0], [1], transport)], 200))
    flows = outcome.reports[-1].flows
    assert flows["lost"][0] > 20
    assert flows["sent"][0] - flows["retransmitted"][0] - 3 <= flows["acked"][0]
    assert 0.8 * 6.25 * 200 < flows["acked"][0] <= 6.25 * 200
