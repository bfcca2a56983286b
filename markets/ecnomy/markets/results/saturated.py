# SPDX-License-Identifier: Apache-2.0
"""Finds sources that took too few marks because queueing limited their windows.

A flow that a market steers should take willingness to pay / price of a mark, in marks per second.
Its window law multiplies this rate by the round-trip time to obtain a target in marks per round
trip. The law uses at most twice the smallest round-trip time (omnet/laws/window/round_trip.h),
because otherwise the queue and the window would grow without limit. While queueing makes round
trips longer than this limit, the flow takes fewer marks.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Source
from ecnomy.markets.results.floors import LEAST
from ecnomy.markets.results.flow_targets import target_rates
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.window_reports import WindowReports

__all__ = ["Saturated", "saturated"]

_ABOUT: Final = 0.8  # below this share of the target, something else limits a flow


class Saturated(msgspec.Struct, frozen=True):
    """A source whose mark rate was limited by queueing for over 5 % of its active time.

    Attributes:
        source: name of the source.
        share: share of its flows' active time in which the round trip took over twice the smallest
            round-trip time [0 to 1].
        asked_per_s: mean target of a flow from its decisions, willingness to pay / price [marks/s].
        aimed_per_s: mean target of a flow's window, weight / smoothed round-trip time [marks/s]. A
            paced flow takes more marks, because it may have twice its window in flight.
        taken_per_s: mean mark rate of a flow [marks/s].
    """

    source: str
    share: float
    asked_per_s: float
    aimed_per_s: float
    taken_per_s: float

    @property
    def held(self) -> bool:
        """Return whether queueing, and nothing else, kept the mark rate below the target."""
        short = self.taken_per_s < (1 - LEAST) * self.asked_per_s
        return short and self.share > LEAST and self.taken_per_s > _ABOUT * self.aimed_per_s

    def __str__(self) -> str:
        """Return a one-line warning about the source."""
        return (
            f"{self.source}: for {self.share:.0%} of the time queueing more than doubled its round "
            f"trip, where a window aims at fewer marks. It took {self.taken_per_s:.3g} of the "
            f"{self.asked_per_s:.3g} marks/s per flow that its willingness to pay buys. Marking at "
            "a shorter queue avoids this"
        )


def saturated(run: RawRun) -> list[Saturated]:
    """Return the sources that took over 5 % too few marks because of queueing.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    sources = _ever_saturated(run)
    names = ("saturated_ps", "weight", "srtt_s", "active", "ce")
    reports = WindowReports.of(run, *names) if sources else None
    rates = target_rates(run, reports) if reports is not None else None
    if reports is None or rates is None:
        return []
    saturations = []
    for source in sources:
        own = reports.own(source)
        held_ps, weight, rtt_s, active, ce = (values[:, own] for values in reports.columns.values())
        targets = rates[:, own]
        on = (active[1:] > 0) & (rtt_s[1:] > 0) & (targets > 0)
        time_s = float((reports.dt_s * on).sum())
        flow_s = time_s * source.row_flows
        if flow_s <= 0:
            continue
        aimed = np.divide(weight[1:], rtt_s[1:], out=np.zeros_like(rtt_s[1:]), where=on)
        one = Saturated(
            source=source.name,
            share=float((np.diff(held_ps, axis=0) * on).sum()) / PS_PER_S / flow_s,
            asked_per_s=float((reports.dt_s * targets * on).sum()) / time_s,
            aimed_per_s=float((reports.dt_s * aimed).sum()) / flow_s,
            taken_per_s=float((np.diff(ce, axis=0) * on).sum()) / flow_s,
        )
        if one.held:
            saturations.append(one)
    return saturations


def _ever_saturated(run: RawRun) -> list[Source]:
    """Return the sources that queueing limited at some time in the measured window."""
    flows = run.flows
    if "saturated_ps" not in flows:  # the run ended before it had totals
        return []
    names = set(flows["source"][flows["saturated_ps"] > 0])
    return [source for source in run.plan.sources if source.name in names]
