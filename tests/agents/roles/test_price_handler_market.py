# SPDX-License-Identifier: Apache-2.0
"""The price handler in scenario and market: its keys, its payments, its orders to flows."""

from __future__ import annotations

import msgspec
import pytest

import market_world as world
from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.agents.spec import AgentSpec, MarketSpec, StrategySpec
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import Scenario, scenario_from_text
from market_world import PS

ISP = AgentSpec("isp", "connectivity-provider")
SCENARIO = """\
version: 1
duration: 10 s
network:
  links: [{{name: wire, from: a, to: b, rate: 1 Mbps}}]
sources:
  - {{name: greedy, from: a, to: b, transport: {{law: wtp}}}}
  - name: capped
    from: a
    to: b
    traffic: {{kind: rate-capped, rate: 1 Mbps}}
    transport: {{law: wtp}}
market:
  price_per_mark: 0.01 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - {{{0}}}
"""
HOME = "name: home, role: price-handler"
CHARGE = "strategy: {kind: constant-charge, charge: 2 money/s}"


def loaded(agent: str) -> Scenario:
    """A scenario with this agent beside an ISP."""
    return scenario_from_text(SCENARIO.format(agent))


def handler(source: str, kind: str, **params: object) -> AgentSpec:
    """A handler that decides at every report."""
    strategy = StrategySpec(kind, dict(params))
    return AgentSpec("home", "price-handler", (), (source,), strategy, decision_interval_ps=0)


@pytest.mark.parametrize(
    ("agent", "path", "found", "expected"),
    [
        (f"{HOME}, {CHARGE}", "sources", "no sources", "the price-handler's"),
        (f"{HOME}, sources: capped", "strategy", "no strategy", "charge: 2 money/s"),
        (
            f"{HOME}, sources: capped, strategy: {{kind: constant-charge}}",
            "strategy.charge",
            "neither 'charge'",
            "constant-charge",
        ),
        (f"{HOME}, sources: tin, {CHARGE}", "sources", "unknown source 'tin'", "one of"),
        (
            f"{HOME}, sources: capped, classes: {{gold: {{fee: 1 money/s}}}}, {CHARGE}",
            "classes",
            "classes of a price-handler",
            "an application-provider's",
        ),
        (
            f"{HOME}, sources: [capped, greedy], strategy: {{kind: elastic-utility, "
            "utility: {kind: log, a: 1 money/s}}",
            "strategy.utility.x0",
            "no 'x0', and source 'greedy' has no rate",
            "a rate",
        ),
        (
            f"{HOME}, sources: greedy, strategy: {{kind: constant-throughput, "
            "threshold: 1 money/s}",
            "strategy.rate",
            "no 'rate'",
            "a rate",
        ),
        (
            f"{HOME}, sources: capped, strategy: {{kind: constant-throughput, rate: 1 Mbps}}",
            "strategy.threshold",
            "no 'threshold'",
            "money/s",
        ),
        (
            f"{HOME}, sources: capped, strategy: {{kind: elastic-utility}}",
            "strategy.utility",
            "no 'utility'",
            "one of log, alpha-fair, sqrt",
        ),
        (
            f"{HOME}, sources: capped, strategy: {{kind: elastic-utility, utility: log}}",
            "strategy.utility",
            "'log'",
            "a mapping with 'kind'",
        ),
        (
            f"{HOME}, sources: capped, strategy: {{kind: elastic-utility, utility: {{kind: lag}}}}",
            "strategy.utility.kind",
            "'lag'",
            "'log'",
        ),
        (
            f"{HOME}, sources: capped, strategy: {{kind: elastic-utility, "
            "utility: {kind: alpha-fair, a: 1 money/s, alpha: -1}}",
            "strategy.utility.alpha",
            "-1",
            "from 0 to 100",
        ),
        (
            f"{HOME}, sources: capped, strategy: {{kind: elastic-utility, "
            "utility: {kind: log, a: 1 Mbps}}",
            "strategy.utility.a",
            "'1 Mbps'",
            "a quantity in money/s",
        ),
        (
            f"{HOME}, sources: capped, strategy: {{kind: elastic-utility, "
            "utility: {kind: log, a: 1 money/s, alpha: 2}}",
            "strategy.utility.alpha",
            "the unknown parameter 'alpha'",
            "one of a, x0",
        ),
    ],
)
def test_faults_are_named_with_their_place(
    agent: str, path: str, found: str, expected: str
) -> None:
    """One line has file, line, path, the value found and the values expected."""
    with pytest.raises(ScenarioError) as caught:
        loaded(agent)
    error = caught.value
    assert error.line == 16 and error.path == f"market.agents[1].{path}"
    assert found in error.found and expected in error.expected
    assert "\n" not in str(error)


def test_source_of_a_handler_is_in_no_class() -> None:
    """A source in a class is refused, because two agents would pay for its marks."""
    text = SCENARIO.format(f"{HOME}, sources: capped, {CHARGE}")
    classes = "classes: {gold: {fee: 1 money/s, sources: capped}}"
    with pytest.raises(ScenarioError) as caught:
        scenario_from_text(text + f"    - {{name: shop, role: application-provider, {classes}}}\n")
    assert caught.value.found == "'capped', which belongs to class 'gold' of 'shop'"


def test_source_has_one_user() -> None:
    """A source has one user: a customer and a handler cannot both have it."""
    text = SCENARIO.format(f"{HOME}, sources: capped, {CHARGE}")
    with pytest.raises(
        ScenarioError, match="'capped', which already belongs to price-handler 'home'"
    ):
        scenario_from_text(text + "    - {name: ann, role: customer, sources: capped}\n")


