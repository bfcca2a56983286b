# SPDX-License-Identifier: Apache-2.0
"""The map of a run on a network: both directions of each link with utilisation, marking and price.

A line is one direction and keeps to the right of its link as seen by who travels. Darker and wider
is fuller; a congested one (see ecnomy.analysis.congestion) has an orange rim and a badge, which the
list beside the map explains. One map per phase. The same results and library versions give the same
bytes.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ecnomy.analysis.families import shown_nodes
from ecnomy.analysis.fitted_text import fitted
from ecnomy.analysis.network_layout import (
    Box,
    Label,
    Point,
    badge_places,
    box_of,
    layout,
    name_labels,
)
from ecnomy.analysis.network_legend import HALO, SHADES, draw_legend, width_of
from ecnomy.analysis.network_list import BADGE, badge_names, draw_list
from ecnomy.analysis.network_loads import LinkLoad, NetworkLoads, is_network, network_loads
from ecnomy.analysis.panels import save
from ecnomy.analysis.phases import PS_PER_S, Phase, phases_of
from ecnomy.analysis.results import Run
from ecnomy.analysis.windows import Epochs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["network_picture"]

_MAP: Final = 610.0  # points; a point is the unit of the maps, so that widths and gaps agree
_LIST: Final = 265.0
_MARGIN: Final = 48.0
_HEAD: Final = 26.0  # above each map
_TITLE: Final = 26.0
_LEGEND: Final = 62.0
_MOST_MAPS: Final = 3
_MOST_NUMBERED: Final = 60  # directions beyond which single utilisations are not written
_MOST_NAMED: Final = 60  # nodes beyond which only ends of congested links are named
_NAME_SIZE: Final = 8.5  # of nodes' names


class _Frame(msgspec.Struct, frozen=True):
    """What all maps of a picture share: where nodes are, how wide the busiest line is."""

    points: dict[str, Point]
    labels: list[Label]
    height: float
    most_bps: float


def network_picture(run: Run, file: str | Path) -> bool:
    """Draw the map of a run as a PNG of 150 dpi.

    Returns:
        Whether there was anything to draw: a network (see is_network) and two reports.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    from matplotlib import style

    if not is_network(run.plan):
        return False
    maps = _maps(run)
    if not maps:
        return False
    with style.context(["default", {"font.size": 8.5, "font.family": "DejaVu Sans"}]):
        figure = _figure(run, maps)
        save(figure, file)
    return True


def _maps(run: Run) -> list[tuple[Phase, NetworkLoads]]:
    """The phases that can be measured, first and last if there are many, with their numbers."""
    epochs = Epochs(run.flow_epochs, "flow", run.plan.row_count)
    reached = int(epochs.t_ps[-1]) if len(epochs.t_ps) else 0
    windows = [(p, epochs.window(p.settled_ps, p.to_ps)) for p in phases_of(run.plan, reached)]
    kept = [(phase, window) for phase, window in windows if window is not None]
    if len(kept) > _MOST_MAPS:
        kept = [kept[0], kept[-1]]
    return [(phase, network_loads(run, window)) for phase, window in kept]


def _figure(run: Run, maps: list[tuple[Phase, NetworkLoads]]) -> Figure:
    from matplotlib.figure import Figure

    plan = run.plan
    edges = [(plan.nodes[x.source], plan.nodes[x.target]) for x in plan.links]
    inner, height = layout(plan.nodes, edges, shown_nodes(run), _MAP - 2 * _MARGIN)
    points = {node: (x + _MARGIN, y + _MARGIN) for node, (x, y) in inner.items()}
    most = max(x.used_bps for _, loads in maps for x in loads.links)
    labels = _labels(points, edges, maps)
    frame = _Frame(points, labels, height + 2 * _MARGIN, most or 1.0)
    wide = _MAP + _LIST
    high = _TITLE + len(maps) * (_HEAD + frame.height) + _LEGEND
    figure = Figure(figsize=(wide / 72, high / 72))
    note = "" if run.note is None else "  (partial run)"
    title = fitted(run.title + note, wide - 16, 12, bold=True)
    figure.text(8 / wide, 1 - 8 / high, title, va="top", fontsize=12, fontweight="bold")
    for number, (phase, loads) in enumerate(maps):
        low = high - _TITLE - (number + 1) * (_HEAD + frame.height)
        axis = _axis(figure, (0, low, wide, frame.height + _HEAD), (wide, high))
        _draw_phase(axis, phase, len(maps), loads, frame)
    draw_legend(_axis(figure, (0, 0, wide, _LEGEND), (wide, high)), most or 1.0, maps[0][1].priced)
    return figure


