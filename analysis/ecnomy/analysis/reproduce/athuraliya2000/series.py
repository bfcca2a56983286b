# SPDX-License-Identifier: Apache-2.0
"""Reads the recorded series of a run as arrays: windows of flows, backlog and marking of links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.results.rawrun import open_raw

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RecordedSeries", "cv"]


class RecordedSeries:
    """The recorded series of one run.

    Attributes:
        run: the results of the run.
        flows: name of each source -> index of its flow, or of its last flow if it has several.
        links: name of each link -> its index.
    """

    def __init__(self, results: Path) -> None:
        self.run = open_raw(results)
        plan = self.run.plan
        self._names = list(plan.record.series)
        self._frame: pd.DataFrame = self.run.series
        sources = [source.name for source in plan.sources for _ in range(source.count)]
        self.flows = {name: index for index, name in enumerate(sources)}
        self.links = {link.name: index for index, link in enumerate(plan.links)}

    @property
    def measured_s(self) -> tuple[float, float]:
        """Return the start and end of the measured window, seconds."""
        window = self.run.measured
        return window.from_ps / PS_PER_S, window.to_ps / PS_PER_S

    def windows(self, source: str) -> tuple[Floats, Floats]:
        """Return times [s] and windows [packets] of a source with one flow."""
        return self._of("cwnd", self.flows[source])

    def backlog(self, link: str) -> tuple[Floats, Floats]:
        """Return times [s] and the number of packets waiting at a link."""
        return self._of("queue", self.links[link])

    def marking(self, link: str) -> tuple[Floats, Floats]:
        """Return times [s] and the marking probability of a link's law."""
        return self._of("marking_probability", self.links[link])

    def epochs(self, link: str) -> pd.DataFrame:
        """Return a link's counts since the start at each report."""
        frame = self.run.link_epochs
        return frame.loc[frame["link"] == self.links[link]].sort_values("t_ps")

    def _of(self, name: str, subject: int) -> tuple[Floats, Floats]:
        frame: Any = self._frame
        own = frame[(frame["name"] == self._names.index(name)) & (frame["subject"] == subject)]
        own = own.sort_values("t_ps")
        times = np.asarray(own["t_ps"], dtype=np.float64) / PS_PER_S
        return times, np.asarray(own["value"], dtype=np.float64)


def cv(values: Floats) -> float:
    """Return the coefficient of variation."""
    return float(values.std() / values.mean())
