# SPDX-License-Identifier: Apache-2.0
"""The list next to a network map: congested links with badges, and the nodes that pay most."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from ecnomy.analysis.draw.fitted_text import fitted, width_of_text
from ecnomy.analysis.run.network_loads import LinkLoad, NetworkLoads
from ecnomy.analysis.run.network_sums import Sums, node_sums
from ecnomy.analysis.run_pictures.network_layout import Point
from ecnomy.analysis.run_pictures.network_legend import HALO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BADGE", "badge_names", "draw_list", "link_facts"]

BADGE: Final[dict[str, Any]] = {
    "boxstyle": "circle,pad=0.2",
    "facecolor": HALO,
    "edgecolor": "white",
    "linewidth": 1.2,
}
_BADGE_NAMES: Final = (
    tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    tuple(str(number) for number in range(1, 27)),
    tuple(chr(code) for code in range(0x3B1, 0x3CA)),  # alpha to omega
)
_ROW: Final = 23.0
_MOST_SENDERS: Final = 5


def badge_names(nodes: Iterable[str]) -> tuple[str, ...]:
    """Return letters, numbers or Greek letters as badges: if possible, none that names a node."""
    taken = {node.strip().casefold() for node in nodes}
    for names in _BADGE_NAMES:
        if not taken & {name.casefold() for name in names}:
            return names
    return _BADGE_NAMES[0]


def draw_list(
    axis: Axes, loads: NetworkLoads, badges: dict[int, str], at: Point, width: float
) -> None:
    """Draw totals, congested links with their badges, and the nodes that pay most.

    Args:
        axis: an axis in points.
        loads: the loads of links and pairs.
        badges: link -> badge, for links that have a badge on the map.
        at: the upper left corner; the list extends down to 0.
        width: width of the list, points.
    """
    worst = loads.congested()
    left, y = at[0], at[1] - 4
    height = at[1]
    got = sum(pair.goodput_bps for pair in loads.pairs) / 1e6
    paid = sum(pair.charge_per_s for pair in loads.pairs)
    money = f", {paid:.3g} money/s paid for marks" if loads.priced else ""
    total = fitted(f"{got:.4g} Mbps delivered{money}", width, 8.5)
    axis.text(left, y, total, fontsize=8.5, va="top")
    heading = "Congested links" if worst else "No link is congested"
    axis.text(left, y - 20, heading, fontsize=8.5, fontweight="bold", va="top")
    senders = node_sums(loads)
    room = int((height - 46) / _ROW) - (min(len(senders), _MOST_SENDERS) + 2) * 12 // int(_ROW)
    rows = worst[: max(room, 1)]
    y -= 36
    for link in rows:
        _draw_fact(axis, link, badges.get(link.link, ""), (left, y), width - 17)
        y -= _ROW
    if len(worst) > len(rows):
        axis.text(left + 17, y, f"and {len(worst) - len(rows)} more", fontsize=7.5, va="top")
        y -= 12
    _draw_senders(axis, senders, loads.priced, (left, y - 8), width)


def _draw_fact(axis: Axes, link: LinkLoad, badge: str, at: Point, width: float) -> None:
    left, y = at
    ends = link.between(" \N{RIGHTWARDS ARROW} ")
    if badge:
        look: dict[str, Any] = {"fontsize": 7.5, "fontweight": "bold", "bbox": BADGE}
        axis.text(left + 6, y - 6, badge, ha="center", va="center", **look)
    axis.text(left + 17, y, fitted(ends, width, 8), fontsize=8, va="top")
    facts = fitted(link_facts(link), width, 7.5)
    axis.text(left + 17, y - 10, facts, fontsize=7.5, color="0.25", va="top")


def _draw_senders(
    axis: Axes, senders: dict[str, Sums], priced: bool, at: Point, width: float
) -> None:
    left, y = at
    heading = "Who sends and pays most" if priced else "Who sends most"
    axis.text(left, y, heading, fontsize=8.5, fontweight="bold", va="top")
    for node, sums in list(senders.items())[:_MOST_SENDERS]:
        y -= 12
        rate = f"{sums.goodput_bps / 1e6:.3g}"
        if not math.isnan(sums.wanted_bps):
            rate += f" of {sums.wanted_bps / 1e6:.3g}"
        money = f", {sums.charge_per_s:.3g} money/s" if priced else ""
        rest = f": {rate} Mbps{money}"
        name = fitted(node.replace("_", " "), width - 4 - width_of_text(rest, 7.5), 7.5)
        axis.text(left + 4, y, name + rest, fontsize=7.5, color="0.25", va="top")


def link_facts(link: LinkLoad) -> str:
    """Describe a link's utilisation, marks, losses, waits and price in one line."""
    parts = [f"{100 * link.utilization:.0f} % used"]
    if link.marked > 0:
        parts.append(f"{_share(link.marked)} marked")
    if link.dropped > 0:
        parts.append(f"{_share(link.dropped)} lost")
    if "waiting" in link.congested_by:
        parts.append(f"{1e3 * link.wait_s:.3g} ms wait")
    if link.price_per_mbit > 0:
        parts.append(f"{link.price_per_mbit:.3g} money/Mbit")
    return ", ".join(parts)


def _share(value: float) -> str:
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"
