# SPDX-License-Identifier: Apache-2.0
"""Each packet that Tahoe sends on the engine, against a separate sender with the same ACKs."""

from __future__ import annotations

import numpy as np
import pytest

import plans
from drive import EngineOutput, run

SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)
RTT_S = 0.1
INITIAL = 4


class Tahoe:
    """Jacobson's sender: one packet more per ACK in slow start, 1 / cwnd after it, go back n.

    An ACK counts once, however many packets it covers (RFC 5681 Eq. 2, RFC 3465 section 2.3).
    """

    def __init__(self, slow_start: bool) -> None:
        self.window, self.slow_start = float(INITIAL), slow_start
        self.threshold = float("inf") if slow_start else 0.0
        self.oldest = self.next = self.highest = 0
        self.duplicates = self.recover = 0
        self.losses: list[float] = []  # window at each

    def acknowledged(self, upto: int) -> list[int]:
        """The packets that an ACK releases."""
        if upto > self.oldest:
            slow = self.window < self.threshold
            self.window += 1 if slow else 1 / self.window
            self.oldest, self.duplicates = upto, 0
            self.next = max(self.next, upto)
        elif self.next > self.oldest:
            self.duplicates += 1
            # Duplicates of packets resent needlessly do not indicate a loss (RFC 6582 section 3.2).
            if self.duplicates == 3 and self.oldest > self.recover:
                self.losses.append(self.window)
                self.window = min(self.window, float(self.next - self.oldest))
                self.lost()
        return self.allowed()

    def timed_out(self) -> list[int]:
        """The packets that the retransmission timer releases."""
        self.window = min(self.window, float(self.next - self.oldest))
        self.lost()
        return self.allowed()

    def lost(self) -> None:
        """Set the threshold to half the window, and go back to the oldest packet."""
        self.threshold = max(2.0, self.window / 2) if self.slow_start else 0.0
        self.window, self.duplicates = 1.0, 0
        self.recover, self.next = self.highest, self.oldest

    def allowed(self) -> list[int]:
        """The packets that fit the window."""
        upto = max(self.next, self.oldest + int(self.window))
        out = list(range(self.next, upto))
        self.next, self.highest = upto, max(self.highest, upto)
        return out


def overflowing(window, slow_start: bool) -> EngineOutput:
    """One flow into a buffer of 20 packets on 4 Mbit/s, 50 packets of pipe."""
    links = [
        plans.link("there", 0, 1, 4e6, RTT_S / 2, buffer=20, not_ect="pass"),
        plans.link("back", 1, 0, 4e6, RTT_S / 2),
    ]
    transport = plans.tcp(window, echo="off", slow_start=slow_start, initial_window=float(INITIAL))
    flow = plans.source("f", [0], [1], transport)
    record = dict(trace=True, series=["cwnd"], every_ps=10**10)
    return run(plans.plan(links, [flow], 60, **record))


def rows(outcome: EngineOutput) -> list[tuple[int, int, int, int]]:
    """Time, event, packet and bytes of what the sender did and saw, in order."""
    table = outcome.table("trace")
    own = (table["event"] == SEND) | (table["event"] == ACK)
    columns = [table[name][own].tolist() for name in ("t_ps", "event", "seq", "bytes")]
    return list(zip(*columns, strict=True))


def groups(outcome: EngineOutput) -> list[tuple[int, int | None, list[int]]]:
    """Each ACK (None: the timer) from the SYN's on: time, number, the packets sent at it."""
    bursts: list[tuple[int, int | None, list[int]]] = []
    for t_ps, event, seq, size in rows(outcome):
        if event == ACK:
            bursts.append((t_ps, seq, []))
        elif size > 40:
            if bursts[-1][0] != t_ps:
                bursts.append((t_ps, None, []))
            bursts[-1][2].append(seq)
    return bursts


@pytest.mark.parametrize("slow_start", [False, True])
def test_go_back_n_step_by_step(slow_start: bool) -> None:
    """All packets of a minute leave when the separate sender sends them, given the same ACKs."""
    outcome = overflowing(plans.tahoe(), slow_start)
    sender, timeouts = Tahoe(slow_start), 0
    (_, _, first), *rest = groups(outcome)
    assert first == sender.allowed() == list(range(INITIAL))
    for t_ps, upto, sent in rest:
        timeouts += upto is None
        expected = sender.timed_out() if upto is None else sender.acknowledged(upto)
        assert sent == expected, f"at {t_ps / 1e12} s, ACK {upto}: window {sender.window}"
    flows = outcome.reports[-1].flows
    assert len(sender.losses) >= 5 and max(sender.losses) > 50
    assert flows["cwnd"][0] == pytest.approx(sender.window, rel=1e-12)
    assert flows["timeouts"][0] == timeouts


@pytest.mark.parametrize("slow_start", [False, True])
def test_every_loss_is_repaired(slow_start: bool) -> None:
    """All dropped packets are finally delivered, and most of the link is used."""
    outcome = overflowing(plans.tahoe(), slow_start)
    table, flows = outcome.table("trace"), outcome.reports[-1].flows
    delivered = set(table["seq"][table["event"] == DELIVER].tolist())
    assert flows["lost"][0] >= 5
    assert set(range(int(flows["acked"][0]))) <= delivered
    assert outcome.reports[-1].links["busy_ps"][0] > 0.5 * 60 * plans.PS


@pytest.mark.parametrize("slow_start", [False, True])
def test_window_after_the_first_loss(slow_start: bool) -> None:
    """The window is one packet, doubles up to half its old size, and then grows by one a round."""
    outcome = overflowing(plans.tahoe(), slow_start)
    table, series = outcome.table("trace"), outcome.table("series")
    drop_ps = int(table["t_ps"][table["event"] == DROP][0])
    t_s, window = (series["t_ps"] - drop_ps) / plans.PS, series["value"]
    cut = int(np.argmax((t_s > 0) & (window == 1.0)))
    before = float(window[cut - 1])
    after = [float(window[np.argmax(t_s > t_s[cut] + r * 1.1 * RTT_S)]) for r in range(4)]
    assert 0 < t_s[cut] < 2.5 * RTT_S and before > 50
    assert after[0] == 1.0
    if slow_start:
        assert after[1] <= 3 and after[2] <= 7 and after[3] <= 15
        assert max(window[cut : cut + 200]) > before / 2
    else:
        assert max(after) <= 5.0
    assert window[-1] > 1 and np.all(window[cut : cut + 40] < before / 2 + 1)


def test_marks_halve_tahoe_as_reno() -> None:
    """Without losses, Tahoe and Reno have the same window to the last bit (RFC 3168 6.1.2)."""
    windows = []
    for law in (plans.tahoe(), plans.RENO):
        links = plans.duplex("l", 0, 1, 1e10, RTT_S / 2, marking=plans.fixed(0.003))
        flow = plans.source("f", [0], [1], plans.tcp(law))
        flows = run(plans.plan(links, [flow], 100)).reports[-1].flows
        assert flows["lost"][0] == 0 and flows["ece"][0] > 20
        windows.append((flows["cwnd"][0], flows["cwnd_integral"][0], flows["sent"][0]))
    assert windows[0] == windows[1]


def test_reno_and_tahoe_differ_after_a_loss() -> None:
    """After the losses of an overflow, Reno keeps half its window, and Tahoe one packet."""
    least = []
    for law in (plans.tahoe(), plans.RENO):
        outcome = overflowing(law, False)
        window = outcome.table("series")["value"][1000:]
        least.append(float(window.min()))
        assert outcome.reports[-1].flows["lost"][0] >= 3
    assert least[0] == 1.0 and least[1] > 20
