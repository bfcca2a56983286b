# SPDX-License-Identifier: Apache-2.0
"""The stability margin of a run's links by Eq. 7 of Siris et al. 2002.

    gain (p + x p') / w_dec < 1/e         margin = (1/e) / left side, above 1 if Eq. 7 holds

Eq. 7 applies to one link whose flows have equal gains and equal round trips. For each link that WTP
flows cross, the quantities in a window are:

    p          marks / arrivals of packets at the link
    x          the rate of WTP flows there, packets/s, because only they react to marks
    p'         dp/dx. If the law marks by load, the law gives it: slope / C for load-based marking
               between 0 and 1, and 0 for fixed marking. For other laws, it is the slope of a
               straight line through the reports' (arrivals/s, p). This slope is known only if it is
               at least 3 standard errors, from at least 10 epochs with arrivals. A full link with
               an intermittent queue has no known slope
    gain/w_dec the largest value of these flows. w_dec is 1 for the proportional increase, the paid
               marks per round trip (measured marks/s x RTT) for the inverse decrease, and the
               parameter for the general form

Eq. 7 does not cover queueing delays, several links in a row, or other window laws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.windows import Epochs, Window
from ecnomy.analysis.theory.stability import NO_OSCILLATION_BELOW
from ecnomy.analysis.theory.wtp import wtp_stability
from ecnomy.markets.plan import Plan, Source, Tcp
from ecnomy.markets.plan.law_table import trait_value, with_trait
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["Margin", "margins_of"]

_COVERED: Final = with_trait("window", "steps", "per-mark")
_FEWEST: Final = 10  # fewest epochs for a line
_ERRORS: Final = 3.0  # its slope must exceed 0 by this number of standard errors


class Margin(msgspec.Struct, frozen=True):
    """The quantities of Eq. 7 at a link in a window."""

    link: str
    window: Window
    probability: float
    rate_pps: float
    slope_s: float
    from_law: bool  # whether the law gives the slope, rather than the reports
    left: float  # left side of Eq. 7

    @property
    def margin(self) -> float:
        """The factor by which the left side of Eq. 7 may grow; infinite if that side is 0."""
        return NO_OSCILLATION_BELOW / self.left if self.left > 0 else math.inf


def margins_of(run: RawRun, windows: tuple[Window, ...]) -> tuple[Margin, ...]:
    """Return the smallest margin of each link with marks and a known slope, in ascending order.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    flows = Epochs(run.flow_epochs, "flow", run.plan.row_count)
    links = Epochs(run.link_epochs, "link", len(run.plan.links))
    margins: dict[str, Margin] = {}
    for one in (one for window in windows for one in _margins(run.plan, flows, links, window)):
        if one.link not in margins or one.margin < margins[one.link].margin:
            margins[one.link] = one
    return tuple(sorted(margins.values(), key=lambda one: one.margin))


def _margins(plan: Plan, flows: Epochs, links: Epochs, window: Window) -> Iterator[Margin]:
    acked, marks = flows.difference("acked", window), flows.difference("ce", window)
    rtts = flows.mean_while("srtt_s", "acked_bytes", window)
    arrived, marked = links.difference("arrivals", window), links.difference("marks", window)
    sources = plan.row_sources()
    for number, link in enumerate(plan.links):
        rows = [
            row for row, s in enumerate(sources) if number in s.path and _fits(s) and acked[row] > 0
        ]
        if not rows or not marked[number] > 0:
            continue
        slope_s, from_law = _slope_s(plan, links, number, window)
        if not slope_s >= 0:
            continue
        steps = [_step(sources[r], float(marks[r]) / window.seconds, float(rtts[r])) for r in rows]
        p, x = float(marked[number] / arrived[number]), float(acked[rows].sum()) / window.seconds
        left = wtp_stability(max(steps), p, x, slope_s)
        yield Margin(link.name, window, p, x, slope_s, from_law, left)


def _fits(source: Source) -> bool:
    """Return whether Eq. 7 covers the window law of a source."""
    return isinstance(source.transport, Tcp) and source.transport.window.law in _COVERED


def _step(source: Source, marks_per_s: float, rtt_s: float) -> float:
    """Return gain / w_dec of the flows of a row, given their total marks/s."""
    assert isinstance(source.transport, Tcp)
    params, w_dec = source.transport.window.params, 1.0
    form = params.get("form", 0.0)
    if form == 1.0 and marks_per_s > 0:
        w_dec = marks_per_s / source.row_flows * rtt_s
    elif form == 2.0:
        w_dec = params["w_dec"]
    gain = params["gain"]
    if source.transport.reference_rtt_ps > 0:  # gain and w_dec hold for this round trip
        gain *= rtt_s / (source.transport.reference_rtt_ps / PS_PER_S)
    return gain / w_dec


def _slope_s(plan: Plan, links: Epochs, number: int, window: Window) -> tuple[float, bool]:
    """Return dp/dx of a link [s] (NaN if unknown), and whether the law gives it."""
    link = plan.links[number]
    packets, data = (
        float(links.difference(name, window)[number]) for name in ("departures", "departed_bytes")
    )
    if link.scheduler is not None or not packets:
        return math.nan, False
    per_load = trait_value("marking", link.marking.law, "per_load", link.marking.params)
    if not math.isnan(per_load):
        capacity_pps = link.rate_bps / (8 * (data / packets + link.framing_bytes))
        return per_load / capacity_pps, True
    inside = (links.t_ps >= window.from_ps) & (links.t_ps <= window.to_ps)
    dt_s = np.diff(links.t_ps[inside]) / PS_PER_S
    arrived, marked = (
        np.diff(links.column(name)[inside][:, number]) for name in ("arrivals", "marks")
    )
    busy = arrived > 0
    return _line(arrived[busy] / dt_s[busy], marked[busy] / arrived[busy]), False


def _line(x: Floats, y: Floats) -> float:
    """Return the least-squares slope of a line through points; NaN if too few or too uncertain."""
    if len(x) < _FEWEST or not np.ptp(x) > 0:
        return math.nan
    away = x - x.mean()
    slope = float((away * (y - y.mean())).sum() / (away**2).sum())
    left = y - y.mean() - slope * away
    error = math.sqrt(float((left**2).sum()) / (len(x) - 2) / float((away**2).sum()))
    return slope if slope > 0 and slope >= _ERRORS * error else math.nan
