# SPDX-License-Identifier: Apache-2.0
"""A newcomer's questions to sweeps: one command or three lines each (configs/README.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ecnomy.analysis.report.command import report_app
from ecnomy.markets.sweep.config import load_sweep
from sweep_world import go
from tiers import full, in_full

ROOT = Path(__file__).parents[2]
SHORT = ("shop-marking",)
LONG = ("carrier-price", "strategies", "what-matters")  # twelve runs, twelve and sixty


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweeps of the questions in quick form, in the documented folders."""
    home = tmp_path_factory.mktemp("newcomer")
    for name in SHORT + (LONG if in_full() else ()):
        sweep = load_sweep(ROOT / "configs" / "sweeps" / f"{name}.yaml", quick=True)
        tally, _, _ = go(sweep, home / "results" / name)
        assert tally.failed == 0
    return home


def report_text(results: Path, name: str) -> str:
    """The output of `ecnomy report results/NAME`."""
    done = CliRunner().invoke(report_app, [str(results / "results" / name)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_which_marking_leaves_the_shop_more(results: Path) -> None:
    """The answer names RED or the virtual queue, with a difference, an interval and a q-value."""
    said = report_text(results, "shop-marking")
    assert re.search(r"shop: balance at the end.*\b(RED|virtual queue)\b", said)
    assert re.search(r"(more|less) than .*95 % interval .* to .*, q [=<]", said)


@full
def test_which_of_four_strategies(results: Path) -> None:
    """The lowest payer for marks keeps most of equal fees; ties are named."""
    said = report_text(results, "strategies")
    assert re.match(
        r"(shop: balance at the end is highest with half a money|half a money and \w+)", said
    )
    assert re.search(r"more than .*95 % interval .* to .*, q [=<]", said)


@full
def test_what_price_maximises_the_carriers_income(results: Path) -> None:
    """The best price is near theory's 0.01895 money (Lerner), with the income's interval."""
    said = report_text(results, "carrier-price")
    match = re.search(r"peaks at ([\d.]+) money \(95 % interval ([\d.]+) to ([\d.]+)", said)
    assert match is not None, said
    assert float(match[1]) == pytest.approx(0.01895, rel=0.15)
    assert "±" in said


@full
def test_which_three_parameters_matter(results: Path) -> None:
    """The answer has three names with shares, including the number of customers."""
    said = report_text(results, "what-matters")
    match = re.search(
        r"Most important parameters for access: profit per second, by share of variance: (.*)", said
    )
    assert match is not None and 1 <= match[1].count("%") <= 3 and "home.count" in match[1]


def test_the_lines_of_python_in_the_documents(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The printed lines run without an error."""
    text = (ROOT / "configs" / "README.md").read_text()
    section = text[text.index("### What a sweep found") :]
    block = re.search(r"```python\n(.*?)```", section, re.S)
    assert block is not None
    monkeypatch.chdir(results)
    exec(compile(block[1], "configs/README.md", "exec"), {})
    assert "shop: balance" in capsys.readouterr().out
