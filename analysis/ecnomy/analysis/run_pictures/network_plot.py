# SPDX-License-Identifier: Apache-2.0
"""Maps of a run on a network: utilisation, congestion and price of links in both directions.

Each phase has a map (see network_map.py), or only the first and the last phase if there are more
than three. The list next to the map explains the badges of congested links. The same results and
library versions give the same PNG, byte for byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.draw.fitted_text import fitted
from ecnomy.analysis.draw.panels import save
from ecnomy.analysis.run.families import shown_nodes
from ecnomy.analysis.run.network_loads import NetworkLoads, is_network, network_loads
from ecnomy.analysis.run.phases import Phase, phases_of
from ecnomy.analysis.run.windows import Epochs
from ecnomy.analysis.run_pictures.network_layout import Point, layout
from ecnomy.analysis.run_pictures.network_legend import draw_legend
from ecnomy.analysis.run_pictures.network_list import badge_names, draw_list
from ecnomy.analysis.run_pictures.network_map import NetworkMap, draw_map, map_labels
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["network_picture"]

_MAP: Final = 610.0  # points, the unit of the maps
_LIST: Final = 265.0
_MARGIN: Final = 48.0
_HEAD: Final = 26.0  # height above each map, points
_TITLE: Final = 26.0
_LEGEND: Final = 62.0
_MOST_MAPS: Final = 3


def network_picture(run: RawRun | Results, file: str | Path) -> bool:
    """Draw the maps of a run as a PNG of 150 dpi.

    Returns:
        True if a picture was drawn. A picture needs a network (see is_network) and two reports.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
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


def _maps(run: RawRun) -> list[tuple[Phase, NetworkLoads]]:
    """Return the phases that have at least two reports, and their loads.

    If there are more than three such phases, return only the first and the last one.
    """
    epochs = Epochs(run.flow_epochs, "flow", run.plan.row_count)
    reached = int(epochs.t_ps[-1]) if len(epochs.t_ps) else 0
    windows = [(p, epochs.window(p.settled_ps, p.to_ps)) for p in phases_of(run.plan, reached)]
    kept = [(phase, window) for phase, window in windows if window is not None]
    if len(kept) > _MOST_MAPS:
        kept = [kept[0], kept[-1]]
    return [(phase, network_loads(run, window)) for phase, window in kept]


def _figure(run: RawRun, maps: list[tuple[Phase, NetworkLoads]]) -> Figure:
    from matplotlib.figure import Figure

    plan = run.plan
    edges = [(plan.nodes[x.source], plan.nodes[x.target]) for x in plan.links]
    inner, height = layout(plan.nodes, edges, shown_nodes(run), _MAP - 2 * _MARGIN)
    points = {node: (x + _MARGIN, y + _MARGIN) for node, (x, y) in inner.items()}
    most = max(x.used_bps for _, loads in maps for x in loads.links)
    worst = [link for _, loads in maps for link in loads.congested()]
    labels = map_labels(points, edges, worst, _MAP)
    frame = NetworkMap(points, labels, height + 2 * _MARGIN, most or 1.0)
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


def _axis(figure: Figure, box: tuple[float, ...], whole: Point) -> Axes:
    """Return an axis in points without a frame."""
    left, low, wide, high = box
    place = (left / whole[0], low / whole[1], wide / whole[0], high / whole[1])
    axis = figure.add_axes(place)
    axis.set_xlim(0, wide)
    axis.set_ylim(0, high)
    axis.set_axis_off()
    return axis


def _draw_phase(
    axis: Axes, phase: Phase, count: int, loads: NetworkLoads, frame: NetworkMap
) -> None:
    window = loads.window
    span = f"{window.from_ps / PS_PER_S:g} s to {window.to_ps / PS_PER_S:g} s"
    name = f"Phase {phase.number}, " if count > 1 or phase.number > 1 else ""
    heading = f"{name}{span}: {phase.label}"
    heading = fitted(heading, _MAP + _LIST - 16, 9.5, bold=True)
    axis.text(8, frame.height + 8, heading, fontsize=9.5, fontweight="bold")
    worst = loads.congested()
    badges = {x.link: name for x, name in zip(worst, badge_names(frame.points), strict=False)}
    draw_map(axis, loads.links, badges, frame)
    draw_list(axis, loads, badges, (_MAP + 8, frame.height), _LIST - 16)
