# SPDX-License-Identifier: Apache-2.0
"""The map of a network: its contents, and the places of its text."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from matplotlib.path import Path as Path2D
from matplotlib.transforms import Bbox

from ecnomy.analysis.run_pictures.network_layout import badge_places, box_of, layout, name_labels
from ecnomy.analysis.run_pictures.network_legend import width_of
from ecnomy.analysis.run_pictures.network_list import badge_names
from ecnomy.analysis.run_pictures.network_map import _arrow, _lines, map_labels
from ecnomy.analysis.run_pictures.network_plot import _figure, _maps, network_picture
from ecnomy.markets import load, make_plan
from ecnomy.markets.results.rawrun import open_raw
from star_world import SPOKES, written


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The results folder of ten seconds on the star."""
    return written(tmp_path)


def test_the_map_names_what_it_draws(results: Path) -> None:
    """The map shows nodes without underscores, and a congested link's letter and price."""
    run = open_raw(results)
    maps = _maps(run)
    figure = _figure(run, maps)
    texts = [text.get_text() for axis in figure.axes for text in axis.texts]
    assert {"hub", "north", "east", "south west"} <= set(texts)
    assert "hub \N{RIGHTWARDS ARROW} east" in texts
    assert "65 % used, 5 % marked, 100 ms wait, 0.312 money/Mbit" in texts
    assert texts.count("A") == 2  # on the map and in the list
    assert "B" not in texts
    assert any("Mbps" in text for text in texts)
    assert any("utilisation" in text and "[%]" in text for text in texts)
    assert "north: 0.8 of 8 Mbps, 0.25 money/s" in texts


def test_both_directions_are_seen(results: Path) -> None:
    """Each direction has its own arrow beside the straight line between its nodes."""
    run = open_raw(results)
    axis = _figure(run, _maps(run)).axes[0]
    arrows = [p for p in axis.patches if p.get_zorder() == 3]
    assert len(arrows) == 6
    middles = {tuple(np.round(p.get_xy()[:-1].mean(axis=0), 1)) for p in arrows}
    assert len(middles) == 6
    rims = [p for p in axis.patches if p.get_zorder() == 2]
    assert len(rims) == 1  # of the congested one


@pytest.mark.parametrize(
    ("nodes", "name"),
    [
        (("hub", "north"), "A"),
        (("A", "B", "hub"), "1"),
        (("a", "hub"), "1"),
        (("Z", "7"), "\N{GREEK SMALL LETTER ALPHA}"),
    ],
)
def test_badges_have_no_name_of_a_node(nodes: tuple[str, ...], name: str) -> None:
    """Badges are letters, or numbers or Greek letters if nodes have such names."""
    names = badge_names(nodes)
    assert names[0] == name and len(names) >= 24
    assert not {n.casefold() for n in names} & {n.casefold() for n in nodes}


def test_badges_stand_clear_of_names_nodes_and_each_other() -> None:
    """A badge is on the right of its line, even if a name takes its first place."""
    first = badge_places([((0, 0), (100, 0))], [((0, 0), (100, 0))], [])
    assert first == [(50, -13)]
    name = (40.0, -30.0, 60.0, -5.0)
    two = [((0.0, 0.0), (100.0, 0.0))] * 2
    places = badge_places(two, two, [name])
    boxes = [(x - 8, y - 8, x + 8, y + 8) for x, y in places]
    for i, one in enumerate(boxes):
        for other in [name, *boxes[:i]]:
            assert (
                one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or one[1] >= other[3]
            )
    assert all(y < 0 for _, y in places)


