# SPDX-License-Identifier: Apache-2.0
"""Collect the data that Qtenv displays about a market (the bridge's message `show`, PROTOCOL.md).

Engines do not compute with these data. Runs without a display omit them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.decision import LEAVE
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import NO_OFFER
from ecnomy.markets.economy.journal import (
    ACTIVE,
    CALL_PRICE,
    FEE,
    PICKED,
    PRICE,
    REFUSED,
    TARIFF,
    JournalEntry,
)
from ecnomy.markets.economy.ledger import Postings
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.economy.parties import flows_of
from ecnomy.markets.model.market import Market
from ecnomy.markets.plan import Plan
from ecnomy.markets.terms.ledger_kinds import CALL, REIMBURSEMENT, TRANSFER

__all__ = ["Screen"]

_MOST_NEWS: Final = 12
_LONGEST: Final = 24  # most letters for sources in a line of news, which Qtenv cuts at 70
_MONEY: Final = {PRICE: "price {} per mark", "willingness_micro_per_s": "pays {}/s for marks"}
_BY_HAND: Final = {"willingness_micro_per_s", "class"}  # not set by the market itself
_PLAIN: Final = {
    "rate_cap_bps": "rate at most {} bit/s",
    "weight": "weight {}",
    "mark_rate": "aims at {} marks/s",
}


class Screen:
    """Collects the display data of a run, and adds up its payments."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rows = flows_of(plan)
        self._calls_micro: Integers = np.zeros(plan.row_count, dtype=np.int64)
        self._paid_micro: dict[tuple[str, str, str, str], int] = {}
        names = np.full(plan.row_count + 1, "", dtype=object)  # the last name: no flow
        for name, rows in self._rows.items():
            names[rows] = name
        self._source_of: list[str] = names.tolist()
        self._in_force: dict[tuple[str, str, bytes], str] = {}

    def json(self, market: MarketLike) -> str:
        """Return the display data as JSON.

        Call this once per report, after `market.orders()` and before the report is stored.

        Args:
            market: the market. With NoMarket, the data contain only names, zeros and nulls.
        """
        self._follow(market)
        screen: dict[str, Any] = {
            "sources": [self._source(name, market) for name in self._rows],
            "links": self._links(market),
            "agents": _agents(market),
            "payments": self._payments(),
            "news": self._news(market),
        }
        return msgspec.json.encode(screen).decode()

    def _follow(self, market: MarketLike) -> None:
        for batch in market.ledger.fresh:
            if batch.kind in (CALL, TRANSFER, REIMBURSEMENT):
                sign = -1 if batch.kind == REIMBURSEMENT else 1
                own = batch.flow >= 0
                np.add.at(self._calls_micro, batch.flow[own], sign * batch.amount_micro[own])
            self._pay(batch, market.ledger.names)

    def _pay(self, batch: Postings, names: Sequence[str]) -> None:
        """Add the amounts of a batch to the sums by payer, payee, kind and source."""
        columns = (batch.debit, batch.credit, batch.flow, batch.amount_micro)
        for debit, credit, flow, amount in zip(*(c.tolist() for c in columns), strict=True):
            who = (_plain(names[debit]), _plain(names[credit]), batch.kind, self._source_of[flow])
            self._paid_micro[who] = self._paid_micro.get(who, 0) + amount

    def _payments(self) -> list[dict[str, Any]]:
        """Return the sums of payments so far, in the order of their first payments."""
        return [
            {"from": payer, "to": payee, "for": kind, "source": source, "money": micro / MICRO}
            for (payer, payee, kind, source), micro in self._paid_micro.items()
        ]

    def _source(self, name: str, market: MarketLike) -> dict[str, Any]:
        rows = self._rows[name]
        fees = int(market.fee_micro[rows].sum()) + int(self._calls_micro[rows].sum())
        classes = dict.fromkeys(market.offer[rows].tolist())
        return {
            "name": name,
            "class": ", ".join(market.offers[i].name for i in classes if i != NO_OFFER),
            "marks": int(market.charge_micro[rows].sum()) / MICRO,
            "fees": fees / MICRO,
            "willing": _willing(market, rows),
        }

    def _links(self, market: MarketLike) -> list[dict[str, Any]]:
        if not isinstance(market, Market):
            return [{"owner": "", "price": None} for _ in self._plan.links]
        domains = market.domains
        return [
            {"owner": domains.names[of], "price": int(domains.price_micro[of]) / MICRO}
            for of in domains.of_link.tolist()
        ]

    def _news(self, market: MarketLike) -> list[str]:
        """Return the newest decisions since the last report, in order of time, without notes.

        A value set by hand overrides the agent's decision at each report. The value in force stays
        the same, so neither decision is listed.
        """
        decisions = [
            (_decided(entry), line)
            for entry in market.journal.fresh
            if (line := self._line(entry, market))
        ]
        last = dict(decisions)
        held = {what for what, line in last.items() if self._in_force.get(what) == line}
        self._in_force |= last
        return [line for what, line in decisions if what not in held][-_MOST_NEWS:]

    def _line(self, entry: JournalEntry, market: MarketLike) -> str:
        said = _said(entry, market)
        if not said:
            return ""
        who = entry.agent or ("by hand" if entry.name in _BY_HAND else "the market")
        return f"{who}{self._about(entry.flow)}: {said}"

    def _about(self, flow: Integers) -> str:
        """Describe the flows of a decision by source, or by count if a source is not complete."""
        if (flow < 0).all():
            return ""
        named = [n for n, rows in self._rows.items() if len(rows) and np.isin(rows, flow).all()]
        if sum(len(self._rows[n]) for n in named) == len(flow):
            names = ", ".join(named)
            many = len(named) > 1 and len(names) > _LONGEST
            return f" for {len(named)} sources" if many else f" for {names}"
        return f" for {len(flow)} flows"


