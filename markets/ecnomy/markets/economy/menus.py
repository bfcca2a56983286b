# SPDX-License-Identifier: Apache-2.0
"""The menus of a market, and the choices that buyers make from them (ecnomy.agents.menus)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.menus import STRATEGY, MenuView
from ecnomy.markets.economy.journal import PICKED, TARIFF, Journal
from ecnomy.markets.economy.metered import MeteredContract
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.tariff_accruers import MenuAccruer

__all__ = ["MarketMenus"]


class StrategyMenus:
    """Menus of strategies by provider. A provider's menu applies to the flows in its classes.

    Attributes:
        names: names of the choices on each provider's menu.
        choice: the number of each flow's choice, by provider; valid only for flows in the
            provider's classes.
    """

    def __init__(
        self, names: dict[str, tuple[str, ...]], parties: Parties, offer: Integers
    ) -> None:
        """Set up the menus. `offer` contains the class of each flow, and is updated in place."""
        self.names, self._parties, self._offer = names, parties, offer
        self.choice = {who: np.zeros(len(offer), dtype=np.int64) for who in names}

    def rows(self, who: str, provider: str) -> Integers:
        """Return the flows of `who` in this provider's classes."""
        served = self._parties.sold_by(provider, self._offer)
        own: Integers = served[self._parties.users[served] == self._parties.account(who)]
        return own

    def of(self, who: str) -> list[MenuView]:
        """Return the menus that apply to flows of this agent."""
        views = []
        for provider, names in self.names.items():
            rows = self.rows(who, provider)
            if len(rows):
                views.append(MenuView(provider, STRATEGY, names, rows, self.choice[provider][rows]))
        return views


class MarketMenus:
    """See ecnomy.agents.menus.Menus."""

    def __init__(
        self,
        contracts: Iterable[MeteredContract],
        picked: StrategyMenus,
        parties: Parties,
        journal: Journal,
        t_ps: Callable[[], int],
    ) -> None:
        """Set up the menus. `t_ps` returns the time of the current report."""
        self._sold = [(one, one.menu) for one in contracts if one.menu is not None]
        self._picked = picked
        self._parties, self._journal, self._t_ps = parties, journal, t_ps

    def of(self, who: str) -> tuple[MenuView, ...]:
        """See Menus."""
        views = []
        for contract, menu in self._sold:
            own = self._own(who, contract)
            if own.any():
                flows, choice = contract.rows[own], menu.choice[own]
                names = tuple(menu.names)
                views.append(MenuView(contract.seller, contract.name, names, flows, choice))
        return (*views, *self._picked.of(who))

    def picked(self, provider: str) -> Integers:
        """Return the number of each flow's choice from this provider's menu of strategies."""
        return self._picked.choice[provider]

    def choose(self, who: str, menu: MenuView, choice: str, flows: Integers | None) -> None:
        """See Menus."""
        if isinstance(menu, MenuView) and menu.name == STRATEGY:
            self._pick(who, menu, choice, flows)
            return
        contract, accruer = self._find(who, menu)
        own = contract.rows[self._own(who, contract)]
        wanted = _wanted(who, contract.name, choice, accruer.names, own, flows)
        at = np.searchsorted(contract.rows, wanted)
        number = accruer.names.index(choice)
        moved = wanted[accruer.choice[at] != number].astype(np.int64)
        accruer.choose(at, number)
        value = np.full(len(moved), float(number))
        self._journal.many(self._t_ps(), who, moved, f"{TARIFF}{contract.name}", value)

    def _pick(self, who: str, menu: MenuView, choice: str, flows: Integers | None) -> None:
        if menu.seller not in self._picked.names:
            raise StrategyError(f"{who} chose from {menu!r:.80}, expected one of its menus")
        names, held = self._picked.names[menu.seller], self._picked.choice[menu.seller]
        own = self._picked.rows(who, menu.seller)
        wanted = _wanted(who, menu.name, choice, names, own, flows)
        number = names.index(choice)
        moved = wanted[held[wanted] != number].astype(np.int64)
        held[moved] = number
        value = np.full(len(moved), float(number))
        self._journal.many(self._t_ps(), who, moved, PICKED, value)

    def _own(
        self, who: str, contract: MeteredContract
    ) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        mine: np.ndarray[tuple[int], np.dtype[np.bool_]] = self._parties.users[
            contract.rows
        ] == self._parties.account(who)
        return mine

    def _find(self, who: str, menu: object) -> tuple[MeteredContract, MenuAccruer]:
        if isinstance(menu, MenuView):
            for contract, accruer in self._sold:
                if (contract.seller, contract.name) == (menu.seller, menu.name):
                    return contract, accruer
        raise StrategyError(f"{who} chose from {menu!r:.80}, expected one of its menus")


def _wanted(
    who: str,
    name: str,
    choice: str,
    names: Iterable[str],
    own: Integers,
    flows: Integers | None,
) -> Integers:
    """Return the flows to which a choice applies.

    Raises:
        StrategyError: the choice does not exist, or a flow is not in `own`.
    """
    if choice not in names:
        raise StrategyError(
            f"{who} chose {choice!r} from {name!r}, expected one of {', '.join(names)}"
        )
    wanted = own if flows is None else np.atleast_1d(np.asarray(flows))
    for flow in wanted.tolist():
        if flow not in own:
            expected = f"expected a flow of {who}"
            raise StrategyError(f"{who} chose {choice!r} for {flow!r}, {expected}")
    return wanted