def _labels(
    points: dict[str, Point], edges: list[tuple[str, str]], maps: list[tuple[Phase, NetworkLoads]]
) -> list[Label]:
    """The names on all maps alike; of many nodes, those at congested links only."""
    if len(points) > _MOST_NAMED:
        worst = [link for _, loads in maps for link in loads.congested()]
        ends = {node for link in worst for node in (link.source, link.target)}
        named = {node: point for node, point in points.items() if node in ends}
    else:
        named = points
    lines = [_aside(points[a], points[b], 4.0) for a, b in edges]
    written = [_middle(points[a], points[b]) for a, b in edges] * 3  # rather a line than a number
    return name_labels(named, _NAME_SIZE, lines + written, _MAP)


def _middle(a: Point, b: Point) -> tuple[Point, Point]:
    """Where the utilisation of a direction is written."""
    (ax, ay), (bx, by) = _aside(a, b, 11.0)
    part = min(11.0 / (math.dist(a, b) or 1.0), 0.5)
    return (
        ((ax + bx) / 2 - part * (bx - ax), (ay + by) / 2 - part * (by - ay)),
        ((ax + bx) / 2 + part * (bx - ax), (ay + by) / 2 + part * (by - ay)),
    )


def _aside(a: Point, b: Point, by: float) -> tuple[Point, Point]:
    """A line moved to its right."""
    length = math.dist(a, b) or 1.0
    ox, oy = by * (b[1] - a[1]) / length, -by * (b[0] - a[0]) / length
    return (a[0] + ox, a[1] + oy), (b[0] + ox, b[1] + oy)


def _axis(figure: Figure, box: tuple[float, ...], whole: Point) -> Axes:
    """An axis without frame whose unit is a point."""
    left, low, wide, high = box
    place = (left / whole[0], low / whole[1], wide / whole[0], high / whole[1])
    axis = figure.add_axes(place)
    axis.set_xlim(0, wide)
    axis.set_ylim(0, high)
    axis.set_axis_off()
    return axis


def _draw_phase(axis: Axes, phase: Phase, count: int, loads: NetworkLoads, frame: _Frame) -> None:
    window = loads.window
    span = f"{window.from_ps / PS_PER_S:g} s to {window.to_ps / PS_PER_S:g} s"
    name = f"Phase {phase.number}, " if count > 1 or phase.number > 1 else ""
    heading = f"{name}{span}: {phase.label}"
    heading = fitted(heading, _MAP + _LIST - 16, 9.5, bold=True)
    axis.text(8, frame.height + 8, heading, fontsize=9.5, fontweight="bold")
    worst = loads.congested()
    badges = {x.link: name for x, name in zip(worst, badge_names(frame.points), strict=False)}
    points = frame.points
    lines = {x.link: _line(points[x.source], points[x.target], x, frame) for x in loads.links}
    for link in sorted(loads.links, key=lambda x: x.congested):
        _draw_direction(axis, link, lines[link.link], frame)
    written = [box_of(label, _NAME_SIZE) for label in frame.labels]
    written += [(x - 4, y - 4, x + 4, y + 4) for x, y in points.values()]
    if len(loads.links) <= _MOST_NUMBERED:
        numbers = [_draw_percent(axis, link, lines[link.link]) for link in loads.links]
        written += [box for box in numbers if box is not None]
    owners = [lines[link] for link in badges]
    places = badge_places(owners, list(lines.values()), written)
    look: dict[str, Any] = {"fontsize": 8.5, "fontweight": "bold", "zorder": 9, "bbox": BADGE}
    for (x, y), name in zip(places, badges.values(), strict=True):
        axis.text(x, y, name, ha="center", va="center", **look)
    _draw_nodes(axis, frame)
    draw_list(axis, loads, badges, (_MAP + 8, frame.height), _LIST - 16)


