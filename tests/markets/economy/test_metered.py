# SPDX-License-Identifier: Apache-2.0
"""Contracts on every meter, by hand, sold by the second of two carriers; two epochs of a run."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np
import pytest

import market_world as world
from ecnomy.agents.spec import AgentSpec, ContractSpec
from ecnomy.markets.economy.contracts import Dues
from ecnomy.markets.economy.counts import FlowCounts
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.economy.metered import NO_PRICE, MeteredContract
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.posted_prices import Domains
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.plan import Plan
from ecnomy.markets.terms.meters import METERS
from ecnomy.markets.terms.tariffs import Flat, Menu, Posted, Tariff, TwoPart
from ecnomy.markets.terms.tariffs import PerUnit as PerUnitTariff
from ecnomy.markets.terms.unit_price import Price
from market_world import PS

NEAR, FAR = 0, 1
START_PS, STOP_PS = PS // 2 - 7, 5 * PS // 2
FIRST_PS = PS - START_PS
# Rows: a, and two of b, on from 7 ps before 0.5 s to 2.5 s. Pairs: a on near, far and its way back,
# b on far.
COUNTERS: Final[tuple[dict[str, list[int]], ...]] = (
    dict(delivered=[1, 2, 3], delivered_bytes=[1000, 200, 300], ce=[1, 2, 0], ce_bytes=[9, 8, 0]),
    dict(delivered=[5, 9, 4], delivered_bytes=[5000, 900, 400], ce=[4, 3, 1], ce_bytes=[30, 9, 7]),
)
MARKS_SET: Final = ([3, 2, 7, 4], [5, 6, 9, 9])
WEIGHTS: Final = ([2.0, 1.5, 3.0], [2.0, 2.5, 3.0])
# What each meter counts in the two epochs; b's second flow is switched off in the second one.
COUNTED: Final[dict[str, tuple[list[int], list[int]]]] = {
    "bytes": ([1000, 200, 300], [4000, 700, 100]),
    "packets": ([1, 2, 3], [4, 7, 1]),
    "marks": ([1, 2, 0], [3, 1, 1]),
    "marked-bytes": ([9, 8, 0], [21, 1, 7]),
    "marks-set": ([2, 4, 0], [4, 3, 2]),
    "calls": ([1, 0, 2], [0, 3, 1]),
    "transfers": ([0, 2, 1], [4, 0, 1]),
    "time": ([PS, FIRST_PS, FIRST_PS], [2 * PS, 3 * PS // 2, 0]),
    "weight": ([2 * PS, 3 * FIRST_PS // 2, 3 * FIRST_PS], [4 * PS, 15 * PS // 4, 0]),
}


def plan() -> Plan:
    """Links `near`, `far` and `back`; `a` sends over the first two, and its ACKs use the third."""
    bare = world.plan(
        [world.source("a"), world.source("b", count=2, start_ps=START_PS, stop_ps=STOP_PS)]
    )
    links = [
        msgspec.structs.replace(bare.links[0], name=name, source=i, target=i + 1, stream=name)
        for i, name in enumerate(("near", "far", "back"))
    ]
    l4s = msgspec.structs.replace(bare.sources[0].transport, codepoint="ect-1")
    a = msgspec.structs.replace(bare.sources[0], path=[0, 1], ack_path=[2], transport=l4s)
    b = msgspec.structs.replace(bare.sources[1], path=[1])
    nodes = ["w", "x", "y", "z"]
    changed = dict(links=links, sources=[a, b], nodes=nodes)
    return msgspec.structs.replace(bare, **changed).sealed()


class Shelf:
    """A contract of the carrier `far` with ann, who uses a, and with b's users."""

    def __init__(
        self,
        meter: str,
        tariff: Tariff,
        sources: tuple[str, ...] = ("a", "b"),
        ratio: float = 1.0,
    ) -> None:
        self.plan, ledger = plan(), Ledger()
        agents = [AgentSpec(name, "connectivity-provider") for name in ("near", "far")]
        parties = Parties(self.plan, [*agents, AgentSpec("ann", "customer")], ledger)
        parties.use("ann", ("a",), alone=False)
        parties.settle()
        accounts = [parties.account(name) for name in ("near", "far")]
        domains = Domains(self.plan, ("near", "far"), accounts, [NEAR, FAR, FAR], [3, 7], ratio)
        self.counts, self.names = FlowCounts(3), ledger.names
        spec = ContractSpec("line", meter, tariff, sources)
        self.contract = MeteredContract(self.plan, parties, domains, self.counts, "far", spec)

    def dues(self) -> tuple[Dues, Dues]:
        """Return the dues for [0, 1 s) at a price of 7, and for [1 s, 3 s) at a price of 8."""
        owed, before = [], None
        for number, (t_s, price) in enumerate(((1, 7), (3, 8))):
            report = world.report(self.plan, t_s * PS, number, **COUNTERS[number])
            report.pairs["marks"][:] = MARKS_SET[number]
            self.counts.calls[:] = COUNTED["calls"][number]
            self.counts.transfers[:] = COUNTED["transfers"][number]
            on = np.array([True, True, number == 0])
            prices, weight = np.array([3, price]), np.array(WEIGHTS[number])
            epoch = Epoch(before, report, np.full(3, -1), prices, on, weight)
            owed.append(self.contract.due(epoch))
            before = report
        return owed[0], owed[1]


