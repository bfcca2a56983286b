# SPDX-License-Identifier: Apache-2.0
"""Wrap custom contracts and settlements, so that their errors are reported in one line."""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import InputError, StrategyError
from ecnomy.agents.find import guarded
from ecnomy.markets.economy.charges import Per
from ecnomy.markets.economy.contracts import Contract, Dues
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.posted_prices import Domains
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.economy.settlement import SETTLEMENTS, Settlement, find_settlement
from ecnomy.markets.plan import Plan

__all__ = ["Guarded", "settlement_of"]


class Guarded:
    """Wraps a custom contract, so that its errors name its seller or settlement."""

    def __init__(self, who: str, contract: Contract) -> None:
        self._who = who
        self._due = guarded(f"the contract of {who}", StrategyError, contract.due)

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        dues: object = self._due(epoch)
        if not isinstance(dues, Dues):
            wanted = "expected ecnomy.markets.economy.contracts.Dues"
            name = type(dues).__name__
            raise StrategyError(f"the contract of {self._who}: due returned {name}, {wanted}")
        return dues


class _Rule:
    """Wraps a custom settlement and checks its prices."""

    def __init__(self, who: str, own: Settlement, rows: int) -> None:
        self._who, self._rows = who, rows
        self._price = guarded(who, InputError, own.row_price_micro)
        self.contracts: tuple[Contract, ...] = tuple(Guarded(who, one) for one in own.contracts)
        self.by_delivery = bool(getattr(own, "by_delivery", False))

    def row_price_micro(self) -> Integers | Floats:
        """See Settlement."""
        prices: object = self._price()
        if not isinstance(prices, np.ndarray) or prices.shape != (self._rows,):
            returned = (
                f"shape {prices.shape}" if isinstance(prices, np.ndarray) else f"{prices!r:.80}"
            )
            wanted = f"expected an array of {self._rows} prices, one per flow"
            raise InputError(f"{self._who}: row_price_micro returned {returned}, {wanted}")
        return prices


def settlement_of(
    word: str, plan: Plan, parties: Parties, domains: Domains, per: Per
) -> Settlement:
    """Create the settlement of this name for a run.

    Raises:
        InputError: the settlement does not exist or cannot be created.
    """
    rule = find_settlement(word)
    if word in SETTLEMENTS:
        return rule(plan, parties, domains, per)
    who = f"settlement {word!r}"
    own = guarded(who, InputError, rule)(plan, parties, domains, per)
    made: Settlement = guarded(who, InputError, _Rule)(who, own, plan.row_count)
    return made
