# SPDX-License-Identifier: Apache-2.0
"""The share of data in a link's packets and marks, the basis of all displayed marking shares.

    share marked = marks on data / arrivals of data        at this link

Data means the ECN-capable packets that sources send. If traffic goes both ways, ACKs share queues
with data and may be marked too (`ect: all`), but are not charged. The reports of a link count all
its packets. The table `pairs` separates data and ACKs of each source, but only for the whole run.
So the counts of a window are split as

    data(window) / all(window) ~ sum over data of a(s) n(s) / sum over all of a(s) n(s)

with n(s) the packets (or marks) of source s at the link in the whole run, and a(s) the window's
share of the packets that s sent in the whole run. The split is exact over the whole run, and for
any window at a link that carries only data. Otherwise it is an estimate. Without the table `pairs`
(in older results), all packets of a link on a path of data count as data.
"""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.analysis.run.windows import Epochs
from ecnomy.markets.plan import Plan, Tcp
from ecnomy.markets.results.rawrun import RawRun

__all__ = [
    "Crossings",
    "LinkShares",
    "activity_of",
    "by_source",
    "crossings_of",
    "ecn_capable",
    "link_shares",
]


class Crossings(msgspec.Struct, frozen=True):
    """Packets and marks of each source at each link in the whole run, [source, link]."""

    data: Floats  # ECN-capable
    packets: Floats  # including ACKs, and data that is not ECN-capable
    data_marks: Floats
    marks: Floats


class LinkShares(msgspec.Struct, frozen=True):
    """The shares of ECN-capable data in a link's arrivals and marks, [interval, link]."""

    arrivals: Floats
    marks: Floats


def crossings_of(run: RawRun) -> Crossings:
    """Return counts from the table `pairs` or, without it, from the data sent on each path.

    Raises:
        ResultsError: a table is unreadable.
    """
    plan, pairs = run.plan, run.pairs
    rows = [
        (number, link, link_of_data and ecn_capable(plan, number))
        for number, source in enumerate(plan.sources)
        for link_of_data, links in ((True, source.path), (False, source.ack_path))
        for link in links
    ]
    shape = (len(plan.sources), len(plan.links))
    if "arrivals" not in pairs.columns or len(pairs) != len(rows):
        return _without_pairs(run, rows, shape)
    counts = pairs[["arrivals", "marks"]].to_numpy(dtype=np.float64)
    packets, data = np.zeros((2, *shape)), np.zeros((2, *shape))
    for (number, link, is_data), both in zip(rows, counts, strict=True):
        packets[:, number, link] += both
        if is_data:
            data[:, number, link] += both
    return Crossings(data[0], packets[0], data[1], packets[1])


def _without_pairs(
    run: RawRun, rows: list[tuple[int, int, bool]], shape: tuple[int, int]
) -> Crossings:
    sent = by_source(run.plan, Epochs(run.flow_epochs, "flow", run.plan.row_count).column("sent"))
    data = np.zeros(shape)
    for number, link, is_data in rows:
        if is_data and len(sent):
            data[number, link] = sent[-1, number]
    return Crossings(data, data, data, data)


def ecn_capable(plan: Plan, number: int) -> bool:
    """Return whether the data of a source is ECN-capable."""
    transport = plan.sources[number].transport
    return transport.echo != "off" if isinstance(transport, Tcp) else transport.ect


def by_source(plan: Plan, values: Floats) -> Floats:
    """Sum values of the flow table by source, from [..., row] to [..., source]."""
    first = np.cumsum([0, *(source.row_count for source in plan.sources)])[:-1]
    return np.asarray(np.add.reduceat(values, first, axis=-1), dtype=np.float64)


def activity_of(run: RawRun, flows: Epochs, edges_ps: Integers) -> Floats:
    """Return each interval's share of the packets that a source sent in the whole run.

    Args:
        run: the run.
        flows: the table flow_epochs of the run.
        edges_ps: report times [ps].

    Returns:
        Shares, [interval, source]; 0 for a source that sent nothing.
    """
    sent = np.diff(by_source(run.plan, flows.at("sent", edges_ps)), axis=0)
    whole = by_source(run.plan, flows.column("sent")[-1:])
    return np.divide(sent, whole, out=np.zeros_like(sent), where=np.asarray(whole > 0))


def link_shares(crossings: Crossings, activity: Floats) -> LinkShares:
    """Return the share of data in a link's arrivals and marks, in each interval of `activity`."""
    return LinkShares(
        _part(activity, crossings.data, crossings.packets),
        _part(activity, crossings.data_marks, crossings.marks),
    )


def _part(activity: Floats, data: Floats, packets: Floats) -> Floats:
    """Return shares of data; an interval without new packets gets the share of the whole run."""
    total = packets.sum(axis=0)
    usual = np.divide(data.sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
    part, whole = activity @ data, activity @ packets
    out = np.broadcast_to(usual, whole.shape).copy()
    return np.asarray(np.divide(part, whole, out=out, where=whole > 0), dtype=np.float64)
