# SPDX-License-Identifier: Apache-2.0
"""Compute the posted charges by time: the amounts that a flow owes per second of active time.

Users know class fees and charges by time in advance, as they know the posted price of a mark. Other
charges are not posted: charges by weight depend on the user's decision, and charges under block
prices or custom tariffs on the bill so far. Each kind of tariff (terms/tariffs.py) says whether it
has posted charges by time (`stands`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.observation import NO_OFFER
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.economy.metered import MeteredContract
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.tariff_accruers import accruer
from ecnomy.markets.terms.meters import METERS
from ecnomy.markets.terms.tariffs import Menu, Tariff

__all__ = ["StandingCharges", "standing_rate"]


class StandingCharges:
    """Computes the posted charges by time of all flows."""

    def __init__(self, parties: Parties, contracts: Sequence[MeteredContract]) -> None:
        self._parties = parties
        self._contracts = [one for one in contracts if one.tariff.stands(one.meter)]
        self._none = np.zeros(len(parties.users))
        self._none.setflags(write=False)

    def at(self, t_ps: int, offer: Integers) -> Floats:
        """Return the posted charge of each row at `t_ps` [micro-units/s of a flow].

        `offer` contains the class of each row.
        """
        if not self._contracts and not self._parties.offers:
            return self._none
        posted = np.where(offer == NO_OFFER, 0.0, self._parties.fees(offer))
        for contract in self._contracts:
            posted[contract.rows] += self._rates(contract, t_ps)
        return posted

    def _rates(self, contract: MeteredContract, t_ps: int) -> float | Floats:
        tariff, menu = contract.tariff, contract.menu
        if not isinstance(tariff, Menu) or menu is None:
            return standing_rate(tariff, contract.meter, t_ps)
        choices = tariff.choices.values()
        rates = [standing_rate(choice, contract.meter, t_ps) for choice in choices]
        return np.array(rates)[menu.choice]


def standing_rate(tariff: Tariff, meter: str, t_ps: int) -> float:
    """Return the posted charge [micro-units] for a second that begins at `t_ps`.

    `meter` is the name of the contract's meter.
    """
    if not tariff.stands(meter):
        return 0.0
    second = np.array([PS_PER_S], dtype=np.int64)
    used = second if meter == "time" else np.zeros_like(second)
    bill = accruer(tariff, 1, METERS[meter].unit)
    return float(bill.due(t_ps, t_ps + PS_PER_S, used, 0, second)[0])
