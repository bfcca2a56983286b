# SPDX-License-Identifier: Apache-2.0
"""The parts of the market view without OMNeT++: texts, places of labels, and money per second."""

from __future__ import annotations

import itertools
import json
import math
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from compiling import BUILD, compile_all, digest, included, made, missing_compiler, nlohmann_headers
from processes import LIMIT_S

ROOT: Final = Path(__file__).parents[2]
SECOND: Final = 10**12
Box = tuple[float, float, float, float]


@pytest.fixture(scope="module")
def parts() -> Path:
    """The program of view_parts.cc, compiled if anything in it has changed."""
    if lack := missing_compiler():
        pytest.skip(lack)
    folders = [ROOT / "omnet", ROOT / "omnet/inet"]
    flags = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror"]
    flags += [f"-I{folder}" for folder in folders]
    flags += nlohmann_headers()
    sources = [ROOT / "tests/omnet/view_parts.cc", ROOT / "omnet/inet/view/Shown.cc"]
    inputs = sorted({file for source in sources for file in included(source, folders)})
    key = digest(["\0".join(flags).encode(), *(file.read_bytes() for file in inputs)])
    target = BUILD / "view-tests" / key / "view-parts"
    return made(target, lambda out: compile_all(out, [sources], flags))


def ask(parts: Path, *lines: str) -> list[str]:
    """Return the program's answers."""
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(
        [parts], input=text, capture_output=True, text=True, check=True, timeout=LIMIT_S
    )
    return done.stdout.splitlines()


def overlap(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(wide, 0) * max(high, 0)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("0", "0|0 bps|0 %"),
        ("0.0041", "0.0041|0.0041 bps|0.4 %"),
        ("0.1", "0.1|0.1 bps|10 %"),
        ("0.999", "0.999|0.999 bps|100 %"),
        ("12345678", "12345678|12.3 Mbps|1234567800 %"),
        ("2.5e9", "2500000000|2.5 Gbps|250000000000 %"),
        ("-3.14159", "-3.14|-3.14 bps|-314 %"),
    ],
)
def test_three_digits_and_a_unit(parts: Path, value: str, words: str) -> None:
    """Numbers have three digits, and rates and shares have their units."""
    assert ask(parts, f"words {value}") == [words]


def test_labels_cover_neither_nodes_nor_one_another(parts: Path) -> None:
    """Twelve labels in a ladder of nodes cover nothing if there is room."""
    nodes = [(x, y, 40, 60) for x, y in itertools.product((0, 300, 600, 900), (0, 200, 400))]
    keeps = [f"keep {x} {y} {w} {h}" for x, y, w, h in nodes]
    wires = [
        (x + 20, y + 30, x + 320, y + 30)
        for x, y in itertools.product((0, 300, 600), (0, 200, 400))
    ]
    commands = [f"beside {a} {b} {c} {d} 150 45" for a, b, c, d in wires]
    places = [tuple(map(float, line.split())) for line in ask(parts, *keeps, *commands)]
    assert len(places) == len(wires)
    boxes = [(p[0], p[1], p[2], p[3]) for p in places]
    assert all(overlap(box, node) == 0 for box in boxes for node in nodes)
    assert all(overlap(a, b) == 0 for a, b in itertools.combinations(boxes, 2))
    for (x1, y1, x2, _), box in zip(wires, boxes, strict=True):
        assert not box[1] < y1 < box[1] + box[3], "it is beside its line, not on it"
        assert x1 - 150 <= box[0] <= x2


def test_a_node_without_a_place_ends_nothing(parts: Path) -> None:
    """Qtenv may ask before its layout is complete. A label then gets some place."""
    commands = ["area 0 0 900 400", "keep nan nan 40 60", "near nan nan 40 60 100 20"]
    assert len(ask(parts, *commands, "beside nan nan 300 90 100 20")) == 2


@pytest.mark.parametrize(
    ("reading", "colour"),
    [
        ("0.99 0 0 0.4", "#0072b2 0"),
        ("0.2 0 0 0", "#7f9db9 0"),
        ("0.5 0.01 0 0", "#e69f00 1"),
        ("0.5 0.05 0 0", "#d55e00 1"),
        ("0.5 0 0.05 0", "#d55e00 1"),
        ("0.5 0 0 12", "#d55e00 1"),
    ],
)
def test_only_marks_losses_and_waiting_are_congestion(
    parts: Path, reading: str, colour: str
) -> None:
    """A full link without marks, losses and delays is busy, not congested."""
    assert ask(parts, f"colour {reading}") == [colour]


