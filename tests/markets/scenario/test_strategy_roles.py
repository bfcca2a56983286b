# SPDX-License-Identifier: Apache-2.0
"""Strategies under roles that can hold them, and what `check` says of those that cannot act."""

from __future__ import annotations

import itertools
from pathlib import Path

import mesa
import pytest

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.errors import InputError
from ecnomy.agents.roles.application_provider import ApplicationProvider
from ecnomy.agents.roles.connectivity_provider import ConnectivityProvider
from ecnomy.agents.roles.customer import Customer
from ecnomy.agents.roles.fitting import wanted_instead
from ecnomy.agents.roles.guaranteed_stream_provider import GuaranteedStreamProvider
from ecnomy.agents.roles.preset import with_article
from ecnomy.agents.roles.price_handler import PriceHandler
from ecnomy.agents.roles.role import Terms
from ecnomy.agents.roles.subscriber import Subscriber
from ecnomy.agents.spec import CallLine
from ecnomy.agents.strategies import BUILT_IN
from ecnomy.markets import make_plan
from ecnomy.markets.cli.main import main
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.scenario import scenario_from_text
from tiers import in_full

PARAMS = {
    "aggressiveness-knob": "most: 8, utility: {kind: log, a: 1 money/s, x0: 1 Mbps}",
    "all-or-nothing": "rate: 1 Mbps, threshold: 1 money/s",
    "average-rate": "rate: 1 Mbps, threshold: 1 money/s",
    "best-choice": "utility: {kind: log, a: 1 money/s, x0: 1 Mbps}",
    "fee-limit": "low: 1 money/s, high: 2 money/s",
    "menu": "choices: {one: {kind: stay}}",
    "best-offer": "utility: {kind: log, a: 1 money/s, x0: 1 Mbps}",
    "constant-charge": "charge: 1 money/s",
    "constant-throughput": "rate: 1 Mbps, threshold: 1 money/s",
    "elastic-utility": "utility: {kind: log, a: 1 money/s, x0: 1 Mbps}",
    "file-budget": "budget: 1 money",
    "hill-climbing": "step: 0.01 money",
    "price-memory": "rate: 1 Mbps",
    "price-demand": "demand: {kind: linear, choke: 1 money/MB}",
    "lines": "lines: 3",
    "price-schedule": "prices: {0 s: 0.1 money}",
    "probe-threshold": "threshold: 0.1",
    "revenue-bandit": "floor: 0.01 money, ceiling: 0.1 money",
    "target-utilization": "target: 0.85",
    "tuned-marking": "target: 0.85",
}
ROLES = {
    "connectivity-provider": "",
    "application-provider": "classes: {gold: {fee: 1 money/s, charge: 1 money/s, "
    "members: 3, sources: [one]}}, ",
    "customer": "sources: [one, two], ",
    "price-handler": "sources: [one, two], ",
    "guaranteed-stream-provider": "sources: [calls], test_streams: [test], "
    "tariff: {price: 1 money, max_delay: 15 ms, max_delay_rate: 0.01}, ",
}
FIT = {
    "connectivity-provider": {
        *("hill-climbing", "revenue-bandit", "revenue-gradient", "stay", "target-utilization"),
        *("price-schedule", "tuned-marking"),
    },
    "application-provider": {
        *("average-rate", "constant-charge", "constant-throughput", "elastic-utility"),
        *("price-memory", "stay", "cost-plus", "fill-classes", "menu"),
    },
    "customer": {
        *("best-choice", "best-offer", "fee-limit", "price-demand", "qos-knob", "stay"),
    },
    "price-handler": {
        *("all-or-nothing", "average-rate", "constant-charge", "constant-throughput"),
        *("elastic-utility", "file-budget", "price-demand", "price-memory", "stay"),
        "aggressiveness-knob",
    },
    "guaranteed-stream-provider": {
        *("accept-all", "expected-profit", "lines"),
        *("marking-quantile", "probe-threshold"),
    },
}
TEXT = """
version: 1
duration: 10 s
network:
  links:
    - {name: l, from: a, to: b, rate: 9 Mbps, marking: {law: load-based}}
sources:
  - {name: one, from: a, to: b, traffic: {kind: web}, transport: {law: wtp}}
  - {name: two, from: a, to: b, traffic: {kind: web}, transport: {law: wtp}}
  - {name: calls, from: a, to: b, traffic: {kind: voip}, transport: {law: udp}}
  - name: test
    from: a
    to: b
    traffic: {kind: cbr, interval: 1 s}
    transport: {law: udp, ecn: ect}
market:
  price_per_mark: 0.1 money
  agents:
"""
ISP = "    - {name: isp, role: connectivity-provider}\n"


