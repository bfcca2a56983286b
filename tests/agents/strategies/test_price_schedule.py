# SPDX-License-Identifier: Apache-2.0
"""`price-schedule`: prices by time, once and by the hour, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.observation import LinkColumns, PriceObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.price_schedule import PriceSchedule
from ecnomy.markets.scenario import scenario_from_text

NONE = LinkColumns(*(np.zeros(0, dtype=np.int64) for _ in range(7)))
TEXT = """\
version: 1
duration: 60 s
network:
  links: [{name: l, from: a, to: b, rate: 9 Mbps, marking: {law: fixed, probability: 0.1}}]
sources: [{name: s, from: a, to: b, transport: {law: wtp}}]
market:
  price_per_mark: 0.1 money
  agents:
    - {name: isp, role: connectivity-provider, strategy: {kind: price-schedule, PRICES}}
"""


def posted(strategy: PriceSchedule, t_s: float) -> int:
    """The price posted at a time if 77 micro-units are in force."""
    return strategy.post_price(PriceObservation(round(t_s * 1e12), 0, 77, NONE))


def test_a_step_holds_from_its_time_on() -> None:
    """Before the first time the price stays as it was; times need not be in order."""
    strategy = PriceSchedule(prices={40.0: 0.3, 10.0: 0.2})
    prices = [posted(strategy, t) for t in (0, 9.9, 10, 39.9, 40, 1e6)]
    assert prices == [77, 77, 200_000, 200_000, 300_000, 300_000]


def test_prices_by_the_hour_repeat() -> None:
    """The night's price holds over midnight, and a run may begin at any hour."""
    hour = 3600.0
    strategy = PriceSchedule(prices={8 * hour: 0.3, 18 * hour: 0.1}, period=24 * hour)
    assert [posted(strategy, h * hour) for h in (0, 7.99, 8, 17, 18, 31.9, 32)] == [
        *(100_000, 100_000, 300_000, 300_000, 100_000, 100_000, 300_000)
    ]
    noon = PriceSchedule(prices={8 * hour: 0.3, 18 * hour: 0.1}, period=24 * hour, offset=12 * hour)
    assert [posted(noon, h * hour) for h in (0, 5.9, 6, 20)] == [300_000, 300_000, 100_000, 300_000]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"prices": {30.0: 0.1}, "period": 30.0}, "before the end of the period at 30 s"),
        ({"prices": {-1.0: 0.1}}, "times of 0 s or more"),
        ({"prices": {1.0: -0.1}}, "prices from 0 to"),
        ({"prices": {1.0: 0.1}, "offset": 5.0}, "without 'period'"),
        ({"prices": {1.0: 0.1}, "period": 0.0}, "above 0 s"),
    ],
)
def test_schedules_that_are_none_are_refused(given: dict[str, object], message: str) -> None:
    """The error gives the parameter, the value found and the values expected."""
    with pytest.raises(Refused, match=message):
        PriceSchedule(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ("prices: {1 min: 0.1 money, 60 s: 0.2 money}", "two values for the same time"),
        ("prices: {60: 0.1 money}", "a quantity in s"),
        ("prices: {60 s: 0.1}", "a quantity in money"),
        ("prices: {}", "a mapping of times to quantities in money"),
        ("period: 24 h", "no 'prices'"),
    ],
)
def test_yaml_faults_name_what_was_expected(prices: str, message: str) -> None:
    """Each fault gives one line."""
    with pytest.raises(ScenarioError, match=message):
        scenario_from_text(TEXT.replace("PRICES", prices))
