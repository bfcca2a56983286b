# SPDX-License-Identifier: Apache-2.0
"""Utilities in a scenario: units, custom classes, faults with their places, and round trips."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.spec import StrategySpec
from ecnomy.agents.strategies import make
from ecnomy.agents.utilities import CALL_UTILITIES, TIME_UTILITIES, UTILITIES
from ecnomy.markets import run
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import Scenario, scenario_from_text
from ecnomy.markets.sweep.fingerprint import Code, run_key, strategy_modules
from processes import LIMIT_S

SCENARIO = """\
version: 1
duration: 4 s
warmup: 1 s
network:
  links: [{{name: wire, from: a, to: b, rate: 1 Mbps}}]
sources:
  - {{name: web, from: a, to: b, transport: {{law: wtp}}}}
market:
  price_per_mark: 0.01 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - {{name: home, role: price-handler, sources: web, strategy: {0}}}
"""
WRITTEN = {
    "log": "a: 120 money/min, x0: 2 Mbps",
    "alpha-fair": "a: 1 money/s, alpha: 2, x0: 2 Mbps",
    "sqrt": "a: 1 money/s, x0: 2 Mbps",
    "quadratic": "a: 1 money/s, x0: 2 Mbps",
    "target": "a: 1 money/s, x0: 500 kbps",
    "sigmoid": "a: 1 money/s, x0: 64 kbps, steepness: 20",
    "step": "a: 1 money/s, x0: 64 kbps",
    "file-deadline": "a: 5 money, deadline: 3 min, grace: 500 ms",
    "page": "a: 0.2 money, worst: 15 s, best: 300 ms",
    "e-model": "a: 3 money/min, codec: g711, terminals: 60 ms, burst_ratio: 1.2, advantage: 5",
    "lab_utilities:Saturating": "a: 60 money/min, x0: 1 Mbps, patience: 2",
    "lab_utilities:Decaying": "a: 1 money, half_life: 1 min",
}
OWN = {**dict.fromkeys(UTILITIES, "rate"), **dict.fromkeys(TIME_UTILITIES, "time")}
FAMILY = {**OWN, **dict.fromkeys(CALL_UTILITIES, "call")}
FAMILY |= {"lab_utilities:Saturating": "rate", "lab_utilities:Decaying": "time"}
USUAL = {"rate": "log", "time": "page", "call": "e-model"}


def everything(**other: str) -> Scenario:
    """A strategy with one utility of each family; `other` replaces the usual ones."""
    kinds = {**USUAL, **other}
    parts = [f'{key}: {{kind: "{kind}", {WRITTEN[kind]}}}' for key, kind in kinds.items()]
    text = '{kind: "lab_utilities:Everything", ' + ", ".join(parts) + "}"
    return scenario_from_text(SCENARIO.format(text))


def elastic(utility: str) -> Scenario:
    """A price handler with this utility."""
    return scenario_from_text(SCENARIO.format(f"{{kind: elastic-utility, utility: {{{utility}}}}}"))


def test_each_kind_is_written_here() -> None:
    """A kind that is added is tested too."""
    assert {*UTILITIES, *TIME_UTILITIES, *CALL_UTILITIES} <= set(WRITTEN)


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_resolved_scenario_loads_as_itself(kind: str) -> None:
    """The scenario in the manifest equals the user's, for every kind."""
    made = everything(**{FAMILY[kind]: kind})
    again = scenario_from_text(msgspec.json.encode(made.resolved()).decode())
    assert again.market == made.market and again.document == made.document
    spec = made.market.agents[1].strategy
    first, second = (
        make(spec.kind, each.market.agents[1].strategy.params) for each in (made, again)
    )
    name = f"{FAMILY[kind]}_utility"
    assert getattr(first, name) == getattr(second, name)


