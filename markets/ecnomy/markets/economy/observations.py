# SPDX-License-Identifier: Apache-2.0
"""Turn the cumulative counters of reports into changes since an agent's last observation."""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.calls import StreamObservation
from ecnomy.agents.observation import (
    FlowColumns,
    LinkColumns,
    MarkingLaw,
    Observation,
    Offer,
    PriceObservation,
    column,
)
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.bridge.columns import late_column
from ecnomy.markets.bridge.messages import Columns, Report
from ecnomy.markets.economy.readings import integers
from ecnomy.markets.economy.willingness import Aims
from ecnomy.markets.plan import Plan, Source, Tcp

__all__ = ["Sight", "gains"]

_STATES = ("active", "files", "file_bytes", "file_left")  # columns passed on unchanged


def gains(plan: Plan) -> Floats:
    """Return the gain of each row's window law: 1 if it has none, 0 if the row has no mark rate."""
    return np.array([_gain(source) for source in plan.row_sources()], dtype=np.float64)


def _gain(source: Source) -> float:
    if isinstance(source.transport, Tcp) and source.weighted:
        # A law without a gain responds within about 1 / p packets, as WTP does at a gain of 1.
        return source.transport.window.params.get("gain", 1.0)
    return 0.0


def _limits_bps(plan: Plan) -> Floats:
    """Return the largest rate of each flow's traffic [IP bit/s], infinite for greedy flows."""
    return np.array([source.most_bps for source in plan.row_sources()], dtype=np.float64)


class _Look(msgspec.Struct, frozen=True, eq=False):
    """The counters at one time. Reports replace the arrays and never modify them."""

    t_ps: int
    flows: Columns
    links: Columns
    bits: Floats  # acknowledged bits; exact, because they are whole and below 2^53
    counts: Integers  # rows: delivered, marks, acked, charge, bill, standing, weight, bytes
    states: Integers  # a row for each of _STATES
    srtt_s: Floats
    standing: Floats  # posted charges by time, micro-units/s of a flow


class _Own(msgspec.Struct, eq=False):
    """The flows of an observer, with their constants and their counts at its last observation."""

    rows: Integers
    single: bool  # whether every row is one flow
    flows: Floats
    gain: Floats
    limit_bps: Floats
    source: Integers
    member: Integers
    header_bits: Floats
    bits: Floats
    counts: Integers


