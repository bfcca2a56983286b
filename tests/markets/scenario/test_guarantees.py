# SPDX-License-Identifier: Apache-2.0
"""The keys of a guaranteed stream provider in a scenario, and its calls in the plan."""

from __future__ import annotations

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Calls, Udp
from ecnomy.markets.scenario import scenario_from_text

GOOD = """
version: 1
duration: 60 s
network: {links: [{name: wire, from: a, to: b, rate: 10 Mbps, delay: 2 ms}]}
sources:
  - {name: callers, from: a, to: b, traffic: {kind: voip}, transport: {law: udp}}
  - {name: test, from: a, to: b, traffic: {kind: cbr, interval: 0.1 s}, transport: {law: udp}}
  - {name: noise, from: a, to: b, traffic: {kind: cbr, interval: 0.1 s}, transport: {law: udp}}
  - {name: bulk, from: a, to: b, transport: {law: wtp}}
market:
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: gsp
      role: guaranteed-stream-provider
      sources: callers
      test_streams: test
      tariff: {price: 0.05 money, max_delay: 12 ms}
record: {delay_thresholds: [15 ms]}
"""
AGENT = "market.agents[1]"


def test_the_plan_has_calls_ask_and_counts_late_by_the_tariff() -> None:
    """Calls ask for admission, packets later than promised are counted, and datagrams are ECT."""
    plan = make_plan(scenario_from_text(GOOD))
    callers, test, noise, bulk = plan.sources
    assert callers.calls == Calls(ask=True, max_delay_ps=12 * 10**9)
    assert test.calls == bulk.calls == Calls(ask=False, max_delay_ps=-1)
    assert plan.record.delay_thresholds_ps == [15 * 10**9, 12 * 10**9] and plan.record.calls
    ect = [s.transport.ect for s in (callers, test, noise) if isinstance(s.transport, Udp)]
    assert ect == [True, True, False]


def test_the_reimbursement_is_the_price_unless_said() -> None:
    """The default is the price; a given amount applies as written."""
    for extra, amount in (("", 50_000), (", reimbursement: 2 money", 2_000_000)):
        market = scenario_from_text(GOOD.replace("12 ms}", f"12 ms{extra}}}")).market
        assert market is not None
        (line,) = market.agents[1].lines
        assert line.tariff.reimbursement_micro == amount


@pytest.mark.parametrize(
    ("old", "new", "path", "found"),
    [
        ("      sources: callers\n", "", f"{AGENT}.sources", "no sources"),
        ("tariff: {price: 0.05 money, max_delay: 12 ms}", "", f"{AGENT}.tariff", "no tariff"),
        ("sources: callers", "sources: noise", f"{AGENT}.sources", "whose traffic is cbr"),
        ("sources: callers", "sources: [callers, caller]", f"{AGENT}.sources[1]", "'caller'"),
        ("test_streams: test", "test_streams: bulk", f"{AGENT}.test_streams", "is greedy"),
        ("      test_streams: test\n", "", f"{AGENT}.test_streams", "no test streams"),
        ("test_streams: test", "test_streams: [test, test]", f"{AGENT}.test_streams[1]", "twice"),
        ("price: 0.05 money", "price: 0.05", f"{AGENT}.tariff.price", "without a unit"),
        ("max_delay: 12 ms", "max_delay_rate: 1.5", f"{AGENT}.tariff.max_delay_rate", "1.5"),
        ("max_delay: 12 ms", "max_delay: 0 ms", f"{AGENT}.tariff.max_delay", "0 ms"),
        (
            "connectivity-provider}",
            "connectivity-provider, tariff: {price: 1 money}}",
            "market.agents[0].tariff",
            "tariff of a connectivity-provider",
        ),
        (
            "connectivity-provider}",
            "connectivity-provider}\n    - {name: shop, role: application-provider, "
            "classes: {a: {fee: 1 money/s, sources: callers}}}",
            "market.agents[2].sources",
            "which already belongs to class 'a' of 'shop'",
        ),
    ],
)  # fmt: skip
def test_faults_are_named_with_their_place(old: str, new: str, path: str, found: str) -> None:
    """Each fault is one line with the path of the wrong key."""
    assert old in GOOD
    with pytest.raises(ScenarioError) as fault:
        scenario_from_text(GOOD.replace(old, new, 1))
    assert fault.value.path == path and found in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("interval: 0.1 s}", "interval: 0.1 s}, stop: 15 s", "stops before the run ends"),
        ("test_streams: test", "test_streams: test\n      strategy: "
         "{kind: marking-quantile, sample: 30 s}", "learns for 300 s, longer than the run"),
        ("delay_thresholds: [15 ms]", "series: [cwnd], every: 1 us", "rows; sample less often"),
        ("price_per_mark", "epoch: 10 us\n  price_per_mark", "epochs, each with a message"),
    ],
)  # fmt: skip
def test_doubts_are_said(old: str, new: str, words: str) -> None:
    """`check` warns of settings that are valid but will disappoint; a healthy scenario has none."""
    from ecnomy.markets.compile.check import warnings

    healthy = GOOD.replace("60 s", "3600 s", 1)
    scenario = scenario_from_text(healthy)
    assert not any(words in line for line in warnings(scenario, make_plan(scenario)))
    text = (GOOD if "learns" in words else healthy).replace(old, new, 1)
    scenario = scenario_from_text(text)
    assert any(words in line for line in warnings(scenario, make_plan(scenario)))


