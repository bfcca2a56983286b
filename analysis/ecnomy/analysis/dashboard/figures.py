# SPDX-License-Identifier: Apache-2.0
"""The values that the live page shows: rates, marks and money of a market in the last seconds.

Rates, marks and money per second are means over the last WINDOW_S of simulated time, or over the
last epoch if that is longer. Marks and prices of links are exact, because the engine counts marks
for each pair of source and link. For a finished run, ecnomy.analysis.run.link_marking estimates
both.
"""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.decision import LEAVE
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import NO_OFFER
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.dashboard.groups import DashboardGroup
from ecnomy.analysis.run.link_marking import by_source, ecn_capable
from ecnomy.analysis.run.network_loads import (
    LINK_COUNTERS,
    LinkData,
    LinkLoad,
    link_loads,
    packet_bits,
)
from ecnomy.analysis.run.windows import Window
from ecnomy.markets.bridge.messages import Report
from ecnomy.markets.model.market import Market

__all__ = ["WINDOW_S", "AccountState", "CarrierState", "GroupState", "MarketState", "MarketWatch"]

WINDOW_S: Final = 5.0
KEPT: Final = 300  # number of observations drawn over time


class GroupState(msgspec.Struct, frozen=True):
    """The state of a group of flows; rates count IP packets."""

    name: str
    flows: int
    active: int  # now
    goodput_bps: float  # sum over the flows
    marks_per_s: float
    charge_per_s: float  # the charge for these marks, regardless of the payer
    fee_per_s: float  # class fees
    service: str  # class, "mixed" for several, "" for none
    pay_micro: float  # mean payment of a flow for marks, micro-units/s; -1 if unset

    @property
    def each_bps(self) -> float:
        """The rate of an active flow; 0 if no flow is active."""
        return self.goodput_bps / self.active if self.active else 0.0


class CarrierState(msgspec.Struct, frozen=True):
    """The state of a carrier and its links."""

    name: str  # "" without a carrier
    price_micro: int  # price per mark in force
    link: str  # its busiest direction
    utilization: float  # utilisation of that direction
    marks_per_s: float  # marks set on data at its links
    income_per_s: float


class AccountState(msgspec.Struct, frozen=True):
    """The balance of an agent or a user."""

    name: str
    role: str  # "" for users without an agent
    balance: float
    change_per_s: float


class MarketState(msgspec.Struct, frozen=True):
    """The state of a market at a report."""

    t_s: float
    window_s: float  # window of the means; 0 before the end of the first epoch
    groups: tuple[GroupState, ...]
    carriers: tuple[CarrierState, ...]
    links: tuple[LinkLoad, ...]
    accounts: tuple[AccountState, ...]


class _Snapshot(msgspec.Struct, frozen=True, eq=False):
    report: Report
    fee_micro: Integers
    charge_micro: Integers
    balances_micro: Integers


