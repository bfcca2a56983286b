# SPDX-License-Identifier: Apache-2.0
"""The numbers of a network, on a star with chosen counters."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from ecnomy.analysis.run.network_loads import (
    LINK_COUNTERS,
    LinkData,
    is_network,
    link_loads,
    network_loads,
)
from ecnomy.analysis.run.network_sums import node_sums
from ecnomy.analysis.run.summary import summarize
from ecnomy.analysis.run_pictures.network_plot import _figure, _maps, network_picture
from ecnomy.analysis.show.command import show_command
from ecnomy.markets.results.rawrun import open_raw
from ink import inked
from market_world import PS as S
from star_world import WINDOW, star, written


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The results folder of ten seconds on the star."""
    return written(tmp_path)


def test_a_path_is_no_network(gold_silver: Path, tmp_path: Path) -> None:
    """A chain of links has no map, but a star has one."""
    run = open_raw(gold_silver)
    assert not is_network(run.plan)
    assert is_network(star())
    assert not network_picture(run, tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


def test_links_in_numbers(results: Path) -> None:
    """Utilisation counts ACKs, marking and price count data only."""
    loads = network_loads(open_raw(results), WINDOW)
    east, back = loads.links[2], loads.links[3]
    assert (east.source, east.target) == ("hub", "east")
    assert east.utilization == pytest.approx(8 * (160 * 1000 + 40 * 40) / 2e6)
    assert east.marked == pytest.approx(8 / 160)
    assert east.price_per_mbit == pytest.approx(8 * 0.05 / (160 * 0.008))
    assert (east.queue_packets, east.wait_s) == (pytest.approx(20), pytest.approx(20 / 200))
    assert back.utilization == pytest.approx(8 * (40 * 1000 + 160 * 40) / 2e6)
    assert (back.marked, back.price_per_mbit, back.congested) == (0, 0, False)
    assert loads.congested() == [east]
    assert math.isnan(loads.links[4].marked)  # only ACKs go to the south-west


def test_parallel_links_show_their_names() -> None:
    """Links that join the same nodes show their names beside their ends, others do not."""
    plan, zeros = star(), np.zeros(6)
    east, south = plan.links[2], plan.links[4]
    links = [*plan.links[:4], msgspec.structs.replace(south, target=east.target), plan.links[5]]
    none = dict.fromkeys(LINK_COUNTERS, zeros)
    both = (
        link_loads(one, none, LinkData(zeros, zeros, zeros, None), WINDOW)
        for one in (plan, msgspec.structs.replace(plan, links=links))
    )
    (alone, *_), (first, other, back) = ([loads[i] for i in (2, 4, 3)] for loads in both)
    assert alone.between() == "hub to east" and back.between() == "east to hub"
    assert first.between(" > ") == f"hub > east ({east.name})".replace("_", " ")
    assert other.between(" > ") == f"hub > east ({south.name})".replace("_", " ")


def _changed(
    folder: Path, table: str, rows: Callable[[pd.DataFrame], pd.Series], **values: int
) -> None:
    """Sets columns of some rows of a table."""
    frame = pd.read_parquet(folder / f"{table}.parquet")
    for name, value in values.items():
        frame.loc[rows(frame), name] = value
    frame.to_parquet(folder / f"{table}.parquet", index=False)


def test_packets_lost_before_a_link_are_not_of_it(results: Path) -> None:
    """The second link receives 10 of 60 packets/s, so its 8 marks are of 110, not of 160."""
    east = pd.read_parquet(results / "link_epochs.parquet")
    east.loc[east["link"] == 2, "arrivals"] -= 50 * east["t_ps"] // S
    east.to_parquet(results / "link_epochs.parquet", index=False)
    _changed(results, "pairs", lambda t: (t["source"] == 2) & (t["link"] == 2), arrivals=100)
    link = network_loads(open_raw(results), WINDOW).links[2]
    assert link.marked == pytest.approx(8 / 110)
    assert link.price_per_mbit == pytest.approx(8 * 0.05 / (110 * 0.008))


def test_marks_on_acks_are_no_marks_on_data(results: Path) -> None:
    """Thirty marked ACKs per second do not change the shares and prices of marked data.

    ACKs share links with data of the other direction. A link with only ACKs has no share.
    """
    wires = pd.read_parquet(results / "link_epochs.parquet")
    wires.loc[wires["link"].isin([2, 4]), "marks"] += 30 * wires["t_ps"] // S
    wires.to_parquet(results / "link_epochs.parquet", index=False)
    _changed(results, "pairs", lambda t: (t["source"] == 1) & (t["link"] == 2), marks=300)
    _changed(results, "pairs", lambda t: (t["source"] == 2) & (t["link"] == 4), marks=300)
    loads = network_loads(open_raw(results), WINDOW)
    assert loads.links[2].marked == pytest.approx(8 / 160)
    assert loads.links[2].price_per_mbit == pytest.approx(8 * 0.05 / (160 * 0.008))
    assert math.isnan(loads.links[4].marked)
    assert not loads.links[4].congested


def test_marks_nobody_is_charged_for_cost_nothing(results: Path) -> None:
    """If one of two marked sources is not charged, the price counts only the other's marks."""
    ledger = pd.read_parquet(results / "ledger.parquet")
    ledger[ledger["flow"] == 0].to_parquet(results / "ledger.parquet", index=False)
    link = network_loads(open_raw(results), WINDOW).links[2]
    assert link.price_per_mbit == pytest.approx(5 * 0.05 / (160 * 0.008))


def test_overview_and_map_say_the_same_of_a_link(results: Path) -> None:
    """The marking panel shows data, like the map, and its axis says so."""
    from ecnomy.analysis.run_pictures import overview as plots

    figure = plots._figure(plots._collect(open_raw(results)))
    (panel,) = [a for a in figure.axes if a.get_ylabel() == "data packets marked\n[%]"]
    (curve,) = [x for x in panel.get_lines() if x.get_label() == "of ECN-capable data"]
    run = open_raw(results)
    marked = 100 * network_loads(run, WINDOW).links[2].marked
    (phase,) = summarize(run).phases
    (row,) = [row for row in phase.links if row.link == 2]
    assert 100 * row.marking_probability == pytest.approx(marked)
    assert list(curve.get_ydata()) == pytest.approx([marked] * 10)


def test_pairs_and_nodes_in_numbers(results: Path) -> None:
    """Demand, rate and payment of pairs, and their sums by sending node, highest payment first."""
    loads = network_loads(open_raw(results), WINDOW)
    first = loads.pairs[0]
    assert (first.source, first.target, first.family) == ("north", "east", "demand")
    assert (first.wanted_bps, first.goodput_bps) == (8e6, pytest.approx(8e5))
    assert first.charge_per_s == pytest.approx(0.25)
    sums = node_sums(loads)
    assert list(sums) == ["north", "south_west", "east"]
    assert sums["north"].price_per_mbit == pytest.approx(0.25 / 0.8)
    paid = sum(pair.charge_per_s for pair in loads.pairs) * WINDOW.seconds
    ledger = open_raw(results).ledger
    inside = ledger[ledger["t_ps"] > 2 * S]["amount_micro"].sum()
    assert round(paid * 1e6) == inside


def _waiting(folder: Path, link: int, packets: int, busy: bool = False) -> None:
    """Sets the backlog of a link without marks and losses; `busy` fills it completely."""
    wires = pd.read_parquet(folder / "link_epochs.parquet")
    rows, seconds = wires["link"] == link, wires["t_ps"] / S
    wires.loc[rows, "queue_integral"] = packets * seconds[rows]
    if busy:
        wires.loc[rows, "departed_bytes"] = (250_000 * seconds[rows]).astype("int64")
    wires.to_parquet(folder / "link_epochs.parquet", index=False)


@pytest.mark.parametrize(
    ("packets", "busy", "signs"),
    [(0, False, ()), (1, False, ()), (5, False, ("waiting",)), (1, True, ("waiting",))],
)
def test_a_link_where_packets_wait_is_congested(
    results: Path, packets: int, busy: bool, signs: tuple[str, ...]
) -> None:
    """Without marks or losses: five packets wait (36 ms), or one at 100 % utilisation."""
    _waiting(results, 1, packets, busy)
    run = open_raw(results)
    loads = network_loads(run, WINDOW)
    link = loads.links[1]
    assert (link.marked, link.dropped) == (0, 0)
    assert link.congested_by == signs
    assert [x.link for x in loads.congested()] == ([2, 1] if signs else [2])
    (phase,) = summarize(run).phases
    (row,) = [row for row in phase.links if row.link == 1]
    assert row.congested_by == signs
    texts = [text.get_text() for axis in _figure(run, _maps(run)).axes for text in axis.texts]
    assert ("north \N{RIGHTWARDS ARROW} hub" in texts) is bool(signs)


def test_lost_packets_are_shown_beside_marked_ones(results: Path) -> None:
    """A drop-tail link that loses 1 of 100 is congested by drops, and the list shows the share."""
    wires = pd.read_parquet(results / "link_epochs.parquet")
    wires.loc[wires["link"] == 1, "drops"] += wires["t_ps"] // S
    wires.to_parquet(results / "link_epochs.parquet", index=False)
    run = open_raw(results)
    assert network_loads(run, WINDOW).links[1].congested_by == ("drops",)
    texts = [text.get_text() for axis in _figure(run, _maps(run)).axes for text in axis.texts]
    assert "41 % used, 0.71 % lost" in texts


def test_show_prints_pairs_nodes_and_links(results: Path) -> None:
    """The output has the network's tables, and the map is beside the picture."""
    app = typer.Typer()
    app.command()(show_command)
    done = CliRunner().invoke(app, [str(results)])
    assert done.exit_code == 0, done.output
    lines = [" ".join(line.split()) for line in done.output.splitlines()]
    assert "north to east 8.000 0.800 10.0 % 5.00 0.250 0.3125" in lines
    assert "all 3 24.000 1.600 6.7 % 8.00 0.400 0.2500" in lines
    assert "north 8.000 0.800 10.0 % 5.00 0.250 0.3125" in lines
    assert "hub to east 64.6 % 5.0 % 20.0 100.0 0 0.3125 marks, waiting" in lines
    assert "north to hub 40.6 % 0.0 % 0.0 0.0 0 0.0000 -" in lines
    assert lines[-1] == f"map: {results / 'network.png'}"
    assert (results / "network.png").stat().st_size > inked(20_000)