class Sight:
    """The counters in the current report, and the counters at each observer's last observation."""

    def __init__(self, plan: Plan) -> None:
        self._gain, self._limit_bps = gains(plan), _limits_bps(plan)
        flows = [source.row_flows for source in plan.row_sources()]
        self._flows = np.array(flows, dtype=np.float64)
        self._names = tuple(source.name for source in plan.sources)
        counts = [source.row_count for source in plan.sources]
        self._source = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        self._member = np.array([i for n in counts for i in range(n)], dtype=np.int64)
        self._header_bits = np.array(
            [8.0 * source.transport.header_bytes for source in plan.row_sources()]
        )
        self._rate_bps = np.array([link.rate_bps for link in plan.links], dtype=np.int64)
        self._link_names = tuple(link.name for link in plan.links)
        self._now: _Look | None = None
        self._last: dict[str, _Look] = {}
        self._own: dict[str, _Own] = {}
        self._dt_ps, self._dt_s = 0, column(0.0)

    def read(
        self,
        report: Report,
        money: tuple[Integers, Integers, Integers, Integers],
        standing: Floats | None = None,
    ) -> None:
        """Read the counters of a report, and the charges of each flow so far.

        `money` contains each flow's mark charge and bill, and the parts of the bill charged by time
        and by weight. `standing` contains the posted charges by time [micro-units/s of a flow],
        which are 0 by default.
        """
        flows = report.flows
        totals = [flows["delivered"], flows["ce"], flows["acked"], *money, flows["delivered_bytes"]]
        states = [flows[name] for name in _STATES]
        bits = (8.0 * integers(flows, "acked_bytes")).astype(np.float64, copy=False)
        counts = np.array(totals, dtype=np.int64)
        srtt_s = flows["srtt_s"].astype(np.float64, copy=False)
        now = np.array(states, dtype=np.int64)
        posted = np.zeros(len(srtt_s)) if standing is None else standing
        self._now = _Look(report.t_ps, flows, report.links, bits, counts, now, srtt_s, posted)

    def flows(
        self,
        who: str,
        rows: Integers,
        price_micro: Integers | Floats,
        offers: tuple[Offer, ...],
        offer: Integers,
        aims: Aims,
        agent: AgentView | None = None,
    ) -> Observation:
        """Return the changes of these flows since the last observation by `who`.

        `price_micro` and `offer` have an element for each flow of the run.
        """
        now, then = self._look(who)
        own = self._owned(who, rows, then)
        dt_ps = now.t_ps - then.t_ps
        counts, states = now.counts.take(rows, 1), now.states.take(rows, 1)
        bits = now.bits[rows]
        change, more_bits = counts - own.counts, bits - own.bits
        own.counts, own.bits = counts, bits
        if dt_ps:
            each = more_bits if own.single else more_bits / own.flows
            goodput_bps: Floats = each / self._seconds(dt_ps)
        else:
            goodput_bps = np.zeros(len(rows))
        columns = FlowColumns(
            flow=rows,
            active=states[0],
            goodput_bps=goodput_bps,
            delivered=change[0],
            marks=change[1],
            charge_micro=change[3],
            srtt_s=now.srtt_s[rows],
            gain=own.gain,
            offer=offer[rows],
            limit_bps=own.limit_bps,
            price_micro=price_micro[rows].astype(np.float64, copy=False),
            source=own.source,
            member=own.member,
            payload_bps=goodput_bps - self._header_bps(change[2], own, dt_ps),
            switched_on=aims.switched_on[rows],
            files=states[1],
            file_bytes=states[2],
            file_left=states[3],
            rate_cap_bps=aims.cap_bps[rows],
            weight=aims.weight[rows],
            bill_micro=change[4],
            standing_micro=change[5],
            weight_micro=change[6],
            delivered_bytes=change[7],
            posted_standing_micro=now.standing[rows],
        )
        price = _one(price_micro, rows)
        return Observation(now.t_ps, dt_ps, price, offers, columns, self._names, agent)

    def _header_bps(self, acked: Integers, own: _Own, dt_ps: int) -> Floats:
        """Return the rate of header bits in packets acknowledged for the first time [bit/s]."""
        if not dt_ps:
            return np.zeros(len(acked))
        return acked * own.header_bits / own.flows / self._seconds(dt_ps)

    def _seconds(self, dt_ps: int) -> Floats:
        """Return an interval in seconds, as a column that is cached until the interval changes."""
        if dt_ps != self._dt_ps:
            self._dt_ps, self._dt_s = dt_ps, column(dt_ps / PS_PER_S)
        return self._dt_s

    def _owned(self, who: str, rows: Integers, then: _Look) -> _Own:
        own = self._own.get(who)
        if own is None or own.rows is not rows:
            fixed = (
                *(self._flows[rows], self._gain[rows], self._limit_bps[rows]),
                *(self._source[rows], self._member[rows], self._header_bits[rows]),
            )
            for values in fixed:
                values.setflags(write=False)  # strategies share this array
            single = bool((fixed[0] == 1).all())
            counted = then.bits[rows], then.counts.take(rows, 1)
            own = self._own[who] = _Own(rows, single, *fixed, *counted)
        return own

    def streams(
        self, who: str, rows: Integers, price_micro: Integers | Floats, threshold: int
    ) -> StreamObservation:
        """Return the changes of the test streams of `who` since its last observation.

        A packet is late if its delay exceeds the delay threshold with the index `threshold`.
        """
        now, then = self._look(who)

        def change(name: str) -> Integers:
            return (integers(now.flows, name) - integers(then.flows, name))[rows]

        return StreamObservation(
            t_ps=now.t_ps,
            dt_ps=now.t_ps - then.t_ps,
            price_micro=_one(price_micro, rows),
            sent=change("sent"),
            delivered=change("delivered"),
            marks=change("ce"),
            late=change(late_column(threshold)),
            lost=change("lost"),
        )

    def links(
        self,
        who: str,
        rows: Integers,
        price_micro: int,
        agent: AgentView | None = None,
        laws: tuple[MarkingLaw, ...] = (),
    ) -> PriceObservation:
        """Return the changes of these links since the last observation by `who`."""
        now, then = self._look(who)

        def change(name: str) -> Integers:
            return (integers(now.links, name) - integers(then.links, name))[rows]

        columns = LinkColumns(
            link=rows,
            rate_bps=self._rate_bps[rows],
            arrivals=change("arrivals"),
            marks=change("marks"),
            drops=change("drops"),
            busy_ps=change("busy_ps"),
            queue_packets=integers(now.links, "queue_packets")[rows],
            departed_bytes=change("departed_bytes"),
        )
        names = tuple(self._link_names[row] for row in rows.tolist())
        dt_ps = now.t_ps - then.t_ps
        return PriceObservation(now.t_ps, dt_ps, price_micro, columns, agent, names, laws)

    def _look(self, who: str) -> tuple[_Look, _Look]:
        assert self._now is not None, "a report must be read before agents observe it"
        then = self._last.get(who, self._now)
        self._last[who] = self._now
        return self._now, then


def _one(price_micro: Integers | Floats, rows: Integers) -> int:
    """Return the rounded mean price of these flows.

    If `rows` is empty, return the price of the run's first flow, or 0 if the run has no flows.
    """
    prices = price_micro[rows] if len(rows) else price_micro[:1]
    if not len(prices):
        return 0
    first = prices[0]
    return int(first) if (prices == first).all() else round(float(prices.mean()))
