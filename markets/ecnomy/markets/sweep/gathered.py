# SPDX-License-Identifier: Apache-2.0
"""Summarises a run in one row: means by source, values by link, balances and prices.

    <source>.flows, .goodput_bps, .marks_per_s, .marking_rate, .mean_delay_s, .mean_cwnd,
        .charge_per_s, .fee_per_s        means over its flows; money/s per flow
    <link>.utilization, .marking_probability, .mean_queue_packets, .mean_wait_s, .drops
    balance.<account>                     money at the end of the run
    price.<carrier>, price                money per mark, mean over time; `price` only if the
                                          market has at most one carrier

All values except balances cover the measured window. A reverse link is omitted unless it marks
or drops packets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.bridge.messages import Record, Report
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.flows_and_links import (
    Mark,
    flow_rows,
    link_rows,
    nothing_yet,
)

__all__ = ["Gathered", "outcome_row"]

_MEANS: Final = ("goodput_bps", "marks_per_s", "marking_rate", "mean_delay_s", "mean_cwnd")
_SUMS: Final = ("goodput_bps", "marks_per_s", "mean_cwnd")  # sums over the flows in a row of many
_MONEY: Final = {"charge_per_s": "mark_charge_micro", "fee_per_s": "fee_micro"}
_MEAN_OF_LINK: Final = ("utilization", "marking_probability", "mean_queue_packets", "mean_wait_s")


class Gathered:
    """Receives the output of a run, and keeps the counters at both ends of the measured window."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._start = self._end = nothing_yet(plan)
        self._posted: dict[str, int] = {}  # prices since the last report, micro-units
        self._sums: dict[str, int] = {}  # price x time in the window, micro-units x ps

    def engine(self, name: str, version: str) -> None:
        """Ignore the engine, because the key of the run contains it."""

    def report(self, report: Report, market: MarketLike) -> None:
        """See ResultsWriter.report."""
        if report.t_ps > self._plan.warmup_ps:
            span_ps = report.t_ps - max(self._end.t_ps, self._plan.warmup_ps)
            for name, price in self._posted.items():
                self._sums[name] = self._sums.get(name, 0) + price * span_ps
        self._posted = dict(market.prices_micro)
        self._end = Mark(
            report.t_ps, report.flows, report.links, market.fee_micro, market.charge_micro
        )
        if report.t_ps == self._plan.warmup_ps:
            self._start = self._end
        market.ledger.take()
        market.journal.take()

    def record(self, record: Record) -> None:
        """Ignore rows of tables."""

    def row(self, market: MarketLike) -> dict[str, int | float | None]:
        """Return the values of the outcome, by column, with None for a mean without values."""
        flows = flow_rows(self._plan, self._start, self._end, market.offers, market.offer)
        links = link_rows(self._plan, self._start, self._end)
        window_s = (self._end.t_ps - self._start.t_ps) / PS_PER_S
        names, balances = market.ledger.names, market.ledger.balances_micro.tolist()
        row = outcome_row(flows, links, window_s, dict(zip(names, balances, strict=True)))
        return {**row, **self._prices()}

    def _prices(self) -> dict[str, float]:
        """Return the mean prices that ecnomy.analysis.run.prices would read from tables."""
        window_ps = self._end.t_ps - self._start.t_ps
        prices = {
            f"price.{name}": (self._sums.get(name, 0) / window_ps if window_ps else price) / MICRO
            for name, price in self._posted.items()
        }
        return {"price": next(iter(prices.values())), **prices} if len(prices) == 1 else prices


def outcome_row(
    flows: Mapping[str, Any],
    links: Mapping[str, Any],
    window_s: float,
    balances_micro: Mapping[str, int],
) -> dict[str, float | None]:
    """Return the values of the outcome, by column, from the tables `flows` and `links`.

    Args:
        flows: columns of the table `flows`.
        links: columns of the table `links`.
        window_s: length of the measured window in seconds.
        balances_micro: balance of each account in micro-units.
    """
    row = {
        **_of_sources(flows, window_s),
        **_of_links(links),
        **{f"balance.{name}": balance / MICRO for name, balance in balances_micro.items()},
    }
    return {name: value if math.isfinite(value) else None for name, value in row.items()}


def _of_sources(flows: Mapping[str, Any], window_s: float) -> dict[str, int | float]:
    row: dict[str, int | float] = {}
    sources = np.array(flows["source"])
    for source in dict.fromkeys(flows["source"]):
        own = sources == source
        members = flows["members"][own]
        row[f"{source}.flows"] = int(members.sum())
        for name in _MEANS:
            values = np.asarray(flows[name], dtype=np.float64)[own]
            values = values / members if name in _SUMS else values
            known = values[np.isfinite(values)]
            row[f"{source}.{name}"] = float(known.mean()) if len(known) else float("nan")
        for name, column in _MONEY.items():
            paid = np.mean(np.asarray(flows[column], dtype=np.float64)[own] / members) / MICRO
            row[f"{source}.{name}"] = float(paid / window_s) if window_s > 0 else 0.0
    return row


def _of_links(links: Mapping[str, Any]) -> dict[str, int | float]:
    row: dict[str, int | float] = {}
    for index, link in enumerate(links["name"]):
        busy = links["marks"][index] > 0 or links["drops"][index] > 0
        if busy or not link.endswith(".reverse"):
            row |= {f"{link}.{name}": float(links[name][index]) for name in _MEAN_OF_LINK}
            row[f"{link}.drops"] = int(links["drops"][index])
    return row
