# SPDX-License-Identifier: Apache-2.0
"""A stepped market under operations in random order: books balance, and time advances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ecnomy.agents.errors import InputError, NotRunningError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets import open_market
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import scenario_from_text
from open_world import SCENARIO
from tiers import examples

END_PS = 20 * PS_PER_S
SOURCES = st.sampled_from(["gold", "web"])
SHARES = st.sampled_from([0, 0.25, 0.5, 1, True])
AMOUNTS = st.sampled_from([0, 1e-6, 0.3, 7, np.float64(2.5)])
WRONG: list[tuple[str, str, object]] = [
    ("post_price", "isp", -1.0),
    ("post_price", "isp", 1e7),
    ("post_price", "isp", "cheap"),
    ("post_price", "nobody", 1.0),
    ("set_willingness", "gold", float("nan")),
    ("set_willingness", "web", True),
    ("set_willingness", "shop", 1.0),
    ("set_active", "gold", 1.5),
    ("set_active", "web", None),
    ("set_active", "", 0.5),
    ("set_class", "gold", "silver"),
    ("set_class", "web", "gold"),
]


def state(market: Market) -> Any:
    """Everything that an operation changes."""
    aims = market.aims
    figures = (*market.ledger.balances_micro.tolist(), *market.charge_micro.tolist())
    targets = (*aims.weight.tolist(), *aims.active.tolist(), *market.offer.tolist())
    return figures, targets, market.prices_micro, market.t_ps, repr(market.by_hand)


class SteppedMarket(RuleBasedStateMachine):
    """The price of an epoch is the one posted before its step."""

    @initialize(seed=st.integers(0, 99))
    def open(self, seed: int) -> None:
        """The engine starts, and the agents have decided once."""
        self.market = open_market(scenario_from_text(SCENARIO), seed=seed, tables=False)
        self.closed = False
        self.t_ps = 0
        self.active = {"gold": [1, 1], "web": [1]}
        self.ce = self.charge = np.zeros(3, dtype=np.int64)

    @precondition(lambda self: self.market.running)
    @rule(steps=st.integers(1, 4))
    def step(self, steps: int) -> None:
        """Each flow owes its delivered marks at the posted price, and time advances by an epoch."""
        for _ in range(steps):
            if self.market.running:
                price_micro = self.market.price_micro
                self.market.step()
                assert self.market.report is not None
                ce, charge = self.market.report.flows["ce"], self.market.charge_micro
                assert (charge - self.charge == (ce - self.ce) * price_micro).all()
                assert self.market.t_ps == self.t_ps + PS_PER_S
                self.ce, self.charge, self.t_ps = ce.copy(), charge.copy(), self.market.t_ps
        assert self.market.running == (self.t_ps < END_PS)

    @rule(price=AMOUNTS)
    def post_price(self, price: float) -> None:
        """The price is the latest one that was posted."""
        if self.accepted("post_price", "isp", price):
            assert self.market.prices == {"isp": price}

    @rule(source=SOURCES, pay=AMOUNTS)
    def set_willingness(self, source: str, pay: float) -> None:
        """Any willingness to pay is accepted, even if flows are held back."""
        self.accepted("set_willingness", source, pay)

    @rule(source=SOURCES, share=SHARES)
    def set_active(self, source: str, share: float) -> None:
        """A share holds back the last flows, with halves rounded up."""
        if self.accepted("set_active", source, share):
            held = {0: [0, 0], 0.25: [1, 0], 0.5: [1, 0]}.get(share, [1, 1])
            self.active[source] = held if source == "gold" else [int(share >= 0.5)]

    @rule(wrong=st.sampled_from(WRONG))
    def refused(self, wrong: tuple[str, str, object]) -> None:
        """A refused operation changes nothing."""
        before = state(self.market)
        operation, *words = wrong
        with pytest.raises((InputError, TypeError)):
            getattr(self.market, operation)(*words)
        assert state(self.market) == before

    @rule()
    def finish(self) -> None:
        """The results are complete only at the end of the run; closing twice is harmless."""
        result = self.market.close()
        assert result.complete == (self.t_ps == END_PS)
        self.closed = True
        with pytest.raises(NotRunningError):
            self.market.step()

    @invariant()
    def the_books_close(self) -> None:
        """Debits equal credits, and the carrier has all charges for marks."""
        ledger = self.market.ledger
        balances = dict(zip(ledger.names, ledger.balances_micro.tolist(), strict=True))
        assert sum(balances.values()) == 0
        assert balances["isp"] == self.market.charge_micro.sum()
        assert self.market.t_ps == self.t_ps

    @invariant()
    def flows_are_held_back_as_asked(self) -> None:
        """The agents here let all flows send, and other operations do not change that."""
        active = self.market.aims.active.tolist()
        assert active == [*self.active["gold"], *self.active["web"]]

    @invariant()
    def marks_are_those_of_the_link(self) -> None:
        """Marks that a link set are delivered, or their packets are still on their way."""
        report = self.market.report
        assert report is not None
        way = report.links["arrivals"][0] - report.flows["delivered"].sum()
        assert 0 <= report.links["marks"][0] - report.flows["ce"].sum() <= way

    def accepted(self, operation: str, *words: object) -> bool:
        """Whether an operation was carried out; after the end of the run it changes nothing."""
        if self.market.running and not self.closed:
            getattr(self.market, operation)(*words)
            return True
        before = state(self.market)
        with pytest.raises(NotRunningError):
            getattr(self.market, operation)(*words)
        assert state(self.market) == before
        return False

    def teardown(self) -> None:
        """The engine ends."""
        if hasattr(self, "market"):
            self.market.close()


class TestSteppedMarket(SteppedMarket.TestCase):
    """Hypothesis chooses the operations."""

    settings = settings(max_examples=examples(100), stateful_step_count=20)
