# SPDX-License-Identifier: Apache-2.0
"""Values held by hand at an engine's screen override what agents decide."""

from __future__ import annotations

import re
from unittest.mock import Mock, call

import pytest

import market_world as world
from ecnomy.agents.errors import InputError
from ecnomy.markets import open_market
from ecnomy.markets.bridge.messages import Hand
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.economy.market_like import NoMarket
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import scenario_from_text
from ecnomy.markets.session.conversation import Conversation, Quiet
from ecnomy.markets.session.qtenv_hand import Held
from ecnomy.markets.session.retention import RunVoice

SCENARIO = """
version: 1
duration: 8 s
network:
  links:
    - {name: l, from: a, to: b, rate: 10 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: gold, count: 2, from: a, to: b, traffic: {kind: greedy}, transport: {law: wtp}}
market:
  price_per_mark: 0.25 money
  agents:
    - {name: isp, role: connectivity-provider}
"""


def test_what_is_held_reaches_the_market() -> None:
    """The market gets willingness to pay per source, and prices per carrier of the link."""
    with open_market(scenario_from_text(SCENARIO), tables=False) as market:
        held = Held.of('{"willingness": {"gold": 3.5}, "prices": {"l.reverse": 0.5}}')
        assert list(held.apply(market)) == []
        assert market.prices == {"isp": 0.5}
        assert market.aims.pay_micro_per_s.tolist() == [3_500_000, 3_500_000]
        market.step()


def test_what_is_held_overrides_the_decision_on_its_report() -> None:
    """On each report agents decide first; then the values that a user holds override them."""
    agent = """    - name: who
      role: price-handler
      sources: gold
      strategy: {kind: constant-charge, charge: 1 money/s}
"""
    scenario = scenario_from_text(SCENARIO + agent)
    plan = make_plan(scenario)
    assert scenario.market is not None
    market, others = Market(plan, scenario.market), Mock()
    said = [world.report(plan, epoch * world.PS, epoch) for epoch in range(3)]
    others.receive.side_effect = [Hand('{"willingness": {"gold": 3.5}}'), *said]
    conversation = Conversation(others, plan, others, Quiet(), str)
    conversation.begin(Mock(show=False), market)
    for _ in said[1:]:
        assert market.aims.pay_micro_per_s.tolist() == [3_500_000, 3_500_000]
        conversation.step(market)
    assert market.aims.pay_micro_per_s.tolist() == [3_500_000, 3_500_000]


def test_a_screen_gets_the_market_before_the_engine_goes_on() -> None:
    """An engine with a screen gets the market's data. Progress has the title and duration."""
    scenario = scenario_from_text("title: two\n" + SCENARIO)
    plan = make_plan(scenario)
    assert scenario.market is not None
    for show in (True, False):
        market, link, sink, progress = Market(plan, scenario.market), Mock(), Mock(), Mock()
        said = [world.report(plan, epoch * world.PS, epoch) for epoch in range(3)]
        link.receive.side_effect = said
        conversation = Conversation(link, plan, sink, RunVoice(sink, progress), str)
        conversation.begin(Mock(show=show), market)
        assert not link.send.called
        for _ in said[1:]:
            conversation.step(market)
        kinds = [type(sent.args[0]).__name__ for sent in link.send.call_args_list]
        assert kinds == (["Show", "Decide"] if show else ["Decide"]) * 2
        times = [call.at(epoch * world.PS) for epoch in range(3)]
        assert progress.mock_calls == [call.start("two", 8 * world.PS), *times]


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ('{"willingness": {"silver": 1}}', "set by hand: .*silver"),
        ('{"willingness": {"gold": -1}}', "set by hand: .*-1"),
        ('{"prices": {"m": 1}}', "set by hand: found link m, expected one of l, l.reverse"),
        ('{"prices": {"l": 1e7}}', "set by hand: .*expected at most"),
    ],
)
def test_what_cannot_be_held_is_refused_in_words(said: str, refused: str) -> None:
    """A value that cannot be held is refused with a message, and the market continues."""
    with open_market(scenario_from_text(SCENARIO), tables=False) as market:
        (line,) = Held.of(said).apply(market)
        assert re.match(refused, line)
        assert market.prices == {"isp": 0.25}


def test_no_market_has_no_prices() -> None:
    """Only values that need a market are refused."""
    market = NoMarket(make_plan(scenario_from_text(SCENARIO)))
    assert list(Held().apply(market)) == []
    (line,) = Held.of('{"prices": {"l": 1}}').apply(market)
    assert "without a market" in line


def test_weights_that_the_engine_holds_are_noted() -> None:
    """Each new set of values counts, in a market and without one."""
    held = ("[4.5]", "[4.5]", "[4.5, 2]")
    scenario = scenario_from_text(SCENARIO)
    with open_market(scenario, tables=False) as market:
        market.step()
        alone = NoMarket(make_plan(scenario))
        alone.meet(world.report(market.plan, market.t_ps, 1))
        for weights in held:
            said = Held.of(f'{{"weights": {{"gold": {weights}}}}}')
            assert list(said.apply(market)) == list(said.apply(alone)) == []
        noted = [{"what": "weight", "of": "gold", "from_ps": market.t_ps, "values": 2}]
        assert market.by_hand == alone.by_hand == noted and market.t_ps > 0


@pytest.mark.parametrize(
    "said", ["", "[]", '{"weights": {"gold": 2}}', '{"prices": {"l": "dear"}}']
)
def test_other_messages_are_refused(said: str) -> None:
    """The refusal is one line."""
    with pytest.raises(InputError, match="set by hand: "):
        Held.of(said)
