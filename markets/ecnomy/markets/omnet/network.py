# SPDX-License-Identifier: Apache-2.0
"""Write the text of network.ned, with nodes and a channel for each direction of a link."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Final

from ecnomy.markets.omnet.clear_names import Box, clear_names
from ecnomy.markets.omnet.names import one_line, quoted, tag
from ecnomy.markets.omnet.quantities import bits_per_second, time
from ecnomy.markets.omnet.wiring import WiredNode, Wiring
from ecnomy.markets.plan import Plan

__all__ = ["NETWORK", "channel_settings", "network_ned"]

NETWORK: Final = "Scenario"
_WIDTH: Final = 870  # width of the area for positions
_MARGIN: Final = 120
_TOP: Final = 150  # space above all nodes, for the market
_HEIGHT: Final = 400  # height of the network, which fits Qtenv's window at 1920x1080
_FOOT: Final = 50  # space below the nodes, for their names
_APART: Final = 70  # distance of nodes that separates icons and names
_WIDER: Final = 2.5  # largest factor by which the picture grows for that distance
_PAIRS: Final = 100_000  # largest number of compared pairs of nodes
_PANEL: Final = 490  # width at the right of the network, for the view's lists
_PLOTS: Final = 126  # height below the nodes, for the view's plots
_HEAD: Final = """\
import ecnomy.market.MarketBridge;
import ecnomy.node.MarketNode;
import ecnomy.view.MarketView;
import ned.DatarateChannel;

//
// Made by `ecnomy export`: {title}.
// Parameters are in omnetpp.ini.
//
network {network}
{{
    parameters:
        @display("bgb={whole},{height}");
    submodules:
        market: MarketBridge {{
            @display("p=120,60");
        }}
        view: MarketView {{
            @display("p={beside},30");
        }}
"""


def network_ned(
    plan: Plan,
    wiring: Wiring,
    positions: Mapping[str, tuple[float, float]] | None = None,
    *,
    channels: bool = True,
) -> str:
    """Return the NED text of a plan's network.

    Args:
        plan: the plan.
        wiring: the wiring of the plan's network.
        positions: positions of nodes, by name, as longitude and latitude or as x and y (upwards).
            OMNeT++ places the other nodes.
        channels: whether channels have rates and delays. Otherwise, `channel_settings` sets them.
    """
    width, height, places = _places(positions or {})
    area = (_MARGIN / 2, _TOP, width - _MARGIN / 2, height - _FOOT)
    places = _clear(plan, wiring, places, area)
    head = _HEAD.format(
        title=one_line(plan.title) or "a scenario without a title",
        network=NETWORK,
        whole=width + _PANEL,
        height=height + _PLOTS,
        beside=width + 20,
    )
    nodes = "".join(_node(node, places.get(node.shown)) for node in wiring.nodes)
    wires = "".join(_wire(plan, wiring, number, channels) for number in range(len(plan.links)))
    return f"{head}{nodes}    connections allowunconnected:\n{wires}}}\n"


def _clear(
    plan: Plan, wiring: Wiring, places: Mapping[str, tuple[int, int]], area: Box
) -> dict[str, tuple[int, int]]:
    """Return places of the nodes such that few lines cross names (clear_names.py)."""
    placed = [node for node in wiring.nodes if node.shown in places]
    names = {node.shown: node.name for node in placed}
    ends = [(plan.nodes[link.source], plan.nodes[link.target]) for link in plan.links]
    lines = [(names[a], names[b]) for a, b in ends if a in names and b in names]
    clear_places = clear_names({node.name: places[node.shown] for node in placed}, lines, area)
    return {node.shown: clear_places[node.name] for node in placed}


def _node(node: WiredNode, place: tuple[int, int] | None) -> str:
    tags = [] if place is None else [f"p={place[0]},{place[1]}"]
    sends = {app.sends for app in node.apps}
    if len(sends) == 1:
        tags.append("i=device/server" if True in sends else "i=device/pc2")
    if node.name != node.shown:
        tags.append(f"t={tag(node.shown)}")
    display = f'            @display("{";".join(tags)}");\n' if tags else ""
    gates = f"            gates:\n                pppg[{len(node.framing)}];\n"
    return f"        {node.name}: MarketNode {{\n{display}{gates}        }}\n"


def channel_settings(plan: Plan, wiring: Wiring) -> Iterator[tuple[str, str]]:
    """Yield the rate and delay of each direction of a link as parameters of its channel."""
    for link, wire in zip(plan.links, wiring.wires, strict=True):
        leaves = f"{wiring.nodes[link.source].name}.pppg$o[{wire.leaves}].{wire.name}"
        yield f"{leaves}.datarate", bits_per_second(link.rate_bps)
        yield f"{leaves}.delay", time(link.delay_ps)


def _wire(plan: Plan, wiring: Wiring, number: int, numbers: bool) -> str:
    link, wire = plan.links[number], wiring.wires[number]
    leaves = f"{wiring.nodes[link.source].name}.pppg$o[{wire.leaves}]"
    enters = f"{wiring.nodes[link.target].name}.pppg$i[{wire.enters}]"
    values = f"datarate = {bits_per_second(link.rate_bps)}; delay = {time(link.delay_ps)};"
    channel = f"            {values}\n" if numbers else ""
    comment = "" if link.name == wire.name else f"  // {quoted(link.name)}"
    return (
        f"        {leaves} --> {wire.name}: DatarateChannel {{{comment}\n"
        f"{channel}"
        f"        }} --> {enters};\n"
    )


def _places(
    positions: Mapping[str, tuple[float, float]],
) -> tuple[int, int, dict[str, tuple[int, int]]]:
    """Return the width and height of the picture, and positions in pixels from the upper left.

    If nodes would overlap, the picture is larger than usual.
    """
    if not positions:
        return _WIDTH, _HEIGHT, {}
    xs, ys = zip(*positions.values(), strict=True)
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    across = (_WIDTH - 2 * _MARGIN) / (max(wide, high) or 1.0)
    down = min(across, (_HEIGHT - _TOP - _FOOT) / (high or 1.0))
    flat = [(x * across, y * down) for x, y in positions.values()]
    pairs = itertools.islice(itertools.combinations(flat, 2), _PAIRS)
    nearest = min((math.dist(a, b) for a, b in pairs), default=math.inf)
    wider = min(max(_APART / (nearest or _APART), 1.0), _WIDER)
    across, down = across * wider, down * wider
    height = max(_HEIGHT, _TOP + round(high * down) + _FOOT)
    width = max(_WIDTH, 2 * _MARGIN + round(wide * across))
    left = (width - wide * across) / 2
    top = _TOP + (height - _TOP - _FOOT - high * down) / 2
    places = {
        node: (round(left + (x - min(xs)) * across), round(top + (max(ys) - y) * down))
        for node, (x, y) in positions.items()
    }
    return width, height, places
