# SPDX-License-Identifier: Apache-2.0
"""What users write under `tariff:` of a guaranteed stream provider."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.markets.inputs.amounts import DEAREST_MICRO, MICRO, Amount, Number

__all__ = ["CallTariffEntry"]

_AS_PRICE: Final = -1

_Price = Annotated[
    int,
    Amount(what="a price", example="0.05 money", units=("money",), scale=MICRO, most=DEAREST_MICRO),
]
_Reimbursement = Annotated[
    int,
    Amount(
        what="an amount",
        example="0.05 money",
        units=("money",),
        scale=MICRO,
        most=DEAREST_MICRO,
        words=(("price", _AS_PRICE),),
    ),
]
_Delay = Annotated[int, Amount(what="a time", example="15 ms", units=("ps",), above=True)]


class CallTariffEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A fixed price per call, a promise, and what is paid back when it breaks."""

    price: _Price
    max_delay: _Delay = 15_000_000_000
    max_delay_rate: Annotated[float, Number(what="a share", least=0, most=1)] = 0.01
    reimbursement: _Reimbursement = _AS_PRICE

    def tariff(self) -> CallTariff:
        """The tariff, with the reimbursement in place."""
        back = self.price if self.reimbursement == _AS_PRICE else self.reimbursement
        return CallTariff(self.price, self.max_delay, self.max_delay_rate, back)
