# SPDX-License-Identifier: Apache-2.0
"""The list beside the map of a network: congested links by letter, and who pays most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from ecnomy.analysis.network_layout import Point
from ecnomy.analysis.network_legend import HALO
from ecnomy.analysis.network_loads import LinkLoad, NetworkLoads
from ecnomy.analysis.network_tables import Sums, node_sums

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BADGE", "cut", "draw_list"]

BADGE: Final[dict[str, Any]] = {
    "boxstyle": "circle,pad=0.2",
    "facecolor": HALO,
    "edgecolor": "white",
    "linewidth": 1.2,
}
_ROW: Final = 23.0
_MOST_SENDERS: Final = 5


def cut(text: str, most: int) -> str:
    """A text of `most` letters at most."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def draw_list(axis: Axes, loads: NetworkLoads, letters: dict[int, str], at: Point) -> None:
    """Totals, congested links with their letters, and who pays most.

    Args:
        axis: in points.
        loads: what happened.
        letters: by link, of those that have one on the map.
        at: the upper left corner; the list reaches down to 0.
    """
    worst = loads.congested()
    left, y = at[0], at[1] - 4
    height = at[1]
    got = sum(pair.goodput_bps for pair in loads.pairs) / 1e6
    paid = sum(pair.charge_per_s for pair in loads.pairs)
    money = f", {paid:.3g} money/s paid for marks" if loads.priced else ""
    axis.text(left, y, f"{got:.4g} Mbps delivered{money}", fontsize=8.5, va="top")
    heading = "Congested links" if worst else "No link is congested: no marks, nothing to pay"
    axis.text(left, y - 20, heading, fontsize=8.5, fontweight="bold", va="top")
    senders = node_sums(loads)
    room = int((height - 46) / _ROW) - (min(len(senders), _MOST_SENDERS) + 2) * 12 // int(_ROW)
    rows = worst[: max(room, 1)]
    y -= 36
    for link in rows:
        _draw_fact(axis, link, letters.get(link.link, ""), (left, y))
        y -= _ROW
    if len(worst) > len(rows):
        axis.text(left + 17, y, f"and {len(worst) - len(rows)} more", fontsize=7.5, va="top")
        y -= 12
    _draw_senders(axis, senders, loads.priced, (left, y - 8))


def _draw_fact(axis: Axes, link: LinkLoad, letter: str, at: Point) -> None:
    left, y = at
    ends = f"{link.source} \N{RIGHTWARDS ARROW} {link.target}".replace("_", " ")
    if letter:
        look: dict[str, Any] = {"fontsize": 7.5, "fontweight": "bold", "bbox": BADGE}
        axis.text(left + 6, y - 6, letter, ha="center", va="center", **look)
    axis.text(left + 17, y, cut(ends, 44), fontsize=8, va="top")
    axis.text(left + 17, y - 10, _facts(link), fontsize=7.5, color="0.25", va="top")


def _draw_senders(axis: Axes, senders: dict[str, Sums], priced: bool, at: Point) -> None:
    left, y = at
    heading = "Who sends and pays most" if priced else "Who sends most"
    axis.text(left, y, heading, fontsize=8.5, fontweight="bold", va="top")
    for node, sums in list(senders.items())[:_MOST_SENDERS]:
        y -= 12
        rate = f"{sums.goodput_bps / 1e6:.3g}"
        if not math.isnan(sums.wanted_bps):
            rate += f" of {sums.wanted_bps / 1e6:.3g}"
        money = f", {sums.charge_per_s:.3g} money/s" if priced else ""
        text = f"{node.replace('_', ' ')}: {rate} Mbps{money}"
        axis.text(left + 4, y, cut(text, 54), fontsize=7.5, color="0.25", va="top")


def _facts(link: LinkLoad) -> str:
    parts = [f"{100 * link.utilization:.0f} % used"]
    if not math.isnan(link.marked):
        parts.append(f"{_share(link.marked)} marked")
    if link.dropped > 0:
        parts.append(f"{_share(link.dropped)} dropped")
    if not math.isnan(link.price_per_mbit):
        parts.append(f"{link.price_per_mbit:.3g} money/Mbit")
    return ", ".join(parts)


def _share(value: float) -> str:
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"
