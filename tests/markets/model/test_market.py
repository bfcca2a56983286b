# SPDX-License-Identifier: Apache-2.0
"""The market on scripted reports: who pays what, and the mark rates that flows get."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import market_world as world
from ecnomy.agents.errors import InputError, LedgerError
from ecnomy.agents.spec import AgentSpec, MarketSpec, StrategySpec
from ecnomy.markets.bridge.messages import Request
from ecnomy.markets.economy.market_like import NoMarket
from ecnomy.markets.model.market import Market
from market_world import PS

CLASSES = {"gold": (4_000_000, ("gold",)), "silver": (1_000_000, ("silver",))}


def two() -> list[world.Source]:
    """A gold and a silver source, one flow each."""
    return [world.source("gold"), world.source("silver")]


def test_mark_rate_is_willingness_over_price() -> None:
    """Fees of 4 and 1 money a second at 0.001 money a mark buy 4,000 and 1,000 marks a second."""
    plan = world.plan(two())
    decide = Market(plan, world.shop(CLASSES)).decide(world.report(plan, 0, 0))
    assert decide.flows["flow"].tolist() == [0, 1]
    assert decide.flows["mark_rate"].tolist() == [4000.0, 1000.0]
    assert decide.flows["active"].tolist() == [1, 1]
    assert decide.flows["mark_cap"].tolist() == [-1, -1]
    assert decide.flows["rate_cap_bps"].tolist() == [-1.0, -1.0]


def test_unchanged_rates_are_not_sent_again() -> None:
    """A decision names flows only whose mark rate changes."""
    plan = world.plan(two())
    market = Market(plan, world.shop(CLASSES))
    market.decide(world.report(plan, 0, 0))
    assert market.decide(world.report(plan, PS, 1)).flows == {}


def test_flows_that_marks_cannot_steer_get_no_rate_but_pay() -> None:
    """A Reno flow in a class is charged the fee and the marks; its window does not change."""
    plan = world.plan([world.source("gold", transport=world.tcp(world.RENO))])
    market = Market(plan, world.shop({"gold": (4_000_000, ("gold",))}))
    assert market.decide(world.report(plan, 0, 0)).flows == {}
    market.decide(world.report(plan, PS, 1, ce=[5]))
    assert market.ledger.balance_micro("source:gold") == -4_000_000
    assert market.ledger.balance_micro("isp") == 5000


def test_price_zero_gives_no_mark_rate() -> None:
    """Free marks give no target."""
    plan = world.plan(two())
    market = Market(plan, world.shop(CLASSES, price=0))
    assert market.decide(world.report(plan, 0, 0)).flows == {}


def test_fee_and_marks_reach_their_parties() -> None:
    """Customers pay the shop fees, the shop pays the ISP for marks, and others pay themselves."""
    plan = world.plan([*two(), world.source("web", count=2)])
    market = Market(plan, world.shop(CLASSES, world.customer("ann", "gold")))
    market.decide(world.report(plan, 0, 0))
    market.decide(world.report(plan, PS, 1, ce=[7, 2, 1, 10]))
    balance = market.ledger.balance_micro
    assert balance("ann") == -4_000_000
    assert balance("source:silver") == -1_000_000
    assert balance("shop") == 5_000_000 - 9 * 1000
    assert balance("source:web") == -11 * 1000
    assert balance("isp") == 20 * 1000
    assert market.fee_micro.tolist() == [4_000_000, 1_000_000, 0, 0]
    assert market.charge_micro.tolist() == [7000, 2000, 1000, 10_000]


def test_mark_revenue_is_price_times_marks() -> None:
    """Revenue is exact over random reports, in balances and in rows."""
    plan = world.plan(two(), duration_ps=50 * PS)
    market, rng = Market(plan, world.shop(CLASSES, price=123_457)), np.random.default_rng(1)
    marks = np.zeros(2, dtype=np.int64)
    for epoch in range(51):
        last = marks
        market.decide(world.report(plan, epoch * PS, epoch, ce=last))
        marks = marks + rng.integers(0, 1000, 2)
    rows = [r for r in market.ledger.take() if r.kind == "marks"]
    counted = int(last.sum())
    assert market.ledger.balance_micro("isp") == 123_457 * counted
    assert sum(int(r.quantity.sum()) for r in rows) == counted
    assert all((r.quantity * 123_457 == r.amount_micro).all() for r in rows)


def test_fee_runs_from_start_to_stop() -> None:
    """A source active from 2.5 s to 4.25 s pays for 1.75 s, whatever the epochs."""
    late = world.source("gold", start_ps=5 * PS // 2, stop_ps=17 * PS // 4)
    plan = world.plan([late])
    market = Market(plan, world.shop({"gold": (333_333, ("gold",))}))
    for epoch in range(11):
        market.decide(world.report(plan, epoch * PS, epoch))
    assert market.ledger.balance_micro("source:gold") == -(333_333 * 175 // 100)


def test_class_switch_changes_fee_and_rate_from_that_report_on() -> None:
    """Gold without marks for 2 s pays its fee until the report at which it moves."""
    plan = world.plan(two())
    knob = world.customer("knob", "gold", kind="qos-knob", patience=2.0)
    market = Market(plan, world.shop(CLASSES, knob))
    changed = {}
    for epoch in range(11):
        decide = market.decide(world.report(plan, epoch * PS, epoch, acked_bytes=[epoch * 10] * 2))
        if decide.flows and epoch:
            changed[epoch] = decide.flows["mark_rate"].tolist()
    assert changed == {2: [1000.0]}
    assert market.ledger.balance_micro("knob") == -(2 * 4_000_000 + 8 * 1_000_000)
    assert market.offer.tolist() == [1, 1]


def test_no_decisions_after_the_end() -> None:
    """The last report is booked, but its decision is empty and changes no class."""
    plan = world.plan(two(), duration_ps=2 * PS)
    knob = world.customer("knob", "gold", kind="qos-knob", patience=2.0)
    market = Market(plan, world.shop(CLASSES, knob))
    for epoch in range(3):
        decide = market.decide(world.report(plan, epoch * PS, epoch))
    assert decide.epoch == 2 and decide.flows == {}
    assert market.offer.tolist() == [0, 1]


def test_marks_without_a_connectivity_provider() -> None:
    """Marks without a carrier are paid to a named account without an agent."""
    plan = world.plan([world.source("web")])
    market = Market(plan, MarketSpec(10, ()))
    market.decide(world.report(plan, 0, 0))
    market.decide(world.report(plan, PS, 1, ce=[3]))
    assert market.ledger.balance_micro("unassigned:network") == 30
    assert market.ledger.balance_micro("source:web") == -30


def test_customer_pays_its_own_marks() -> None:
    """A customer outside all classes pays marks itself, at the rate of its constant charge."""
    plan = world.plan([world.source("web")])
    spec = MarketSpec(
        1000,
        (
            AgentSpec("isp", "connectivity-provider"),
            world.customer("ann", "web", kind="constant-charge", charge=0.5),
        ),
    )
    market = Market(plan, spec)
    assert market.decide(world.report(plan, 0, 0)).flows["mark_rate"].tolist() == [500.0]
    market.decide(world.report(plan, PS, 1, ce=[3]))
    assert market.ledger.balance_micro("ann") == -3000


def test_calls_are_refused_when_nobody_handles_them() -> None:
    """No agent of this market sells guarantees."""
    plan = world.plan(two())
    verdict = Market(plan, world.shop(CLASSES)).request(Request(9, PS, 0, "voip", PS))
    assert (verdict.id, verdict.accept) == (9, False)


def test_journal_says_what_holds_from_when() -> None:
    """Price, willingness to pay and mark rates are recorded when they change."""
    plan = world.plan(two())
    market = Market(plan, world.shop(CLASSES))
    market.decide(world.report(plan, 0, 0))
    entries = {(e.agent, e.name): e.value.tolist() for e in market.journal.take()}
    assert entries[("isp", "price_micro_per_mark")] == [1000.0]
    assert entries[("shop", "willingness_micro_per_s")] == [4e6, 1e6]
    assert entries[("", "mark_rate")] == [4000.0, 1000.0]
    market.decide(world.report(plan, PS, 1))
    assert market.journal.take() == []


def test_counter_that_runs_backwards_is_refused() -> None:
    """Reports of an engine that takes marks back are refused."""
    plan = world.plan(two())
    market = Market(plan, world.shop(CLASSES))
    market.decide(world.report(plan, 0, 0))
    market.decide(world.report(plan, PS, 1, ce=[5, 5]))
    with pytest.raises(LedgerError, match="negative-amount"):
        market.decide(world.report(plan, 2 * PS, 2, ce=[4, 5]))


def test_hasty_agent_is_warned_of_once() -> None:
    """With T = 0.1 s, gain 0.5, p = 0.01, an interval of 1 s is far below 60 s."""
    plan = world.plan(two())
    knob = AgentSpec("knob", "customer", (), ("gold",), StrategySpec("qos-knob"), PS)
    market = Market(plan, world.shop(CLASSES, knob))
    for epoch in range(8):
        counts = {"delivered": [1000 * epoch] * 2, "ce": [10 * epoch] * 2, "srtt_s": [0.1] * 2}
        market.decide(world.report(plan, epoch * PS, epoch, **counts))
    assert len(market.warnings) == 1
    warning = "knob decides faster than its flows settle (3 T / (gain p), 5 s now), so it "
    assert market.warnings[0].startswith(warning), "without marks yet"
    (role,) = (role for role in market.roles if role.name == "knob")
    assert role.settles_ps == 60 * PS


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        (
            (AgentSpec("a", "connectivity-provider"), AgentSpec("b", "connectivity-provider")),
            "the links that a owns",
        ),
        ((AgentSpec("a", "customer"), AgentSpec("a", "customer")), "already used"),
        ((AgentSpec("source:gold", "customer"),), "colon"),
        ((AgentSpec("a", "king"),), "no role 'king'"),
        ((AgentSpec("a", "customer", (), ("tin",)),), "unknown source 'tin'"),
        (
            (AgentSpec("a", "customer", (), ("gold",)), AgentSpec("b", "customer", (), ("gold",))),
            "two customers",
        ),
    ],
)
def test_market_that_does_not_fit(agents: tuple[AgentSpec, ...], message: str) -> None:
    """A market that does not fit its plan is refused as input, with a message."""
    with pytest.raises(InputError, match=message):
        Market(world.plan(two()), MarketSpec(1, agents))


def test_source_in_two_classes_is_refused() -> None:
    """A flow has one class."""
    with pytest.raises(InputError, match="two classes"):
        Market(world.plan(two()), world.shop({"gold": (2, ("gold",)), "silver": (1, ("gold",))}))


def test_market_is_freed() -> None:
    """Mesa 3.3 keeps models with agents alive, but this market is freed with its last reference."""
    market = Market(world.plan(two()), world.shop(CLASSES))
    model, role = weakref.ref(market), weakref.ref(market.roles[0])
    assert [agent.unique_id for agent in market.agents] == [1, 2]
    del market
    gc.collect()
    assert model() is None and role() is None


def test_no_market_books_nothing() -> None:
    """Marks without a market cost nothing."""
    plan = world.plan(two())
    market = NoMarket(plan)
    assert market.decide(world.report(plan, PS, 1, ce=[3, 4])).flows == {}
    assert market.ledger.take() == [] and market.charge_micro.tolist() == [0, 0]
    assert market.request(Request(1, 0, 0, "call", 1)).accept
