# SPDX-License-Identifier: Apache-2.0
"""Menus: what a buyer picks one choice of for each flow.

They are contracts whose tariff has several choices, and providers of classes whose strategy has
(strategies/menu.py); the name of the latter is STRATEGY.
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec

from ecnomy.agents.arrays import Integers

__all__ = ["STRATEGY", "MenuView", "Menus"]

STRATEGY: Final = "strategy"


class MenuView(msgspec.Struct, frozen=True, eq=False):
    """A menu that some of an agent's flows buy from, as it is at this report.

    Attributes:
        seller: whose contract it is [name of an agent].
        name: of the contract, which is the kind of its rows in the ledger, or STRATEGY [text].
        choices: the tariffs or strategies by name, in the scenario's order [text]; flows begin with
            the first.
        flows: the agent's flows it is for, ascending [rows of flows].
        choice: what each of them has now [index into `choices`].
    """

    seller: str
    name: str
    choices: tuple[str, ...]
    flows: Integers
    choice: Integers


class Menus(Protocol):
    """The menus on sale."""

    def of(self, who: str) -> tuple[MenuView, ...]:
        """Those that flows of this agent buy from, in the order of their contracts."""

    def choose(self, who: str, menu: MenuView, choice: str, flows: Integers | None) -> None:
        """These flows of the agent, all of the menu's by default, pay by this tariff from now on.

        Raises:
            StrategyError: there is no such choice, or a flow is not this agent's to choose for.
        """
