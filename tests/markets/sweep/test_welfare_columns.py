# SPDX-License-Identifier: Apache-2.0
"""Columns of welfare: only runs whose agents declare utilities have them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ecnomy.agents.spec import AgentSpec, MarketSpec, StrategySpec
from ecnomy.analysis import open_sweep
from ecnomy.analysis.sweep_report.points import open_swept
from ecnomy.analysis.welfare.welfare import welfare_columns
from ecnomy.markets.sweep.measure import added_measures, measures_of
from sweep_world import SCENARIO, SWEEP, go, write

ELASTIC = "{kind: elastic-utility, utility: {kind: log, a: 2 money/s, x0: 1 Mbps}}"
HANDLERS = SCENARIO[: SCENARIO.index("    - name: shop")] + (
    f"    - {{name: rich, role: price-handler, sources: gold, strategy: {ELASTIC}}}\n"
    "    - {name: plain, role: price-handler, sources: silver, strategy: "
    "{kind: constant-charge, charge: 1 money/s}}\n"
)
OWN = ["welfare", "consumer_surplus", "profit.isp", "jain", "optimum_ratio", "welfare_agents"]
TWO = SWEEP.replace("replicates: 3", "replicates: 1")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of handlers with utilities, with kept folders of its runs."""
    home = tmp_path_factory.mktemp("kept")
    tally, _, watcher = go(write(home, TWO + "keep: results\n", HANDLERS), home / "out")
    assert not watcher.failures and tally.done == 4
    return home / "out"


def test_runs_of_declared_utilities_have_the_columns(kept: Path) -> None:
    """The columns equal those of the results folder, and follow the other columns."""
    frame = open_sweep(kept)
    columns = list(frame.columns)
    assert columns.index("balance.isp") < columns.index("welfare")
    folders = sorted((kept / "runs").iterdir())
    columns_of = [welfare_columns(folder) for folder in folders]
    wanted = sorted(tuple(columns[name] for name in OWN) for columns in columns_of)
    figures = sorted(frame[OWN].itertuples(index=False, name=None))
    assert len(wanted) == 4
    for row, other in zip(figures, wanted, strict=True):
        assert row == pytest.approx(other)
    assert (frame["optimum_ratio"] < 1).all() and (frame["jain"] > 0.5).all()


def test_columns_without_a_kept_folder(kept: Path, tmp_path: Path) -> None:
    """The figures are the same and nothing is left on the disk; other columns do not change."""
    go(write(tmp_path, TWO, HANDLERS), tmp_path / "out")
    one, other = open_sweep(kept), open_sweep(tmp_path / "out")
    assert (one[OWN] == other[OWN]).all(axis=None)
    assert not (tmp_path / "out" / "runs").exists()


def test_welfare_of_unlike_agents_is_not_compared(tmp_path: Path) -> None:
    """With strategies with and without a utility, welfare counts different users.

    If the sweep file names welfare, it is shown, with the note.
    """
    charge = "{kind: constant-charge, charge: 1 money/s}"
    grid = TWO[TWO.index("  grid:") :]
    grid = grid[: grid.index("\nreplicates")]
    text = TWO.replace(grid, f"  grid: {{market.agents.plain.strategy: [{charge}, {ELASTIC}]}}")
    go(write(tmp_path, text, HANDLERS), tmp_path / "out")
    assert sorted(open_sweep(tmp_path / "out").welfare_agents) == [1, 2]
    swept = open_swept(tmp_path / "out")
    assert not {"welfare", "consumer_surplus"} & set(swept.outcomes)
    (note,) = swept.notes
    assert note.startswith("Welfare and consumer surplus count the agents whose")
    assert "utility: 1 in some runs, 2 in others" in note
    named = open_swept(tmp_path / "out", ["welfare"])
    assert named.outcomes == ("welfare",) and named.notes == (note,)
    alike = open_swept(tmp_path / "out", ["gold.goodput_bps"])
    assert alike.notes == ()


def test_other_runs_have_none(tmp_path: Path) -> None:
    """Other runs have neither the columns nor the digests of the modules that measure them."""
    _, _, watcher = go(write(tmp_path, TWO), tmp_path / "out")
    frame = open_sweep(tmp_path / "out")
    assert not watcher.failures and len(frame) == 4
    assert not set(OWN) & set(frame.columns)


def test_a_measure_of_ones_own_keeps_its_names(tmp_path: Path, monkeypatch) -> None:
    """A column `jain` from the sweep's own measure does not change."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "jain_figures", raising=False)
    (tmp_path / "jain_figures.py").write_text("def own(results):\n    return {'jain': 7}\n")
    text = TWO.replace("[1, 2]", "[1]").replace("[0.1 money, 0.2 money]", "[0.1 money]")
    go(write(tmp_path, text + "measure: jain_figures:own\n", HANDLERS), tmp_path / "out")
    frame = open_sweep(tmp_path / "out")
    assert len(frame) == 1 and (frame["jain"] == 7).all() and (frame["welfare"] > 0).all()
    sys.modules.pop("jain_figures", None)


def test_a_strategy_that_cannot_be_made_is_left_to_the_market() -> None:
    """Such a strategy declares no utility, and the run fails for its own reason."""
    agents = (AgentSpec("isp", "connectivity-provider"),)
    elastic = StrategySpec("elastic-utility", {"utility": {"kind": "sqrt", "a": 1.0, "x0": 1e6}})
    for strategy, measures in (
        (StrategySpec("no_such_module:Thing"), ("a:b",)),
        (StrategySpec("constant-charge", {"charge": 1.0}), ("a:b",)),
        (elastic, ("a:b", *added_measures("welfare"))),
    ):
        handler = AgentSpec("rich", "price-handler", sources=("gold",), strategy=strategy)
        assert measures_of("a:b", MarketSpec(100_000, (*agents, handler))) == measures
    assert measures_of("", None) == ()
    assert len(added_measures()) == 2
