# SPDX-License-Identifier: Apache-2.0
"""Computes the tables `flows` and `links` over the measured window, which follows the warm-up.

If a run ends during the warm-up, the window is the whole run.
Counters and integrals are differences over the window, and rates are computed from these
differences. States and maxima have their values at the end of the window. A quotient with
denominator 0 is 0, except for a mean delay or wait without packets, which is NaN.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.observation import NO_OFFER, Offer
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.bridge.columns import REPORT_LINKS, Table, report_flows
from ecnomy.markets.bridge.messages import Columns, Report
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.table_writer import Taken

__all__ = ["Mark", "Measuring", "flow_rows", "link_rows", "nothing_yet"]

_STATES: Final = {
    *("in_flight", "active", "file_left", "cwnd", "srtt_s", "weight"),
    *("queue_packets", "queue_bytes", "queue_max", "probability"),
}


class Mark(msgspec.Struct, frozen=True, eq=False):
    """The counters at one end of the measured window."""

    t_ps: int
    flows: Columns
    links: Columns
    fee_micro: Integers
    charge_micro: Integers


class Measuring:
    """Keeps the counters at both ends of the measured window, from the reports of a run."""

    def __init__(self, plan: Plan) -> None:
        """Start with counters of zero."""
        self._plan = plan
        self._start = self._end = nothing_yet(plan)
        self._pairs: Columns = {}

    def report(self, report: Report, market: MarketLike) -> None:
        """Read a report, and the state of the market after the answer to it."""
        self._end = Mark(
            report.t_ps, report.flows, report.links, market.fee_micro, market.charge_micro
        )
        if report.t_ps == self._plan.warmup_ps:
            self._start = self._end
        self._pairs = report.pairs

    def tables(self, market: MarketLike) -> dict[str, dict[str, Any]]:
        """Return the columns of `flows`, `links` and, if any source crosses a link, `pairs`."""
        columns = {
            "flows": flow_rows(self._plan, self._start, self._end, market.offers, market.offer),
            "links": link_rows(self._plan, self._start, self._end),
        }
        return columns | ({"pairs": {**self._pairs, **self._pair_names()}} if self._pairs else {})

    def ending(self, market: MarketLike) -> dict[str, Any]:
        """Return the manifest's entries for the end of a run: measured window, classes, balances.

        Values that a user set are added if there are any.
        """
        balances = zip(market.ledger.names, market.ledger.balances_micro.tolist(), strict=True)
        return {
            "measured": {"from_ps": self._start.t_ps, "to_ps": self._end.t_ps},
            "classes": [msgspec.to_builtins(offer) for offer in market.offers],
            "balances_micro": dict(sorted(balances)),
        } | ({"by_hand": market.by_hand} if market.by_hand else {})

    def _pair_names(self) -> dict[str, Any]:
        sources = [source.name for source in self._plan.sources]
        links = [link.name for link in self._plan.links]
        return {
            "source_name": Taken(sources, self._pairs["source"].astype(np.int64)),
            "link_name": Taken(links, self._pairs["link"].astype(np.int64)),
        }


def flow_rows(
    plan: Plan, start: Mark, end: Mark, offers: tuple[Offer, ...], offer: Integers
) -> dict[str, Any]:
    """Return the columns of the table `flows`.

    `offer` holds each flow's class at the end, as an index into `offers` or NO_OFFER.
    """
    change = _changes(start.flows, end.flows)
    window_s = (end.t_ps - start.t_ps) / PS_PER_S
    flows = len(offer)
    held = [None if i == NO_OFFER else offers[i] for i in offer.tolist()]
    return {
        "flow": np.arange(flows, dtype=np.int64),
        "name": plan.flow_names(),
        "source": [source.name for source in plan.row_sources()],
        "members": np.array([s.row_flows for s in plan.row_sources()], dtype=np.int64),
        "class": [o.name if o else "" for o in held],
        "provider": [o.provider if o else "" for o in held],
        "codepoint": [source.codepoint for source in plan.row_sources()],
        **change,
        "goodput_bps": _per(8.0 * change["acked_bytes"], window_s),
        "marks_per_s": _per(change["ce"], window_s),
        "marking_rate": _per(change["ce"], change["delivered"]),
        "mean_delay_s": _per(change["delay_sum_ps"] / PS_PER_S, change["delivered"], np.nan),
        "mean_cwnd": _per(change["cwnd_integral"], window_s),
        "fee_micro": end.fee_micro - start.fee_micro,
        "mark_charge_micro": end.charge_micro - start.charge_micro,
    }


def link_rows(plan: Plan, start: Mark, end: Mark) -> dict[str, Any]:
    """Return the columns of the table `links`."""
    change = _changes(start.links, end.links)
    window_s = (end.t_ps - start.t_ps) / PS_PER_S
    rate_bps = np.array([link.rate_bps for link in plan.links], dtype=np.float64)
    framing = np.array([link.framing_bytes for link in plan.links], dtype=np.int64)
    wire_bits = 8.0 * (change["departed_bytes"] + change["departures"] * framing)
    return {
        "link": np.arange(len(plan.links), dtype=np.int64),
        "name": [link.name for link in plan.links],
        **change,
        "utilization": _per(wire_bits, rate_bps * window_s),
        "mean_queue_packets": _per(change["queue_integral"], window_s),
        "mean_wait_s": _per(change["queue_integral"], change["departures"], np.nan),
        "marking_probability": _per(change["marks"], change["arrivals"]),
    }


def _changes(start: Columns, end: Columns) -> dict[str, Any]:
    return {
        name: column if name in _STATES or name not in start else column - start[name]
        for name, column in end.items()
    }


def _per(amount: Any, base: Any, none: float = 0.0) -> Floats:
    amount, base = np.broadcast_arrays(
        np.asarray(amount, dtype=np.float64), np.asarray(base, dtype=np.float64)
    )
    quotient = np.full(amount.shape, none)
    np.divide(amount, base, out=quotient, where=base > 0)
    return quotient


def nothing_yet(plan: Plan) -> Mark:
    """Return the zero counters with which a run starts."""
    count = plan.row_count
    flows = report_flows(len(plan.record.delay_thresholds_ps))
    none = np.zeros(count, dtype=np.int64)
    return Mark(
        0,
        _zero_columns(flows, count),
        _zero_columns(REPORT_LINKS, len(plan.links)),
        none,
        none,
    )


def _zero_columns(table: Table, count: int) -> Columns:
    ints, floats = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.float64)
    return {name: ints if dtype.kind == "i" else floats for name, dtype in table.items()}
