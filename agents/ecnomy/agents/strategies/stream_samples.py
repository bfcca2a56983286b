# SPDX-License-Identifier: Apache-2.0
"""The current state of test streams, and their samples so far (Andreassen 2002, 4.2).

The current window covers the last period T and is updated at every report. A sample covers a period
T, and a new sample begins when the previous sample ends. A period without packets gives no sample.
A packet is bad if it was lost or late. Counts are sums over all test streams.
"""

from __future__ import annotations

import bisect
from collections import deque
from typing import Final, NamedTuple

from ecnomy.agents.calls import StreamObservation
from ecnomy.agents.estimators import Samples
from ecnomy.agents.times import PS_PER_S

__all__ = ["Sample", "StreamSamples"]

_KEPT: Final = 10  # reports are kept for this multiple of T


class Sample(NamedTuple):
    """Counts of the test streams' packets over a time T.

    Attributes:
        number: number of the sample; consecutive samples have consecutive numbers.
        packets: number of packets sent.
        marks: number of marked packets.
        bad: number of packets lost or late.
    """

    number: int
    packets: int
    marks: int
    bad: int


class StreamSamples:
    """A window over the last period T, and consecutive samples of this length.

    Attributes:
        rows: the samples, beginning with the oldest.
    """

    def __init__(self, sample_s: float, memory: int | None = None) -> None:
        """Keep the last `memory` samples, by default all samples."""
        self._sample_ps = round(sample_s * PS_PER_S)
        self._window: deque[tuple[int, int, int, int]] = deque()  # dt_ps, packets, marks, bad
        self._length_ps = self._packets = self._marks = self._bad = self._since_ps = 0
        self._number = 0
        self._so_far: deque[tuple[int, int, int, int]] = deque([(0, 0, 0, 0)])  # t_ps, sums
        self.rows: deque[Sample] = deque(maxlen=memory)

    def watch(self, observation: StreamObservation) -> bool:
        """Add a report, and return whether a time T has ended, with or without a sample."""
        packets, marks = int(observation.sent.sum()), int(observation.marks.sum())
        bad = int(observation.late.sum()) + int(observation.lost.sum())
        self._window.append((observation.dt_ps, packets, marks, bad))
        self._add(observation.dt_ps, packets, marks, bad)
        self._keep(observation.t_ps, packets, marks, bad)
        while self._length_ps - self._window[0][0] >= self._sample_ps:
            dt_ps, packets, marks, bad = self._window.popleft()
            self._add(-dt_ps, -packets, -marks, -bad)
        self._since_ps += observation.dt_ps
        if self._since_ps < self._sample_ps:
            return False
        self._since_ps = 0
        self._number += 1
        if self._packets > 0:
            self.rows.append(Sample(self._number, self._packets, self._marks, self._bad))
        return True

    def during(self, start_ps: int, end_ps: int) -> Sample:
        """Return the counts between two times, in complete reports, over at most the last ten T."""
        times = [row[0] for row in self._so_far]
        first = max(bisect.bisect_right(times, start_ps) - 1, 0)
        last = min(bisect.bisect_left(times, end_ps), len(times) - 1)
        sums = zip(self._so_far[max(last, first)][1:], self._so_far[first][1:], strict=True)
        packets, marks, bad = (after - before for after, before in sums)
        return Sample(0, packets, min(marks, packets), min(bad, packets))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def now(self) -> Sample:
        """The counts of the current window."""
        return Sample(self._number, self._packets, self._marks, self._bad)

    @property
    def marking_rate(self) -> float:
        """The current M, or 0 if nothing was sent."""
        return self._marks / self._packets if self._packets else 0.0

    @property
    def marked(self) -> Samples:
        """The samples of M, the share of marked packets."""
        return Samples.of([row.marks for row in self.rows], [row.packets for row in self.rows])

    @property
    def bad(self) -> Samples:
        """The samples of L, the share of bad packets."""
        return Samples.of([row.bad for row in self.rows], [row.packets for row in self.rows])

    def _keep(self, t_ps: int, packets: int, marks: int, bad: int) -> None:
        _, *sums = self._so_far[-1]
        self._so_far.append((t_ps, sums[0] + packets, sums[1] + marks, sums[2] + bad))
        while t_ps - self._so_far[1][0] >= _KEPT * self._sample_ps and len(self._so_far) > 2:
            self._so_far.popleft()

    def _add(self, dt_ps: int, packets: int, marks: int, bad: int) -> None:
        self._length_ps += dt_ps
        self._packets += packets
        self._marks += marks
        self._bad += bad
