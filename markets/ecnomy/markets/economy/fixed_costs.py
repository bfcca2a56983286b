# SPDX-License-Identifier: Apache-2.0
"""Charge agents fixed costs, which accrue over time and do not depend on sales."""

from __future__ import annotations

import numpy as np

from ecnomy.markets.economy.contracts import Dues
from ecnomy.markets.economy.metered import NO_PRICE
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.economy.tariff_accruers import accruer
from ecnomy.markets.terms.ledger_kinds import FIXED_COST
from ecnomy.markets.terms.tariffs import Flat
from ecnomy.markets.terms.unit_price import Price

__all__ = ["FixedCosts"]


class FixedCosts:
    """A flat rate that an agent pays to the account `outside:costs`."""

    def __init__(self, payer: int, payee: int, micro: int, per_ps: int) -> None:
        self._accruer = accruer(Flat(price=Price(micro, per_ps, "ps")), 1, "ps")
        self._ends = np.array([payer]), np.array([payee])
        self._no_price = np.array([NO_PRICE])

    def due(self, epoch: Epoch) -> Dues:
        """See Contract. The metered quantity is time [ps]."""
        time_ps = np.array([epoch.to_ps - epoch.from_ps])
        amount = self._accruer.due(epoch.from_ps, epoch.to_ps, time_ps, 0)
        nowhere = np.array([-1])
        return Dues(FIXED_COST, *self._ends, amount, nowhere, time_ps, self._no_price)
