# SPDX-License-Identifier: Apache-2.0
"""`hill-climbing`: a price that follows its earnings."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import LinkColumns, PriceObservation
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.hill_climbing import HillClimbing

S = 10**12
NONE = LinkColumns(*[np.zeros(0, dtype=np.int64)] * 7)


class Carrier:
    """A carrier whose receipts and payments a test sets; it decides every 10 s."""

    def __init__(self, price: int, seed: int = 1, **params: float) -> None:
        self.strategy = HillClimbing(**{"step": 0.01, **params})
        self.price, self.t_ps = price, 0
        self.received, self.paid = 0, 0
        random = np.random.default_rng(seed)
        self.view = AgentView("net", random, self, lambda name, value: None)

    def balance_micro(self, name: str) -> int:
        """See Books."""
        return self.received - self.paid

    def paid_micro(self, name: str) -> dict[str, int]:
        """See Books."""
        return {"settlement": self.paid}

    def received_micro(self, name: str) -> dict[str, int]:
        """See Books."""
        return {"marks": self.received}

    def decide(self, received: int = 0, paid: int = 0, responds_s: int = 0) -> int:
        """One decision after these receipts and payments (micro-units); returns the change."""
        self.received += received
        self.paid += paid
        dt_ps = 10 * S if self.t_ps else 0
        self.t_ps += 10 * S
        before = self.price
        observation = PriceObservation(
            self.t_ps, dt_ps, before, NONE, self.view, responds_ps=responds_s * S
        )
        self.price = self.strategy.post_price(observation)
        return self.price - before


def test_a_change_that_paid_is_kept_and_another_one_is_tried() -> None:
    """At every second decision, it steps by 0.01 money, up or down, while income does not fall."""
    carrier = Carrier(200_000)
    assert [carrier.decide(), carrier.decide()] == [0, 0]  # the first price has its response too
    changes = [carrier.decide(1000 * k) for k in range(1, 41)]
    assert set(changes[::2]) == {10_000, -10_000}
    assert set(changes[1::2]) == {0}


def test_what_comes_in_while_customers_respond_does_not_count() -> None:
    """Income in the first interval after a change does not count, but in the second it does."""
    carrier = Carrier(200_000)
    assert [carrier.decide(), carrier.decide()] == [0, 0]
    tried = carrier.decide(1000)
    assert carrier.decide(10**9) == 0
    assert carrier.decide(999) == -tried


def test_slow_customers_have_the_time_that_they_need() -> None:
    """With a response in 25 s, a price stays for 30 s, and is measured for 30 s more."""
    carrier = Carrier(200_000)
    changes = [carrier.decide(1000 * k, responds_s=25) for k in range(1, 50)]
    at = np.flatnonzero(changes)
    assert len(at) > 5 and set(np.diff(at)) == {6}


def test_a_change_that_did_not_pay_is_taken_back() -> None:
    """The old price is measured again before the next change."""
    carrier = Carrier(200_000)
    assert [carrier.decide(), carrier.decide()] == [0, 0]
    tried = carrier.decide(1000)
    assert abs(tried) == 10_000
    assert [carrier.decide(900), carrier.decide(900)] == [0, -tried]
    assert carrier.decide(0) == 0
    assert abs(carrier.decide(10)) == 10_000  # the old price now earns 10
    price = carrier.price
    carrier.decide(0)
    assert abs(carrier.decide(11)) == 10_000  # more than 10, though less than 1000: kept
    assert abs(carrier.price - price) == 10_000


def test_what_it_owes_others_counts() -> None:
    """If payments rise more than income, the strategy takes the change back."""
    carrier = Carrier(200_000)
    assert [carrier.decide(), carrier.decide()] == [0, 0]
    tried = carrier.decide(1000, paid=100)
    assert abs(tried) == 10_000
    carrier.decide()
    assert carrier.decide(2000, paid=1200) == -tried


@pytest.mark.parametrize("best", [120_000, 280_000])
def test_it_finds_the_price_that_earns_most(best: int) -> None:
    """From 0.2 money it climbs up or down to the top of a hill, within two steps."""
    carrier = Carrier(200_000, seed=3)
    carrier.decide()
    for _ in range(300):
        carrier.decide(10**9 - abs(carrier.price - best))
    assert abs(carrier.price - best) <= 20_000


def test_floor_and_ceiling_hold() -> None:
    """A price beyond the limits is moved within them at once, and stays there."""
    carrier = Carrier(500_000, floor=0.1, ceiling=0.12)
    assert carrier.decide() == -380_000
    prices = []
    for k in range(80):
        carrier.decide(1000 * k)
        prices.append(carrier.price)
    assert (min(prices), max(prices)) == (100_000, 120_000)


def test_the_same_seed_climbs_the_same_way() -> None:
    """Directions come from the agent's own random numbers."""

    def climb(seed: int) -> list[int]:
        carrier = Carrier(500_000, seed)
        return [carrier.decide(1000 * k) for k in range(60)]

    assert climb(4) == climb(4)
    assert climb(4) != climb(5)


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"step": 0.0}, "step"),
        ({"step": float("nan")}, "step"),
        ({"step": 0.01, "floor": -1.0}, "floor"),
        ({"step": 0.01, "floor": 0.2, "ceiling": 0.2}, "ceiling"),
        ({"step": 0.01, "ceiling": 2e6}, "ceiling"),
    ],
)
def test_values_that_make_no_sense_are_refused(params: dict[str, float], key: str) -> None:
    """The message names the parameter."""
    with pytest.raises(Refused) as caught:
        HillClimbing(**params)
    assert caught.value.key == key


def test_without_a_market_it_says_so() -> None:
    """The strategy depends only on its earnings, so it needs a market."""
    with pytest.raises(StrategyError, match="requires a market"):
        HillClimbing(step=0.01).post_price(PriceObservation(0, 0, 1, NONE))