def test_parameters_reach_the_strategy_in_its_units() -> None:
    """Rates arrive in bit/s and money in money/s, inside the utility too. x0 is optional."""
    strategy = "{kind: elastic-utility, budget: 60 money/min, utility: {kind: log, a: 2 money/s"
    made = loaded(f"{HOME}, sources: greedy, strategy: {strategy}, x0: 3 Mbps}}}}")
    spec = made.market.agents[1].strategy
    assert spec.params == {"budget": 1.0, "utility": {"kind": "log", "a": 2.0, "x0": 3e6}}
    spec = loaded(f"{HOME}, sources: capped, strategy: {strategy}}}}}").market.agents[1].strategy
    assert "x0" not in spec.params["utility"]


def test_resolved_scenario_loads_as_itself() -> None:
    """The scenario in the manifest equals the one that the user wrote."""
    utility = "{kind: alpha-fair, a: 2 money/s, alpha: 3, x0: 3 Mbps}"
    made = loaded(
        f"{HOME}, sources: capped, strategy: {{kind: elastic-utility, utility: {utility}}}"
    )
    again = scenario_from_text(msgspec.json.encode(made.resolved()).decode())
    assert again.market == made.market
    assert again.document == made.document


def test_handler_pays_its_marks_itself() -> None:
    """A handler pays the ISP at the price in force; mark rate = willingness to pay / price."""
    plan = world.plan([world.source("web", count=2)])
    market = Market(plan, MarketSpec(1000, (ISP, handler("web", "constant-charge", charge=0.5))))
    decide = market.decide(world.report(plan, 0, 0))
    assert decide.flows["mark_rate"].tolist() == [500.0, 500.0]
    assert decide.flows["rate_cap_bps"].tolist() == [-1.0, -1.0]
    market.decide(world.report(plan, PS, 1, ce=[3, 4]))
    assert market.ledger.balance_micro("home") == -7000
    assert market.ledger.balance_micro("isp") == 7000
    assert market.charge_micro.tolist() == [3000, 4000]


def test_constant_throughput_sends_cap_and_mark_rate_once() -> None:
    """x0 is sent once as rate cap, and threshold / price as mark rate. Both are recorded."""
    plan = world.plan([world.source("web")])
    agent = handler("web", "constant-throughput", rate=2e6, threshold=0.5)
    market = Market(plan, MarketSpec(1000, (ISP, agent)))
    flows = market.decide(world.report(plan, 0, 0)).flows
    assert flows["rate_cap_bps"].tolist() == [2e6] and flows["mark_rate"].tolist() == [500.0]
    assert market.decide(world.report(plan, PS, 1)).flows == {}
    entries = {(e.agent, e.name): e.value.tolist() for e in market.journal.take()}
    assert entries[("home", "willingness_micro_per_s")] == [5e5]
    assert entries[("home", "rate_cap_bps")] == [2e6]
    assert entries[("", "mark_rate")] == [500.0]


def test_cap_stays_when_only_the_mark_rate_changes() -> None:
    """A decide message replaces both, so a new price must not lift the cap."""
    plan = world.plan([world.source("web")])
    isp = AgentSpec(
        "isp",
        "connectivity-provider",
        strategy=StrategySpec("lab_strategies:Doubling"),
        decision_interval_ps=PS,
    )
    agent = handler("web", "constant-throughput", rate=2e6, threshold=0.5)
    market = Market(plan, MarketSpec(1000, (isp, agent)))
    orders = [market.decide(world.report(plan, epoch * PS, epoch)).flows for epoch in range(4)]
    named = [flows for flows in orders if flows]
    assert len({float(flows["mark_rate"][0]) for flows in named}) == len(named) > 2
    assert {float(flows["rate_cap_bps"][0]) for flows in named} == {2e6}


def test_cap_holds_for_flows_that_marks_cannot_steer() -> None:
    """A Reno flow is capped and given no mark rate; so is any flow while marks are free."""
    agent = handler("web", "constant-throughput", rate=2e6, threshold=0.5)
    for transport, price in ((world.tcp(world.RENO), 1000), (world.tcp(), 0)):
        plan = world.plan([world.source("web", transport=transport)])
        flows = Market(plan, MarketSpec(price, (ISP, agent))).decide(world.report(plan, 0, 0)).flows
        assert flows["rate_cap_bps"].tolist() == [2e6] and flows["mark_rate"].tolist() == [-1.0]


def test_flows_tell_what_they_want_at_most() -> None:
    """The default x0 is the rate of the source's own traffic."""
    capped = msgspec.structs.replace(
        world.source("web"),
        traffic=world.Law("rate-capped", {"rate_bps": 3e6, "until_s": -1.0}),
    )
    plan = world.plan([world.source("other"), capped])
    agent = handler("web", "elastic-utility", utility={"kind": "log", "a": 1.0})
    market = Market(plan, MarketSpec(1000, (ISP, agent)))
    flows = market.decide(world.report(plan, 0, 0)).flows
    assert flows["flow"].tolist() == [1] and flows["mark_rate"].tolist() == [500.0]


def test_market_refuses_a_handler_of_sold_flows() -> None:
    """The refusal is an input error with a message, even without a scenario's checks."""
    plan = world.plan([world.source("web")])
    agent = handler("web", "constant-charge", charge=0.5)
    with pytest.raises(InputError, match="'home' is in a class"):
        Market(plan, world.shop({"gold": (1, ("web",))}, agent))
