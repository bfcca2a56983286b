# SPDX-License-Identifier: Apache-2.0
"""`probe-threshold`: block a call where more than a share of probes is marked, or one is lost.

T. Kelly 2001 (An ECN-probe based connection acceptance control, as told in Andreassen 2002, 1.2):
before a call is set up, probes are sent at increasing rate, and the call is given up when the share
of marked probes is larger than a fixed threshold, or a probe was lost. Here

    admit  <=>  probes were sent, none of them lost, and marked <= threshold x delivered

over the last `window`, of all test streams together. What differs from Kelly's: probes are the
provider's test streams, which run all the time, for a call is answered at its moment and cannot
wait for probes of its own. Several streams of different rates stand for the increasing rate; the
cost of probing, their marks included, does not depend on the number of calls. A window with n
probes tells shares apart by 1/n: with a threshold below that a single mark blocks.

Kelly found that with much other traffic, which no threshold keeps out, calls are what is blocked.
That is so here too. A threshold relative to what is usual is `marking-quantile`.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import Annotated

from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.times import PS_PER_S

__all__ = ["ProbeThreshold"]


@dataclasses.dataclass
class ProbeThreshold:
    """Admits calls while fewer than a fixed share of probes are marked.

    Attributes:
        threshold: the largest share of marked probes that lets a call in [0 to 1].
        window: over how long probes are looked at; nobody is let in before that time is over.
    """

    threshold: float
    window: Annotated[float, Unit("s")] = 5.0

    needs_streams = True

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise Refused("threshold", f"{self.threshold:g}", "a share from 0 to 1, such as 0.05")
        positive("window", self.window, "s")
        self._seen: deque[tuple[int, int, int, int]] = deque()  # dt_ps, delivered, marks, lost
        self._whole = False  # a window is full

    def watch(self, seen: StreamObservation) -> None:
        """Move the window on; it is of whole reports, and as long as `window` at least."""
        columns = (seen.delivered, seen.marks, seen.lost)
        delivered, marks, lost = (int(column.sum()) for column in columns)
        self._seen.append((seen.dt_ps, delivered, marks, lost))
        length_ps = sum(dt_ps for dt_ps, *_ in self._seen)
        window_ps = round(self.window * PS_PER_S)
        self._whole = self._whole or length_ps >= window_ps
        while length_ps - self._seen[0][0] >= window_ps:
            length_ps -= self._seen.popleft()[0]

    @property
    def marking_rate(self) -> float:
        """The share of marked probes; 0 as long as none arrived."""
        delivered = sum(row[1] for row in self._seen)
        return sum(row[2] for row in self._seen) / delivered if delivered else 0.0

    @property
    def readings(self) -> dict[str, float]:
        """The share of marked probes, and how many were lost."""
        return {
            "marking_rate": self.marking_rate,
            "probes_lost": float(sum(row[3] for row in self._seen)),
        }

    def admit(self, call: Call) -> bool:
        """Where probes came through, unlost and seldom enough marked."""
        came = any(row[1] for row in self._seen)
        lost = any(row[3] for row in self._seen)
        return self._whole and came and not lost and self.marking_rate <= self.threshold
