# SPDX-License-Identifier: Apache-2.0
"""`probe-threshold`: block calls while too many probes are marked or a probe is lost.

T. Kelly 2001 (An ECN-probe based connection acceptance control, as cited in Andreassen 2002, 1.2):
before the setup of a call, the source sends probes at increasing rate. It drops the call if the
share of marked probes exceeds a fixed threshold, or a probe is lost. Here

    admit  <=>  probes were sent, all arrived, and marked <= threshold x delivered

over the last `window`, for all test streams together. This rule differs from Kelly's in two ways.
The probes are the provider's permanent test streams, because a call needs an immediate answer, so
the cost of probing, including marks, does not depend on the number of calls. Several streams of
different rates replace the increasing rate. A window with n probes resolves shares of 1/n, so with
a smaller threshold a single mark blocks calls. As Kelly found, heavy other traffic, which the
threshold does not control, also blocks calls. `marking-quantile` uses a threshold relative to the
usual marking.
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
    """Admits calls while the share of marked probes is at most a fixed threshold.

    Attributes:
        threshold: the largest share of marked probes at which calls are admitted [from 0 to 1].
        window: time over which probes are counted; no call is admitted before the first window
            ends.
    """

    threshold: float
    window: Annotated[float, Unit("s")] = 5.0

    needs_streams = True

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise Refused("threshold", f"{self.threshold:g}", "a share from 0 to 1, such as 0.05")
        positive("window", self.window, "s")
        self._probes: deque[tuple[int, int, int, int]] = deque()  # dt_ps, delivered, marks, lost
        self._whole = False  # whether a window is complete

    def watch(self, observation: StreamObservation) -> None:
        """Advance the window, which consists of complete reports and is at least `window` long."""
        columns = (observation.delivered, observation.marks, observation.lost)
        delivered, marks, lost = (int(column.sum()) for column in columns)
        self._probes.append((observation.dt_ps, delivered, marks, lost))
        length_ps = sum(dt_ps for dt_ps, *_ in self._probes)
        window_ps = round(self.window * PS_PER_S)
        self._whole = self._whole or length_ps >= window_ps
        while length_ps - self._probes[0][0] >= window_ps:
            length_ps -= self._probes.popleft()[0]

    @property
    def marking_rate(self) -> float:
        """The share of marked probes in the window, or 0 if none arrived."""
        delivered = sum(row[1] for row in self._probes)
        return sum(row[2] for row in self._probes) / delivered if delivered else 0.0

    @property
    def readings(self) -> dict[str, float]:
        """The share of marked probes and the number of lost probes in the window."""
        return {
            "marking_rate": self.marking_rate,
            "probes_lost": float(sum(row[3] for row in self._probes)),
        }

    def admit(self, call: Call) -> bool:
        """Admit a call if, in a full window, probes arrived, none was lost and few were marked."""
        came = any(row[1] for row in self._probes)
        lost = any(row[3] for row in self._probes)
        return self._whole and came and not lost and self.marking_rate <= self.threshold
