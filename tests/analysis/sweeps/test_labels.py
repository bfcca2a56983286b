# SPDX-License-Identifier: Apache-2.0
"""Names of values in a sweep's table, its columns, and whole numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.analysis.sweeps.labels import labels_of
from ecnomy.analysis.sweeps.open_sweep import open_sweep as load
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.gathered import outcome_row
from made_up_sweep import made_up
from sweep_world import SWEEP, write

RARE, OFTEN = "{law: fixed, probability: 0.02}", "{law: fixed, probability: 0.05}"
MARKING = "network.links.wire.marking"


def sweep(parameters: str) -> str:
    return f"version: 1\nscenario: scenario.yaml\nparameters:\n{parameters}\nreplicates: 2\n"


def figures(point) -> dict[str, int | float | None]:
    gap = point.number == 0
    return {"gold.flows": None if gap else 2, "wire.drops": 3, "gold.goodput_bps": 4.0}


def test_values_are_called_by_their_labels(tmp_path: Path) -> None:
    """A mapping's column holds its label; the mapping itself is in the sweep's head."""
    text = sweep(
        f"  grid:\n    {MARKING}:\n    - {{label: rare, value: {RARE}}}\n"
        f"    - {{label: often, value: {OFTEN}}}\n"
        "    market.price_per_mark: [0.1 money, 0.2 money]"
    )
    out = made_up(tmp_path, text, figures)
    runs = load(out)
    assert runs[MARKING].tolist() == ["rare"] * 4 + ["often"] * 4
    assert runs.label[2] == "rare, price_per_mark 0.2 money"
    assert runs.point.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert json.loads(load(out, raw=True)[MARKING][0])["probability"] == 0.02
    assert labels_of(out)[MARKING]["often"] == {"law": "fixed", "probability": 0.05}


def test_sampled_parameters_have_no_names(tmp_path: Path) -> None:
    """The head of a sweep of samples has no levels to name."""
    over = "{market.price_per_mark: {from: 0.1 money, to: 0.2 money}}"
    text = sweep(f"  sobol: {{samples: 4, over: {over}}}").replace("replicates: 2\n", "")
    assert labels_of(made_up(tmp_path, text, figures)) == {}


def test_names_are_made_of_what_differs(tmp_path: Path) -> None:
    """Without labels, a mapping is called by its law and its differing keys."""
    runs = load(made_up(tmp_path, sweep(f"  grid: {{{MARKING}: [{RARE}, {OFTEN}]}}"), figures))
    assert runs.label.unique().tolist() == ["fixed (probability 0.02)", "fixed (probability 0.05)"]


@pytest.mark.parametrize("kind", ["list", "zip"])
def test_items_have_labels(tmp_path: Path, kind: str) -> None:
    """Items of a list or zip have one label for all their paths."""
    text = {
        "list": f"  list:\n  - {{label: a, {MARKING}: {RARE}, sources.gold.count: 1}}\n"
        f"  - {{label: b, {MARKING}: {OFTEN}, sources.gold.count: 2}}",
        "zip": f"  zip: {{label: [a, b], {MARKING}: [{RARE}, {OFTEN}],"
        " sources.gold.count: [1, 2]}",
    }[kind]
    runs = load(made_up(tmp_path, sweep(text), figures))
    assert runs.label.tolist() == ["a", "a", "b", "b"]
    assert runs["sources.gold.count"].tolist() == [1, 1, 2, 2]


def test_whole_numbers_stay_whole(tmp_path: Path) -> None:
    """Counts, and parameters written as integers, are integers even in columns with gaps."""
    text = sweep(
        "  grid: {sources.gold.count: [1, 2], market.price_per_mark: [1 money, 0.5 money]}"
    )
    runs = load(made_up(tmp_path, text, figures))
    kinds = runs.dtypes.astype(str)
    assert kinds["sources.gold.count"] == kinds["wire.drops"] == "int64"
    assert kinds["gold.flows"] == "Int64" and runs["gold.flows"].isna().sum() == 1
    assert kinds["market.price_per_mark"] == kinds["gold.goodput_bps"] == "float64"


def test_sweeps_made_before_stay_readable(tmp_path: Path) -> None:
    """A head without factors gives the names of its runs' values."""
    out = made_up(tmp_path, sweep(f"  grid: {{{MARKING}: [{RARE}, {OFTEN}]}}"), figures)
    head = json.loads((out / "sweep.json").read_text())
    for key in ("digest", "factors", "whole", "outcomes", "paired", "own"):
        del head[key]
    (out / "sweep.json").write_text(json.dumps(head))
    runs = load(out)
    assert runs[MARKING].unique().tolist() == [
        "fixed (probability 0.02)",
        "fixed (probability 0.05)",
    ]
    assert runs.label.tolist() == runs[MARKING].tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("grid: {sources.gold.count: [{label: a, value: 1}, {label: a, value: 2}]}", "twice"),
        (f"grid: {{{MARKING}: [{{label: a, law: {RARE}}}]}}", "label: NAME, value: VALUE"),
        (f"grid: {{{MARKING}: [{{label: 3, value: {RARE}}}]}}", "text that is not empty"),
        ("zip: {label: [a], sources.gold.count: [1, 2]}", "a list of 2 names"),
    ],
)  # fmt: skip
def test_wrong_labels_are_errors(tmp_path: Path, given: str, message: str) -> None:
    """A wrong label gives one line with file, line and place."""
    with pytest.raises(ScenarioError, match=message) as error:
        load_sweep(write(tmp_path, sweep("  " + given)))
    assert "sweep.yaml:4" in str(error.value) and "parameters." in str(error.value)


def test_labels_change_no_run(tmp_path: Path) -> None:
    """Adding a label later does not change the identity of a run."""
    from ecnomy.markets.sweep.store import identified

    plain = load_sweep(write(tmp_path, SWEEP))
    other = SWEEP.replace("[1, 2]", "[{label: one, value: 1}, 2]")
    named = load_sweep(write(tmp_path, other))
    assert [name for name, _ in identified(plain)] == [name for name, _ in identified(named)]


def test_a_reverse_link_has_columns_if_it_marks_or_drops() -> None:
    """ACKs that a full queue drops are shown, although nothing there carries a mark."""
    names = ["wire", "wire.reverse", "far.reverse", "near.reverse"]
    figures = ("utilization", "marking_probability", "mean_queue_packets", "mean_wait_s")
    links = {name: [0.5] * 4 for name in figures}
    links |= {"name": names, "marks": [0, 0, 7, 0], "drops": [0, 3, 0, 0]}
    row = outcome_row({"source": []}, links, 10.0, {})
    assert {name.rsplit(".", 1)[0] for name in row} == {"wire", "wire.reverse", "far.reverse"}
    assert row["wire.reverse.drops"] == 3 and row["wire.reverse.utilization"] == 0.5
