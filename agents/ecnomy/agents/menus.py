# SPDX-License-Identifier: Apache-2.0
"""Menus: lists from which a buyer picks one choice for each flow.

A menu belongs to a contract whose tariff has several choices, or to an application provider
whose strategy has several choices (strategies/menu.py). A menu of strategies has the name STRATEGY.
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from ecnomy.agents.arrays import Integers

__all__ = ["STRATEGY", "MenuView", "Menus"]

STRATEGY: Final = "strategy"


class MenuView(msgspec.Struct, frozen=True, eq=False):
    """The state of a menu at this report, for those flows of one agent that the menu serves.

    Attributes:
        seller: the agent that offers the menu [name].
        name: name of the contract, which is the kind of its postings, or STRATEGY [text].
        choices: names of the tariffs or strategies, in the scenario's order [text]; flows begin
            with the first.
        flows: the agent's flows that the menu serves, ascending [indices of the flows in the run].
        choice: the current choice of each flow [index into `choices`].
    """

    seller: str
    name: str
    choices: tuple[str, ...]
    flows: Integers
    choice: Integers


class Menus(Protocol):
    """The menus on sale."""

    def of(self, who: str) -> tuple[MenuView, ...]:
        """Return the menus for this agent's flows: those of tariffs, then those of strategies."""

    def choose(self, who: str, menu: MenuView, choice: str, flows: Integers | None) -> None:
        """Choose a tariff or strategy for these flows of the agent; None for all flows of the menu.

        Raises:
            StrategyError: the choice does not exist, or the agent cannot choose for a flow.
        """
