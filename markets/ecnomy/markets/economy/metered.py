# SPDX-License-Identifier: Apache-2.0
"""Contracts with a meter and a tariff, under which users of flows pay a seller for use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import LedgerError
from ecnomy.agents.money import MICRO
from ecnomy.agents.spec import ContractSpec
from ecnomy.markets.economy.contracts import FEE, Dues, Spans
from ecnomy.markets.economy.counts import FlowCounts
from ecnomy.markets.economy.marks_by_flow import MarksByFlow
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.posted_prices import Domains
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.economy.tariff_accruers import MenuAccruer, accruer
from ecnomy.markets.plan import Plan
from ecnomy.markets.terms.meters import METERS
from ecnomy.markets.terms.money import LARGEST_MICRO
from ecnomy.markets.terms.tariffs import Flat, Menu, PerUnit, Tariff, TwoPart

__all__ = ["NO_PRICE", "MeteredContract"]

Reading = Callable[[Epoch], Integers]  # change of the meter of each flow in the epoch
NO_PRICE: Final = 0  # in the ledger, for amounts with several prices


def weighed(active_ps: Integers, weight: Floats) -> Integers:
    """Return time multiplied by weight [ps].

    Weights are rounded to a millionth, and results are rounded down to whole ps.

    Raises:
        LedgerError: overflow (2^62 ps or more for a row, such as 5 s at a weight of 10^6).
    """
    millionths = np.rint(weight * MICRO).astype(np.int64)
    most = float((active_ps.astype(np.float64) * weight).max(initial=0.0))
    if most >= LARGEST_MICRO:
        raise LedgerError("overflow", f"weight x time is {most:.3g} ps in one epoch")
    whole, rest = np.divmod(active_ps, MICRO)
    return whole * millionths + rest * millionths // MICRO


def _fee_under(tariff: Tariff, amount: Integers, active_ps: Integers) -> Integers | None:
    if isinstance(tariff, Flat):
        return amount
    if not isinstance(tariff, TwoPart):
        return None
    by_time: Integers = np.rint(active_ps * (tariff.fee.micro / tariff.fee.per)).astype(np.int64)
    return np.minimum(amount, by_time)


class MeteredContract:
    """A contract of a seller with the users of some sources.

    Attributes:
        seller: the agent that sells under the contract.
        name: kind of the contract's postings in the ledger.
        rows: rows of flows under the contract.
        tariff: the tariff, or menu of tariffs.
        meter: name of the meter.
        menu: tariffs from which buyers choose, or None for a single tariff.
    """

    def __init__(
        self,
        plan: Plan,
        parties: Parties,
        domains: Domains,
        counts: FlowCounts,
        seller: str,
        spec: ContractSpec,
    ) -> None:
        self.seller, self.name, self._spans = seller, spec.name, Spans(plan)
        self.rows = parties.flows(spec.sources)
        self._parties, payee = parties, parties.account(seller)
        self._payee = np.full(len(self.rows), payee, dtype=np.int64)
        self._domain = domains.names.index(seller) if seller in domains.names else 0
        meter = METERS[spec.meter]
        self._domains = domains
        self._other = domains.other_rows[self.rows] & meter.of_marks
        self.tariff, self.meter = spec.tariff, meter.name
        self._by_weight = meter.name == "weight"
        self._by_time = self._by_weight or meter.name == "time"
        self._read = self._reading(plan, domains, counts, meter.name)
        self._accruer = accruer(spec.tariff, len(self.rows), meter.unit)
        self.menu = self._accruer if isinstance(self._accruer, MenuAccruer) else None
        one = isinstance(spec.tariff, PerUnit) and spec.tariff.price.per == 1
        self._price = spec.tariff.price.micro if one else NO_PRICE

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        rows = self.rows
        active_ps = self._spans.active_ps(epoch)[rows]
        quantity = self._read(epoch)[rows]
        posted = self._posted(epoch.price_micro)
        amount = self._accruer.due(epoch.from_ps, epoch.to_ps, quantity, posted, active_ps)
        price = np.full(len(rows), self._price, dtype=np.int64)
        debit = self._parties.users[rows]
        columns = debit, self._payee, amount, rows, quantity, price
        fee = self._fee(amount, active_ps)
        standing = amount if self._by_time else fee
        weight = None
        if self._by_weight:
            weight = amount if fee is None else amount - fee
        return Dues(self.name, *columns, FEE, standing_micro=standing, weight_micro=weight)

    def _posted(self, price_micro: Integers) -> int | Integers:
        """Return the posted price of a unit, or a price per row if some pay the classic price."""
        if not self._other.any():
            return int(price_micro[self._domain])
        domain = np.full(len(self.rows), self._domain, dtype=np.int64)
        return self._domains.priced(price_micro, domain, self._other)

    def _fee(self, amount: Integers, active_ps: Integers) -> Integers | None:
        """Return the part of each amount that is due as a flat rate or fee; None means 0."""
        if not isinstance(self.tariff, Menu) or self.menu is None:
            return _fee_under(self.tariff, amount, active_ps)
        fees = [_fee_under(choice, amount, active_ps) for choice in self.tariff.choices.values()]
        if all(fee is None for fee in fees):
            return None
        by_choice = np.stack([np.zeros_like(amount) if fee is None else fee for fee in fees])
        chosen: Integers = by_choice[self.menu.choice, np.arange(len(amount))]
        return chosen

    def _reading(self, plan: Plan, domains: Domains, counts: FlowCounts, meter: str) -> Reading:
        column = {"bytes": "delivered_bytes", "packets": "delivered", "marks": "ce"}
        if meter == "time":
            return self._spans.active_ps
        if meter == "weight":
            own = np.zeros(plan.row_count, dtype=np.int64)  # 0 for other rows, which may overflow
            own[self.rows] = 1
            return lambda epoch: weighed(self._spans.active_ps(epoch) * own, epoch.weight)
        if meter == "marks-set":
            return MarksByFlow(plan, domains, self._domain).of
        if meter == "calls":
            return lambda _: counts.calls
        if meter == "transfers":
            return lambda _: counts.transfers
        name = column.get(meter, "ce_bytes")
        return lambda epoch: epoch.flows(name)
