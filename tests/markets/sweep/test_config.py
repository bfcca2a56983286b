# SPDX-License-Identifier: Apache-2.0
"""Sweep files: their meaning, and the errors for wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.preflight import try_values
from sweep_world import SWEEP, write


def test_values_reach_the_scenario(tmp_path: Path) -> None:
    """`set` holds for all points, and each point has its parameters and its seed."""
    sweep = load_sweep(write(tmp_path, SWEEP + "set: {duration: 7 s, sources.silver.count: 4}\n"))
    assert len(sweep) == 12 == len(sweep.points())
    last = sweep.points()[-1]
    document = sweep.scenario_at(last.params, last.seed).document
    assert document.duration == 7 * 10**12 and document.seed == 3
    assert [s.count for s in document.sources] == [2, 4]
    assert document.market is not None and document.market.price_per_mark == 200_000


def test_mappings_are_values_too(tmp_path: Path) -> None:
    """A parameter's values may be whole laws."""
    red = "{law: red, min_threshold: 5 packets, max_threshold: 9 packets}"
    varied = f"{{network.links.wire.marking: [{{law: fixed, probability: 0.1}}, {red}]}}"
    text = f"version: 1\nscenario: scenario.yaml\nparameters: {{grid: {varied}}}\n"
    sweep = load_sweep(write(tmp_path, text))
    laws_made = [
        type(sweep.scenario_at(p.params, 1).document.network.links[0].marking).__name__
        for p in sweep.points()
    ]
    assert laws_made == ["Fixed", "Red"]


def test_samples_keep_their_unit(tmp_path: Path) -> None:
    """A range in money gives prices in money, and integer bounds give integers."""
    text = (
        "version: 1\nscenario: scenario.yaml\nparameters:\n  random:\n    samples: 5\n"
        "    over: {market.price_per_mark: {from: 0.1 money, to: 0.3 money}, "
        "sources.gold.count: {from: 1, to: 3}}\n"
    )
    sweep = load_sweep(write(tmp_path, text))
    for point in sweep.points():
        document = sweep.scenario_at(point.params, 1).document
        assert document.market and 100_000 <= document.market.price_per_mark <= 300_000
        assert 1 <= document.sources[0].count <= 3


@pytest.mark.parametrize(
    ("old", "new", "line", "path", "found"),
    [
        ("version: 1", "version: 2", 2, "version", "2"),
        ("scenario: scenario.yaml", "scenario: none.yaml", 3, "scenario", "no such file"),
        ("scenario: scenario.yaml\n", "", 2, "scenario", "no 'scenario'"),
        ("replicates: 3", "replicate: 3", 8, "replicate", "unknown key"),
        ("replicates: 3", "replicates: 0", 8, "replicates", "0"),
        ("  grid:", "  grit:", 5, "parameters.grit", "unknown key"),
        ("[1, 2]", "2", 7, "parameters.grid.'sources.gold.count'", "2"),
        ("[1, 2]", "[]", 7, "parameters.grid.'sources.gold.count'", "a list of 0"),
        ("  grid:", "  zip:", None, None, None),
        ("[1, 2]", "[1, 2, 3]", None, None, None),
        ("replicates: 3", "limits: {time: 5}", 8, "time", "without a unit"),
        ("replicates: 3", "limits: {space: 5 m}", 8, "limits.space", "unknown key"),
        ("replicates: 3", "limits: [5 s]", 8, "limits", "a list"),
        ("replicates: 3", "set: [5 s]", 8, "set", "a list"),
        ("sources.gold.count: [1, 2]", "seed: [1, 2]", 6, "parameters.grid", "'seed'"),
        ("replicates: 3", "keep: all", 8, "keep", "'all'"),
        ("replicates: 3", "step: 1 s\nlearners: []", 8, "step", "a key of environments, expected"),
        ("replicates: 3", "duration: 1 s", 8, "duration", "a key of scenarios, expected"),
        ("replicates: 3", "tournament: {}", 8, "tournament", "a key of tournaments, expected"),
        ("replicates: 3", "replicates: 10000000", 2, "parameters", "40,000,000 runs"),
    ],
)
def test_faults_have_a_place(tmp_path, old, new, line, path, found) -> None:
    """A fault gives one line with file, line, path, and the values found and expected."""
    file = write(tmp_path, SWEEP.replace(old, new, 1))
    if found is None:
        load_sweep(file)
        return
    with pytest.raises(ScenarioError) as fault:
        load_sweep(file)
    assert (fault.value.line, fault.value.path) == (line, path), str(fault.value)
    assert found in str(fault.value) and str(file) in str(fault.value)


