# SPDX-License-Identifier: Apache-2.0
"""RFC 2018 and RFC 6675 in a simple way, by sets of segments: an oracle for the engine's SACK.

The receiver is a set of segments and a list of its last reports. The sender keeps a set of reported
segments and evaluates IsLost for each segment, as in the RFC's text. RFC 6675's octets are segments
here: HighACK is `una - 1`, HighData `next - 1`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Blocks", "Receiver", "Sender"]

Blocks = list[tuple[int, int]]  # [first, end), at most three
DUP_THRESH = 3


@dataclass
class Receiver:
    """RFC 2018 section 4: the report of an ACK after each arrival."""

    next: int = 0
    have: set[int] = field(default_factory=set)
    first_blocks: list[int] = field(default_factory=list)  # a segment of each first block, in time

    def arrive(self, seq: int) -> tuple[int, Blocks]:
        """The cumulative ACK after this arrival, and its blocks."""
        self.have.add(seq)
        while self.next in self.have:
            self.next += 1
        if seq >= self.next:
            self.first_blocks.append(seq)
        blocks: Blocks = []
        for recent in reversed(self.first_blocks):
            if recent < self.next or any(a <= recent < b for a, b in blocks):
                continue
            first = end = recent
            while first - 1 in self.have:
                first -= 1
            while end in self.have:
                end += 1
            blocks.append((first, end))
            if len(blocks) == 3:
                break
        return self.next, blocks


@dataclass
class Sender:
    """RFC 6675 sections 3 to 5 over a window that grows by 1 / cwnd and halves at a loss."""

    window: float
    keep: float = 0.5
    offered: int = 10**9  # receiver window
    end: int = 10**9  # segments there are
    least: float = 1.0  # window
    most: float = 1e9
    go_back: bool = False  # Tahoe: one packet after a loss, then all unreported segments again
    una: int = 0
    next: int = 0
    highest: int = 0  # one past the highest segment ever sent
    reported: set[int] = field(default_factory=set)
    recovering: bool = False
    duplicates: int = 0
    recovery_point: int = 0  # one past it
    high_rxt: int = -1
    rescue_rxt: int = -1
    recoveries: list[int] = field(default_factory=list)  # una at each
    rules: set[int] = field(default_factory=set)  # of NextSeg that were used
    opening: int | None = None  # packets allowed after a timeout, one more per ACK
    limited_until: int = 0  # up to here data or receiver, not the window, limited it (RFC 7661)
    log: list[int] = field(default_factory=list)

    def is_lost(self, seq: int) -> bool:
        """Whether three segments beyond this one have been reported, but not the segment itself."""
        return seq not in self.reported and sum(s > seq for s in self.reported) >= DUP_THRESH

    def pipe(self) -> int:
        """SetPipe() of the RFC in recovery, otherwise the segments sent and not reported."""
        out = 0
        for seq in range(self.una, self.next):
            if seq in self.reported:
                continue
            out += not (self.recovering and self.is_lost(seq))
            out += self.recovering and seq <= self.high_rxt
        return out

    def fits(self, seq: int) -> bool:
        """Whether the segment exists, and the receiver has room for it."""
        return seq < min(self.end, self.una + self.offered)

    def next_seg(self) -> tuple[int, int] | None:
        """NextSeg(): rule and segment."""
        holes = [
            s
            for s in range(max(self.una, self.high_rxt + 1), max(self.reported, default=-1))
            if s not in self.reported
        ]
        for seq in holes:
            if self.is_lost(seq):
                return 1, seq
        if self.fits(self.next):
            return 2, self.next
        if holes:
            return 3, holes[0]
        if self.una - 1 > self.rescue_rxt:
            return 4, max(s for s in range(self.una, self.next) if s not in self.reported)
        return None

    def acknowledged(self, upto: int, blocks: Blocks) -> list[int]:
        """The segments that an ACK releases."""
        if self.una == self.end:
            return []
        self.log = []
        block = {s for a, b in blocks for s in range(a, b) if self.una <= s < self.highest}
        news = bool(block - self.reported)
        self.reported |= block
        if upto > self.una:
            self.advance(upto)
        if news and not self.recovering and self.una >= self.recovery_point:
            self.duplicates += 1
            if self.duplicates >= DUP_THRESH or self.is_lost(self.una):
                self.lost()
        return self.allowed()

    def advance(self, upto: int) -> None:
        """Acknowledge new data. Outside of recovery the window grows, slowly after a timeout."""
        newly, flight, self.una = upto - self.una, self.next - self.una, upto
        if self.opening is not None:
            self.opening = self.opening + 1 if self.opening + 1 < self.window else None
        healing = self.una <= self.recovery_point
        idle = self.una <= self.limited_until and 2 * flight <= self.window
        if not self.recovering and not idle:
            grown = (min(newly, 1) if healing else newly) / self.window
            self.window = min(self.window + grown, self.most)
        self.reported = {s for s in self.reported if s >= upto}
        self.next, self.duplicates = max(self.next, upto), 0
        self.recovering = self.recovering and upto < self.recovery_point

    def lost(self) -> None:
        """Section 5 step 4."""
        self.recovering, self.recovery_point = True, self.highest
        self.recoveries.append(self.una)
        if self.go_back:
            self.recovering, self.window, self.duplicates, self.next = False, 1.0, 0, self.una
            return
        used = min(self.window, self.next - self.una)
        self.window = max(2.0, self.keep * used, self.least)
        self.high_rxt = self.rescue_rxt = self.una
        self.log.append(self.una)

    def timed_out(self) -> list[int]:
        """Section 5.1: clear the scoreboard, and send all again from the oldest segment on."""
        self.log, self.window, self.reported, self.opening = [], self.least, set(), 1
        self.recovering, self.recovery_point = False, self.highest
        self.next, self.duplicates = self.una, 0
        return self.allowed()

    def candidate(self) -> int | None:
        """Step C.1 in recovery; otherwise a new segment or, after a timeout, an unreported one."""
        if self.recovering:
            choice = self.next_seg()
            if choice is None:
                return None
            rule, seq = choice
            self.rules.add(rule)
            if rule == 4:
                self.rescue_rxt = self.recovery_point - 1
            elif rule != 2:
                self.high_rxt = seq
            return seq
        seq = self.next
        while seq in self.reported:
            seq += 1
        return seq if self.fits(seq) else None

    def allowed(self) -> list[int]:
        """Return all segments that fit into the window."""
        while self.pipe() < max(1, int(min(self.window, self.opening or self.window))):
            seq = self.candidate()
            if seq is None:
                self.limited_until = max(self.limited_until, self.next)
                break
            self.next = max(self.next, seq + 1)
            self.highest = max(self.highest, self.next)
            self.log.append(seq)
        return self.log
