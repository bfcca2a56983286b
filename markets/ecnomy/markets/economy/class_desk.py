# SPDX-License-Identifier: Apache-2.0
"""Admit flows to service classes, and let providers observe their classes.

A class admits a flow at the request of the flow's customer, unless one of these conditions holds:

    members     the class is full: members + 1 > the class's `members`
    cost        the class's marks would cost too much: c + (h + 1) w > the class's `most_cost`,
                where c is the recent cost, h the number of members not yet included in c
                (class_books.py), and w the class's charge, the target cost of a flow's marks
    seller      the class's seller refuses

A refused flow stays in its class. If a row stands for many flows, each flow counts as a member, and
the class admits all of them or refuses all. Among an agent's simultaneous requests, those for
classes that refuse no flow are handled first, which frees places in other classes. The other
requests follow in the agent's order of rows.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.arrays import Integers
from ecnomy.agents.classes import ClassColumns, ClassObservation, ClassRequest
from ecnomy.agents.observation import NO_OFFER, Truths
from ecnomy.agents.seat import ClassSeller
from ecnomy.agents.spec import ClassSpec
from ecnomy.markets.economy.class_books import ClassBooks, ClassCounts
from ecnomy.markets.economy.contracts import Spans
from ecnomy.markets.economy.journal import REFUSED, Journal
from ecnomy.markets.economy.parties import Parties
from ecnomy.markets.economy.readings import Epoch
from ecnomy.markets.plan import Plan

__all__ = ["ClassDesk"]


class ClassDesk:
    """Handles the requests for all service classes of a market."""

    def __init__(self, plan: Plan, parties: Parties, journal: Journal) -> None:
        self._plan, self._parties, self._journal = plan, parties, journal
        spans = Spans(plan)
        self._stop_ps, self._flows = spans.stop_ps, spans.flows
        self._terms: list[tuple[ClassSpec, ClassSeller | None]] = []
        self._books: ClassBooks | None = None
        self._last_counts: dict[str, tuple[int, ClassCounts]] = {}

    def open(self, sold: ClassSpec, seller: ClassSeller | None) -> None:
        """Put a class on sale. Classes must come in the order of the market's offers."""
        self._terms.append((sold, seller))

    def settle(self) -> None:
        """Finish the setup after all agents have joined."""
        watched = any(
            sold.cost_micro_per_s >= 0 or (seller is not None and seller.watches_classes)
            for sold, seller in self._terms
        )
        if watched:
            self._books = ClassBooks(self._plan, len(self._terms))
        self._limited = [
            sold.members >= 0
            or sold.cost_micro_per_s >= 0
            or (seller is not None and seller.decides_requests)
            for sold, seller in self._terms
        ]

    def close(self, epoch: Epoch) -> None:
        """Add a booked epoch to the records of classes."""
        if self._books is not None:
            self._books.close(epoch)

    def admit(self, t_ps: int, rows: Integers, offer: Integers, wanted: Integers) -> Truths:
        """Move each of these rows to the class it requests, if that class admits it.

        Args:
            t_ps: the time of the current report.
            rows: rows of flows.
            offer: the class of each flow of the run; updated for admitted rows.
            wanted: the requested class of each row in `rows`.

        Returns:
            whether each row was admitted.
        """
        let_in = np.ones(len(rows), dtype=np.bool_)
        limited = np.array([self._limited[k] for k in wanted.tolist()], dtype=np.bool_)
        offer[rows[~limited]] = wanted[~limited]
        for at in np.flatnonzero(limited).tolist():
            row, number = int(rows[at]), int(wanted[at])
            let_in[at] = self._lets_in(t_ps, row, number, offer)
            if let_in[at]:
                offer[row] = number
                if self._books is not None:
                    self._books.enter(number, int(self._flows[row]))
            elif self._books is not None:
                self._books.refuse(number, int(self._flows[row]))
        for number in sorted(set(wanted[~let_in].tolist())):
            out = rows[~let_in & (wanted == number)]
            provider = self._parties.offers[number].provider
            self._journal.many(t_ps, provider, out, REFUSED, np.full(len(out), float(number)))
        return let_in

    def _lets_in(self, t_ps: int, row: int, number: int, offer: Integers) -> bool:
        sold, seller = self._terms[number]
        members, more = self._members(t_ps, number, offer), int(self._flows[row])
        if 0 <= sold.members < members + more:
            return False
        late = hidden = 0.0
        if self._books is not None:
            late = float(self._books.cost_micro_per_s[number])
            hidden = float(self._books.hidden[number])
        cost = late + (hidden + more) * self._parties.offers[number].charging_rate_micro
        if 0 <= sold.cost_micro_per_s < cost:
            return False
        if seller is None or not seller.decides_requests:
            return True
        return seller.let_in(ClassRequest(t_ps, sold.name, row, members, late))

    def _members(self, t_ps: int, number: int, offer: Integers) -> int:
        return int(self._flows[(offer == number) & (self._stop_ps > t_ps)].sum())

    def observation(
        self, who: str, t_ps: int, offer: Integers, active: Truths, agent: AgentView
    ) -> ClassObservation:
        """Return a provider's observation of its classes since its last observation.

        Args:
            who: the provider.
            t_ps: the time of the current report.
            offer: the class of each flow of the run.
            active: whether each flow of the run is switched on.
            agent: the provider's view of its money, random numbers and notes.
        """
        assert self._books is not None, "it watches its classes"
        offers = self._parties.offers
        own = [k for k, one in enumerate(offers) if one.provider == who]
        now = self._books.counts
        then_ps, then = self._last_counts.get(who, (t_ps, now))
        self._last_counts[who] = t_ps, now
        on = np.where(active, offer, NO_OFFER)
        columns = ClassColumns(
            fee_micro_per_s=np.array([offers[k].fee_micro_per_s for k in own], dtype=np.int64),
            charge_micro_per_s=np.array(
                [offers[k].charging_rate_micro for k in own], dtype=np.int64
            ),
            members=np.array([self._members(t_ps, k, offer) for k in own], dtype=np.int64),
            active=np.array([self._members(t_ps, k, on) for k in own], dtype=np.int64),
            most=np.array([self._terms[k][0].members for k in own], dtype=np.int64),
            flow_s=(now.flow_s - then.flow_s)[own],
            marks=(now.marks - then.marks)[own],
            charge_micro=(now.charge_micro - then.charge_micro)[own],
            refused=(now.refused - then.refused)[own],
        )
        names = tuple(offers[k].name for k in own)
        return ClassObservation(t_ps, t_ps - then_ps, names, columns, agent)