# Links that are congested in the middle pictures of the simulations: labels of three lines.
CONGESTED: Final = {
    "two_links": {("west", "middle"), ("middle", "east")},
    "rem_links": {("r0", "r1"), ("r1", "r2"), ("r2", "r3")},
    "border": {("north", "exchange"), ("south", "exchange"), ("exchange", "town")},
    "gold_silver": {("edge", "town")},
    "l4s": {("edge", "homes")},
    "voip_web": {("exchange", "city")},
    "abilene": {
        ("Denver", "Kansas_City"),
        ("Indianapolis", "Atlanta"),
        ("Atlanta", "Washington"),
    },
}
WHOM: Final = {"two_links": " westnet"}  # payees of sources, if there are several carriers
SELLERS: Final = ("application-provider", "guaranteed-stream-provider")
ICON: Final = 40
LETTER, WORD = 7, 6  # the width of a letter of a node's name, of a label, about
PLOTS: Final = (10.0, 116.0)  # their left edge and height
PANEL: Final = (60.0, 42.0, 16.0)  # its upper edge, the space between its rows, a row
ROW: Final = 13  # the height of a line of a label
LABEL: Final = {True: (200, 47), False: (70, 20)}  # of a congested link, of another
AWAY: Final = 14  # a label further away has a leader


def _rows() -> int:
    """Return the maximum number of rows of the panel."""
    text = (ROOT / "omnet/inet/view/Panel.cc").read_text()
    (rows,) = re.findall(r"kRows = (\d+);", text)
    return int(rows)


@pytest.mark.parametrize("name", sorted(CONGESTED))
def test_labels_of_the_simulations_lie_on_nothing(parts: Path, name: str) -> None:
    """Nodes, links, panel, plots and labels do not overlap, and all lie inside the background."""
    (file,) = (ROOT / "omnet/simulations" / name).glob("*.ned")
    text = file.read_text()
    width, height = map(int, re.findall(r'"bgb=(\d+),(\d+)', text)[0])
    (edge,) = map(int, re.findall(r"view: MarketView .*\n.*p=(\d+)", text))
    nodes = {
        node: (int(x), int(y))
        for node, x, y in re.findall(r"(\w+): Market(?:Node|Bridge) \{[^}]*?p=(\d+),(\d+)", text)
    }
    ends = re.findall(r"(\w+)\.pppg", text.partition("    connections")[2])
    links = list(zip(ends[::2], ends[1::2], strict=True))
    if "<-->" in text:
        links += [(b, a) for a, b in links]
    whole = [_with_name(node, *place) for node, place in nodes.items()]
    bottom = max(y + high for _, y, _, high in whole) + 20
    assert bottom + PLOTS[1] <= height, "the plots are inside the background"
    assert (width, height) <= (1385, 535), "Qtenv's window at 1920x1080 shows all of it"
    panel = (edge - 12.0, PANEL[0], width - edge + 12.0, PANEL[1] + _rows() * PANEL[2])
    assert panel[1] + panel[3] <= height, "the panel is inside the background"
    assert all(overlap(panel, box) == 0 for box in whole)
    lines = {link: _half(nodes[link[0]], nodes[link[1]]) for link in links}
    said = _said(name)
    ends = sorted(
        (node for node in nodes if node in said), key=lambda node: -math.prod(_size(said[node]))
    )
    commands = [_words("near", _with_name(node, *nodes[node]), _size(said[node])) for node in ends]
    order = sorted(_carry_data(name), key=lambda link: link not in CONGESTED[name])
    commands += [_words("beside", lines[link], LABEL[link in CONGESTED[name]]) for link in order]
    kept = [_words("keep", box) for box in [*whole, panel]]
    kept += [_words("line", line) for line in lines.values()]
    area = (0.0, 0.0, edge - 17.0, bottom)
    answers = [
        tuple(map(float, a.split())) for a in ask(parts, _words("area", area), *kept, *commands)
    ]
    labels = [(a[0], a[1], a[2], a[3]) for a in answers]
    assert all(overlap(a, b) == 0 for a, b in itertools.combinations(labels, 2))
    assert all(overlap(label, box) == 0 for label in labels for box in [*whole, panel])
    assert all(label[1] + label[3] <= bottom + 0.01 for label in labels)
    for line, label in itertools.product(lines.values(), labels):
        assert not _crosses(line, label), (line, label)
    for (node, place), (link, line) in itertools.product(nodes.items(), lines.items()):
        assert not _crosses(line, _name(node, *place)), f"{link} runs over the name {node}"
    for number, answer in enumerate(answers):
        leader = (answer[4], answer[5], answer[6], answer[7])
        if math.dist(leader[:2], leader[2:]) > AWAY:
            others = labels[:number] + labels[number + 1 :] + whole
            assert not any(_crosses(leader, other) for other in others), (number, leader)


