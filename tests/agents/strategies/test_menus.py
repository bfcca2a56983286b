# SPDX-License-Identifier: Apache-2.0
"""`menu` and `best-choice` on scripted flows: which strategy decides, and which choice is best."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ecnomy.agents.decision import LEAVE, NO_BUDGET, NO_CAP
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.menus import STRATEGY, MenuView
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.best_choice import BestChoice
from ecnomy.agents.strategies.menu import Menu
from flow_world import noting, observation

LOG = {"kind": "log", "a": 2.0, "x0": 4e6}
CHOICES = {
    "steady": {"kind": "constant-charge", "charge": 0.3},
    "elastic": {"kind": "elastic-utility", "utility": LOG, "budget": 0.7},
    "dear": {"kind": "constant-charge", "charge": 1.9},
}


def test_each_flow_is_paid_for_by_the_strategy_picked_for_it() -> None:
    """The same holds after a change of choice. A choice without flows makes no decision."""
    menu = Menu(CHOICES)
    assert menu.menu == ("steady", "elastic", "dear")
    for t_s, choice in enumerate(([2, 0, 2, 0], [0, 0, 2, 2], [2, 2, 2, 0])):
        decided = menu.decide_many(observation(t_s, min(t_s, 1), choice=choice))
        paid = [{0: 300_000.0, 2: 1_900_000.0}[one] for one in choice]
        assert decided.willingness_micro_per_s is not None
        assert decided.willingness_micro_per_s.tolist() == paid
        for column, none in (("rate_cap_bps", NO_CAP), ("weight", LEAVE)):
            assert getattr(decided, column).tolist() == [none] * 4
        assert decided.budget_micro is not None
        assert decided.budget_micro.tolist() == [NO_BUDGET] * 4


def test_a_menu_names_the_parameter_that_its_flows_lack() -> None:
    """The error names the first choice that needs a rate, also after choices that do not."""
    bare = {"kind": "elastic-utility", "utility": {"kind": "log", "a": 1.0}}
    menu = Menu({"steady": CHOICES["steady"], "bare": bare, "other": bare})
    assert menu.needs_rate == "choices.bare.utility.x0"
    assert Menu(CHOICES).needs_rate == Menu(CHOICES).sets_budget == ""


@pytest.mark.parametrize("kind", ["menu", "fill-classes", "qos-knob"])
def test_a_choice_is_a_strategy_for_single_flows_of_a_provider(kind: str) -> None:
    """Other menus, strategies for whole classes and strategies for customers are refused."""
    with pytest.raises(Refused, match=r"^choices\.odd\.kind: found "):
        Menu({"steady": CHOICES["steady"], "odd": {"kind": kind}})


class User:
    """A user of flows 3, 5 and 8 with menus of two providers, who always looks."""

    def __init__(self) -> None:
        self.strategy = BestChoice(LOG, loyalty=0.0, curiosity=0.0)
        self.choice = {"shop": np.array([0, 1]), "rival": np.array([1])}
        self.flows = {"shop": np.array([3, 8]), "rival": np.array([5])}
        self.agent: Any = noting()
        self.agent.choose = self._choose

    def _choose(self, menu: MenuView, choice: str, flows: np.ndarray) -> None:
        assert menu.name == STRATEGY
        assert len(flows)
        at = np.searchsorted(self.flows[menu.seller], flows)
        self.choice[menu.seller][at] = menu.choices.index(choice)

    def decide(self, t_s: float, goodput_bps: list[float], bill: list[float]) -> dict[str, list]:
        """Return the choices after a decision, 10 s after the last; bills in money/s."""
        offered = [
            MenuView(who, STRATEGY, ("a", "b"), flows, self.choice[who])
            for who, flows in self.flows.items()
        ]
        other = MenuView("net", "transit", ("x", "y"), self.flows["shop"], np.array([0, 1]))
        self.agent.menus = (*offered, other)
        dt_s = min(t_s, 10)
        columns = {"goodput_bps": np.array(goodput_bps), "flow": np.array([3, 5, 8])}
        micro = np.rint(np.array(bill) * dt_s * 1e6).astype(np.int64)
        decision = self.strategy.decide_many(
            observation(t_s, dt_s, agent=self.agent, bill_micro=micro, **columns)
        )
        assert decision.active is decision.offer is None
        return {who: own.tolist() for who, own in self.choice.items()}


def test_a_flow_takes_the_choice_with_the_larger_surplus() -> None:
    """Flow 3 learns from flow 8 of the choice b, and takes it while its surplus is larger."""
    faster = 2 * math.log(1 + 2.0) - 2 * math.log(1 + 1.0)  # 8 Mbps rather than 4, money/s
    for charge, expected in ((faster - 0.05, [1, 1]), (faster + 0.05, [0, 0])):
        user = User()
        assert user.decide(0, [0, 0, 0], [0, 0, 0])["shop"] == [0, 1]
        for t_s in (10, 20, 30):
            last = user.decide(t_s, [4e6, 1e6, 8e6], [0.2, 0, 0.2 + charge])
        assert last == {"shop": expected, "rival": [1]}
        assert user.agent.notes == {"switches": 1}


def test_providers_are_learnt_about_apart() -> None:
    """A flow that is alone at its menu does not learn from the flows of another menu."""
    user = User()
    user.decide(0, [0, 0, 0], [0, 0, 0])
    for t_s in (10, 20, 30):
        assert user.decide(t_s, [8e6, 1e5, 8e6], [0, 3.0, 0])["rival"] == [1]


def test_a_market_is_needed() -> None:
    """Menus require a market."""
    with pytest.raises(StrategyError, match="menus and random numbers require a market"):
        BestChoice(LOG).decide_many(observation(0, 0))