def listed(column: Any) -> list[int] | None:
    """Return a column as a list."""
    return None if column is None else column.tolist()


@pytest.mark.parametrize("meter", METERS)
def test_quantities_amounts_and_parties_of_each_meter(meter: str) -> None:
    """A charge is the growth in an epoch times the price, for time and weight also by time."""
    by_time, per = METERS[meter].unit == "ps", 10**9 if METERS[meter].unit == "ps" else 1
    shelf = Shelf(meter, PerUnitTariff(price=Price(5, per, METERS[meter].unit)))
    for due, counted in zip(shelf.dues(), COUNTED[meter], strict=True):
        amounts = [5 * count // per for count in counted]
        assert (due.quantity.tolist(), due.amount_micro.tolist()) == (counted, amounts)
        assert [shelf.names[i] for i in due.debit] == ["ann", "source:b", "source:b"]
        assert [shelf.names[i] for i in due.credit] == ["far"] * 3
        assert due.price_micro.tolist() == [NO_PRICE if by_time else 5] * 3
        assert (due.kind, due.counts_as, due.flow.tolist()) == ("line", "fee", [0, 1, 2])
        assert listed(due.standing_micro) == (amounts if by_time else None)
        assert listed(due.weight_micro) == (amounts if meter == "weight" else None)


def test_a_contract_for_some_sources_counts_only_their_flows() -> None:
    """The same holds for marks set, at the seller's posted price, not at the first carrier's."""
    first, second = Shelf("marks-set", Posted(), ("b",)).dues()
    assert (first.flow.tolist(), second.flow.tolist()) == ([1, 2], [1, 2])
    assert first.amount_micro.tolist() == [7 * 4, 0]
    assert second.amount_micro.tolist() == [8 * 3, 8 * 2]


@pytest.mark.parametrize("meter", ["marks", "marks-set", "marked-bytes", "bytes", "packets"])
def test_a_posted_price_of_marks_is_that_of_their_codepoint(meter: str) -> None:
    """`a` sends ECT(1) at the posted 7 and 8, `b` ECT(0) at 2.5 times as much, half to even."""
    classic = (18, 20) if "mark" in meter else (7, 8)
    dues = Shelf(meter, Posted(), ratio=2.5).dues()
    for due, counted, price, other in zip(dues, COUNTED[meter], (7, 8), classic, strict=True):
        prices = (price, other, other)
        assert due.amount_micro.tolist() == [n * p for n, p in zip(counted, prices, strict=True)]


@pytest.mark.parametrize("meter", ["bytes", "weight"])
def test_the_fee_of_a_two_part_tariff_is_a_standing_charge(meter: str) -> None:
    """The fee of 3 micro-units/s is a standing charge, and the rest a charge for the meter."""
    unit = METERS[meter].unit
    rate = Price(5, PS, unit) if unit == "ps" else Price(5, 1, unit)
    per = PS if unit == "ps" else 1
    tariff = TwoPart(fee=Price(30, PS, "ps"), price=rate)
    for number, due in enumerate(Shelf(meter, tariff).dues()):
        fees = [30 * ps // PS for ps in COUNTED["time"][number]]
        wanted = [
            fee + 5 * count / per for fee, count in zip(fees, COUNTED[meter][number], strict=True)
        ]
        assert due.amount_micro.tolist() == pytest.approx(wanted, abs=1)
        used = [
            amount - fee for amount, fee in zip(listed(due.amount_micro) or [], fees, strict=True)
        ]
        by_weight = meter == "weight"
        assert listed(due.standing_micro) == (listed(due.amount_micro) if by_weight else fees)
        assert listed(due.weight_micro) == (used if by_weight else None)


def test_under_a_menu_the_standing_charge_is_that_of_the_chosen_tariff() -> None:
    """The first flow is under a flat rate, the second under a two-part tariff, the third per unit.

    Each column equals that of the contract with this tariff alone.
    """
    tariffs = {
        "flat": Flat(price=Price(40, PS, "ps")),
        "two": TwoPart(fee=Price(30, PS, "ps"), price=Price(5, 1, "byte")),
        "unit": PerUnitTariff(price=Price(7, 1, "byte")),
    }
    alone = [Shelf("bytes", tariff).dues() for tariff in tariffs.values()]
    shelf = Shelf("bytes", Menu(choices=tariffs))
    assert shelf.contract.menu is not None
    shelf.contract.menu.choose(np.arange(3), np.arange(3))
    for number, due in enumerate(shelf.dues()):
        own = [alone[row][number] for row in range(3)]
        assert listed(due.amount_micro) == [int(one.amount_micro[i]) for i, one in enumerate(own)]
        fees = [one.standing_micro for one in own]
        assert listed(due.standing_micro) == [
            0 if fee is None else int(fee[i]) for i, fee in enumerate(fees)
        ]
        assert due.standing_micro is not None and due.standing_micro[1] > 0


def test_a_flat_rate_is_a_standing_charge_whatever_the_meter() -> None:
    """The charge is for the time that a flow was on."""
    for number, due in enumerate(Shelf("packets", Flat(price=Price(40, PS, "ps"))).dues()):
        wanted = [40 * ps // PS for ps in COUNTED["time"][number]]
        assert listed(due.amount_micro) == listed(due.standing_micro) == wanted
        assert due.weight_micro is None and due.quantity.tolist() == COUNTED["packets"][number]