def test_an_admission_without_streams_needs_none() -> None:
    """`accept-all` sells calls blindly."""
    text = GOOD.replace("test_streams: test", "strategy: {kind: accept-all}")
    assert make_plan(scenario_from_text(text)).sources[0].calls.ask


def test_optional_values_resolve_with_their_unit() -> None:
    """A resolved scenario with a custom interval loads as the same scenario."""
    import msgspec

    scenario = scenario_from_text(GOOD.replace("role: conn", "decision_interval: 7 s, role: conn"))
    text = msgspec.json.encode(scenario.resolved()).decode()
    assert scenario_from_text(text).document == scenario.document


FILES = """      elastic:
        files:
          sources: more
          price: 0.6 money
          deadline: 2 min
          strategy: {kind: file-budget, deadline: 2 min, budget: 0.4 money}
"""
HANDLER = """    - name: home
      role: price-handler
      sources: more
      strategy:
        kind: file-budget
        budget: 0.4 money
"""
SETTLED = GOOD.replace("  agents:\n", "  settlement: direct\n  agents:\n").replace(
    "  - {name: bulk", "  - {name: more, from: a, to: b, traffic: {kind: file, size: 1 MB}, "
    "transport: {law: wtp}}\n  - {name: bulk",
)  # fmt: skip


@pytest.mark.parametrize(
    ("added", "path"),
    [
        (FILES, f"{AGENT}.elastic.files.strategy.budget"),
        (HANDLER, "market.agents[2].strategy.budget"),
    ],
)
def test_a_budget_is_refused_where_marks_have_no_single_price(added: str, path: str) -> None:
    """`check` reports the line of a budget that direct settlement cannot keep."""
    scenario = SETTLED.replace("record:", added + "record:")
    line = 1 + scenario[: scenario.index("budget: 0.4")].count("\n")
    with pytest.raises(ScenarioError) as fault:
        scenario_from_text(scenario)
    assert fault.value.path == path
    assert f":{line}: {path}: found a budget, with settlement: direct" in str(fault.value)
    assert "expected no budget, or settlement: retail, cascade or peering" in str(fault.value)
    scenario_from_text(scenario.replace("direct", "cascade"))
    scenario_from_text(
        scenario.replace("budget: 0.4 money", "promise: 0.8").replace(
            "kind: file-budget\n", "kind: file-budget\n        deadline: 1 min\n"
        )
    )


def test_direct_is_the_one_rule_that_keeps_no_budget() -> None:
    """Scenarios refuse a budget under exactly the rules that cannot keep one."""
    from ecnomy.markets.economy.settlement import SETTLEMENTS
    from ecnomy.markets.scenario.mark_prices import DIRECT

    keeping = {name for name, rule in SETTLEMENTS.items() if getattr(rule, "by_delivery", False)}
    assert set(SETTLEMENTS) - keeping == {DIRECT}


@pytest.mark.parametrize("seen_by", ["gsp", "both", "subscriber"])
def test_only_a_subscriber_who_decides_alone_overclaims(seen_by: str) -> None:
    """`overclaims` has an effect only under `quality_seen_by: subscriber`."""
    from ecnomy.markets.compile.check import warnings

    people = "people\n      role: subscriber\n      sources: callers\n      strategy: "
    text = GOOD.replace("12 ms}", f"12 ms, quality_seen_by: {seen_by}}}").replace(
        "gsp\n      role",
        f"{people}{{kind: cheapest-call, overclaims: 0.5}}\n    - name: gsp\n      role",
    )
    scenario = scenario_from_text(text)
    lines = [line for line in warnings(scenario, make_plan(scenario)) if "overclaims" in line]
    assert len(lines) == (seen_by != "subscriber")