def _words(*parts: object) -> str:
    flat = [part if isinstance(part, tuple) else (part,) for part in parts]
    return " ".join(str(word) for part in flat for word in part)


def _with_name(node: str, x: int, y: int) -> Box:
    wide = max(ICON, LETTER * len(node))
    return (x - wide / 2, y - ICON / 2, wide, ICON + 18)


def _name(node: str, x: int, y: int) -> Box:
    """A name below the icon, where Qtenv writes it."""
    return (x - LETTER * len(node) / 2, y + ICON / 2 + 2, LETTER * len(node), 16)


def _half(a: tuple[int, int], b: tuple[int, int]) -> Box:
    """The line of one direction: from its node to the middle."""
    return (a[0], a[1], (a[0] + b[0]) / 2, (a[1] + b[1]) / 2)


def _scenario(name: str) -> dict[str, Any]:
    return yaml.safe_load((ROOT / "omnet/simulations" / name / "market.yaml").read_text())


def _carry_data(name: str) -> list[tuple[str, str]]:
    """The links of sources' paths; other links have a label only if they are congested."""
    listed = _scenario(name)["network"].get("links", [])
    named = {one["name"]: (one["from"], one["to"]) for one in listed}
    texts = [file.read_text() for file in (ROOT / "omnet/simulations" / name).glob("*.ini")]
    carriers: dict[tuple[str, str], None] = {}
    for link in " ".join(re.findall(r'\.path = "([^"]*)"', "".join(texts))).split():
        ends = named.get(link) or tuple(link.removesuffix(".reverse").split("-"))
        carriers[ends if not link.endswith(".reverse") else (ends[1], ends[0])] = None
    return list(carriers)


def _said(name: str) -> dict[str, list[str]]:
    """The texts at nodes about sources that start or end there, as in NodeWords.cc."""
    scenario = _scenario(name)
    agents = scenario["market"]["agents"]
    roles = {agent["role"] for agent in agents}
    carriers = [agent["name"] for agent in agents if agent["role"] == "connectivity-provider"]
    whom = f" {carriers[0]}" if len(carriers) == 1 else WHOM.get(name, "")
    sellers = [agent["name"] for agent in agents if agent["role"] in SELLERS]
    said: dict[str, list[str]] = {}
    for source in scenario["sources"]:
        pays = said.setdefault(source["from"], [])
        willing = " of 0.999" if roles & {"application-provider", "price-handler"} else ""
        paid = (
            f"{whom.strip() or 'marks'} {'gets' if whom else 'cost'}" if sellers else f"pays{whom}"
        )
        pays.append(f"{source['name']}: {paid} 0.999{willing} money/s")
        pays += [f"{source['name']}: fees to {seller} 0.999 money/s" for seller in sellers]
        gets = said.setdefault(source["to"], [])
        gets.append(f"{source['name']}: gets 9.99 Mbps, 9.9 % marked")
    return said


def _size(lines: list[str]) -> tuple[int, int]:
    """The size of a label."""
    return (WORD * max(map(len, lines)) + 6, ROW * len(lines) + 6)


def _crosses(line: Box, box: Box) -> bool:
    for step in range(201):
        x = line[0] + (line[2] - line[0]) * step / 200
        y = line[1] + (line[3] - line[1]) * step / 200
        if box[0] < x < box[0] + box[2] and box[1] < y < box[1] + box[3]:
            return True
    return False


