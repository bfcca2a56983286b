# SPDX-License-Identifier: Apache-2.0
"""Networks of a tournament as a grid: names, scenarios, mistakes, the picture of shares."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tournament_world import TOURNAMENT, made_up, write

pytest.importorskip("open_spiel", reason="the extra `tournament`")

from ecnomy.agents.errors import ScenarioError
from ecnomy.analysis.tournament.networks_page import networks_page
from ecnomy.analysis.tournament.paying import findings_in
from ecnomy.analysis.tournament.payoff_plots import share_grid, shares
from ecnomy.analysis.tournament.tournament_file import load_tournament

GRID = """  player: one
  networks:
    - {near: {}, far: {network.links.wire.delay: 15 ms}}
    - small: {network.links.wire.buffer: 5 packets}
      big: {network.links.wire.buffer: 9 packets}"""


def text_of(networks: str) -> str:
    """The small tournament on these networks."""
    return TOURNAMENT.replace("  player: one", networks)


def texts(svg: bytes) -> list[str]:
    """The texts of a picture, which matplotlib repeats as comments."""
    return re.findall(r"<!-- (.*?) -->", svg.decode())


def bar_widths(svg: bytes) -> list[float]:
    """The widths of the rectangles with a thin black edge, in the order drawn."""
    paths = re.findall(r'<path d="([^"]*)" clip-path="[^"]*" style="[^"]*width: 0.5;', svg.decode())
    xs = [[float(x) for x in re.findall(r"[ML] ([\d.]+)", path)] for path in paths]
    return [max(x) - min(x) for x in xs]


def test_a_list_of_mappings_gives_every_combination(tmp_path: Path) -> None:
    """Each network has the changes of one name per axis, the last axis varying first."""
    tournament = load_tournament(write(tmp_path, text_of(GRID)))
    assert tournament.axes == (("near", "far"), ("small", "big"))
    wires = {}
    for name in tournament.networks:
        base = msgspec.json.decode(tournament.on(name).sweep.base)
        wire = next(link for link in base["network"]["links"] if link["name"] == "wire")
        wires[name] = (wire["delay"], wire["buffer"])
    near = wires["near-small"][0]
    assert near != "15 ms"
    assert list(wires.items()) == [
        ("near-small", (near, "5 packets")),
        ("near-big", (near, "9 packets")),
        ("far-small", ("15 ms", "5 packets")),
        ("far-big", ("15 ms", "9 packets")),
    ]
    written = tournament.networks["far-big"][1]
    assert written == "network.links.wire.delay 15 ms, network.links.wire.buffer 9 packets"


@pytest.mark.parametrize(
    ("networks", "message"),
    [
        ("[]", "networks: found a list of 0, expected a mapping of names to changes, or a list"),
        ("[{near: {}}, {}]", "networks: found an empty mapping, expected a mapping of names"),
        ("[{near: {}}, 4]", "networks: found 4, expected a mapping of names"),
        ("[{a: {}, a-b: {}}, {b-c: {}, c: {}}]", "found two networks 'a-b-c', expected a diff"),
        (
            "[{a: {network.links.wire.delay: 1 ms}}, {b: {network.links.wire.delay: 2 ms}}]",
            "networks: found network.links.wire.delay in a and in b, expected each path on one",
        ),
        ("[{a: {}}, {b: {network.links.wire.delay: 2 kg}}]", "networks.a-b: found '2 kg' (no unit"),
        (
            "[{a: {}}, {b: {network.links.wire.delay: -2 ms}}]",
            "networks.a-b: found '-2 ms' (network.links[0].delay), expected a time",
        ),
    ],
)
def test_mistakes_name_their_place(tmp_path: Path, networks: str, message: str) -> None:
    """The line has file and place, the value found and the expected one."""
    file = write(tmp_path, text_of(f"  player: one\n  networks: {networks}"))
    with pytest.raises(ScenarioError) as raised:
        load_tournament(file)
    assert message in str(raised.value) and str(raised.value).startswith(f"{file}:")


@pytest.mark.drawn
def test_the_page_draws_a_grid_as_a_grid() -> None:
    """With axes, the picture has a row per name of the first and a column per name of the last."""
    table = made_up(lambda own, mix: [1.0, 2.0, 3.0][own], populations=(2,))
    networks = {
        f"{a}-{b}": findings_in(table, 3) for a in ("near", "far") for b in ("small", "big")
    }
    grid = networks_page("grid", networks, (("near", "far"), ("small", "big")))
    bars = networks_page("bars", networks)
    (drawn, _), (plain, _) = grid.sections[0].blocks, bars.sections[0].blocks
    labels = {"near", "far", "small", "big"}
    assert labels <= set(texts(drawn.svg)) and labels.isdisjoint(texts(plain.svg))
    assert drawn.rows == plain.rows and len(drawn.rows) == 4


@pytest.mark.drawn
def test_each_cell_of_the_grid_has_its_shares() -> None:
    """The widths of a cell's bars are its shares, and a row of the grid equals plain bars."""
    values = np.array([[[1.0, 0.0], [0.25, 0.75]], [[0.5, 0.5], [0.0, 1.0]]])
    svg = share_grid(["a", "b"], ["x", "y"], ["one", "two"], values)
    widths = bar_widths(svg)
    one, two = np.array(widths[:4]), np.array(widths[4:])  # bars of the first name come first
    unit = (one + two).mean()
    assert one / unit == pytest.approx(values[..., 0].ravel(), abs=0.01)
    assert two / unit == pytest.approx(values[..., 1].ravel(), abs=0.01)
    assert svg == share_grid(["a", "b"], ["x", "y"], ["one", "two"], values)
    assert svg != shares(["a", "b"], ["one", "two"], values[0])
