# SPDX-License-Identifier: Apache-2.0
"""Environment files: their meaning, and one line with its place for each fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.rl.environment_file import load_environment
from ecnomy.markets.rl.ranges import QuantityRange
from rl_world import ENVIRONMENT, SCENARIO, written

ROOT = Path(__file__).parents[3]


def test_a_file_is_read_in_its_units(tmp_path: Path) -> None:
    """A file gives times in ps, ranges in their units, and parameters of rewards."""
    environment = load_environment(written(tmp_path))
    assert (environment.step_ps, environment.settle_ps, environment.steps) == (
        4 * 10**12,
        10**12,
        6,
    )
    joe = environment.learner("joe")
    assert joe.observations["goodput"] == QuantityRange(1e4, 1e7, True)
    assert joe.observations["rtt"] == QuantityRange(0.0, 0.1)
    assert joe.actions["rate_cap"] == QuantityRange(1e5, 4e6)
    assert joe.reward.params == {"utility": {"kind": "log", "a": 1.0, "x0": 1e6}}


def test_learners_take_the_place_of_strategies_and_of_nothing_else(tmp_path: Path) -> None:
    """Agents that do not learn keep their strategies; a run is an epoch longer than an episode."""
    played = load_environment(written(tmp_path)).played(("joe",))
    assert played.market is not None
    kinds = {agent.name: agent.strategy and agent.strategy.kind for agent in played.market.agents}
    assert kinds == {"isp": None, "joe": "stay", "ann": "constant-charge", "shop": None}
    assert played.document.duration == (2 + 6 * 4 + 1) * 10**12


def test_the_scenario_may_be_changed(tmp_path: Path) -> None:
    """The key `set` changes the scenario, as in sweeps."""
    marking = "{law: virtual-queue, theta: 0.75}"
    text = f'set: {{"network.links.l.rate": 8 Mbps, seed: 9, "network.links.l.marking": {marking}}}'
    changed = load_environment(written(tmp_path, f"{ENVIRONMENT}{text}\n")).scenario
    link = changed.document.network.links[0]
    assert link.rate == 8_000_000 and changed.seed == 9
    assert link.marking is not None and "0.75" in repr(link.marking)


@pytest.mark.parametrize(
    ("of", "value", "share"),
    [
        (QuantityRange(0.0, 10.0), 2.5, 0.25),
        (QuantityRange(-10.0, 10.0), 0.0, 0.5),
        (QuantityRange(0.01, 1.0, True), 0.1, 0.5),
        (QuantityRange(1.0, 1e6, True), 1e6, 1.0),
    ],
)
def test_ranges_by_hand(of: QuantityRange, value: float, share: float) -> None:
    """Linear and logarithmic ranges map both ways, and values outside become the nearest end."""
    assert of.share(value) == pytest.approx(share) and of.value(share) == pytest.approx(value)
    assert of.share(-1e9) == 0.0 and of.share(1e9) == 1.0
    assert of.value(0.0) == of.least and of.value(1.0) == of.most


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("step: 4 s", "step: 4", 4, "step: found 4 without a unit"),
        ("step: 4 s", "step: 4.5 s", 4, "expected whole multiples of the market's epoch, 1 s"),
        ("settle: 1 s", "settle: 4 s", 5, "settle: found 4 s, expected less than step, 4 s"),
        ("steps: 6", "steps: 0", 6, "steps: found 0"),
        ("steps: 6", "stepps: 6", 6, "'steps'"),
        ("market.yaml", "absent.yaml", None, "no such file"),
        ("name: isp", "name: bob", 8, "learners[0].name: found 'bob', expected one of isp, joe"),
        ("name: joe", "name: isp", 16, "'isp' a second time"),
        ("name: isp", "name: shop", 8, "whose role is application-provider"),
        ("time: {", "tide: {", 10, "the unknown name 'tide'"),
        ("time: {", "goodput: {", 10, "found 0, expected a quantity in bit/s"),
        ("most: 1}", "most: 0}", 10, "time.most: found 0, expected more than 0"),
        ("least: 0.01 money, most: 1 money, scale: log}\n      pro",
         "least: 0 money, most: 1 money, scale: log}\n "
         "     pro", 11, "a value above 0 on a log scale"),
        ("most: 100 marks/s", "most: 100 s", 13, "expected a quantity in mark/s"),
        ("most: 100 marks/s", "levels: 3", 13, "the unknown key 'levels'"),
        ("      willingness:", "      price:", 22, "expected a quantity in money"),
        ("most: 4 Mbps}", "most: 4 Mbps, levels: 5}", 22, "levels for all actions, or no levels"),
        ("most: 4 Mbps}", "most: 4 Mbps, levels: 1}", 23, "a whole number from 2 to 10000"),
        ("kind: profit", "kind: fame", 15, "reward.kind: found 'fame', expected one of profit"),
        ("per: 2 money/s", "per: 0 money/s", 15, "reward.per: found 0 money/s"),
        (", x0: 1 Mbps", "", 24, "utility.x0: found no 'x0'"),
        ("kind: profit, per: 2 money/s",
         "kind: surplus, utility: {kind: log, a: 1 money/s, x0: 1 bit/s}", 15,
         "'surplus' of a connectivity-provider"),
    ],
)  # fmt: skip
def test_faults_are_one_line(
    tmp_path: Path, old: str, new: str, line: int | None, message: str
) -> None:
    """Each fault gives one line: file, line, and the values found and expected."""
    assert old in ENVIRONMENT
    with pytest.raises(ScenarioError) as raised:
        load_environment(written(tmp_path, ENVIRONMENT.replace(old, new, 1)))
    text = str(raised.value)
    assert message in text and "\n" not in text
    if line is not None:
        assert text.startswith(f"{tmp_path}/env.yaml:{line}: ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("warmup: 2 s", "warmup: 2.5 s", "a warm-up of 2.5 s"),
        (SCENARIO[SCENARIO.index("market:") :], "", "a scenario without a market"),
    ],
)
def test_scenarios_that_do_not_do(tmp_path: Path, old: str, new: str, message: str) -> None:
    """Warm-ups that end between two epochs, and markets without payers, are refused."""
    with pytest.raises(ScenarioError, match=message):
        load_environment(written(tmp_path, scenario=SCENARIO.replace(old, new, 1)))


@pytest.mark.parametrize("file", sorted((ROOT / "configs" / "rl").glob("*.yaml")), ids=str)
def test_shipped_environments_load(file: Path) -> None:
    """Files in configs/rl are environments, or scenarios that these name."""
    if "learners:" in file.read_text(encoding="utf-8"):
        assert load_environment(file).learners