def test_lists_of_a_zip_are_equally_long(tmp_path: Path) -> None:
    """A list of three values with a list of two is refused."""
    text = SWEEP.replace("grid:", "zip:").replace("[1, 2]", "[1, 2, 3]")
    with pytest.raises(ScenarioError, match="3 values"):
        load_sweep(write(tmp_path, text))


def test_a_parameter_varies_once(tmp_path: Path) -> None:
    """Two blocks over one path are refused, since they would overrule each other."""
    more = "  zip: {sources.gold.count: [3, 4]}\nreplicates"
    with pytest.raises(ScenarioError, match="already varies"):
        load_sweep(write(tmp_path, SWEEP.replace("replicates", more)))


@pytest.mark.parametrize("alias", ["'sources[0].count'", "'sources.gold.count '", "sources.gold"])
def test_a_place_varies_once(tmp_path: Path, alias: str) -> None:
    """The same place under another name, or an enclosing place, is refused too."""
    more = f"  zip: {{{alias}: [3, 4]}}\nreplicates"
    with pytest.raises(ScenarioError, match="which overlap|path such as"):
        load_sweep(write(tmp_path, SWEEP.replace("replicates", more)))


@pytest.mark.parametrize(
    ("old", "new", "line", "path"),
    [
        ("replicates: 3", "set: {duration: 1 m}", 8, "duration"),
        ("replicates: 3", "set: {sources.goldd.count: 2}", 8, "sources"),
        ("[1, 2]", "[0, 2]", 7, "sources[0].count"),
        ("[0.1 money", "[0.1 s", 6, "market.price_per_mark"),
        ("[1, 2]", "[1, 2]\n    sources.silver.count: [-3, 2]", 8, "sources[1].count"),
    ],
)
def test_values_that_fit_no_scenario_name_their_line(
    tmp_path: Path, old: str, new: str, line: int, path: str
) -> None:
    """The error names the sweep file's line, not the scenario's or an override's."""
    file = write(tmp_path, SWEEP.replace(old, new, 1))
    with pytest.raises(ScenarioError) as fault:
        load_sweep(file)
    assert (fault.value.file, fault.value.line) == (str(file), line), str(fault.value)
    assert fault.value.path == path


def test_text_in_quotes_stays_text(tmp_path: Path) -> None:
    """A title '7' is not a number, and 'a: b' is not a mapping."""
    titles = "['7', 'a: b', '{a', plain]"
    text = f"version: 1\nscenario: scenario.yaml\nparameters: {{grid: {{title: {titles}}}}}\n"
    sweep = load_sweep(write(tmp_path, text))
    made = [sweep.scenario_at(p.params, 1).title for p in sweep.points()]
    assert made == ["7", "a: b", "{a", "plain"]


def test_a_path_to_nowhere_is_found_before_any_run(tmp_path: Path) -> None:
    """Reading the file also loads the first point."""
    with pytest.raises(ScenarioError, match="gould"):
        load_sweep(write(tmp_path, SWEEP.replace("sources.gold", "sources.gould")))


@pytest.mark.parametrize(
    "over",
    [
        "{from: 1}", "{from: 2, to: 1}", "{from: 0, to: 1, scale: log}", "{from: 1 s, to: 2 m}",
        "{from: fast, to: slow}", "{from: 1, to: 2, step: 1}",
    ],
)  # fmt: skip
def test_senseless_ranges_are_refused(tmp_path: Path, over: str) -> None:
    """Missing, reversed or incompatible bounds are refused, and unknown keys."""
    text = (
        "version: 1\nscenario: scenario.yaml\nparameters:\n  random:\n    samples: 5\n"
        f"    over: {{sources.gold.count: {over}}}\n"
    )
    with pytest.raises(ScenarioError) as fault:
        load_sweep(write(tmp_path, text))
    assert fault.value.line == 6


def test_each_value_is_tried_before_the_first_run(tmp_path: Path) -> None:
    """All values of a parameter are checked; one that fits with some value of another is valid."""
    file = write(tmp_path, SWEEP.replace("0.2 money]", "0.2]"))
    with pytest.raises(ScenarioError) as fault:
        try_values(load_sweep(file), file)
    assert (fault.value.line, fault.value.path) == (6, "market.price_per_mark")
    assert fault.value.found == "0.2 without a unit"
    grid = SWEEP[SWEEP.index("    market") : SWEEP.index("replicates")]
    times = "    warmup: [1 s, 5 s]\n" + grid + "    duration: [3 s, 9 s, 4 s, 9.5 s]\n"
    good = write(tmp_path, SWEEP.replace(grid, times))  # 5 s fit with every second duration
    try_values(load_sweep(good), good)
