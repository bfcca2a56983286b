# SPDX-License-Identifier: Apache-2.0
"""Parameters that set several paths to one value: sweeps, plans, tune, export, wrong files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.analysis.diff.difference import diff
from ecnomy.analysis.sweeps.labels import labels_of
from ecnomy.analysis.sweeps.open_sweep import open_sweep, parameter_units
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.driver import missing, sweep_runs
from ecnomy.markets.sweep.omnet.export import sweep_project
from ecnomy.markets.sweep.store import Store, identified
from sweep_world import SCENARIO, Here, Watcher, write

PRICES = "[market.agents.north.price_per_mark, market.agents.south.price_per_mark]"
TWO = """
version: 1
duration: 3 s
warmup: 1 s
network:
  links:
    - {name: up, from: a, to: b, rate: 2 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
    - {name: on, from: b, to: c, rate: 2 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: gold, from: a, to: c, transport: {law: wtp}}
market:
  epoch: 0.5 s
  price_per_mark: 0.1 money
  agents:
    - {name: north, role: connectivity-provider, links: [up], price_per_mark: 0.1 money}
    - {name: south, role: connectivity-provider, links: [on], price_per_mark: 0.1 money}
    - name: user
      role: price-handler
      sources: gold
      strategy: {kind: constant-charge, charge: 1 money/s}
"""
SWEEP = f"""version: 1
scenario: scenario.yaml
parameters:
  grid:
    price: {{paths: {PRICES}, values: [0.1 money, 0.4 money]}}
    sources.gold.count: [1, 2]
replicates: 2
"""
TUNE = f"""version: 1
scenario: scenario.yaml
tune:
  over: {{price: {{paths: {PRICES}, from: 0.1 money, to: 2 money, scale: log}}}}
  maximise: balance.north
  trials: 4
  first: 2
  batch: 2
  check: 2
replicates: 2
"""


def prices_of(document) -> list[int]:
    """The prices of both carriers, micro-units."""
    return [agent.price_per_mark for agent in document.market.agents[:2]]


def made(tmp_path: Path, text: str = SWEEP, scenario: str = TWO) -> Path:
    """The folder of a finished sweep."""
    sweep = load_sweep(write(tmp_path, text, scenario))
    store = Store(tmp_path / "out", sweep)
    try:
        left = missing(store, retry_failed=True, accept_old_code=False, engine=sweep.engine)
        sweep_runs(sweep, store, Here(), left, Watcher())
    finally:
        store.close()
    return tmp_path / "out"


def test_both_paths_get_the_value(tmp_path: Path) -> None:
    """At every point, both carriers have the point's price, under one name."""
    sweep = load_sweep(write(tmp_path, SWEEP, TWO))
    assert len(sweep) == 8
    for point in sweep.points():
        micro = round(float(str(point.params["price"]).split()[0]) * 1e6)
        assert prices_of(sweep.scenario_at(point.params, 1).document) == [micro, micro]
        assert set(point.params) == {"price", "sources.gold.count"}


def test_runs_and_tables_call_it_by_its_name(tmp_path: Path) -> None:
    """Real runs have a column of that name and unit, equal to both carriers' mean prices."""
    folder = made(tmp_path)
    runs = open_sweep(folder)
    assert (runs["status"] == "done").all() and len(runs) == 8
    assert sorted(set(runs["price"])) == [0.1, 0.4]
    assert runs["price.north"].to_numpy() == pytest.approx(runs["price"].to_numpy())
    assert runs["price.south"].to_numpy() == pytest.approx(runs["price"].to_numpy())
    assert parameter_units(folder) == {"price": "money"}
    assert "price 0.1" in runs["label"].iloc[0] and isinstance(labels_of(folder), dict)
    settings = diff([str(folder)], [], by="price").settings
    differing = {one.path for one in settings.differs}
    assert differing == {f"market.agents.{name}.price_per_mark" for name in ("north", "south")}


@pytest.mark.parametrize(
    "block",
    [
        "random: {samples: 3, over: {price: {paths: PRICES, from: 0.1 money, to: 0.9 money}}}",
        "latin-hypercube: {samples: 3, over: {price: {paths: PRICES, from: 1 money, to: 2 money}}}",
        "zip: {price: {paths: PRICES, values: [1 money, 2 money]}, duration: [3 s, 4 s]}",
        "morris: {trajectories: 2, over: {price: {paths: PRICES, from: 1 money, to: 2 money},"
        " network.links.up.rate: {from: 1 Mbps, to: 2 Mbps}}}",
    ],
)
def test_every_block_takes_it(block: str, tmp_path: Path) -> None:
    """Samples, plans and zips also set both paths."""
    if "morris" in block:
        pytest.importorskip("SALib", reason="the extra `sensitivity`")
    text = SWEEP.partition("  grid")[0] + "  " + block.replace("PRICES", PRICES) + "\n"
    sweep = load_sweep(write(tmp_path, text, TWO))
    prices = set()
    for point in sweep.points():
        north, south = prices_of(sweep.scenario_at(point.params, 1).document)
        prices.add(north)
        assert north == south == round(float(str(point.params["price"]).split()[0]) * 1e6)
    assert len(prices) > 1


def test_tune_searches_one_value_for_both(tmp_path: Path) -> None:
    """In a search by real runs both carriers have every value, and the answer has the name."""
    pytest.importorskip("optuna", reason="the extra `tune`")
    from ecnomy.analysis.tune import tuned
    from ecnomy.analysis.tune.command import answer_values, answer_words

    sweep = load_sweep(write(tmp_path, TUNE, TWO))
    answer = tuned(sweep, tmp_path / "out", Here(), lambda total, missing: Watcher())
    runs = open_sweep(tmp_path / "out")
    assert runs["price"].nunique() == 4 and len(runs) == 4 * 2 + 2
    assert runs["price.north"].to_numpy() == pytest.approx(runs["price"].to_numpy(), rel=1e-5)
    assert runs["price.south"].to_numpy() == pytest.approx(runs["price"].to_numpy(), rel=1e-5)
    document = answer_values(sweep, answer, tmp_path / "out")
    assert list(document["parameters"]) == ["price"]
    assert any("price" in words for words in answer_words(sweep, answer))


def test_other_paths_are_other_runs(tmp_path: Path) -> None:
    """Points of one name and value have different identities if the name means other paths."""
    one = SWEEP.replace(PRICES, "[market.agents.north.price_per_mark]")
    names = [
        {name for name, _ in identified(load_sweep(write(tmp_path, text, TWO)))}
        for text in (SWEEP, one)
    ]
    assert not names[0] & names[1]


def test_it_is_exported_as_one_variable(tmp_path: Path) -> None:
    """The parameter becomes one iteration variable, used in the lines of both links."""
    rates = "[network.links.up.rate, network.links.on.rate]"
    text = "version: 1\nscenario: scenario.yaml\nparameters:\n  grid:\n"
    text += f"    rate: {{paths: {rates}, values: [2 Mbps, 3 Mbps]}}\n"
    files = sweep_project(load_sweep(write(tmp_path, text, TWO.partition("market:")[0])), "x")
    (ini,) = (text for name, text in files.items() if name.endswith(".ini"))
    assert 'description = "rate ${rate=' in ini
    lines = [line for line in ini.splitlines() if "! rate}" in line and "datarate" in line]
    assert len(lines) >= 2 and len({line.partition(" = ")[2] for line in lines}) == 1


LINE = f"price: {{paths: {PRICES}, values: [0.1 money, 0.4 money]}}"
NORTH = "market.agents.north.price_per_mark"
WRONG = [
    (LINE, f"price: {{paths: {PRICES}}}", 5, "parameters.grid.price", "{paths: [PATH, ...]"),
    (LINE, LINE[:-1] + ", from: 1}", 5, "parameters.grid.price", "{paths: [PATH, ...]"),
    (PRICES, "[]", 5, "parameters.grid.price.paths", "a list of paths"),
    (PRICES, "up", 5, "parameters.grid.price.paths", "a list of paths"),
    (PRICES, "[3]", 5, "parameters.grid.price.paths", "a list of paths"),
    (PRICES, f"[{NORTH}, seed]", 5, "parameters.grid", "replicates and seed set the seeds"),
    (PRICES, f"[{NORTH}, {NORTH}]", 4, "parameters", "each place once"),
    ("sources.gold.count: [1, 2]", f"{NORTH}: [1 money]", 4, "parameters", "each place once"),
    ("price: {", "a.price: {", 5, "parameters.grid", "only paths have dots"),
    ("price: {", "seed: {", 5, "parameters", "another name"),
    ("price: {", "label: {", 5, "parameters", "another name"),
    ("agents.south.", "agents.west.", 5, "market.agents", "one of north, south, user"),
    ("0.4 money]", "4 s]", 5, "market.agents[0].price_per_mark", "money"),
]


@pytest.mark.parametrize(("old", "new", "line", "path", "expected"), WRONG)
def test_faults_name_their_place(
    old: str, new: str, line: int, path: str, expected: str, tmp_path: Path
) -> None:
    """The error has file, line, place, the value found and the expected one."""
    text = SWEEP.replace("[0.1 money, 0.4 money]", "[0.4 money]") if "4 s" in new else SWEEP
    old = old.replace("[0.1 money, ", "[") if "4 s" in new else old
    file = write(tmp_path, text.replace(old, new), TWO)
    with pytest.raises(ScenarioError) as caught:
        load_sweep(file)
    error = caught.value
    assert (error.file, error.line) == (str(file), line), error
    assert error.path.startswith(path) and expected in error.expected, error


def test_the_price_of_a_single_carrier_is_taken(tmp_path: Path) -> None:
    """The name `price` is taken if there is one carrier; a measure's names are taken in runs."""
    text = SWEEP.replace(PRICES, "[market.price_per_mark]")
    with pytest.raises(ScenarioError, match="'price', which is a column of the runs"):
        load_sweep(write(tmp_path, text, SCENARIO))
    (tmp_path / "figures_of_ties.py").write_text("def own(results):\n    return {'dear': 1.0}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        own = text.replace("price: {", "dear: {") + "measure: figures_of_ties:own\n"
        runs = open_sweep(made(tmp_path, own, SCENARIO))
    assert (runs["status"] == "failed").all()
    assert "the parameter 'dear', which is also a column" in runs["reason"].iloc[0]


def test_sweeps_without_such_parameters_are_as_they_were(tmp_path: Path) -> None:
    """Heads and names of points of such sweeps do not change."""
    plain = SWEEP.replace(LINE, f"{NORTH}: [0.1 money, 0.4 money]")
    folder = made(tmp_path, plain)
    assert "ties" not in json.loads((folder / "sweep.json").read_text())
