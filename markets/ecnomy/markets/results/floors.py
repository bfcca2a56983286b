# SPDX-License-Identifier: Apache-2.0
"""Finds sources that took too many marks because their windows were at the minimum (floor).

An ACK-clocked WTP sender keeps at least `cwnd_min` packets in flight, and at least one. Its weight
is its target in marks per round trip (siris2002 Eq. 4). If this target needs a smaller window, the
sender stays at the floor and takes more marks than its target. A window is fractional, but the
number of packets in flight is an integer. With a floor of 1, a window of 1.9 packets is therefore
at the floor. Paced senders can go below one packet.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.markets.plan import Plan, Source, Tcp
from ecnomy.markets.plan.law_table import with_trait
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.window_reports import WindowReports

__all__ = ["Floor", "floors", "on_floors"]

LEAST: Final = 0.05  # smaller shares of the time or of the marks are not reported


class Floor(msgspec.Struct, frozen=True):
    """A source that took over 5 % too many marks, with over 5 % of its active time at the floor.

    Attributes:
        source: name of the source.
        window: the floor [packets].
        share: share of its flows' active time spent at the floor [0 to 1], estimated from reports.
            If one row covers several flows (`rows: together`), the estimate uses their mean window.
        asked_per_s: mean target of a flow, weight / smoothed round-trip time [marks/s].
        taken_per_s: mean mark rate of a flow [marks/s].
    """

    source: str
    window: float
    share: float
    asked_per_s: float
    taken_per_s: float

    @property
    def over(self) -> float:
        """Return the ratio of the mark rate to the target."""
        return self.taken_per_s / self.asked_per_s

    def __str__(self) -> str:
        """Return a one-line warning about the source."""
        packets = "1 packet" if self.window == 1 else f"{self.window:g} packets"
        return (
            f"{self.source}: its windows were at the floor of {packets} for {self.share:.0%} of "
            f"the time, and it took {self.over:.3g} times the marks that it aimed at "
            f"({self.taken_per_s:.3g} instead of {self.asked_per_s:.3g} marks/s per flow). With "
            "send: paced, its window can fall below one packet"
        )


def on_floors(plan: Plan) -> list[Source]:
    """Return the sources that can be at a floor: ACK-clocked WTP sources."""
    return [
        source
        for source in plan.sources
        if isinstance(source.transport, Tcp)
        and source.transport.window.law in with_trait("window", "steps", "per-mark")
        and source.transport.send == "ack-clocked"
    ]


def floors(run: RawRun) -> list[Floor]:
    """Return sources at the floor for over 5 % of the time, if they took over 5 % too many marks.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    held = on_floors(run.plan)
    reports = WindowReports.of(run, "cwnd", "weight", "srtt_s", "active", "ce") if held else None
    if reports is None:
        return []
    sources_at_floor = []
    for source in held:
        own = reports.own(source)
        cwnd, weight, rtt_s, active, ce = (values[:, own] for values in reports.columns.values())
        on = (active[1:] > 0) & (rtt_s[1:] > 0)
        time_s = float((reports.dt_s * on).sum())
        if time_s <= 0:
            continue
        assert isinstance(source.transport, Tcp)
        least = source.transport.min_window
        low = on & (cwnd[1:] < (math.floor(least) + 1) * source.row_flows)
        targets = np.divide(weight[1:], rtt_s[1:], out=np.zeros_like(rtt_s[1:]), where=on)
        flow_s = time_s * source.row_flows
        floor = Floor(
            source=source.name,
            window=least,
            share=float((reports.dt_s * low).sum()) / time_s,
            asked_per_s=float((reports.dt_s * targets).sum()) / flow_s,
            taken_per_s=float((np.diff(ce, axis=0) * on).sum()) / flow_s,
        )
        if floor.asked_per_s > 0 and floor.share > LEAST and floor.over > 1 + LEAST:
            sources_at_floor.append(floor)
    return sources_at_floor