class MarketWatch:
    """Observes a market after each step.

    Attributes:
        history: the last KEPT observations, oldest first.
        first: the observation before the first step.
    """

    def __init__(self, market: Market, groups: Sequence[DashboardGroup]) -> None:
        """Observe a market that has processed the report at t = 0."""
        plan = market.plan
        self._groups = tuple(groups)
        reports = 1 + max(1, round(WINDOW_S * PS_PER_S / plan.epoch_ps))
        self._snapshots: collections.deque[_Snapshot] = collections.deque(maxlen=reports)
        self._bits = np.array([packet_bits(s) for s in plan.sources], dtype=np.float64)
        crossed = [
            of_data and ecn_capable(plan, number)
            for number, source in enumerate(plan.sources)
            for of_data, links in ((True, source.path), (False, source.ack_path))
            for _ in links
        ]
        self._is_data = np.array(crossed, dtype=np.bool_)
        self._roles = {role.name: role.role for role in market.roles}
        self.history: collections.deque[MarketState] = collections.deque(maxlen=KEPT)
        self.look(market)
        self.first = self.last

    @property
    def last(self) -> MarketState:
        """The last observation."""
        return self.history[-1]

    def look(self, market: Market) -> None:
        """Observe the market after its last report."""
        assert market.report is not None, "an open market has met a report"
        fee, charge = market.fee_micro.copy(), market.charge_micro.copy()
        balances = np.array(market.ledger.balances_micro, dtype=np.int64)
        self._snapshots.append(_Snapshot(market.report, fee, charge, balances))
        then, now = self._snapshots[0], self._snapshots[-1]
        window = Window(then.report.t_ps, now.report.t_ps)
        data, marks_of_link = self._data(market, then, now)
        links: tuple[LinkLoad, ...] = ()
        if window.seconds > 0:
            grown = {
                name: _grown(then.report.links[name], now.report.links[name])
                for name in LINK_COUNTERS
            }
            links = link_loads(market.plan, grown, data, window)
        accounts = self._accounts(market, then, now, window.seconds)
        self.history.append(
            MarketState(
                t_s=now.report.t_ps / PS_PER_S,
                window_s=window.seconds,
                groups=tuple(self._group(g, market, then, now) for g in self._groups),
                carriers=_carriers(market, links, marks_of_link, accounts, window.seconds),
                links=links,
                accounts=accounts,
            )
        )

    def _data(self, market: Market, then: _Snapshot, now: _Snapshot) -> tuple[LinkData, Floats]:
        """Return the data that arrived at each link between two observations, and its marks."""
        plan, pairs = market.plan, now.report.pairs
        source = pairs["source"][self._is_data].astype(np.int64)
        link = pairs["link"][self._is_data].astype(np.int64)

        def at_links(values: Floats) -> Floats:
            sums = np.bincount(link, weights=values, minlength=len(plan.links))
            return sums.astype(np.float64)

        arrivals, marks = (
            _grown(then.report.pairs[name], pairs[name])[self._is_data]
            for name in ("arrivals", "marks")
        )
        first = np.cumsum([0, *(s.row_count for s in plan.sources)])[:-1]
        ce = by_source(plan, _grown(then.report.flows["ce"], now.report.flows["ce"]))
        paid = by_source(plan, _grown(then.charge_micro, now.charge_micro)) / MICRO
        posted = market.row_price_micro()[first] / MICRO
        price = np.divide(paid, ce, out=posted.astype(np.float64), where=ce > 0)
        data = LinkData(
            packets=at_links(arrivals),
            marks=at_links(marks),
            bits=at_links(arrivals * self._bits[source]),
            due=at_links(marks * price[source]),
        )
        return data, data.marks

    def _group(
        self, group: DashboardGroup, market: Market, then: _Snapshot, now: _Snapshot
    ) -> GroupState:
        rows, seconds = group.rows, (now.report.t_ps - then.report.t_ps) / PS_PER_S

        def per_s(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> float:
            return float((after[rows] - before[rows]).sum()) / seconds if seconds else 0.0

        old, new = then.report.flows, now.report.flows
        held = {int(i) for i in market.offer[rows]}
        names = [market.offers[i].name for i in held if i != NO_OFFER]
        pay = market.aims.pay_micro_per_s[rows]
        return GroupState(
            name=group.name,
            flows=group.flows,
            active=int(new["active"][rows].sum()),
            goodput_bps=8 * per_s(old["acked_bytes"], new["acked_bytes"]),
            marks_per_s=per_s(old["ce"], new["ce"]),
            charge_per_s=per_s(then.charge_micro, now.charge_micro) / MICRO,
            fee_per_s=per_s(then.fee_micro, now.fee_micro) / MICRO,
            service="" if not names else names[0] if len(held) == 1 else "mixed",
            pay_micro=float(pay.mean()) if np.all(pay >= 0) else LEAVE,
        )

    def _accounts(
        self, market: Market, then: _Snapshot, now: _Snapshot, seconds: float
    ) -> tuple[AccountState, ...]:
        before = np.zeros(len(now.balances_micro), dtype=np.int64)
        before[: len(then.balances_micro)] = then.balances_micro  # accounts may open later
        change = (now.balances_micro - before) / MICRO
        return tuple(
            AccountState(
                name=name,
                role=self._roles.get(name, ""),
                balance=float(now.balances_micro[i]) / MICRO,
                change_per_s=float(change[i]) / seconds if seconds else 0.0,
            )
            for i, name in enumerate(market.ledger.names)
        )


def _grown(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> Floats:
    return np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)


def _carriers(
    market: Market,
    links: Sequence[LinkLoad],
    marks: Floats,
    accounts: Sequence[AccountState],
    seconds: float,
) -> tuple[CarrierState, ...]:
    income = {account.name: account.change_per_s for account in accounts}
    states = []
    for domain, (name, price) in enumerate(market.prices_micro.items()):
        own = market.domains.links(domain).tolist()
        busiest = max((links[i] for i in own if links), key=lambda x: x.utilization, default=None)
        states.append(
            CarrierState(
                name=name,
                price_micro=price,
                link="" if busiest is None else market.plan.links[busiest.link].name,
                utilization=0.0 if busiest is None else busiest.utilization,
                marks_per_s=float(marks[own].sum()) / seconds if seconds else 0.0,
                income_per_s=income.get(name, 0.0),
            )
        )
    return tuple(states)
