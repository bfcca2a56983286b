# SPDX-License-Identifier: Apache-2.0
"""Marking laws tuned by their carrier: orders to engines, and refusals."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.spec import AgentSpec, MarketSpec, StrategySpec
from ecnomy.markets.economy.link_laws import LinkLaws
from ecnomy.markets.model.market import Market
from ecnomy.markets.plan.laws import law
from market_world import PS, plan, report, source
from tuning_strategies import Tuner


def market(answer: Any) -> Market:
    """A market whose carrier gives this answer."""
    Tuner.answer, Tuner.laws = answer, []
    strategy = StrategySpec("tuning_strategies:Tuner", {})
    isp = AgentSpec("isp", "connectivity-provider", strategy=strategy)
    return Market(plan([source("one")]), MarketSpec(1000, (isp,)))


def test_engines_get_only_changed_parameters() -> None:
    """Orders contain only changed parameters, and the carrier sees the current law."""
    made = market({"bottleneck": {"probability": np.float64(0.2)}})
    first = made.decide(report(made.plan, 0, 0))
    assert {name: column.tolist() for name, column in first.links.items()} == {
        "link": [0],
        "param": [0],
        "value": [0.2],
    }
    assert made.decide(report(made.plan, PS, 1)).links == {}
    Tuner.answer = {"bottleneck": {"probability": 0.3}}
    assert made.decide(report(made.plan, 2 * PS, 2)).links["value"].tolist() == [0.3]
    shares = [law[0][1]["probability"] for law in Tuner.laws]
    assert shares == [0.1, 0.2, 0.2]
    noted = [(e.agent, e.name, e.value[0]) for e in made.journal.take() if "." in e.name]
    assert noted == [("isp", "bottleneck.probability", value) for value in (0.2, 0.3)]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            {"other": {"probability": 0.2}},
            "isp tuned link 'other', expected one of its links: bott",
        ),
        ({"bottleneck": {"slope": 0.2}}, r"'slope' of link bottleneck \(fixed\), expected one of"),
        ({"bottleneck": {"probability": 1.2}}, "to 1.2, expected a number from 0 to 1"),
        ({"bottleneck": {"probability": float("nan")}}, "to nan, expected a number"),
        ({"bottleneck": {"probability": "0.2"}}, "to '0.2', expected a number"),
        ({"bottleneck": 0.2}, "expected a mapping such as {link: {parameter: value}}"),
        (0.2, "returned 0.2 from `tune`, expected a mapping such as"),
    ],
)
def test_what_cannot_be_tuned_is_refused(answer: Any, said: str) -> None:
    """The message names the carrier, the link and the accepted values."""
    made = market(answer)
    with pytest.raises(StrategyError, match=said):
        made.decide(report(made.plan, 0, 0))


def test_values_that_contradict_each_other_are_refused() -> None:
    """The carrier is named, not the engine, which would refuse the pair."""
    made = plan([source("one")])
    red = law("marking", "red", {"min_threshold": 5, "max_threshold": 15})
    links = [msgspec.structs.replace(made.links[0], marking=red)]
    laws = LinkLaws(msgspec.structs.replace(made, links=links))
    with pytest.raises(StrategyError, match="isp tuned link bottleneck .red. to max_threshold 3"):
        laws.tune("isp", 0, {"max_threshold": 3, "weight": 0.1})
    assert laws.changed() == {}
    assert laws.tune("isp", 0, {"min_threshold": 2, "max_threshold": 3}) != {}


def test_orders_of_several_links_are_sent_once_and_in_order() -> None:
    """The last value of each changed parameter is sent once, in order."""
    made = plan([source("one")])
    red = law("marking", "red", {"min_threshold": 5, "max_threshold": 15})
    links = [msgspec.structs.replace(made.links[0], name=n, marking=red) for n in ("near", "far")]
    laws = LinkLaws(msgspec.structs.replace(made, links=links))
    names = list(red.params)
    low, high = names.index("min_threshold"), names.index("max_threshold")
    assert laws.tune("isp", 1, {"max_threshold": 20}) == {"max_threshold": 20.0}
    assert laws.tune("isp", 0, {"max_threshold": 15, "min_threshold": 4}) == {"min_threshold": 4.0}
    assert laws.tune("isp", 1, {"max_threshold": 30, "min_threshold": 30}) == {
        "max_threshold": 30.0,
        "min_threshold": 30.0,
    }
    expected = [(0, low, 4.0), *sorted([(1, low, 30.0), (1, high, 30.0)])]
    orders = laws.changed()
    columns = (orders[name].tolist() for name in ("link", "param", "value"))
    assert list(zip(*columns, strict=True)) == expected
    assert laws.changed() == {}
    near, far = laws.of(np.array([0, 1]))
    assert (near.params["max_threshold"], far.params["max_threshold"]) == (15.0, 30.0)
    assert laws.of(np.array([1]))[0].params["min_threshold"] == 30.0


def test_a_strategy_that_fails_is_blamed() -> None:
    """A failing strategy gives the same error as for prices."""
    made = market({})
    Tuner.laws = None  # type: ignore[assignment]
    with pytest.raises(StrategyError, match="isp"):
        made.decide(report(made.plan, 0, 0))
