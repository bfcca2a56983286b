# SPDX-License-Identifier: Apache-2.0
"""The layout of exported networks: nodes apart, left to right, the same every time."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import msgspec
import pytest

from ecnomy.markets import load, make_plan
from ecnomy.markets.omnet.clear_names import clear_names, inside, node_boxes
from ecnomy.markets.omnet.layout import Positions, placed
from ecnomy.markets.omnet.network import network_ned
from ecnomy.markets.omnet.wiring import wired
from ecnomy.markets.plan import Plan
from omnet_world import CONFIGS, everything


def plan_of(name: str) -> Plan:
    return make_plan(load(CONFIGS / name))


def pixels(plan: Plan, places: Positions | None = None) -> dict[str, tuple[int, int]]:
    """The positions of nodes in the NED text of a network, usually one without positions."""
    wiring = wired(plan)
    ned = network_ned(plan, wiring, places or placed(plan))
    spots = {}
    for node in wiring.nodes:
        place = ned.partition(f"        {node.name}: MarketNode {{\n")[2].partition("p=")[2]
        x, y = place.partition('"')[0].partition(";")[0].split(",")
        spots[node.shown] = (int(x), int(y))
    return spots


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("examples/*.yaml")), ids=lambda f: f.stem)
def test_no_two_nodes_overlap(file: Path) -> None:
    """There is room for icons of 40 pixels, also below the market, in every call."""
    plan = make_plan(load(file))
    image = pixels(plan)
    assert set(image) == set(plan.nodes) and image == pixels(plan)
    assert all(math.dist(a, b) >= 60 for a, b in itertools.combinations(image.values(), 2))
    assert all(x >= 40 and y >= 120 for x, y in image.values())


@pytest.mark.parametrize(
    "file",
    sorted((CONFIGS.parent / "omnet/simulations").glob("*/market.yaml")),
    ids=lambda f: f.parent.name,
)
def test_no_line_crosses_a_name(file: Path) -> None:
    """Qtenv writes names below icons. Lines avoid them, and nodes stay near their places."""
    scenario = load(file)
    plan = make_plan(scenario)
    wiring = wired(plan)
    given = scenario.document.network.positions
    image = pixels(plan, placed(plan, given))
    for link in plan.links:
        begin, end = image[plan.nodes[link.source]], image[plan.nodes[link.target]]
        for node in wiring.nodes:
            _, name = node_boxes(node.name, image[node.shown])
            assert inside(begin, end, name) == 0, (link.name, node.name)


def test_a_node_moves_only_where_a_line_crosses_a_name() -> None:
    """Two nodes in a column move apart, and two in a row stay."""
    area = (0.0, 0.0, 800.0, 400.0)
    beside = {"west": (100, 200), "east": (400, 200)}
    assert clear_names(beside, [("west", "east")], area) == beside
    above = {"north": (300, 100), "south": (300, 250)}
    moved = clear_names(above, [("north", "south")], area)
    assert inside(moved["north"], moved["south"], node_boxes("north", moved["north"])[1]) == 0
    assert all(math.dist(moved[node], above[node]) < 160 for node in above)
    assert moved == clear_names(above, [("south", "north")], area)


def test_data_flow_to_the_right() -> None:
    """Senders are in a column, followed by the router and the sink."""
    image = pixels(plan_of("papers/siris2002/mixed-rtt.yaml"))
    senders = [place for name, place in image.items() if name.startswith("senders")]
    assert len({x for x, _ in senders}) == 1 and len({y for _, y in senders}) == len(senders)
    assert senders[0][0] < image["router"][0] < image["sinks"][0]
    assert image["router"][1] == image["sinks"][1] == sum(y for _, y in senders) // len(senders)


def test_cross_traffic_does_not_bend_the_road() -> None:
    """Routers in a row are on one line, whatever traffic joins them."""
    image = pixels(plan_of("papers/siris2002/parking-lot.yaml"))
    assert len({y for name, (_, y) in image.items() if name.startswith("r")}) == 1


def test_data_in_circles_are_drawn_too() -> None:
    """Without a first node, every node still has its own place."""
    plan = everything()  # a to c, and c to a
    assert len(set(placed(plan).values())) == len(plan.nodes)
    assert placed(plan) == placed(plan)


def test_many_nodes_are_placed_in_little_time() -> None:
    """A hundred senders on one link do not overlap."""
    plan = plan_of("examples/gold-silver.yaml")
    link = plan.links[0]
    nodes = [*plan.nodes, *(f"s{i}" for i in range(100))]
    links = [
        msgspec.structs.replace(link, name=f"l{i}", source=len(plan.nodes) + i, target=1)
        for i in range(100)
    ]
    sources = [
        msgspec.structs.replace(plan.sources[0], name=f"f{i}", path=[len(plan.links) + i, 2])
        for i in range(100)
    ]
    crowd = msgspec.structs.replace(
        plan, nodes=nodes, links=[*plan.links, *links], sources=[*plan.sources, *sources]
    )
    places = placed(crowd)
    assert len(set(places.values())) == len(nodes)


def test_given_places_are_kept() -> None:
    """A node with a place keeps it; the others are placed next to their neighbours."""
    plan = plan_of("examples/gold-silver.yaml")
    given = {"provider": (0.0, 0.0), "town": (10.0, 5.0)}
    spots = placed(plan, given)
    assert {node: spots[node] for node in given} == given
    assert all(math.dist(spots["edge"], place) > 0.5 for place in given.values())
    whole = {node: (1.0 * i, 2.0) for i, node in enumerate(plan.nodes)}
    assert placed(plan, whole) == whole
