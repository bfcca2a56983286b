# SPDX-License-Identifier: Apache-2.0
"""Users' mistakes that once caused errors: each now works, or is refused in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.agents.decision import checked
from ecnomy.agents.errors import ScenarioError, StrategyError
from ecnomy.agents.strategies import find
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import load
from ecnomy.markets.sweep.config import load_sweep

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
GOLD = EXAMPLES / "gold-silver.yaml"


def test_set_reaches_a_section_that_is_not_written() -> None:
    """`--set network.links.bottleneck.reverse.rate=...` writes the missing mapping."""
    scenario = load(GOLD, overrides=["network.links.bottleneck.reverse.rate=5 Mbps"])
    assert make_plan(scenario).links[3].rate_bps == 5_000_000


def test_set_of_another_law_drops_the_old_parameters() -> None:
    """RED's thresholds do not prevent `--set ...marking.law=drop-tail`."""
    scenario = load(GOLD, overrides=["network.links.bottleneck.marking.law=drop-tail"])
    assert make_plan(scenario).links[2].marking.law == "drop-tail"


@pytest.mark.parametrize(
    ("traffic", "law"),
    [("{kind: cbr, rate: 64 kbps}", "udp"), ("{kind: web}", "wtp"), ("{kind: greedy}", "wtp")],
)
def test_the_message_on_a_missing_transport_names_one_for_the_traffic(
    traffic: str, law: str
) -> None:
    """The message proposes a transport that can carry the traffic, such as udp for datagrams."""
    with pytest.raises(ScenarioError) as caught:
        load(GOLD, overrides=[f"sources.gold={{name: a, from: b, to: c, traffic: {traffic}}}"])
    assert caught.value.found == "no 'transport'"
    assert caught.value.expected == f"a mapping such as {{law: {law}}}"


@pytest.mark.parametrize(
    ("override", "found"),
    [
        ("sources.background.traffic.reading=3 days", "reading_mean_s is 259200.0"),
        ("market.price_per_mark=2000000 money", "2000000 money"),
        ("network.links.access.framing=2000000 bytes", "2000000 bytes"),
    ],
)
def test_absurd_values_are_faults_of_the_scenario(override: str, found: str) -> None:
    """Absurd values are refused with their place before anything runs."""
    with pytest.raises(ScenarioError) as caught:
        make_plan(load(GOLD, overrides=[override]))
    assert found in caught.value.found and "\n" not in str(caught.value)


def test_strategies_may_return_lists() -> None:
    """A list of numbers is a column; text is refused by name."""
    from types import SimpleNamespace

    from ecnomy.agents.decision import Decision
    from ecnomy.agents.errors import StrategyError

    observation = SimpleNamespace(flows=SimpleNamespace(flow=np.arange(2)))
    decision = checked(Decision(willingness_micro_per_s=[1.0, 2.0]), observation, "lab")
    assert decision.willingness_micro_per_s.tolist() == [1.0, 2.0]
    with pytest.raises(StrategyError, match="not a column of numbers"):
        checked(Decision(willingness_micro_per_s=["a", "b"]), observation, "lab")


@pytest.mark.parametrize("slip", ["duration 60 s", "duration:60 s"])
def test_a_line_without_a_colon_is_named_itself(tmp_path: Path, slip: str) -> None:
    """The message has that line, not the next one, where the parser detects the fault."""
    file = tmp_path / "slip.yaml"
    file.write_text(f"version: 1\n{slip}\nwarmup: 1 s\n")
    with pytest.raises(ScenarioError, match=f"slip.yaml:2: found no ': ' in '{slip}'"):
        load(file)


def test_a_scenario_is_not_a_sweep_and_a_sweep_is_not_a_scenario() -> None:
    """Each message names the verb of the file; a scenario's key may belong under `set`."""
    with pytest.raises(
        ScenarioError, match="expected 'duration' under 'set'; .*`ecnomy run .*yaml`"
    ):
        load_sweep(GOLD)
    with pytest.raises(
        ScenarioError, match="expected a scenario; to run a sweep, use `ecnomy sweep FILE`"
    ):
        load(EXAMPLES.parent / "sweeps" / "gold-silver-price.yaml")


def test_the_message_on_a_misspelt_class_lists_those_of_its_module(
    tmp_path: Path, monkeypatch
) -> None:
    """The message lists strategies that the module defines, not those that it imports."""
    text = "from ecnomy.agents.strategies.stay import Stay\nclass Mine(Stay):\n    pass\n"
    (tmp_path / "slip_lab.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(StrategyError, match="found no 'Mien' in slip_lab, expected one of Mine$"):
        find("slip_lab:Mien")
