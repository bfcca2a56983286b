# SPDX-License-Identifier: Apache-2.0
"""From cumulative report counters to what an agent sees: the change since it last looked."""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.agents.calls import StreamObservation
from ecnomy.agents.observation import (
    Floats,
    FlowColumns,
    Integers,
    LinkColumns,
    Observation,
    Offer,
    PriceObservation,
)
from ecnomy.markets.bridge.columns import late_column
from ecnomy.markets.bridge.messages import Columns, Report
from ecnomy.markets.plan import Plan, Source, Tcp

__all__ = ["Meter", "gains", "integers"]

PS_PER_S = 10**12


def integers(columns: Columns, name: str) -> Integers:
    """A counter column."""
    column: Integers = columns[name].astype(np.int64, copy=False)
    return column


def gains(plan: Plan) -> Floats:
    """Per row of flows the gain of its window law, 0 where a mark rate cannot steer it."""
    return np.array([_gain(source) for source in plan.row_sources()], dtype=np.float64)


def _gain(source: Source) -> float:
    if isinstance(source.transport, Tcp) and source.weighted:
        return source.transport.window.params["gain"]
    return 0.0


class _Look(msgspec.Struct, frozen=True, eq=False):
    """Counters at one time; arrays are replaced by each report, never written to."""

    t_ps: int
    flows: Columns
    links: Columns
    charge_micro: Integers


class Meter:
    """Counters now, and at each observer's last look."""

    def __init__(self, plan: Plan) -> None:
        self._gain = gains(plan)
        flows = [source.row_flows for source in plan.row_sources()]
        self._flows = np.array(flows, dtype=np.float64)
        self._rate_bps = np.array([link.rate_bps for link in plan.links], dtype=np.int64)
        self._now: _Look | None = None
        self._looks: dict[str, _Look] = {}

    def read(self, report: Report, charge_micro: Integers) -> None:
        """Take the counters of a report, and each flow's mark charge until then."""
        self._now = _Look(report.t_ps, report.flows, report.links, charge_micro)

    def flows(
        self,
        who: str,
        rows: Integers,
        price_micro: int,
        offers: tuple[Offer, ...],
        offer: Integers,
    ) -> Observation:
        """What `who` sees of these flows; its next look starts here."""
        now, then = self._look(who)
        dt_ps = now.t_ps - then.t_ps

        def change(name: str) -> Integers:
            return (integers(now.flows, name) - integers(then.flows, name))[rows]

        bits: Floats = 8.0 * change("acked_bytes").astype(np.float64)
        bits /= self._flows[rows]
        goodput_bps: Floats = bits / (dt_ps / PS_PER_S) if dt_ps else np.zeros(len(rows))
        columns = FlowColumns(
            flow=rows,
            active=integers(now.flows, "active")[rows],
            goodput_bps=goodput_bps,
            delivered=change("delivered"),
            marks=change("ce"),
            charge_micro=(now.charge_micro - then.charge_micro)[rows],
            srtt_s=now.flows["srtt_s"].astype(np.float64, copy=False)[rows],
            gain=self._gain[rows],
            offer=offer[rows],
        )
        return Observation(now.t_ps, dt_ps, price_micro, offers, columns)

    def streams(
        self, who: str, rows: Integers, price_micro: int, threshold: int
    ) -> StreamObservation:
        """What `who` sees of its test streams, late by the plan's delay threshold `threshold`."""
        now, then = self._look(who)

        def change(name: str) -> Integers:
            return (integers(now.flows, name) - integers(then.flows, name))[rows]

        return StreamObservation(
            t_ps=now.t_ps,
            dt_ps=now.t_ps - then.t_ps,
            price_micro=price_micro,
            sent=change("sent"),
            delivered=change("delivered"),
            marks=change("ce"),
            late=change(late_column(threshold)),
            lost=change("lost"),
        )

    def links(self, who: str, price_micro: int) -> PriceObservation:
        """What `who` sees of all links; its next look starts here."""
        now, then = self._look(who)

        def change(name: str) -> Integers:
            return integers(now.links, name) - integers(then.links, name)

        columns = LinkColumns(
            link=np.arange(len(self._rate_bps), dtype=np.int64),
            rate_bps=self._rate_bps,
            arrivals=change("arrivals"),
            marks=change("marks"),
            drops=change("drops"),
            busy_ps=change("busy_ps"),
            queue_packets=integers(now.links, "queue_packets"),
        )
        return PriceObservation(now.t_ps, now.t_ps - then.t_ps, price_micro, columns)

    def _look(self, who: str) -> tuple[_Look, _Look]:
        assert self._now is not None, "a report is read before anybody looks"
        then = self._looks.get(who, self._now)
        self._looks[who] = self._now
        return self._now, then
