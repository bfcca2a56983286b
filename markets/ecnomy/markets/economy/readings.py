# SPDX-License-Identifier: Apache-2.0
"""Read meters: compute the integer changes in the reports' cumulative counters over an epoch."""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import LedgerError
from ecnomy.agents.observation import Truths
from ecnomy.markets.bridge.messages import Columns, Report
from ecnomy.markets.economy.posted_prices import Domains
from ecnomy.markets.economy.shared_columns import held
from ecnomy.markets.plan import Plan

__all__ = ["Epoch", "PairBooks", "integers"]


def integers(columns: Columns, name: str) -> Integers:
    """Return a counter column as int64."""
    column: Integers = columns[name].astype(np.int64, copy=False)
    return column


class Epoch:
    """The time between two reports.

    Attributes:
        from_ps, to_ps: start (included) and end (excluded) of the epoch.
        offer: class of each flow in the epoch. All columns except `charge_micro` are read-only.
        price_micro: price per mark in each domain.
        active: whether each flow was allowed to send.
        weight: weight of each flow's window law; 0 if the law has no weight or a mark rate controls
            the flow.
        charge_micro: mark charge of each flow in the epoch, under the contracts booked so far.
    """

    def __init__(
        self,
        before: Report | None,
        report: Report,
        offer: Integers,
        price_micro: Integers,
        active: Truths,
        weight: Floats,
    ) -> None:
        self._before, self._report = before, report
        self.from_ps = before.t_ps if before else 0
        self.to_ps = report.t_ps
        # views, because the market keeps using its arrays
        self.offer, self.price_micro = held(offer.view()), held(price_micro.view())
        self.active, self.weight = held(active.view()), held(weight.view())
        self.charge_micro: Integers = np.zeros(len(offer), dtype=np.int64)

    def flows(self, name: str) -> Integers:
        """Return the change of a flow counter over the epoch, for each row of flows.

        Raises:
            LedgerError: negative-amount (the counter ran backwards).
        """
        then = self._before.flows if self._before else None
        return self._change(self._report.flows, then, name, "flows")

    def pairs(self, name: str) -> Integers:
        """Return the change of a (source, link) counter over the epoch. Raises as `flows` does."""
        then = self._before.pairs if self._before else None
        return self._change(self._report.pairs, then, name, "pairs")

    @staticmethod
    def _change(now: Columns, then: Columns | None, name: str, table: str) -> Integers:
        change = integers(now, name)
        if then is not None:
            change = change - integers(then, name)
        if len(change) and int(change.min()) < 0:
            what = "marks delivered" if (table, name) == ("flows", "ce") else f"{table}.{name}"
            raise LedgerError("negative-amount", f"a count of {what} decreased")
        return change


class PairBooks:
    """The pairs of a source and a link on its data path, and their positions in `report.pairs`.

    Attributes:
        source: source of each pair.
        hop: position of each pair's link on the path of the source.
        domain: domain of each pair's link.
        rows: position of each pair in `report.pairs`.
    """

    def __init__(self, plan: Plan, domains: Domains) -> None:
        source, hop, link, rows = [], [], [], []
        row = 0
        for number, one in enumerate(plan.sources):
            for place, crossed in enumerate(one.path):
                source.append(number)
                hop.append(place)
                link.append(crossed)
                rows.append(row + place)
            row += len(one.path) + len(one.ack_path)
        self.source, self.hop, links, self.rows = (
            np.array(column, dtype=np.int64) for column in (source, hop, link, rows)
        )
        self.domain = domains.of_link[links] if len(links) else links

    def marks(self, epoch: Epoch) -> Integers:
        """Return the number of marks set during the epoch, for each pair."""
        return epoch.pairs("marks")[self.rows]