def test_no_text_leaves_the_picture(results: Path) -> None:
    """Long names, titles and facts are cut at the picture's edge; the legend is complete."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    run = open_raw(results)
    wide = [f"{spoke}_{'WMW_' * 12}" for spoke in ("hub", *SPOKES)]
    plan = msgspec.structs.replace(run.plan, nodes=wide).sealed()
    run.manifest = msgspec.structs.replace(run.manifest, plan=plan, title="A star of " * 40)
    figure = _figure(run, _maps(run))
    renderer = FigureCanvasAgg(figure).get_renderer()
    edge = figure.bbox.width
    texts = [*figure.texts, *(text for axis in figure.axes[:1] for text in axis.texts)]
    legend = figure.axes[-1].texts
    for text in [*texts, *legend]:
        assert 0 <= text.get_window_extent(renderer).x0, text.get_text()
        assert text.get_window_extent(renderer).x1 <= edge, text.get_text()
    assert not [text for text in legend if text.get_text().endswith("...")]
    assert [text for text in texts if text.get_text().endswith("...")]


def _ancillary(png: bytes) -> set[bytes]:
    types, at = set(), 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        types.add(png[at + 4 : at + 8])
        at += length + 12
    return types


@pytest.mark.drawn
def test_the_map_is_deterministic(results: Path, tmp_path: Path) -> None:
    """Two drawings are equal byte for byte, even with a node laid out by springs."""
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    assert all(network_picture(open_raw(results), file) for file in files)
    data = files[0].read_bytes()
    assert data == files[1].read_bytes()
    assert not {b"tEXt", b"iTXt", b"tIME"} & _ancillary(data)


def test_degrees_are_shortened_and_the_map_keeps_its_shape() -> None:
    """At 60 degrees north a degree of longitude is half as long as one of latitude."""
    known = {"a": (0.0, 59.0), "b": (4.0, 59.0), "c": (0.0, 61.0)}
    points, height = layout(["a", "b", "c"], [], known, 100.0)
    wide = points["b"][0] - points["a"][0]
    high = points["c"][1] - points["a"][1]
    assert wide / high == pytest.approx(4 * math.cos(math.radians(179 / 3)) / 2)
    assert height == pytest.approx(max(high, 100 / 3))
    plane, _ = layout(["a", "b"], [], {"a": (0.0, 0.0), "b": (500.0, 100.0)}, 100.0)
    assert plane["b"][0] - plane["a"][0] == pytest.approx(100)


def test_names_keep_apart() -> None:
    """Two nodes side by side get names that do not cover each other, within the map."""
    labels = name_labels({"Left": (40, 50), "Right": (60, 50), "Rim": (195, 90)}, 8.0, [], 200.0)
    half = [0.5 * 0.56 * 8 * len(label.text) for label in labels]
    left, right, rim = labels
    apart = abs(left.x - right.x) >= half[0] + half[1] or abs(left.y - right.y) >= 9.6
    assert apart
    assert rim.x + half[2] <= 200


def drawn(
    points: dict[str, tuple[float, float]], edges: list[tuple[str, str]]
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The lines of directions with two thirds of the highest load."""
    links: list[Any] = [
        SimpleNamespace(link=k, source=a, target=b, used_bps=2.0) for k, (a, b) in enumerate(edges)
    ]
    frame: Any = SimpleNamespace(points=points, most_bps=3.0, letters=1.0)
    return list(_lines(links, frame).values())


def test_links_that_join_the_same_nodes_lie_side_by_side() -> None:
    """Links that join the same nodes are drawn apart, with space for each utilisation."""
    points = {"west": (0.0, 0.0), "east": (200.0, 0.0)}
    edges = [("west", "east"), ("east", "west"), ("west", "east"), ("west", "east")]
    there, back, second, third = (line[0][1] for line in drawn(points, edges))
    wide = width_of(2.0, 3.0)
    assert back == -there == pytest.approx(1.4 + wide / 2)
    assert [there - second, second - third] == pytest.approx([wide + 17] * 2)


def test_names_lie_on_no_arrow_of_abilene() -> None:
    """All directions carry about as much traffic as on the map."""
    scenario = load(Path(__file__).parents[3] / "configs/examples/abilene.yaml")
    plan, positions = make_plan(scenario), scenario.document.network.positions
    edges = [(plan.nodes[x.source], plan.nodes[x.target]) for x in plan.links]
    inner, _ = layout(plan.nodes, edges, {n: positions[n] for n in plan.nodes}, 514.0)
    points = {node: (x + 48, y + 48) for node, (x, y) in inner.items()}
    arrows = [Path2D(_arrow(line, width_of(2.0, 3.0))) for line in drawn(points, edges)]
    for label in map_labels(points, edges, [], 610.0):
        box = Bbox.from_extents(*box_of(label, 8.5))
        assert not [a for a in arrows if a.intersects_bbox(box)], label.text