def agent(role: str, kind: str) -> str:
    """A line of the scenario, the nineteenth."""
    own = f", {PARAMS[kind]}" if kind in PARAMS else ""
    return f"    - {{name: who, role: {role}, {ROLES[role]}strategy: {{kind: {kind}{own}}}}}\n"


def checked(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit status of `ecnomy check` on a scenario, and its standard error."""
    file = tmp_path / "s.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["check", str(file)])
    code = left.value.code
    return (code if isinstance(code, int) else 0), capsys.readouterr().err


PAIRS = list(itertools.product(ROLES, BUILT_IN))


@pytest.mark.parametrize(("role", "kind"), PAIRS if in_full() else PAIRS[::4])
def test_a_strategy_under_a_role_that_cannot_hold_it(
    role: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check` refuses such a strategy with its line, and lists those that fit; others pass."""
    isp = "" if role == "connectivity-provider" else ISP
    status, said = checked(tmp_path, TEXT + agent(role, kind) + isp, capsys)
    if kind in FIT[role]:
        assert (status, said) == (0, "")
        return
    assert status == 2 and said.count("\n") == 1
    assert "s.yaml:19: market.agents[0].strategy.kind: " in said
    who = with_article(role)
    assert f"found {kind!r} of {who}, expected a strategy for {who}: " in said
    listed = said.partition(f"a strategy for {who}: ")[2].partition(", or a custom class")[0]
    assert set(listed.split(", ")) == FIT[role]


@pytest.mark.parametrize(
    ("role", "kind"), [(role, kind) for role in ROLES for kind in PARAMS if kind in FIT[role]]
)
def test_what_fits_can_be_hired(role: str, kind: str) -> None:
    """A role makes every strategy that fits it, and `check` prints it."""
    isp = "" if role == "connectivity-provider" else ISP
    text = TEXT + isp + agent(role, kind)
    scenario = scenario_from_text(text)
    assert f"strategy {kind}" in summary(scenario, make_plan(scenario))
    spec = scenario.market
    assert spec is not None
    strategy = next(agent for agent in spec.agents if agent.name == "who").strategy
    assert strategy is not None
    terms = Terms(1, strategy.kind, strategy.params)
    hire = {
        "connectivity-provider": lambda: ConnectivityProvider(mesa.Model(rng=1), "who", terms),
        "application-provider": lambda: ApplicationProvider(mesa.Model(rng=1), "who", terms, ()),
        "customer": lambda: Customer(mesa.Model(rng=1), "who", terms),
        "price-handler": lambda: PriceHandler(mesa.Model(rng=1), "who", terms),
        "guaranteed-stream-provider": lambda: GuaranteedStreamProvider(
            mesa.Model(rng=1), "who", terms, (CallLine(CallTariff(1, 1, 0.01, 1), ()),)
        ),
        "subscriber": lambda: Subscriber(mesa.Model(rng=1), "who", terms),
    }
    assert hire[role]().name == "who"


def test_a_users_strategy_fits_by_its_methods() -> None:
    """`decide` fits flows, `post_price` prices; an unknown role is refused."""
    assert wanted_instead("lab_strategies:Counting", "customer") == ""
    assert wanted_instead("lab_strategies:Doubling", "connectivity-provider") == ""
    assert "custom class with post_price" in wanted_instead(
        "lab_strategies:Counting", "connectivity-provider"
    )
    assert "decide or decide_many" in wanted_instead("lab_strategies:Doubling", "price-handler")
    with pytest.raises(InputError, match="no role 'stranger'"):
        wanted_instead("lab_strategies:Counting", "stranger")
    assert wanted_instead("lab_strategies:Counting", "guaranteed-stream-provider") != ""
    assert {role for role in ROLES if not wanted_instead("stay", role)} == {
        role for role in ROLES if "stay" in FIT[role]
    }
    assert ConnectivityProvider(mesa.Model(rng=1), "isp", Terms(1, "stay")).name == "isp"
    assert Customer(mesa.Model(rng=1), "c", Terms(1, "qos-knob")).name == "c"


def test_weights_that_a_handler_lacks_or_replaces_are_pointed_out() -> None:
    """The warning names sources that payment cannot steer, or whose weight it replaces."""
    text = TEXT + ISP + agent("price-handler", "constant-charge")
    scenario = scenario_from_text(text)
    assert warnings(scenario, make_plan(scenario)) == []
    scenario = scenario_from_text(text, overrides=["sources.two.transport={law: newreno}"])
    (doubt,) = warnings(scenario, make_plan(scenario))
    assert doubt == (
        "agent who: its willingness to pay has no effect on two, whose transport ignores it; "
        "use e.g. wtp"
    )
    scenario = scenario_from_text(text, overrides=["sources.two.transport.weight=4"])
    (doubt,) = warnings(scenario, make_plan(scenario))
    assert doubt == (
        "agent who: its willingness to pay replaces the weight of two; omit the weight"
    )