def test_money_a_second_is_over_the_last_ten_reports(parts: Path) -> None:
    """Spending rises by one per report, and the rate is the books' rate over ten seconds.

    A link's income covers the same time, with each mark at its price: 0.1, and 0.2 from 8 s on.
    """
    totals = [sum(range(t)) for t in range(15)]
    price = [0.1 if t < 8 else 0.2 for t in range(15)]
    earned = [sum(price[n] * n for n in range(t)) for t in range(15)]
    lines = [f"show {t * SECOND} {totals[t]} {_show(t, totals[t], price[t])}" for t in range(15)]
    answers = [list(map(float, line.split())) for line in ask(parts, *lines)]
    assert answers[0] == [0, 0, 0, 0, 0, 1]
    for t, (marks, fees, earns, change, span, news) in enumerate(answers[1:], start=1):
        then = max(t - 10, 0)
        assert span == t - then
        assert marks == pytest.approx((totals[t] - totals[then]) / span, rel=1e-4)
        assert fees == pytest.approx(2, rel=1e-4)
        assert earns == pytest.approx((earned[t] - earned[then]) / span, rel=1e-4)
        assert change == pytest.approx(-marks, rel=1e-4)
        assert news == min(t + 1, 8)


def test_each_payee_is_paid_at_a_rate_of_its_own(parts: Path) -> None:
    """A source pays two carriers, the second one from 12 s on."""
    lines = []
    for t in range(15):
        screen = json.loads(_show(t, t))
        paid = {"west": 3 * t} | ({"east": 2 * (t - 11)} if t >= 12 else {})
        screen["payments"] = [
            {"from": "shop", "to": to, "for": "marks", "source": "gold", "money": money}
            for to, money in paid.items()
        ]
        lines.append(f"show {t * SECOND} 0 {json.dumps(screen)}")
    answers = [list(map(float, line.split())) for line in ask(parts, *lines)]
    assert [answer[4:-2] for answer in answers[1:12]] == [[3]] * 11
    assert [answer[4:-2] for answer in answers[12:]] == [[3, 0.2], [3, 0.4], [3, 0.6]]


def test_the_same_report_is_read_once(parts: Path) -> None:
    """A second read between two reports changes no rate."""
    lines = [f"show {t * SECOND} {t} {_show(t, 5 * t)}" for t in (0, 1, 1, 2)]
    answers = ask(parts, *lines)
    assert answers[1] == answers[2]
    assert answers[3].split()[0] == "5"


def test_with_long_reports_money_is_over_ten_seconds_too(parts: Path) -> None:
    """With reports every 5 s, money is over two of them, and with 30 s over one."""
    for every, span in ((5, 10), (30, 30)):
        lines = [f"show {n * every * SECOND} 0 {_show(n, n * every)}" for n in range(5)]
        last = ask(parts, *lines)[-1].split()
        assert last[0] == "1", "money a second"
        assert float(last[4]) == span


def test_whom_a_source_pays_is_said_where_it_is_certain(parts: Path) -> None:
    """Marks on links of one owner are paid to it, and fees to the only agent that sells classes."""
    isp = {"name": "isp", "role": "connectivity-provider", "balance": 0}
    shop = {"name": "shop", "role": "application-provider", "balance": 0}
    links = [{"owner": owner, "price": 0.1} for owner in ("west", "west", "east", "")]
    screen = {"sources": [], "links": links, "agents": [isp, shop], "news": []}
    commands = [f"show 0 0 {json.dumps(screen)}", "whom 0 1", "whom 1 2", "whom 2", "whom 2 3"]
    assert ask(parts, *commands)[1:] == ["west|shop", "|shop", "east|shop", "|shop"]
    screen["agents"] = [shop, isp, shop | {"role": "guaranteed-stream-provider"}]
    assert ask(parts, f"show 0 0 {json.dumps(screen)}", "whom 0")[1:] == ["west|"]


def _show(t: int, paid: float, price: float = 0.1) -> str:
    source = {"name": "gold", "class": "", "marks": paid, "fees": 2 * t, "willing": None}
    agent = {"name": "isp", "role": "r", "balance": -paid}
    link = {"owner": "isp", "price": price}
    screen = {"sources": [source], "links": [link], "agents": [agent], "news": [f"report {t}"]}
    return json.dumps(screen)
