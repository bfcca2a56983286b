# SPDX-License-Identifier: Apache-2.0
"""Plot of a run: rates, money, marking and queues on one time axis, with shaded phases.

The same results and library versions give the same PNG, byte for byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.draw.fitted_text import fitted
from ecnomy.analysis.draw.panels import (
    COLOURS,
    PANEL_INCHES,
    WIDTH_INCHES,
    legend_beside,
    panel_style,
    save,
    shade_phases,
    shortened,
)
from ecnomy.analysis.run.activity import flows_on
from ecnomy.analysis.run.link_marking import Crossings, activity_of, crossings_of, link_shares
from ecnomy.analysis.run.phases import Phase, phases_of
from ecnomy.analysis.run.summary import FlowGroup, groups_of, summarize
from ecnomy.analysis.run.windows import Epochs, Intervals, fees_by_flow, marks_by_flow
from ecnomy.analysis.run_pictures.congested_links import MOST_LINKS, DrawnLink, congested_links
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["overview", "overview_figure"]

_BINS: Final = 60  # intervals per line, because a flow has too few marks for more
_MANY: Final = 6  # a larger group is drawn as the mean of its flows
# one marker more than colours, so that pairs repeat only after 42 groups
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_STYLES: Final = ("-", "--", "-.")
_UNPRICED: Final = "#6E6E6E"
# links differ in lightness and dashes; colours belong to groups
_LINKS: Final[tuple[tuple[str, Any], ...]] = (
    ("black", "-"),
    ("0.55", "-"),
    ("black", (0, (5, 2))),
    ("0.55", (0, (1.5, 1.5))),
)


class _LineStyle(msgspec.Struct, frozen=True):
    """The line style of a group, the same in all panels."""

    colour: str
    marker: str
    style: str


class _Data(Intervals, frozen=True, eq=False):
    """The data that the panels show for each interval between report times."""

    run: RawRun
    phases: list[Phase]
    groups: list[FlowGroup]
    line_styles: list[_LineStyle]
    flows: Epochs
    links: Epochs
    crossings: Crossings
    on: Floats  # number of active flows, [interval, row]
    drawn_links: list[DrawnLink]
    more_links: int  # number of congested links not drawn

    def per_second(self, epochs: Epochs, name: str) -> Floats:
        """Return the increase of a cumulative column per second, [interval, row]."""
        values = np.diff(epochs.at(name, self.edges_ps), axis=0) / self.seconds[:, None]
        return np.asarray(values, dtype=np.float64)

    def counted(self, group: FlowGroup) -> Floats | int:
        """Return the number of active flows of a group, [interval]; NaN if no flow is active.

        If all its flows are always active, the result is one number, the size of the group.
        """
        on = self.on[:, list(group.flows)].sum(axis=1)
        if (on == group.size).all():
            return group.size
        return np.where(on > 0, on, np.nan)

    def each(self, values: Floats, flow: int) -> Floats:
        """Return a row's values per active flow, [interval]; NaN if no flow is active."""
        on = self.on[:, flow]
        mean = np.divide(values, on, out=np.full(len(values), np.nan), where=on > 0)
        return np.asarray(mean, dtype=np.float64)

    def while_on(self, group: FlowGroup, values: Floats) -> Floats:
        """Return the values, with NaN before the group's source starts and after it stops."""
        source = next(s for s in self.run.plan.sources if s.name == group.source)
        t_ps = self.middle_s * PS_PER_S
        off = t_ps < source.start.at_ps
        if source.stop_ps >= 0:
            off |= t_ps > source.stop_ps
        return np.where(off, np.nan, values)


def overview(run: RawRun | Results, file: str | Path) -> bool:
    """Draw the overview of a run as a PNG of 150 dpi.

    Returns:
        True if a picture was drawn. A picture needs two reports.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    figure = overview_figure(run)
    if figure is None:
        return False
    with panel_style():
        save(figure, file)
    return True


def overview_figure(run: RawRun | Results) -> Figure | None:
    """Return the overview as a figure for notebooks; None with fewer than two reports.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    data = _collect(run.raw)
    if len(data.edges_ps) < 2:
        return None
    with panel_style():
        return _figure(data)


