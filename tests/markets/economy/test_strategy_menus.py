# SPDX-License-Identifier: Apache-2.0
"""Menus of strategies: which flows they serve, and who may choose for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.menus import STRATEGY, MenuView
from ecnomy.markets.economy.journal import PICKED
from ecnomy.markets.economy.menus import MarketMenus, StrategyMenus

ANN, BOB = range(2)
ACCOUNTS = {"ann": ANN, "bob": BOB}
NAMES = {"shop": ("slow", "fast", "none"), "rival": ("only", "other")}


class World:
    """Six flows of two users. Classes 0 and 2 belong to the shop, and 1 to the rival."""

    def __init__(self) -> None:
        self.offer = np.array([0, 1, 2, 0, -1, 1])
        own = {"shop": (0, 2), "rival": (1,)}
        parties: Any = SimpleNamespace(
            users=np.array([ANN, ANN, ANN, BOB, ANN, BOB]),
            account=ACCOUNTS.__getitem__,
            sold_by=lambda who, offer: np.flatnonzero(np.isin(offer, own[who])),
        )
        self.noted: list[tuple[int, str, list[int], str, list[float]]] = []
        journal: Any = SimpleNamespace(many=self._note)
        self.t_ps = 0
        picked = StrategyMenus(NAMES, parties, self.offer)
        self.menus = MarketMenus([], picked, parties, journal, lambda: self.t_ps)

    def _note(self, t_ps: int, who: str, rows: np.ndarray, name: str, value: np.ndarray) -> None:
        self.noted.append((t_ps, who, rows.tolist(), name, value.tolist()))

    def of(self, who: str) -> dict[str, tuple[list[int], list[int]]]:
        """Return, per seller, the flows of its menu and their choices."""
        menus = self.menus.of(who)
        assert all(one.name == STRATEGY and one.choices == NAMES[one.seller] for one in menus)
        return {one.seller: (one.flows.tolist(), one.choice.tolist()) for one in menus}

    def choose(self, who: str, seller: str, choice: str, flows: Any = None) -> None:
        """Make a choice 5 ps later."""
        self.t_ps += 5
        view = MenuView(seller, STRATEGY, (), np.zeros(0, np.int64), np.zeros(0, np.int64))
        self.menus.choose(who, view, choice, flows)


def test_a_menu_serves_the_flows_in_its_provider_s_classes() -> None:
    """The menu follows flows that change classes; users without flows there see no menu."""
    world = World()
    assert world.of("ann") == {"shop": ([0, 2], [0, 0]), "rival": ([1], [0])}
    assert world.of("bob") == {"shop": ([3], [0]), "rival": ([5], [0])}
    world.offer[:] = [1, 1, -1, 0, 2, 2]
    assert world.of("ann") == {"shop": ([4], [0]), "rival": ([0, 1], [0, 0])}
    assert world.of("bob") == {"shop": ([3, 5], [0, 0])}


def test_choices_are_kept_by_flow_and_changes_are_noted() -> None:
    """Repeating a choice is not a change; a flow keeps its choices from other menus."""
    world = World()
    world.choose("ann", "shop", "fast", np.array([2]))
    world.choose("ann", "shop", "fast")
    world.choose("ann", "shop", "none", [0])
    world.choose("bob", "rival", "other", 5)
    assert world.noted == [
        (5, "ann", [2], PICKED, [1.0]),
        (10, "ann", [0], PICKED, [1.0]),
        (15, "ann", [0], PICKED, [2.0]),
        (20, "bob", [5], PICKED, [1.0]),
    ]
    assert world.of("ann") == {"shop": ([0, 2], [2, 1]), "rival": ([1], [0])}
    assert world.menus.picked("shop").tolist() == [2, 0, 1, 0, 0, 0]
    assert world.menus.picked("rival").tolist() == [0, 0, 0, 0, 0, 1]
    world.offer[:] = 1
    assert world.of("bob") == {"rival": ([3, 5], [0, 1])}
    world.offer[:] = 0
    assert world.of("ann")["shop"] == ([0, 1, 2, 4], [2, 0, 1, 0])


@pytest.mark.parametrize(
    ("seller", "choice", "flows", "says"),
    [
        ("shop", "only", None, r"'only' from 'strategy', expected one of slow, fast, none"),
        ("shop", "fast", [0, 3], r"'fast' for 3, expected a flow of "),
        ("shop", "fast", [1], r"'fast' for 1, expected a flow of "),
        ("nobody", "fast", None, r"expected one of its menus"),
    ],
)
def test_what_cannot_be_chosen_is_refused(seller: str, choice: str, flows: Any, says: str) -> None:
    """Choices and flows of others, flows in others' classes and unknown providers are refused."""
    world = World()
    with pytest.raises(StrategyError, match=says):
        world.choose("ann", seller, choice, flows)
    assert world.noted == []
    assert world.menus.picked("shop").tolist() == [0] * 6
