# SPDX-License-Identifier: Apache-2.0
"""The map of a network and its numbers, on a star whose counters were chosen by hand."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from ecnomy.analysis import open_run
from ecnomy.analysis.network_layout import badge_places, layout, name_labels
from ecnomy.analysis.network_list import badge_names
from ecnomy.analysis.network_loads import is_network, network_loads
from ecnomy.analysis.network_plot import _figure, _maps, network_picture
from ecnomy.analysis.network_tables import node_sums
from ecnomy.analysis.show import show_command
from ecnomy.analysis.summary import summarize
from ecnomy.analysis.windows import Window
from ecnomy.markets.plan import Law, Link, Plan, Record
from market_world import PS as S
from market_world import source

PRICE_MICRO = 50_000
SPOKES = ("north", "east", "south_west")
# Data packets of 1000 bytes per second of each pair, and how many of them are marked.
PACKETS = {"demand-north-east": 100, "demand-east-north": 40, "demand-south_west-east": 60}
MARKS = {"demand-north-east": 5, "demand-east-north": 0, "demand-south_west-east": 3}
WINDOW = Window(2 * S, 10 * S)


def _link(name: str, ends: tuple[int, int], law: Law) -> Link:
    return Link(
        name=name,
        source=ends[0],
        target=ends[1],
        rate_bps=2_000_000,
        delay_ps=S // 100,
        buffer_packets=60,
        buffer_bytes=-1,
        framing_bytes=0,
        not_ect="pass",
        marking=law,
        stream=f"link/{name}/marking",
    )


def star() -> Plan:
    """Three spokes and a hub, 2 Mbps links; the one to the east marks, 20 packets wait there."""
    none, law = Law("drop-tail", {}), Law("fixed", {"probability": 0.05})
    links = []
    for i, spoke in enumerate(SPOKES):
        links.append(_link(f"hub-{spoke}", (0, i + 1), law if spoke == "east" else none))
        links.append(_link(f"hub-{spoke}.reverse", (i + 1, 0), none))
    capped = Law("rate-capped", {"rate_bps": 8e6, "until_s": -1.0})
    paths = [([1, 2], [3, 0]), ([3, 0], [1, 2]), ([5, 2], [3, 4])]
    sources = [
        msgspec.structs.replace(source(name), path=path, ack_path=back, traffic=capped)
        for name, (path, back) in zip(PACKETS, paths, strict=True)
    ]
    nodes, record = ["hub", *SPOKES], Record([], -1, [], False, False)
    plan = Plan(1, "A star", 1, 10 * S, 2 * S, S, nodes, links, sources, record)
    return plan.sealed()


def _pairs(plan: Plan) -> pd.DataFrame:
    """Packets and marks of ten seconds, per source and link of its path, then of its ack path."""
    rows = []
    for number, (sending, packets) in enumerate(zip(plan.sources, PACKETS.values(), strict=True)):
        for link in [*sending.path, *sending.ack_path]:
            marks = MARKS[sending.name] if link == 2 and link in sending.path else 0
            rows.append((number, link, 10 * packets, 10 * marks))
    return pd.DataFrame(rows, columns=["source", "link", "arrivals", "marks"])


def _tables(plan: Plan) -> dict[str, pd.DataFrame]:
    seconds, flows, links = np.arange(11), len(plan.sources), len(plan.links)
    sent, marks = np.array(list(PACKETS.values())), np.array(list(MARKS.values()))
    data, acks = np.zeros(links, dtype=np.int64), np.zeros(links, dtype=np.int64)
    for sending, packets in zip(plan.sources, sent, strict=True):
        data[sending.path] += packets
        acks[sending.ack_path] += packets
    marked = np.where(np.arange(links) == 2, marks.sum(), 0)
    per_flow = {
        "sent": sent,
        "acked_bytes": 1000 * sent,
        "delivered": sent,
        "ce": marks,
        "delay_sum_ps": sent * S // 50,
    }
    per_link = {
        "arrivals": data + acks,
        "marks": marked,
        "drops": 0 * data,
        "law_drops": 0 * data,
        "not_ect_drops": 0 * data,
        "departures": data + acks,
        "departed_bytes": 1000 * data + 40 * acks,
        "queue_integral": np.where(np.arange(links) == 2, 20.0, 0.0),
    }
    epochs = {"t_ps": np.repeat(seconds * S, flows), "flow": np.tile(np.arange(flows), 11)}
    epochs |= {name: np.outer(seconds, per).ravel() for name, per in per_flow.items()}
    epochs["srtt_s"] = np.full(11 * flows, 0.05)
    wires = {"t_ps": np.repeat(seconds * S, links), "link": np.tile(np.arange(links), 11)}
    wires |= {name: np.outer(seconds, per).ravel() for name, per in per_link.items()}
    flat = pd.DataFrame({"flow": range(flows), "name": plan.flow_names(), "class": [""] * flows})
    rows = [
        (t * S, "cities", "isp", PRICE_MICRO * count, "marks", flow, count, PRICE_MICRO)
        for t in range(1, 11)
        for flow, count in enumerate(marks.tolist())
        if count
    ]
    names = ["t_ps", "debit", "credit", "amount_micro", "kind", "flow", "quantity", "price_micro"]
    ledger = pd.DataFrame(rows, columns=names)
    flat["source"] = [one.name for one in plan.sources]
    return {
        "flow_epochs": pd.DataFrame(epochs),
        "link_epochs": pd.DataFrame(wires),
        "flows": flat,
        "ledger": ledger,
        "pairs": _pairs(plan),
    }


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The results folder of ten seconds on the star."""
    plan = star()
    for name, table in _tables(plan).items():
        table.to_parquet(tmp_path / f"{name}.parquet", index=False)
    scenario = {
        "network": {"positions": {"north": [0, 1], "east": [1, 0], "hub": [0, 0]}},
        "sources": [{"name": one.name, "group": "demand"} for one in plan.sources],
    }
    manifest = {
        "format": 1,
        "complete": True,
        "title": plan.title,
        "scenario": scenario,
        "plan": plan,
        "plan_digest": plan.digest,
        "seed": 1,
        "measured": {"from_ps": 2 * S, "to_ps": 10 * S},
    }
    (tmp_path / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return tmp_path


def test_a_path_is_no_network(gold_silver: Path, tmp_path: Path) -> None:
    """A chain of links has no map, a star has one."""
    run = open_run(gold_silver)
    assert not is_network(run.plan)
    assert is_network(star())
    assert not network_picture(run, tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


def test_links_in_numbers(results: Path) -> None:
    """Utilisation counts ACKs, marking and price count data only."""
    loads = network_loads(open_run(results), WINDOW)
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


def _changed(
    folder: Path, table: str, rows: Callable[[pd.DataFrame], pd.Series], **values: int
) -> None:
    """Set columns of some rows of a table."""
    frame = pd.read_parquet(folder / f"{table}.parquet")
    for name, value in values.items():
        frame.loc[rows(frame), name] = value
    frame.to_parquet(folder / f"{table}.parquet", index=False)


def test_packets_lost_before_a_link_are_not_of_it(results: Path) -> None:
    """Of 60 packets a second sent 10 reach the second link: 8 marks are of 110, not of 160."""
    east = pd.read_parquet(results / "link_epochs.parquet")
    east.loc[east["link"] == 2, "arrivals"] -= 50 * east["t_ps"] // S
    east.to_parquet(results / "link_epochs.parquet", index=False)
    _changed(results, "pairs", lambda t: (t["source"] == 2) & (t["link"] == 2), arrivals=100)
    link = network_loads(open_run(results), WINDOW).links[2]
    assert link.marked == pytest.approx(8 / 110)
    assert link.price_per_mbit == pytest.approx(8 * 0.05 / (110 * 0.008))


def test_marks_on_acks_are_no_marks_on_data(results: Path) -> None:
    """Thirty marked ACKs a second beside eight marked data packets change neither share nor price.

    They cross with data of the other way, and a link that only ACKs cross has no share at all.
    """
    wires = pd.read_parquet(results / "link_epochs.parquet")
    wires.loc[wires["link"].isin([2, 4]), "marks"] += 30 * wires["t_ps"] // S
    wires.to_parquet(results / "link_epochs.parquet", index=False)
    _changed(results, "pairs", lambda t: (t["source"] == 1) & (t["link"] == 2), marks=300)
    _changed(results, "pairs", lambda t: (t["source"] == 2) & (t["link"] == 4), marks=300)
    loads = network_loads(open_run(results), WINDOW)
    assert loads.links[2].marked == pytest.approx(8 / 160)
    assert loads.links[2].price_per_mbit == pytest.approx(8 * 0.05 / (160 * 0.008))
    assert math.isnan(loads.links[4].marked)
    assert not loads.links[4].congested


def test_marks_nobody_is_charged_for_cost_nothing(results: Path) -> None:
    """Where one of two marked sources is not charged, the price is of the other's marks."""
    ledger = pd.read_parquet(results / "ledger.parquet")
    ledger[ledger["flow"] == 0].to_parquet(results / "ledger.parquet", index=False)
    link = network_loads(open_run(results), WINDOW).links[2]
    assert link.price_per_mbit == pytest.approx(5 * 0.05 / (160 * 0.008))


def test_overview_and_map_say_the_same_of_a_link(results: Path) -> None:
    """The marking panel is of data, as the map is, and its axis says so."""
    from ecnomy.analysis import plots

    figure = plots._figure(plots._collect(open_run(results)))
    (panel,) = [a for a in figure.axes if a.get_ylabel() == "data packets marked\n[%]"]
    (curve,) = [x for x in panel.get_lines() if x.get_label() == "of ECN-capable data"]
    run = open_run(results)
    marked = 100 * network_loads(run, WINDOW).links[2].marked
    (phase,) = summarize(run).phases
    (row,) = [row for row in phase.links if row.link == 2]
    assert 100 * row.marking_probability == pytest.approx(marked)
    assert list(curve.get_ydata()) == pytest.approx([marked] * 10)


def test_pairs_and_nodes_in_numbers(results: Path) -> None:
    """What pairs want, get and pay, and its sums by sending node, who pays most first."""
    loads = network_loads(open_run(results), WINDOW)
    first = loads.pairs[0]
    assert (first.source, first.target, first.family) == ("north", "east", "demand")
    assert (first.wanted_bps, first.goodput_bps) == (8e6, pytest.approx(8e5))
    assert first.charge_per_s == pytest.approx(0.25)
    sums = node_sums(loads)
    assert list(sums) == ["north", "south_west", "east"]
    assert sums["north"].price_per_mbit == pytest.approx(0.25 / 0.8)
    paid = sum(pair.charge_per_s for pair in loads.pairs) * WINDOW.seconds
    ledger = open_run(results).ledger
    inside = ledger[ledger["t_ps"] > 2 * S]["amount_micro"].sum()
    assert round(paid * 1e6) == inside


def test_the_map_names_what_it_draws(results: Path) -> None:
    """Nodes without underscores, the congested link with its letter, price and units."""
    run = open_run(results)
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
    """Each direction is an arrow of its own beside the straight line between its nodes."""
    run = open_run(results)
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
    """Letters, or numbers where a node is called by a letter, or Greek ones where both are."""
    names = badge_names(nodes)
    assert names[0] == name and len(names) >= 24
    assert not {n.casefold() for n in names} & {n.casefold() for n in nodes}


def test_badges_stand_clear_of_names_nodes_and_each_other() -> None:
    """Beside their own line, on its right, wherever a name takes the first place."""
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
    """Long names, titles and facts are cut where the picture ends; the legend is whole."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    run = open_run(results)
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


def _waiting(folder: Path, link: int, packets: int, busy: bool = False) -> None:
    """Have so many packets wait at a link that marks and loses none; all the time busy or not."""
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
    """Drop-tail, no mark and no loss: five packets wait (36 ms), or one at 100 % utilisation."""
    _waiting(results, 1, packets, busy)
    run = open_run(results)
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


def test_lost_packets_are_told_beside_marked_ones(results: Path) -> None:
    """A drop-tail link that loses 1 of 100 is congested by drops, and the list says how many."""
    wires = pd.read_parquet(results / "link_epochs.parquet")
    wires.loc[wires["link"] == 1, "drops"] += wires["t_ps"] // S
    wires.to_parquet(results / "link_epochs.parquet", index=False)
    run = open_run(results)
    assert network_loads(run, WINDOW).links[1].congested_by == ("drops",)
    texts = [text.get_text() for axis in _figure(run, _maps(run)).axes for text in axis.texts]
    assert "41 % used, 0.71 % lost" in texts


def _ancillary(png: bytes) -> set[bytes]:
    types, at = set(), 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        types.add(png[at + 4 : at + 8])
        at += length + 12
    return types


def test_the_map_is_deterministic(results: Path, tmp_path: Path) -> None:
    """Two drawings are equal byte for byte, a node laid out by springs included."""
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    assert all(network_picture(open_run(results), file) for file in files)
    data = files[0].read_bytes()
    assert data == files[1].read_bytes()
    assert not {b"tEXt", b"iTXt", b"tIME"} & _ancillary(data)


def test_show_prints_pairs_nodes_and_links(results: Path) -> None:
    """The tables of a network stand in the output, and the map beside the picture."""
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
    assert (results / "network.png").stat().st_size > 20_000


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
