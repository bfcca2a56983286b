# SPDX-License-Identifier: Apache-2.0
"""Contracts compute the amounts that buyers owe sellers for each epoch.

A run first books the contracts for marks, then class fees, contracts with tariffs, and contracts
that agents have added (epoch_postings.py).
"""

from __future__ import annotations

from typing import Final, Protocol

import msgspec
import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.observation import NO_OFFER
from ecnomy.markets.economy.charges import ClassFeeCharge, MarkCharge, Per
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.posted_prices import Domains
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.plan import Plan
from ecnomy.markets.terms.ledger_kinds import CLASS_FEE, MARKS

__all__ = [
    "CHARGE",
    "FEE",
    "ClassFee",
    "Contract",
    "Dues",
    "MarkDelivered",
    "Spans",
]

FEE: Final = "fee"
CHARGE: Final = "charge"


class Dues(msgspec.Struct, frozen=True, eq=False):
    """The amounts due for an epoch, as columns of equal length.

    Attributes:
        kind: kind of the postings in the ledger.
        debit, credit: paying accounts, and receiving accounts.
        amount_micro: amounts due; amounts of 0 are not posted.
        flow: the row of flows to which each amount applies, or -1.
        quantity: metered quantities.
        price_micro: price of a unit of the quantity; 0 if no single price applies.
        counts_as: FEE or CHARGE if the tables of flows include the amounts as fees or charges;
            otherwise "".
        whole: whether the columns have one value for each row of flows, in order.
        standing_micro: part of each amount that is charged by time; None means 0.
        weight_micro: part of each standing charge that depends on the weight; None means 0.
    """

    kind: str
    debit: Integers
    credit: Integers
    amount_micro: Integers
    flow: Integers
    quantity: Integers
    price_micro: Integers
    counts_as: str = ""
    whole: bool = False
    standing_micro: Integers | None = None
    weight_micro: Integers | None = None


class Contract(Protocol):
    """The interface of a contract, which covers one or more flows."""

    def due(self, epoch: Epoch) -> Dues:
        """Return the amounts due for an epoch.

        Raises:
            LedgerError: overflow; negative-amount (a meter ran backwards).
        """


class MarkDelivered:
    """Charges a flow's payer for each mark delivered, and pays the flow's access carrier."""

    def __init__(self, parties: Parties, domains: Domains, per: Per = "mark") -> None:
        self._parties, self._charge = parties, MarkCharge(per)
        self._domains, self._payee = domains, domains.accounts[domains.access]
        self._rows = np.arange(len(self._payee), dtype=np.int64)

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        price = self._domains.row_price_micro(epoch.price_micro)
        marks, marked_bytes = epoch.flows("ce"), epoch.flows("ce_bytes")
        amount, quantity = self._charge.due(price, marks, marked_bytes)
        payer = self._parties.mark_payers(epoch.offer)
        return Dues(MARKS, payer, self._payee, amount, self._rows, quantity, price, CHARGE, True)


class Spans:
    """The active time of each flow, from the start to the stop of its source.

    Attributes:
        start_ps, stop_ps: start and stop of each row's source.
        flows: the number of flows in each row.
    """

    def __init__(self, plan: Plan) -> None:
        rows = plan.row_sources()
        spans = [(s.start.at_ps, s.stop_ps if s.stop_ps >= 0 else plan.duration_ps) for s in rows]
        table = np.array(spans, dtype=np.int64).reshape(-1, 2)
        self.start_ps, self.stop_ps = table[:, 0], table[:, 1]
        self.flows = np.array([s.row_flows for s in rows], dtype=np.int64)

    def active_ps(self, epoch: Epoch) -> Integers:
        """Return how long [ps] each row was active and allowed to send, summed over its flows."""
        begin = np.maximum(epoch.from_ps, self.start_ps)
        each = np.maximum(0, np.minimum(epoch.to_ps, self.stop_ps) - begin)
        active_ps: Integers = each * self.flows * epoch.active
        return active_ps


class ClassFee:
    """Charges a flow's user for time in a service class, and pays the seller of the class.

    A flow does not pay while its agent or a user prevents it from sending.
    """

    def __init__(self, plan: Plan, parties: Parties) -> None:
        self._parties = parties
        spans = Spans(plan)
        self._flows, self._rows = spans.flows, np.arange(len(spans.flows), dtype=np.int64)
        self._fees = ClassFeeCharge(spans.start_ps, spans.stop_ps)

    def due(self, epoch: Epoch) -> Dues:
        """See Contract."""
        fee = self._parties.fees(epoch.offer) * self._flows * epoch.active
        amount, active_ps = self._fees.accrue(epoch.from_ps, epoch.to_ps, fee)
        amount = np.where(epoch.offer == NO_OFFER, 0, amount)
        payer, payee = self._parties.fee_parties(epoch.offer)
        columns = payer, payee, amount, self._rows, active_ps, fee
        return Dues(CLASS_FEE, *columns, FEE, True, standing_micro=amount)