def _line(a: Point, b: Point, link: LinkLoad, frame: _Frame) -> tuple[Point, Point]:
    """Ends of a direction's line: beside the link, short of the nodes."""
    (ax, ay), (bx, by) = _aside(a, b, 1.4 + width_of(link.used_bps, frame.most_bps) / 2)
    length = math.dist(a, b) or 1.0
    short = min(5.5, length / 5) / length
    ux, uy = short * (bx - ax), short * (by - ay)
    return (ax + ux, ay + uy), (bx - ux, by - uy)


def _draw_direction(axis: Axes, link: LinkLoad, line: tuple[Point, Point], frame: _Frame) -> None:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Polygon

    shade = LinearSegmentedColormap.from_list("use", SHADES)(min(link.utilization, 1.0))
    shape = _arrow(line, width_of(link.used_bps, frame.most_bps))
    if link.congested:
        axis.add_patch(Polygon(shape, facecolor=HALO, edgecolor=HALO, linewidth=6, zorder=2))
    axis.add_patch(Polygon(shape, facecolor=shade, linewidth=0, zorder=3))


def _arrow(line: tuple[Point, Point], width: float) -> list[Point]:
    """Outline of an arrow along a line."""
    a, b = line
    length = math.dist(a, b) or 1.0
    ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    head, half = min(4.5 + width, 0.6 * length), width / 2
    neck, barb = length - head, half + 2.0
    outline = [(0, half), (neck, half), (neck, barb), (length, 0)]
    outline += [(along, -aside) for along, aside in reversed(outline[:3])]
    return [(a[0] + x * ux - y * uy, a[1] + x * uy + y * ux) for x, y in outline]


def _draw_percent(axis: Axes, link: LinkLoad, line: tuple[Point, Point]) -> Box | None:
    """Write the utilisation beside a line; the box it takes."""
    (ax, ay), (bx, by) = line
    length = math.dist(*line) or 1.0
    if length < 34:
        return None  # the list or the table has it; here it would cover the line
    ux, uy = (bx - ax) / length, (by - ay) / length
    aside = 11.5 if link.congested else 8.5
    at = 0.5 if not link.congested else 0.75
    x, y = ax + at * (bx - ax) + uy * aside, ay + at * (by - ay) - ux * aside
    turned = math.degrees(math.atan2(uy, ux))
    turned = turned - 180 if turned > 90 else turned + 180 if turned < -90 else turned
    weight = "bold" if link.congested else "normal"
    text = f"{100 * link.utilization:.0f} %"
    look: dict[str, Any] = {"fontsize": 6.5, "color": "0.25", "fontweight": weight, "zorder": 5}
    axis.text(x, y, text, ha="center", va="center", rotation=turned, **look)
    return (x - 9, y - 9, x + 9, y + 9)  # turned any way


def _draw_nodes(axis: Axes, frame: _Frame) -> None:
    from matplotlib import patheffects

    points = frame.points.values()
    size = 10 if len(points) > _MOST_NAMED else 42
    axis.scatter([x for x, _ in points], [y for _, y in points], s=size, c="black", zorder=6, lw=0)
    rim = [patheffects.withStroke(linewidth=2.5, foreground="white")]
    for label in frame.labels:
        look: dict[str, Any] = {"fontsize": _NAME_SIZE, "zorder": 8, "path_effects": rim}
        axis.text(label.x, label.y, label.text, ha="center", va="center", **look)