def _collect(run: RawRun) -> _Data:
    plan = run.plan
    flows = Epochs(run.flow_epochs, "flow", plan.row_count)
    links = Epochs(run.link_epochs, "link", len(plan.links))
    reached = int(flows.t_ps[-1]) if len(flows.t_ps) else 0
    edges = flows.grid(max(reached // _BINS, 1))
    groups = groups_of(run)
    edges = edges[edges <= links.t_ps.max(initial=-1)]
    congested = congested_links(summarize(run))
    drawn = congested[:MOST_LINKS]
    return _Data(
        run=run,
        phases=phases_of(plan, reached),
        groups=groups,
        line_styles=_line_styles(groups),
        edges_ps=edges,
        flows=flows,
        links=links,
        crossings=crossings_of(run),
        on=flows_on(run, edges),
        drawn_links=sorted(drawn, key=lambda one: one.link),
        more_links=len(congested) - len(drawn),
    )


def _line_styles(groups: list[FlowGroup]) -> list[_LineStyle]:
    styles, taken = [], 0
    any_class = any(group.service_class for group in groups)
    for group in groups:
        if any_class and not group.service_class:
            styles.append(_LineStyle(_UNPRICED, "", ":"))
            continue
        turn, colour = divmod(taken, len(COLOURS))
        marker, style = _MARKERS[taken % len(_MARKERS)], _STYLES[turn % len(_STYLES)]
        styles.append(_LineStyle(COLOURS[colour], marker, style))
        taken += 1
    return styles


def _figure(data: _Data) -> Figure:
    from ecnomy.analysis.draw.shown_figure import ShownFigure

    panels = [_draw_rates, _draw_marking, _draw_queue]
    if not data.run.ledger.empty:
        panels.insert(1, _draw_money)
    height = PANEL_INCHES * len(panels) + 0.9
    figure = ShownFigure(figsize=(WIDTH_INCHES, height), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(len(panels), 1, sharex=True)))
    for draw, axis in zip(panels, axes, strict=True):
        draw(axis, data)
        top = max(axis.get_ylim()[1], 1e-9)
        axis.set_ylim(-0.03 * top, top)  # keeps a line at 0 fully visible
    shade_phases(axes, data.phases, data.run.plan.warmup_ps, int(data.edges_ps[-1]))
    axes[-1].set_xlabel("simulated time [s]")
    axes[-1].set_xlim(0, data.edges_ps[-1] / PS_PER_S)
    note = "" if data.run.note is None else "  (partial run)"
    figure.align_ylabels(axes)
    title = fitted(data.run.title + note, 72 * WIDTH_INCHES - 16, 12, bold=True)
    figure.suptitle(title, fontsize=12, fontweight="bold")
    return figure


def _line(axis: Axes, data: _Data, index: int, values: Floats, label: str) -> None:
    line_style = data.line_styles[index]
    step = max(len(data.middle_s) // 12, 1)
    axis.plot(
        data.middle_s,
        data.while_on(data.groups[index], values),
        color=line_style.colour,
        linestyle=line_style.style,
        linewidth=2.2,
        marker=line_style.marker,
        markersize=4.5,
        markevery=(index % step, step),
        label=label,
    )


def _draw_rates(axis: Axes, data: _Data) -> None:
    rates = 8e-6 * data.per_second(data.flows, "acked_bytes")
    title = "Rate of each flow"
    for i, group in enumerate(data.groups):
        member = list(group.flows)
        if 1 < len(member) <= _MANY:
            title = "Rate of each flow\n(thin: single flows)"
            for flow in member:
                line = data.while_on(group, data.each(rates[:, flow], flow))
                axis.plot(
                    data.middle_s, line, color=data.line_styles[i].colour, linewidth=0.7, alpha=0.7
                )
        counted = data.counted(group)
        label = group.label if group.size == 1 else f"{group.label}, mean of {group.size}"
        if not isinstance(counted, int):
            label = f"{group.label}, mean of its\nactive flows (of {group.size})"
        _line(axis, data, i, rates[:, member].sum(axis=1) / counted, label)
    axis.set_ylabel("rate of a flow\n[Mbps]")
    legend_beside(axis, title)


def _draw_money(axis: Axes, data: _Data) -> None:
    ledger, count = data.run.ledger, data.run.plan.row_count
    paid = marks_by_flow(ledger, count, data.edges_ps) / data.seconds[:, None]
    fees = fees_by_flow(ledger, count, data.edges_ps) / data.seconds[:, None]
    for i, group in enumerate(data.groups):
        member = list(group.flows)
        if not paid[:, member].any() and not fees[:, member].any():
            continue
        counted = data.counted(group)
        _line(axis, data, i, paid[:, member].sum(axis=1) / counted, f"{group.label}, marks")
        if fees[:, member].any():
            fee = data.while_on(group, fees[:, member].sum(axis=1) / counted)
            line_style: dict[str, Any] = {"color": data.line_styles[i].colour, "linewidth": 1.6}
            axis.plot(
                data.middle_s, fee, linestyle=(0, (5, 2)), label=f"{group.label}, fee", **line_style
            )
    axis.set_ylabel("paid by a flow\n[money/s]")
    legend_beside(axis, "Payments of each flow")


def _bottleneck(data: _Data) -> int:
    """Return the link with the most marks or, without marks on data, the most used link."""
    marks = data.crossings.data_marks.sum(axis=0)
    counted = data.links.at("marks", data.edges_ps[-1:])[0]
    if (marked := np.where(marks > 0, counted, 0.0)).any():
        return int(marked.argmax())
    rates = np.array([link.rate_bps for link in data.run.plan.links], dtype=np.float64)
    return int((data.links.at("departed_bytes", data.edges_ps[-1:])[0] / rates).argmax())


def _shown_links(data: _Data) -> list[DrawnLink]:
    """Return the congested links, or the bottleneck if no link was congested."""
    if data.drawn_links:
        return data.drawn_links
    link = _bottleneck(data)
    return [DrawnLink(link, data.run.plan.links[link].name, ())]


def _more(data: _Data) -> str:
    return f"\n({data.more_links} more, not drawn)" if data.more_links else ""


def _draw_marking(axis: Axes, data: _Data) -> None:
    links = _shown_links(data)
    parts = link_shares(data.crossings, activity_of(data.run, data.flows, data.edges_ps))
    marks = data.per_second(data.links, "marks") * parts.marks
    arrivals = data.per_second(data.links, "arrivals") * parts.arrivals
    share = 100 * np.divide(marks, arrivals, out=np.zeros_like(marks), where=arrivals > 0)
    for one, (colour, dashes) in zip(links, _LINKS, strict=False):
        label = f"{shortened(one.name)} ({', '.join(one.signs)})"
        if len(links) == 1:
            label = f"{'marked, ' if 'drops' in one.signs else ''}of ECN-capable data"
        line = share[:, one.link]
        axis.plot(data.middle_s, line, color=colour, linestyle=dashes, linewidth=1.6, label=label)
    losing = [one for one in links if "drops" in one.signs]
    _draw_losses(axis, data, losing, named=len(links) > 1)
    what = "packets marked or lost" if losing else "data packets marked"
    axis.set_ylabel(f"{what}\n[%]")
    if len(links) == 1:
        legend_beside(axis, f"Congestion on {links[0].name}")
    else:
        legend_beside(axis, f"Congested links, with signs{_more(data)}")


def _draw_losses(axis: Axes, data: _Data, links: list[DrawnLink], named: bool) -> None:
    drops, arrivals = (data.per_second(data.links, name) for name in ("drops", "arrivals"))
    lost = 100 * np.divide(drops, arrivals, out=np.zeros_like(drops), where=arrivals > 0)
    step = max(len(data.middle_s) // 20, 1)
    for number, one in enumerate(links):
        axis.plot(
            data.middle_s,
            lost[:, one.link],
            color=COLOURS[-1 - number],
            linewidth=1.2,
            marker="x",
            markersize=4.5,
            markevery=(number % step, step),
            label=f"{shortened(one.name)}, lost of all" if named else "lost, of all packets",
        )


def _draw_queue(axis: Axes, data: _Data) -> None:
    links = _shown_links(data)
    queues = data.per_second(data.links, "queue_integral")
    if len(links) == 1:
        axis.fill_between(data.middle_s, queues[:, links[0].link], color="0.75", linewidth=0)
    for one, (colour, dashes) in zip(links, _LINKS, strict=False):
        label = "mean queue" if len(links) == 1 else shortened(one.name)
        line = queues[:, one.link]
        axis.plot(data.middle_s, line, color=colour, linestyle=dashes, linewidth=1.6, label=label)
    axis.set_ylabel("packets waiting")
    title = f"Queue of {links[0].name}" if len(links) == 1 else f"Mean queues{_more(data)}"
    legend_beside(axis, title)
