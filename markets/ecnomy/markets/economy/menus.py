# SPDX-License-Identifier: Apache-2.0
"""The menus of a market: who may choose, and what was chosen (ecnomy.agents.menus)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.menus import MenuView
from ecnomy.agents.observation import Integers
from ecnomy.markets.economy.accruers import MenuAccruer
from ecnomy.markets.economy.metered import Metered
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.results.journal import TARIFF, Journal

__all__ = ["MarketMenus"]


class MarketMenus:
    """See ecnomy.agents.menus.Menus."""

    def __init__(
        self,
        contracts: Iterable[Metered],
        parties: Parties,
        journal: Journal,
        t_ps: Callable[[], int],
    ) -> None:
        """`t_ps` tells the time of the report that is answered."""
        self._sold = [(one, one.menu) for one in contracts if one.menu is not None]
        self._parties, self._journal, self._t_ps = parties, journal, t_ps

    def of(self, who: str) -> tuple[MenuView, ...]:
        """See Menus."""
        found = []
        for contract, menu in self._sold:
            own = self._own(who, contract)
            if own.any():
                flows, choice = contract.rows[own], menu.choice[own]
                names = tuple(menu.names)
                found.append(MenuView(contract.seller, contract.name, names, flows, choice))
        return tuple(found)

    def choose(self, who: str, menu: MenuView, choice: str, flows: Integers | None) -> None:
        """See Menus."""
        contract, accruer = self._find(who, menu)
        if choice not in accruer.names:
            known = ", ".join(accruer.names)
            raise StrategyError(
                f"{who} chose {choice!r} of {contract.name!r}, expected one of {known}"
            )
        own = contract.rows[self._own(who, contract)]
        wanted = own if flows is None else np.atleast_1d(np.asarray(flows))
        for flow in wanted.tolist():
            if flow not in own:
                expected = "expected a flow of its own"
                raise StrategyError(f"{who} chose {choice!r} for {flow!r}, {expected}")
        at = np.searchsorted(contract.rows, wanted)
        number = accruer.names.index(choice)
        moved = wanted[accruer.choice[at] != number].astype(np.int64)
        accruer.choose(at, number)
        value = np.full(len(moved), float(number))
        self._journal.many(self._t_ps(), who, moved, f"{TARIFF}{contract.name}", value)

    def _own(self, who: str, contract: Metered) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        mine: np.ndarray[tuple[int], np.dtype[np.bool_]] = self._parties.users[
            contract.rows
        ] == self._parties.account(who)
        return mine

    def _find(self, who: str, menu: object) -> tuple[Metered, MenuAccruer]:
        if isinstance(menu, MenuView):
            for contract, accruer in self._sold:
                if (contract.seller, contract.name) == (menu.seller, menu.name):
                    return contract, accruer
        raise StrategyError(f"{who} chose from {menu!r:.80}, expected one of its menus")