def _plain(account: str) -> str:
    """Return the name of an account without the prefix `source:`."""
    return account.removeprefix("source:")


def _willing(market: MarketLike, rows: Integers) -> float | None:
    """Return the total payment for the marks of a source's flows [money/s], or None if not set."""
    if not isinstance(market, Market):
        return None
    pay = market.aims.pay_micro_per_s[rows]
    said = pay[pay != LEAVE]
    if len(said) == 0:
        return None
    each = [source.row_flows for source in market.plan.row_sources()]
    flows = np.array(each, dtype=np.float64)[rows]
    return float((said * flows[pay != LEAVE]).sum()) / MICRO


def _agents(market: MarketLike) -> list[dict[str, Any]]:
    if not isinstance(market, Market):
        return []
    return [
        {
            "name": agent.name,
            "role": agent.role,
            "balance": market.ledger.balance_micro(agent.name) / MICRO,
        }
        for agent in market.parties.agents
    ]


def _decided(entry: JournalEntry) -> tuple[str, str, bytes]:
    """Return a key for the values that a decision sets. Keys of flow values omit the agent."""
    return entry.name, entry.agent if (entry.flow < 0).all() else "", entry.flow.tobytes()


def _said(entry: JournalEntry, market: MarketLike) -> str:
    """Describe a decision, or return "" for an agent's note."""
    name = entry.name
    if name in _MONEY:
        return _MONEY[name].format(_range(entry, MICRO))
    if name in _PLAIN:
        return _PLAIN[name].format(_range(entry))
    if name == ACTIVE:
        return "send" if entry.value.all() else "stop"
    if name in ("class", REFUSED):
        verb = "goes to class" if name == "class" else "is refused class"
        chosen = dict.fromkeys(int(value) for value in entry.value)
        named = ", ".join(market.offers[i].name if i != NO_OFFER else "none" for i in chosen)
        return f"{verb} {named}"
    for prefix, unit in ((FEE, "/s"), (CALL_PRICE, " per call")):
        if name.startswith(prefix):
            return f"{name.removeprefix(prefix)} costs {_range(entry, MICRO)}{unit}"
    if name == PICKED or name.startswith(TARIFF):
        what = "strategy" if name == PICKED else name.removeprefix(TARIFF)
        return f"takes choice {_range(entry)} of {what}"
    return ""


def _range(entry: JournalEntry, unit: float = 1.0) -> str:
    """Return the range of an entry's values as text, or a single number if all are equal."""
    least, most = float(entry.value.min()) / unit, float(entry.value.max()) / unit
    return f"{least:.4g}" if least == most else f"{least:.4g} to {most:.4g}"
