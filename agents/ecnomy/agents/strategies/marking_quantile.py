# SPDX-License-Identifier: Apache-2.0
"""`marking-quantile`: block a call while the test streams are marked more than they usually are.

Andreassen 2002, 4.2: samples of the marking rate M = marked / sent of the test streams over a time
T; a request is blocked when the present M is above the (1 - B^G) quantile of M, B^G the largest
blocking rate that customers are promised. Here the present M is that of the last T, renewed at
every report, and the samples are those of adjoining intervals of length T. Until `learning`
samples are there, nobody is blocked. The quantile is the smallest sample that at least a share
`quantile` of all samples does not exceed.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections import deque
from typing import Annotated

from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.times import PS_PER_S

__all__ = ["MarkingQuantile"]


@dataclasses.dataclass
class MarkingQuantile:
    """Admission by the marking rate of test streams.

    Attributes:
        quantile: 1 - B^G, of the samples of M.
        sample: T, the length of a sample; the paper's is the longest call, 3 min.
        learning: samples before anybody is blocked.
    """

    quantile: float = 0.9
    sample: Annotated[float, Unit("s")] = 180.0
    learning: int = 10

    needs_streams = True

    def __post_init__(self) -> None:
        positive("sample", self.sample, "s")
        if not 0 < self.quantile <= 1:
            raise Refused("quantile", f"{self.quantile:g}", "a share above 0 and at most 1")
        if self.learning < 1:
            raise Refused("learning", f"{self.learning}", "at least 1 sample")
        self._window: deque[tuple[int, int, int]] = deque()  # (dt_ps, sent, marks)
        self._length_ps = self._sent = self._marks = self._since_ps = 0
        self._samples: list[float] = []  # sorted

    def watch(self, seen: StreamObservation) -> None:
        """Move the window on; take a sample whenever it is a whole one further."""
        sent, marks = int(seen.sent.sum()), int(seen.marks.sum())
        self._window.append((seen.dt_ps, sent, marks))
        self._length_ps += seen.dt_ps
        self._sent += sent
        self._marks += marks
        sample_ps = round(self.sample * PS_PER_S)
        while self._length_ps - self._window[0][0] >= sample_ps:
            dt_ps, sent, marks = self._window.popleft()
            self._length_ps -= dt_ps
            self._sent -= sent
            self._marks -= marks
        self._since_ps += seen.dt_ps
        if self._since_ps >= sample_ps:
            self._since_ps = 0
            if self._sent > 0:
                bisect.insort(self._samples, self.marking_rate)

    @property
    def marking_rate(self) -> float:
        """The present M; 0 as long as nothing was sent."""
        return self._marks / self._sent if self._sent else 0.0

    @property
    def threshold(self) -> float:
        """The blocking threshold beta; infinite until enough has been learnt."""
        count = len(self._samples)
        if count < self.learning:
            return math.inf
        return self._samples[max(0, math.ceil(self.quantile * count - 1e-9) - 1)]

    @property
    def readings(self) -> dict[str, float]:
        """M, and the threshold once there is one."""
        readings = {"marking_rate": self.marking_rate}
        if self.threshold < math.inf:
            readings["blocking_threshold"] = self.threshold
        return readings

    def admit(self, call: Call) -> bool:
        """Unless M is above the threshold."""
        return self.marking_rate <= self.threshold
