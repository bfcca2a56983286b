# SPDX-License-Identifier: Apache-2.0
"""`observation.agent`: a strategy's view of its agent, and its actions for the agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.menus import Menus, MenuView

__all__ = ["AgentView", "Books"]


class Books(Protocol):
    """The accounts of a market. An agent may read only its own account."""

    def balance_micro(self, name: str) -> int:
        """Return the balance of an account [micro-units]."""

    def paid_micro(self, name: str) -> dict[str, int]:
        """Return the account's payments so far, by kind of posting [micro-units]."""

    def received_micro(self, name: str) -> dict[str, int]:
        """Return the account's receipts so far, by kind of posting [micro-units]."""


class AgentView:
    """The name, money, random numbers and notes of an agent.

    Attributes:
        name: name of the agent.
        random: random generator of the agent [numpy.random.Generator]; it depends only on the run's
            seed and on `name`.
        notes: the last value of each note, by name [float].
    """

    def __init__(
        self,
        name: str,
        random: np.random.Generator,
        books: Books,
        note: Callable[[str, float], None],
        menus: Callable[[], Menus] | None = None,
    ) -> None:
        self.name, self.random, self._menus = name, random, menus
        self.notes: dict[str, float] = {}
        self._books, self._note = books, note
        self._last_totals: dict[str, Mapping[str, int]] = {}

    @property
    def balance_micro(self) -> int:
        """The agent's balance after the last epoch [micro-units of money]."""
        return self._books.balance_micro(self.name)

    @property
    def paid_micro(self) -> dict[str, int]:
        """The agent's payments so far [micro-units of money], by kind of posting."""
        return self._books.paid_micro(self.name)

    @property
    def received_micro(self) -> dict[str, int]:
        """The agent's receipts so far [micro-units of money], by kind of posting."""
        return self._books.received_micro(self.name)

    def paid_since(self) -> dict[str, int]:
        """Return the payments since the last `paid_since` [micro-units], by kind of posting."""
        return self._since("paid", self.paid_micro)

    def received_since(self) -> dict[str, int]:
        """Return the receipts since the last `received_since` [micro-units], by kind of posting."""
        return self._since("received", self.received_micro)

    @property
    def menus(self) -> tuple[MenuView, ...]:
        """The menus from which the agent chooses tariffs or strategies for its flows."""
        return self._menus().of(self.name) if self._menus else ()

    def choose(self, menu: MenuView, choice: str, flows: Integers | None = None) -> None:
        """Choose a tariff or strategy for flows, from this report on.

        Args:
            menu: a menu from `menus`.
            choice: name of one of the menu's `choices`.
            flows: numbers of flows, as in `flow` of a view; None for all flows of the menu.

        Raises:
            StrategyError: the agent does not have this menu, the menu does not have this choice, or
                the menu does not apply to a flow.
        """
        if self._menus is None:
            raise StrategyError(f"{self.name} chose {choice!r}, but has no menus")
        self._menus().choose(self.name, menu, choice, flows)

    def note(self, name: str, value: float) -> None:
        """Record a value in the table `agents`, at the time of this report."""
        self.notes[name] = float(value)
        self._note(name, float(value))

    def _since(self, what: str, now: dict[str, int]) -> dict[str, int]:
        then = self._last_totals.get(what, {})
        self._last_totals[what] = now
        changed = {kind: amount - then.get(kind, 0) for kind, amount in now.items()}
        return {kind: amount for kind, amount in changed.items() if amount}
