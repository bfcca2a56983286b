# SPDX-License-Identifier: Apache-2.0
"""The load, marks and cost of each link direction, and the payments of each pair of nodes.

The marking probability of a direction is the number of marks on data divided by the number of data
packets that arrive there. ecnomy.analysis.run.link_marking separates data and ACKs. The price of a
direction is

    price [money/Mbit] = marks on data * price of a mark / Mbit of that data,

the mean cost of a megabit that crosses the link in the window. The price of a mark is the mean
payment per mark of the sources marked there in the window. A source that is not charged counts with
a payment of 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.run.congestion import congested_by
from ecnomy.analysis.run.families import family_of
from ecnomy.analysis.run.link_marking import (
    Crossings,
    activity_of,
    by_source,
    crossings_of,
    link_shares,
)
from ecnomy.analysis.run.windows import Epochs, Window, marks_by_flow
from ecnomy.markets.plan import Plan, Source
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

__all__ = [
    "LINK_COUNTERS",
    "LinkData",
    "LinkLoad",
    "NetworkLoads",
    "PairLoad",
    "is_network",
    "link_loads",
    "network_loads",
    "or_0",
    "packet_bits",
]


_DROPS: Final = ("drops", "law_drops", "not_ect_drops")
LINK_COUNTERS: Final = (
    *("arrivals", "marks", *_DROPS),
    *("departures", "departed_bytes", "queue_integral"),
)


class LinkLoad(msgspec.Struct, frozen=True):
    """The load of a link direction in a window; unknown values are NaN."""

    link: int
    source: str  # node
    target: str
    alias: str  # its name if several links join these nodes in this direction, otherwise ""
    rate_bps: int
    used_bps: float  # on the wire, framing included
    marked: float  # share of ECN-capable data packets
    price_per_mbit: float  # money/Mbit of IP packets
    queue_packets: float
    wait_s: float
    drops: int
    law_drops: int
    not_ect_drops: int
    dropped: float  # share of packets

    def between(self, arrow: str = " to ") -> str:
        """Return the link's ends as text, with its name if several links share these ends."""
        name = f" ({self.alias})" if self.alias else ""
        return f"{self.source}{arrow}{self.target}{name}".replace("_", " ")

    @property
    def utilization(self) -> float:
        """Return the share of the time for which the transmitter was busy."""
        return self.used_bps / self.rate_bps

    @property
    def congested_by(self) -> tuple[str, ...]:
        """Return the signs of congestion of the link: marks, drops, waiting."""
        return congested_by(
            utilization=self.utilization,
            marked=self.marked,
            dropped=self.dropped,
            queue_packets=self.queue_packets,
            wait_s=self.wait_s,
        )

    @property
    def congested(self) -> bool:
        """Whether the link shows any sign of congestion."""
        return bool(self.congested_by)


class PairLoad(msgspec.Struct, frozen=True):
    """The traffic and payments of a source in a window, summed over its flows."""

    name: str
    family: str
    source: str  # node
    target: str
    flows: int
    wanted_bps: float  # limit of its traffic, IP packets; NaN without a limit
    goodput_bps: float  # acknowledged, IP packets
    marks_per_s: float
    charge_per_s: float  # money/s for marks


class NetworkLoads(msgspec.Struct, frozen=True):
    """The loads of all links and pairs of a network in a window."""

    window: Window
    links: tuple[LinkLoad, ...]
    pairs: tuple[PairLoad, ...]
    priced: bool  # whether any payment was made

    def congested(self) -> list[LinkLoad]:
        """Return congested links by price, then marks or drops, then mean wait, descending."""
        links = [link for link in self.links if link.congested]

        def worst(link: LinkLoad) -> tuple[float, float, float, int]:
            price, marked, dropped = map(or_0, (link.price_per_mbit, link.marked, link.dropped))
            return (-price, -max(marked, dropped), -or_0(link.wait_s), link.link)

        return sorted(links, key=worst)


def or_0(value: float) -> float:
    """Return the value, or 0 if it is NaN."""
    return 0.0 if math.isnan(value) else value


def is_network(plan: Plan) -> bool:
    """Return whether some node has three or more neighbours, so the plan is more than a path."""
    neighbours: dict[int, set[int]] = {}
    for link in plan.links:
        neighbours.setdefault(link.source, set()).add(link.target)
        neighbours.setdefault(link.target, set()).add(link.source)
    return any(len(near) > 2 for near in neighbours.values())


