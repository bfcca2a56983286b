# SPDX-License-Identifier: Apache-2.0
"""What test streams say now, and their samples so far (Andreassen 2002, 4.2).

Now is the last time T, renewed at every report. A sample is taken whenever T has gone by since the
one before, so that samples adjoin; in one in which nothing was sent there is none. A packet is bad
when it was lost or late. All test streams count together.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from ecnomy.agents.calls import StreamObservation
from ecnomy.agents.estimators import Samples
from ecnomy.agents.times import PS_PER_S

__all__ = ["Sample", "StreamSamples"]


class Sample(NamedTuple):
    """Packets of the test streams over a time T.

    Attributes:
        number: of this T; samples that adjoin have numbers that do.
        packets: sent.
        marks: of these.
        bad: lost or late.
    """

    number: int
    packets: int
    marks: int
    bad: int


class StreamSamples:
    """A window of the last T and adjoining samples of this length.

    Attributes:
        rows: the samples, the oldest first.
    """

    def __init__(self, sample_s: float, memory: int | None = None) -> None:
        """`memory`: how many samples are kept, all of them by default."""
        self._sample_ps = round(sample_s * PS_PER_S)
        self._window: deque[tuple[int, int, int, int]] = deque()  # dt_ps, packets, marks, bad
        self._length_ps = self._packets = self._marks = self._bad = self._since_ps = 0
        self._number = 0
        self.rows: deque[Sample] = deque(maxlen=memory)

    def watch(self, seen: StreamObservation) -> bool:
        """Move on; whether a time T is over, with a sample or with nothing sent."""
        packets, marks = int(seen.sent.sum()), int(seen.marks.sum())
        bad = int(seen.late.sum()) + int(seen.lost.sum())
        self._window.append((seen.dt_ps, packets, marks, bad))
        self._add(seen.dt_ps, packets, marks, bad)
        while self._length_ps - self._window[0][0] >= self._sample_ps:
            dt_ps, packets, marks, bad = self._window.popleft()
            self._add(-dt_ps, -packets, -marks, -bad)
        self._since_ps += seen.dt_ps
        if self._since_ps < self._sample_ps:
            return False
        self._since_ps = 0
        self._number += 1
        if self._packets > 0:
            self.rows.append(Sample(self._number, self._packets, self._marks, self._bad))
        return True

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def marking_rate(self) -> float:
        """The present M; 0 as long as nothing was sent."""
        return self._marks / self._packets if self._packets else 0.0

    @property
    def bad_rate(self) -> float:
        """The present L; 0 as long as nothing was sent."""
        return self._bad / self._packets if self._packets else 0.0

    @property
    def marked(self) -> Samples:
        """The samples of M."""
        return Samples.of([row.marks for row in self.rows], [row.packets for row in self.rows])

    @property
    def bad(self) -> Samples:
        """The samples of L."""
        return Samples.of([row.bad for row in self.rows], [row.packets for row in self.rows])

    def _add(self, dt_ps: int, packets: int, marks: int, bad: int) -> None:
        self._length_ps += dt_ps
        self._packets += packets
        self._marks += marks
        self._bad += bad
