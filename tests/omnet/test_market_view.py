# SPDX-License-Identifier: Apache-2.0
"""What of the view on a market needs no OMNeT++: words, places of labels, and money a second."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Final

import nlohmann_json
import pytest

from processes import LIMIT_S

ROOT: Final = Path(__file__).parents[2]
SECOND: Final = 10**12
Box = tuple[float, float, float, float]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of view_parts.cc."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    program = tmp_path_factory.mktemp("view") / "view-parts"
    headers = Path(nlohmann_json.__file__).parent / "include"
    words = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", str(program)]
    words += [f"-I{ROOT}/omnet", f"-I{ROOT}/omnet/inet", "-isystem", str(headers)]
    words += [str(ROOT / "tests/omnet/view_parts.cc"), str(ROOT / "omnet/inet/view/Shown.cc")]
    subprocess.run(words, check=True, timeout=120)
    return program


def ask(parts: Path, *lines: str) -> list[str]:
    """What it answers."""
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
    """Numbers have the digits that count, rates and shares their units."""
    assert ask(parts, f"words {value}") == [words]


def test_labels_cover_neither_nodes_nor_one_another(parts: Path) -> None:
    """Twelve labels in a ladder of nodes: where there is room, nothing is covered."""
    nodes = [(x, y, 40, 60) for x, y in itertools.product((0, 300, 600, 900), (0, 200, 400))]
    keeps = [f"keep {x} {y} {w} {h}" for x, y, w, h in nodes]
    wires = [
        (x + 20, y + 30, x + 320, y + 30)
        for x, y in itertools.product((0, 300, 600), (0, 200, 400))
    ]
    asked = [f"beside {a} {b} {c} {d} 150 45" for a, b, c, d in wires]
    places = [tuple(map(float, line.split())) for line in ask(parts, *keeps, *asked)]
    assert len(places) == len(wires)
    boxes = [(p[0], p[1], p[2], p[3]) for p in places]
    assert all(overlap(box, node) == 0 for box in boxes for node in nodes)
    assert all(overlap(a, b) == 0 for a, b in itertools.combinations(boxes, 2))
    for (x1, y1, x2, _), box in zip(wires, boxes, strict=True):
        assert not box[1] < y1 < box[1] + box[3], "it is beside its line, not on it"
        assert x1 - 150 <= box[0] <= x2


def test_money_a_second_is_over_the_last_ten_reports(parts: Path) -> None:
    """Spending that rises by one a report: the rate is what the books say over ten seconds."""
    totals = [sum(range(t)) for t in range(15)]
    lines = [f"show {t * SECOND} {_show(t, totals[t])}" for t in range(15)]
    answers = [list(map(float, line.split())) for line in ask(parts, *lines)]
    assert answers[0] == [0, 0, 0, 0, 1]
    for t, (marks, fees, change, span, news) in enumerate(answers[1:], start=1):
        then = max(t - 10, 0)
        assert span == t - then
        assert marks == pytest.approx((totals[t] - totals[then]) / span, rel=1e-4)
        assert fees == pytest.approx(2, rel=1e-4)
        assert change == pytest.approx(-marks, rel=1e-4)
        assert news == min(t + 1, 8)


def test_the_same_report_is_read_once(parts: Path) -> None:
    """Looking twice between two reports changes no rate."""
    lines = [f"show {t * SECOND} {_show(t, 5 * t)}" for t in (0, 1, 1, 2)]
    answers = ask(parts, *lines)
    assert answers[1] == answers[2]
    assert answers[3].split()[0] == "5"


def _show(t: int, paid: float) -> str:
    source = {"name": "gold", "class": "", "marks": paid, "fees": 2 * t, "willing": None}
    agent = {"name": "isp", "role": "r", "balance": -paid}
    link = {"owner": "isp", "price": 0.1}
    told = {"sources": [source], "links": [link], "agents": [agent], "news": [f"report {t}"]}
    return json.dumps(told)