def test_parameters_come_in_the_units_of_the_class() -> None:
    """Money per minute, kbps and ms reach it as money/s, bit/s and s."""
    spec = everything(rate="sigmoid", time="file-deadline").market.agents[1].strategy
    assert spec.params["rate"] == {"kind": "sigmoid", "a": 1.0, "x0": 64e3, "steepness": 20.0}
    deadline = {"kind": "file-deadline", "a": 5.0, "deadline": 180.0, "grace": 0.5}
    assert spec.params["time"] == deadline
    assert spec.params["call"]["a"] == pytest.approx(0.05)
    assert spec.params["call"]["terminals"] == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("utility", "path", "found", "expected"),
    [
        ("kind: page, a: 1 money, worst: 6 s", "kind", "'page'", "one of log, alpha-fair"),
        ("kind: sigmod, a: 1 money/s", "kind", "'sigmod'", "'sigmoid'"),
        ("kind: sigmoid, a: 1 money/s, x0: 1 Mbps", "kind", "not concave", "one of log"),
        ("kind: step, a: 1 money", "a", "'1 money'", "a quantity in money/s"),
        ("kind: quadratic, a: 1 money/s, x0: -1 Mbps", "x0", "-1e+06 bit/s", "above 0"),
        ("kind: 'nowhere:Mine', a: 1 money/s", "kind", "'nowhere:Mine'", "No module named"),
        (
            "kind: 'lab_utilities:Nobody'",
            "kind",
            "'lab_utilities:Nobody'",
            "expected one of Saturating",
        ),
        (
            "kind: 'lab_utilities:Decaying'",
            "kind",
            "'lab_utilities:Decaying'",
            "must define",
        ),
        ("kind: 'lab_utilities:Saturating'", "a", "no 'a'", "a quantity in money/s"),
        (
            "kind: 'lab_utilities:Saturating', a: 1 money/s, patience: -1",
            "patience",
            "-1",
            "above 0",
        ),
        (
            "kind: 'lab_utilities:Saturating', a: 1 money/s, patience: 1 s",
            "patience",
            "'1 s'",
            "a number",
        ),
        (
            "kind: 'lab_utilities:Flat', a: 1 money/s",
            "kind",
            "for a column of 3 numbers",
            "a column",
        ),
    ],
)
def test_faults_are_named_with_their_place(
    utility: str, path: str, found: str, expected: str
) -> None:
    """Each fault gives one line with file, line, path, and the values found and expected."""
    with pytest.raises(ScenarioError) as caught:
        elastic(utility)
    error = caught.value
    assert error.line == 12 and error.path == f"market.agents[1].strategy.utility.{path}"
    assert found in error.found and expected in error.expected
    assert "\n" not in str(error)


def test_one_that_is_not_finished_says_what_it_lacks() -> None:
    """The message names `value` for a class without value and slope."""
    with pytest.raises(ScenarioError, match="Unfinished does not define 'value'"):
        elastic("kind: 'lab_utilities:Unfinished', a: 1 money/s")


def test_a_users_own_counts_in_the_key_of_a_run() -> None:
    """A sweep repeats runs whose utility was edited; built-in ones count as ecnomy's sources."""
    own = elastic("kind: 'lab_utilities:Saturating', a: 1 money/s, x0: 1 Mbps")
    assert set(strategy_modules(own.market)) == {"lab_utilities"}
    assert strategy_modules(elastic("kind: log, a: 1 money/s, x0: 1 Mbps").market) == {}


def test_prices_by_time_count_in_the_key_of_a_run() -> None:
    """Sweeps run carriers with a price schedule, and repeat these runs if a price changes."""
    keys = set()
    for price in (0.1, 0.2):
        made = elastic("kind: log, a: 1 money/s, x0: 1 Mbps")
        schedule = StrategySpec("price-schedule", {"prices": {0.0: 0.05, 2.5: price}})
        market = msgspec.structs.replace(
            made.market,
            agents=[msgspec.structs.replace(one, strategy=schedule) for one in made.market.agents],
        )
        assert strategy_modules(market) == {}
        keys.add(run_key(make_plan(made), market, Code("", "", ""), {}))
    assert len(keys) == 2


@pytest.mark.parametrize("kind", ["quadratic", "target", "lab_utilities:Saturating"])
def test_a_market_runs_with_it(kind: str, tmp_path: Path) -> None:
    """A scenario runs with a decision each second; w is set and never 0."""
    text = f'{{kind: elastic-utility, utility: {{kind: "{kind}", {WRITTEN[kind]}}}}}'
    made = scenario_from_text(SCENARIO.format(f"{text}, decision_interval: 1 s"))
    table = run(made, seed=1, out=tmp_path / "run").raw.agents
    payments = table[table["name"] == "willingness_micro_per_s"].value
    assert len(payments) > 2 and payments.between(1, 1e12).all()


def test_utilities_load_nothing_that_draws() -> None:
    """Only the analysis package draws; the agents package needs just numpy and msgspec."""
    code = (
        "import sys, ecnomy.agents.utilities\n"
        "heavy = {'matplotlib', 'seaborn', 'scipy', 'mesa', 'pandas', 'ecnomy.analysis'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert done.returncode == 0, done.stderr
