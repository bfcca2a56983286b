# SPDX-License-Identifier: Apache-2.0
"""Decisions to call: the surplus of a call, step by step; experience that fades; claims."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import BEST_EFFORT, CallAsk, CallOffer, EndedCalls
from ecnomy.agents.parameters import Refused
from ecnomy.agents.random_streams import agent_stream
from ecnomy.agents.strategies.cheapest_call import CheapestCall
from ecnomy.agents.strategies.worth_of_call import WorthOfCall

PS = 10**12


class NoBooks:
    """Accounts of an agent without money."""

    def balance_micro(self, name: str) -> int:
        """Nothing."""
        return 0

    def paid_micro(self, name: str) -> dict[str, int]:
        """Nothing."""
        return {}

    received_micro = paid_micro


def agent(seed: int = 1) -> AgentView:
    """An agent with random numbers."""
    return AgentView("people", agent_stream(seed, "people"), NoBooks(), lambda name, value: None)


def ask(*prices: int, t_s: float = 0, mark_price: float = 0, who: AgentView | None = None):
    """A call request with offers at these prices, refunded if the guarantee is broken."""
    tariffs = [CallTariff(p, 15 * 10**9, 0.01, p, money_back=True) for p in prices]
    offers = tuple(CallOffer(f"gsp-{k}", k, tariff) for k, tariff in enumerate(tariffs))
    return CallAsk(round(t_s * PS), 0, offers, mark_price, who or agent())


def ended(tariff: int, *, bad: int, t_s: float = 0, marks: int = 0, back: bool = False, of=1):
    """Calls of 100 packets that end at a time."""
    column = np.ones(of, dtype=np.int64)
    t_ps = round(t_s * PS) * column
    counts = (0 * column, tariff * column, t_ps - 60 * PS, t_ps, 100 * column, marks * column)
    return EndedCalls(*counts, bad * column, np.full(of, back), column, column)


def fixed(**more) -> WorthOfCall:
    """Every call is worth 0.1 money."""
    return WorthOfCall(worth=0.1, spread="fixed", **more)


def test_without_an_alternative_demand_falls_as_exp_of_the_price() -> None:
    """A share exp(-V / W) of 40,000 callers call, within four standard errors."""
    strategy, who = WorthOfCall(worth=0.1, best_effort=False), agent()
    for price in (20_000, 100_000, 250_000):
        called = sum(bool(strategy.order(ask(price, who=who))) for _ in range(40_000))
        share = math.exp(-price / 100_000)
        assert abs(called / 40_000 - share) < 4 * math.sqrt(share * (1 - share) / 40_000)


def test_the_cheapest_comes_first_and_what_is_too_dear_not_at_all() -> None:
    """Best effort is last on the list, if it has a surplus."""
    assert fixed(best_effort=False).order(ask(60_000, 40_000, 110_000)) == [1, 0]
    assert fixed().order(ask(60_000, 40_000)) == [BEST_EFFORT]  # costs nothing, goes as well
    strategy = fixed(trust=1.0)
    strategy.hear(ended(BEST_EFFORT, bad=5, marks=0))  # one of two went badly: 0.05 is left
    assert strategy.order(ask(60_000, 40_000)) == [1, BEST_EFFORT]
    assert strategy.order(ask(60_000, 40_000, mark_price=1e9)) == [1, BEST_EFFORT]


def test_what_is_left_step_by_step() -> None:
    """The surplus counts three bad calls in five, marks and refunds, which fade in an hour."""
    for t_s in (0.0, 3600.0, 7200.0):
        strategy = fixed(trust=2.0, spoils=0.5)
        strategy.hear(ended(0, bad=2, back=True, of=3))
        strategy.hear(ended(0, bad=1, of=2))
        strategy.hear(ended(BEST_EFFORT, bad=0, marks=10, of=4))
        kept = math.exp(-t_s / 3600)
        counted, bad = 5 * kept + 2, 3 * kept
        guaranteed = 100_000 * (1 - 0.5 * bad / counted) - 50_000 + bad / counted * 50_000
        plain = 100_000 - 40 * kept / (4 * kept + 2) * 5_000
        order = strategy.order(ask(50_000, t_s=t_s, mark_price=5_000))
        assert order == ([0, BEST_EFFORT] if guaranteed >= plain else [BEST_EFFORT])
        found = strategy.readings
        assert found["bad-calls:0"] == pytest.approx(bad / counted)


def test_a_price_of_time_goes_by_how_long_calls_last() -> None:
    """A call is expected to last 3 minutes, and one minute after many calls of one minute."""
    tariff = CallTariff(0, 1, 0.01, 0, price_micro_per_min=40_000)
    one = CallAsk(0, 0, (CallOffer("gsp", 0, tariff),), 0.0, agent())
    strategy = fixed(best_effort=False, trust=1.0)
    assert strategy.order(one) == []
    strategy.hear(ended(0, bad=0, of=30))
    assert strategy.order(one) == [0]


def test_the_cheapest_call_counts_time_too() -> None:
    """0.01 money per minute for 3 minutes is cheaper than 0.05 money. Best effort is last."""
    flat, timed = (
        CallTariff(50_000, 1, 0.01, 0),
        CallTariff(0, 1, 0.01, 0, price_micro_per_min=10_000),
    )
    offers = (CallOffer("a", 0, flat), CallOffer("b", 1, timed))
    both = CallAsk(0, 0, offers, 0.0)
    assert CheapestCall().order(both) == [1, 0]
    assert CheapestCall(call_time=600.0, best_effort=True).order(both) == [0, 1, BEST_EFFORT]


def test_claims() -> None:
    """Honest callers make only true claims; others also make a share of the false ones."""
    who = agent()
    assert [CheapestCall().claims(broken, who) for broken in (True, False)] == [True, False]
    liar = WorthOfCall(overclaims=0.25)
    assert all(liar.claims(True, who) for _ in range(10))
    claimed = sum(liar.claims(False, who) for _ in range(10_000))
    assert abs(claimed - 2500) < 4 * math.sqrt(10_000 * 0.25 * 0.75)


@pytest.mark.parametrize(
    "params",
    [{"worth": 0}, {"spread": "normal"}, {"spoils": 2}, {"overclaims": -1}, {"memory": 0}],
)
def test_what_is_refused(params) -> None:
    """The error names the parameter."""
    with pytest.raises(Refused, match=next(iter(params))):
        WorthOfCall(**params)
