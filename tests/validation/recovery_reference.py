# SPDX-License-Identifier: Apache-2.0
"""Loss recovery step by step, only from the RFCs' text, as a reference for engines.

Greedy senders over a drop-tail bottleneck, in segments: slow start and congestion avoidance (RFC
5681), recovery with selective ACKs (RFC 6675), the retransmission timer (RFC 6298). Segments are in
plain sets, and every ACK recomputes the pipe segment by segment: slow, but easy to check.

Points that the RFCs leave open, or that engines do differently, are arguments:
  at_timeout   ssthresh after a timeout is half of the `pipe`, or of all `outstanding` (next - una)
  at_loss      fast retransmit takes half of `cwnd`, of the `pipe`, of all `outstanding`, or of the
               `flight`: outstanding segments except limited transmit's, which RFC 5681
               section 3.2 and RFC 6675 step 4.2 leave out
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Dumbbell", "Sender"]

DUP_THRESH = 3
PACKET_BITS, MSS_BITS = 8 * 1042, 8 * 1000
ACCESS_BPS, BOTTLENECK_BPS, ACCESS_S, BOTTLENECK_S = 1e9, 1e7, 0.001, 0.018
ACK_S = 0.02 + 2 * 336 / ACCESS_BPS + 336 / BOTTLENECK_BPS


@dataclass
class Sender:
    """State of RFC 5681, 6675 and 6298; `next` goes back to `una` on a timeout."""

    at_timeout: str
    at_loss: str
    min_rto_s: float
    cwnd: float = 2.0
    ssthresh: float = float("inf")
    una: int = 0
    next: int = 0
    sent: int = 0  # one past the highest ever sent
    sacked: set[int] = field(default_factory=set)
    resent: set[int] = field(default_factory=set)  # in this recovery
    again: set[int] = field(default_factory=set)  # sent at least twice: no RTT sample (Karn)
    recovery_point: int = 0
    in_recovery: bool = False
    rescued: bool = False
    duplicates: int = 0
    limited: int = 0  # segments sent at duplicates before recovery
    srtt_s: float = 0.0
    rttvar_s: float = 0.0
    rto_s: float = 1.0
    deadline_s: float = float("inf")
    backed_off_at: int = -1  # una of the last timeout
    received: set[int] = field(default_factory=set)  # at the receiver, beyond `expected`
    expected: int = 0
    free_s: float = 0.0

    def lost(self, seq: int) -> bool:
        """IsLost: at least three segments beyond it are reported."""
        return seq not in self.sacked and sum(s > seq for s in self.sacked) >= DUP_THRESH

    def pipe(self) -> int:
        """SetPipe, segment by segment."""
        border = sorted(self.sacked)[-DUP_THRESH] if len(self.sacked) >= DUP_THRESH else -1
        count = 0
        for seq in range(self.una, self.next):
            if seq in self.sacked:
                continue
            lost = self.in_recovery and seq < border
            count += (not lost) + (self.in_recovery and seq in self.resent)
        return count

    def choose(self) -> int:
        """NextSeg in recovery; else the next segment that is not reported."""
        if not self.in_recovery:
            seq = self.next
            while seq in self.sacked:
                seq += 1
            return seq
        top = max(self.sacked, default=-1)
        border = sorted(self.sacked)[-DUP_THRESH] if len(self.sacked) >= DUP_THRESH else -1
        for seq in range(max([self.una, *(s + 1 for s in self.resent)]), top):
            if seq not in self.sacked and seq < border:
                return seq
        return self.next

    def half(self, of: str) -> float:
        """Half of the base of a reduction, at least two segments."""
        outstanding = self.next - self.una
        flights = {"cwnd": self.cwnd, "pipe": self.pipe(), "outstanding": outstanding}
        flights["flight"] = outstanding - self.limited
        return max(flights[of] / 2, 2.0)

    def sample(self, rtt_s: float) -> None:
        """RFC 6298 (2.2) and (2.3)."""
        if self.srtt_s == 0:
            self.srtt_s, self.rttvar_s = rtt_s, rtt_s / 2
        else:
            self.rttvar_s += (abs(self.srtt_s - rtt_s) - self.rttvar_s) / 4
            self.srtt_s += (rtt_s - self.srtt_s) / 8
        self.rto_s = max(self.min_rto_s, self.srtt_s + 4 * self.rttvar_s)


class Dumbbell:
    """All senders and the bottleneck; `run` fills the counters."""

    def __init__(
        self,
        flows: int,
        buffer_packets: int,
        min_rto_s: float,
        seed: int,
        *,
        at_timeout: str = "pipe",
        at_loss: str = "flight",
    ) -> None:
        self.senders = [Sender(at_timeout, at_loss, min_rto_s) for _ in range(flows)]
        self.buffer = buffer_packets
        self.events: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []
        self.order = 0
        self.now = self.free_s = 0.0
        self.begins: deque[float] = deque()  # transmissions not yet begun
        self.drops = self.timeouts = self.retransmissions = 0
        draws = random.Random(seed)
        for sender in self.senders:
            rtt_s = ACK_S + 2 * ACCESS_S + BOTTLENECK_S  # of the SYN
            self.at(draws.random() + rtt_s, self.begin, sender, rtt_s)

    def at(self, t_s: float, what: Callable[..., None], *args: object) -> None:
        """Pushes an event."""
        self.order += 1
        heapq.heappush(self.events, (t_s, self.order, what, args))

    def run(self, duration_s: float) -> dict[str, float]:
        """Counts over all flows, and their goodput."""
        while self.events and self.events[0][0] <= duration_s:
            self.now, _, what, args = heapq.heappop(self.events)
            what(*args)
        acked = sum(sender.una for sender in self.senders)
        return {
            "drops": self.drops,
            "timeouts": self.timeouts,
            "retransmissions": self.retransmissions,
            "goodput_bps": acked * MSS_BITS / duration_s,
        }

    def begin(self, sender: Sender, rtt_s: float) -> None:
        """The SYN was answered: the first RTT sample."""
        sender.sample(rtt_s)
        self.send(sender)

    def send(self, sender: Sender) -> None:
        """RFC 6675 (C.1) to (C.5): while the window has room for a segment."""
        while sender.pipe() < max(int(sender.cwnd), 1):
            self.transmit(sender, sender.choose())

    def transmit(self, sender: Sender, seq: int) -> None:
        """Sends to the bottleneck, over the sender's own access link."""
        if seq < sender.sent:
            self.retransmissions += 1
            sender.again.add(seq)
            if sender.in_recovery:
                sender.resent.add(seq)
        elif sender.duplicates > 0 and not sender.in_recovery:
            sender.limited += 1
        if seq >= sender.next:
            sender.next = seq + 1
        sender.sent = max(sender.sent, seq + 1)
        if sender.deadline_s == float("inf"):
            self.arm(sender)
        sender.free_s = max(sender.free_s, self.now) + PACKET_BITS / ACCESS_BPS
        self.at(sender.free_s + ACCESS_S, self.arrive, sender, seq, self.now)

    def arrive(self, sender: Sender, seq: int, left_s: float) -> None:
        """Arrive at the bottleneck. The packet in transmission is not in the buffer."""
        while self.begins and self.begins[0] <= self.now:
            self.begins.popleft()
        if len(self.begins) >= self.buffer:
            self.drops += 1
            return
        start_s = max(self.now, self.free_s)
        if start_s > self.now:
            self.begins.append(start_s)
        self.free_s = start_s + PACKET_BITS / BOTTLENECK_BPS
        way_s = BOTTLENECK_S + PACKET_BITS / ACCESS_BPS + ACCESS_S
        self.at(self.free_s + way_s, self.receive, sender, seq, left_s)

    def receive(self, sender: Sender, seq: int, left_s: float) -> None:
        """An ACK per packet; it reports all held segments (RFC 2018's blocks without a limit)."""
        if seq >= sender.expected:
            sender.received.add(seq)
        while sender.expected in sender.received:
            sender.received.remove(sender.expected)
            sender.expected += 1
        held = frozenset(sender.received)
        self.at(self.now + ACK_S, self.acknowledge, sender, sender.expected, held, seq, left_s)

    def acknowledge(
        self, sender: Sender, upto: int, held: frozenset[int], seq: int, left_s: float
    ) -> None:
        """RFC 6675 section 5, (A) to (C), and RFC 6298 (5.2), (5.3)."""
        news = bool({s for s in held if s >= sender.una} - sender.sacked)
        sender.sacked |= held
        if upto > sender.una:
            self.advance(sender, upto, seq, left_s)
        sender.sacked = {s for s in sender.sacked if s >= sender.una}
        if news and not sender.in_recovery and sender.una >= sender.recovery_point:
            sender.duplicates += 1
            if sender.duplicates >= DUP_THRESH or sender.lost(sender.una):
                self.enter_recovery(sender)
        self.send(sender)

    def advance(self, sender: Sender, upto: int, seq: int, left_s: float) -> None:
        """New data is acknowledged."""
        newly = upto - sender.una
        if seq not in sender.again:
            sender.sample(self.now - left_s)
        elif sender.backed_off_at >= 0:  # the back-off is over (RFC 6298, end of section 5)
            if sender.srtt_s:
                sender.rto_s = max(sender.min_rto_s, sender.srtt_s + 4 * sender.rttvar_s)
        sender.backed_off_at = -1
        sender.una = upto
        sender.next = max(sender.next, upto)
        sender.duplicates = sender.limited = 0
        if sender.in_recovery and upto < sender.recovery_point:
            return self.arm(sender)
        if sender.in_recovery:
            sender.in_recovery = False
            sender.resent.clear()
        else:
            grown = min(newly, 1) if upto <= sender.recovery_point else newly
            slow = sender.cwnd < sender.ssthresh
            sender.cwnd += grown if slow else grown / sender.cwnd
        sender.deadline_s = float("inf")
        if sender.next > sender.una:
            self.arm(sender)

    def enter_recovery(self, sender: Sender) -> None:
        """RFC 6675 (4): half the window, and the first segment at once."""
        sender.ssthresh = sender.cwnd = sender.half(sender.at_loss)
        sender.in_recovery = True
        sender.recovery_point = sender.sent
        sender.resent.clear()
        self.transmit(sender, sender.una)
        self.arm(sender)

    def arm(self, sender: Sender) -> None:
        """Restart the timer. An earlier event will find that its deadline has moved."""
        sender.deadline_s = self.now + sender.rto_s
        self.at(sender.deadline_s, self.expire, sender, sender.deadline_s)

    def expire(self, sender: Sender, deadline_s: float) -> None:
        """RFC 6298 (5.4) to (5.6), RFC 5681 (4): once per segment; RFC 6675 5.1."""
        if deadline_s != sender.deadline_s:
            return
        self.timeouts += 1
        if sender.backed_off_at != sender.una:
            sender.ssthresh = sender.half(sender.at_timeout)
        sender.backed_off_at = sender.una
        sender.rto_s = min(2 * sender.rto_s, 60.0)
        sender.cwnd, sender.in_recovery = 1.0, False
        sender.duplicates = sender.limited = 0
        sender.recovery_point = sender.sent
        sender.resent.clear()
        sender.sacked.clear()
        sender.next = sender.una
        sender.deadline_s = float("inf")
        self.send(sender)