def network_loads(run: RawRun | Results, window: Window) -> NetworkLoads:
    """Return the loads of a run's links and pairs in a window between two reports.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
    plan = run.plan
    count = plan.row_count
    flows = Epochs(run.flow_epochs, "flow", count)
    links = Epochs(run.link_epochs, "link", len(plan.links))
    edges = np.array([window.from_ps, window.to_ps], dtype=np.int64)
    paid = marks_by_flow(run.ledger, count, edges)[0]
    ce = flows.difference("ce", window)
    bits = 8 * flows.difference("acked_bytes", window)
    priced = not run.ledger.empty
    activity = activity_of(run, flows, edges)
    data = _data(plan, crossings_of(run), activity, by_source(plan, paid), by_source(plan, ce))
    return NetworkLoads(
        window=window,
        links=_links(plan, links, window, data, priced),
        pairs=_pairs(run, bits, ce, paid, window.seconds),
        priced=priced,
    )


class LinkData(msgspec.Struct, frozen=True):
    """ECN-capable data that arrived at each link in a window, [link]."""

    packets: Floats
    marks: Floats
    bits: Floats  # of IP packets
    due: Floats | None  # money for its marks; None without a market


class _LinkData(msgspec.Struct, frozen=True):
    """The shares, packet sizes and mark prices of the data at each link, [link]."""

    arrivals: Floats  # data in the link's arrivals
    marks: Floats  # data in the link's marks
    bits: Floats  # mean size of a packet
    price: Floats  # mean price of a mark set there, money


def _data(
    plan: Plan, crossings: Crossings, activity: Floats, paid: Floats, ce: Floats
) -> _LinkData:
    shares = link_shares(crossings, activity)
    of_source = activity[0][:, None]
    sizes = np.array([packet_bits(source) for source in plan.sources], dtype=np.float64)
    # a source without marks in the window has no price at this link
    prices = np.divide(paid, ce, out=np.zeros_like(paid), where=ce > 0)
    marked = of_source * crossings.data_marks * (ce > 0)[:, None]
    return _LinkData(
        shares.arrivals[0],
        shares.marks[0],
        _weighted(sizes, of_source * crossings.data),
        _weighted(prices, marked),
    )


def _weighted(values: Floats, weights: Floats) -> Floats:
    """Return the weighted mean of the sources' values at each link, 0 if all weights are 0."""
    total = weights.sum(axis=0)
    return np.asarray(values @ weights / np.where(total > 0, total, 1.0), dtype=np.float64)


def packet_bits(source: Source) -> int:
    """Return the size of a source's full data packet in bits, including IP headers."""
    return 8 * source.packet_bytes


def _links(
    plan: Plan, epochs: Epochs, window: Window, data: _LinkData, priced: bool
) -> tuple[LinkLoad, ...]:
    grown = {name: epochs.difference(name, window) for name in LINK_COUNTERS}
    packets, marks = grown["arrivals"] * data.arrivals, grown["marks"] * data.marks
    due = marks * data.price if priced else None
    return link_loads(plan, grown, LinkData(packets, marks, packets * data.bits, due), window)


def link_loads(
    plan: Plan, grown: Mapping[str, Floats], data: LinkData, window: Window
) -> tuple[LinkLoad, ...]:
    """Return the load of each direction of a plan's links in a window.

    Args:
        plan: the plan of the run.
        grown: increase of each counter of LINK_COUNTERS in the window, [link].
        data: ECN-capable data at the links.
        window: the window of the loads.
    """
    rows = []
    joins = Counter((link.source, link.target) for link in plan.links)
    for i, link in enumerate(plan.links):
        at = {name: float(grown[name][i]) for name in LINK_COUNTERS}
        wire = 8 * (at["departed_bytes"] + at["departures"] * link.framing_bytes)
        rows.append(
            LinkLoad(
                link=i,
                source=plan.nodes[link.source],
                target=plan.nodes[link.target],
                alias=link.name if joins[link.source, link.target] > 1 else "",
                rate_bps=link.rate_bps,
                used_bps=wire / window.seconds,
                marked=_share(data.marks[i], data.packets[i]),
                price_per_mbit=math.nan
                if data.due is None
                else _share(1e6 * data.due[i], data.bits[i]),
                queue_packets=at["queue_integral"] / window.seconds,
                wait_s=_share(at["queue_integral"], at["departures"]),
                **{name: int(at[name]) for name in _DROPS},
                dropped=_share(at["drops"], at["arrivals"]),
            )
        )
    return tuple(rows)


def _share(top: float, bottom: float) -> float:
    return float(top / bottom) if bottom else math.nan


def _pairs(
    run: RawRun, bits: Floats, ce: Floats, paid: Floats, seconds: float
) -> tuple[PairLoad, ...]:
    plan, families = run.plan, family_of(run)
    rows, first = [], 0
    for source in plan.sources:
        mine = slice(first, first + source.row_count)
        first += source.row_count
        rows.append(
            PairLoad(
                name=source.name,
                family=families[source.name],
                source=plan.nodes[plan.links[source.path[0]].source],
                target=plan.nodes[plan.links[source.path[-1]].target],
                flows=source.count,
                wanted_bps=_wanted_bps(source),
                goodput_bps=float(bits[mine].sum()) / seconds,
                marks_per_s=float(ce[mine].sum()) / seconds,
                charge_per_s=float(paid[mine].sum()) / seconds,
            )
        )
    return tuple(rows)


def _wanted_bps(source: Source) -> float:
    params = source.traffic.params
    if source.profile.steps:
        return math.nan  # there is no single rate
    match source.traffic.law:
        case "rate-capped" if params.get("until_s", -1.0) < 0:
            return source.count * params["rate_bps"]
        case "cbr":
            return source.count * packet_bits(source) / params["interval_s"]
        case "poisson":
            return source.count * packet_bits(source) / params["mean_interval_s"]
        case _:
            return math.nan
