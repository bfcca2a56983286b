# SPDX-License-Identifier: Apache-2.0
"""A sweep's own outcome columns, and its quick form."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ecnomy.agents.errors import ResultsError, ScenarioError
from ecnomy.analysis import open_sweep
from ecnomy.markets.sweep import outcome
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.measure import measured
from sweep_world import SWEEP, go, write

MEASURE = """
import pandas as pd
FACTOR = 1

def figures(results):
    flows = pd.read_parquet(results / "flows.parquet")
    return {"sent": FACTOR * flows["sent"].sum(), "each": list(flows["sent"]), "none": None}
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes the module `swept_figures`."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "swept_figures", raising=False)

    def write_module(text: str) -> None:
        (tmp_path / "swept_figures.py").write_text(text)

    yield write_module
    sys.modules.pop("swept_figures", None)


def test_measure_adds_columns(tmp_path: Path, module) -> None:
    """Numbers, rows and missing values of a run's results folder become outcome columns."""
    module(MEASURE)
    file = write(tmp_path, SWEEP + "measure: swept_figures:figures\n")
    tally, _, watcher = go(file, tmp_path / "out")
    assert not watcher.failures
    frame = open_sweep(tmp_path / "out")
    each = frame.filter(regex=r"^each\[")
    assert tally.done == len(frame)
    assert (frame["sent"] > 0).all()
    assert (each.sum(axis=1) == frame["sent"]).all()
    assert frame["none"].isna().all()


def test_another_measure_makes_runs_anew(tmp_path: Path, module) -> None:
    """Runs stay valid while the module is unchanged, and are repeated when it changes."""
    module(MEASURE)
    file = write(tmp_path, SWEEP + "measure: swept_figures:figures\n")
    first, _, _ = go(file, tmp_path / "out")
    again, _, _ = go(file, tmp_path / "out")
    module(MEASURE.replace("FACTOR = 1", "FACTOR = 20"))
    changed, _, _ = go(file, tmp_path / "out")
    assert (first.present, again.present, changed.present) == (0, first.total, 0)


def test_failing_measure_is_a_failed_run(tmp_path: Path, module) -> None:
    """An exception in the function is the run's reason, with the place in its file."""
    module("def figures(results):\n    return {'x': 1 / 0}\n")
    _, _, watcher = go(
        write(tmp_path, SWEEP + "measure: swept_figures:figures\n"), tmp_path / "out"
    )
    assert "ZeroDivisionError" in watcher.failures[0].reason
    assert "swept_figures.py:2" in watcher.failures[0].reason


def test_a_damaged_table_is_named_by_its_reader(module, tmp_path: Path) -> None:
    """The damage is not reported as a failure of the measure that reads the table."""
    module(
        "from ecnomy.agents.errors import ResultsError\n"
        "def figures(results):\n    raise ResultsError(f'{results}: has changed')\n"
    )
    with pytest.raises(ResultsError, match=f"^{tmp_path}: has changed$"):
        measured("swept_figures:figures", tmp_path, {})


@pytest.mark.parametrize("returned", ["None", "[1, 2]", "1.5"])
def test_a_measure_returns_names_with_numbers(module, tmp_path: Path, returned: str) -> None:
    """Anything else is one line with its type."""
    module(f"def figures(results):\n    return {returned}\n")
    with pytest.raises(ResultsError, match=r"found \w+, expected names with numbers"):
        measured("swept_figures:figures", tmp_path, {})


def test_measure_takes_no_column_that_is_there(tmp_path: Path, module) -> None:
    """The name of a built-in column is refused."""
    module("def figures(results):\n    return {'gold.goodput_bps': 1}\n")
    _, _, watcher = go(
        write(tmp_path, SWEEP + "measure: swept_figures:figures\n"), tmp_path / "out"
    )
    assert "'gold.goodput_bps' already exists" in watcher.failures[0].reason


@pytest.mark.parametrize("name", ["nothing", "no_such_module:f", "math:no_such", "math:pi", "7"])
def test_wrong_measure_is_an_error_at_once(tmp_path: Path, name: str) -> None:
    """A function that cannot be found is an error of the sweep file, with its line."""
    file = write(tmp_path, SWEEP + f"measure: {name}\n")
    with pytest.raises(ScenarioError, match=r"sweep\.yaml:\d+: measure: .*module:function"):
        load_sweep(file)


def test_quick_form(tmp_path: Path) -> None:
    """`quick` replaces replicates and applies its `set` over the file's."""
    file = write(tmp_path, SWEEP + "quick: {replicates: 1, parameters: {}, set: {duration: 4 s}}\n")
    whole, quick = load_sweep(file), load_sweep(file, quick=True)
    assert len(quick) == 1 < len(whole)
    assert quick.points()[0].params == {}
    assert "4 s" in quick.base and "4 s" not in whole.base


def test_quick_form_has_its_keys(tmp_path: Path) -> None:
    """Anything else under `quick` is an error with its place."""
    file = write(tmp_path, SWEEP + "quick: {seed: 3}\n")
    with pytest.raises(ScenarioError, match=r"quick\.seed: found the unknown key 'seed'"):
        load_sweep(file)


def test_a_column_of_the_run_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure may return a name that the run has: the value of the run stays."""
    more = {"price": 2.0, "surplus": 3.0}
    monkeypatch.setattr(outcome, "added_measures", lambda: {"own"})
    monkeypatch.setattr(outcome, "measured", lambda measure, folder, values: more)
    assert outcome._measured(("own",), Path(), {"price": 1.0}) == {"price": 1.0, "surplus": 3.0}
