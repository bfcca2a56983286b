# SPDX-License-Identifier: Apache-2.0
"""Tables of `ecnomy show` for runs on a network: traffic and payments by pair, node and link."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from ecnomy.analysis.run.network_loads import LinkLoad, NetworkLoads
from ecnomy.analysis.run.network_sums import Sums, added, node_sums, sending
from ecnomy.analysis.show.summary_tables import DropColumns, new_table
from ecnomy.analysis.support.number_text import percent, significant

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["link_table", "node_table", "pair_table"]

_MOST_PAIRS: Final = 12
_MOST_LINKS: Final = 10
_MOST_NODES: Final = 20


def pair_table(loads: NetworkLoads) -> Table:
    """Return the table of the pairs that pay most, with the sums of other pairs and of all."""
    rows = sending(loads)
    table = _table("from and to", loads.priced)
    many = len({pair.family for pair in rows}) > 1
    for pair in rows[:_MOST_PAIRS]:
        family = f" ({pair.family})" if many and pair.family != pair.name else ""
        name = f"{pair.source} to {pair.target}".replace("_", " ") + family
        _row(table, name, added([pair]), loads.priced)
    if rest := rows[_MOST_PAIRS:]:
        _row(table, f"{len(rest)} other pairs", added(rest), loads.priced)
    table.add_section()
    _row(table, f"all {len(rows)}", added(rows), loads.priced)
    return table


def node_table(loads: NetworkLoads) -> Table:
    """Return the table of traffic and payments by sending node, in descending order of payment."""
    table = _table("sent by", loads.priced)
    sums = node_sums(loads)
    for node, sent in list(sums.items())[:_MOST_NODES]:
        _row(table, node.replace("_", " "), sent, loads.priced)
    if (rest := len(sums) - _MOST_NODES) > 0:
        table.add_row(f"and {rest} more")
    return table


def link_table(loads: NetworkLoads) -> Table:
    """Return the table of links: congested links by price, then other links by utilisation."""
    drops = DropColumns(loads.links)
    table = new_table("link", "used", "marked", "queue\npackets", "wait\nms", *drops.heads)
    if loads.priced:
        table.add_column("money\na Mbit", justify="right")
    table.add_column("congested by")
    worst = loads.congested()
    calm = sorted((x for x in loads.links if not x.congested), key=lambda x: -x.utilization)
    for link in [*worst, *calm][:_MOST_LINKS]:
        table.add_row(*_link_cells(link, drops, loads.priced))
    if (rest := len(loads.links) - _MOST_LINKS) > 0:
        table.add_row(f"and {rest} more, used less")
    return table


def _link_cells(link: LinkLoad, drops: DropColumns, priced: bool) -> list[str]:
    cells = [
        link.between(),
        percent(link.utilization),
        percent(link.marked),
        f"{link.queue_packets:.1f}",
        "-" if math.isnan(link.wait_s) else f"{1e3 * link.wait_s:.1f}",
        *drops.cells(link),
    ]
    if priced:
        cells.append(significant(link.price_per_mbit, 4))
    return [*cells, ", ".join(link.congested_by) or "-"]


def _table(first: str, priced: bool) -> Table:
    columns = ["wanted\nMbps", "got\nMbps", "got of\nwanted", "marks/s"]
    money = ["pays\nmoney/s", "money\na Mbit"] if priced else []
    return new_table(first, *columns, *money)


def _row(table: Table, name: str, sums: Sums, priced: bool) -> None:
    share = sums.goodput_bps / sums.wanted_bps if sums.wanted_bps else math.nan
    wanted, got = significant(sums.wanted_bps / 1e6, 3), significant(sums.goodput_bps / 1e6, 3)
    cells = [wanted, got, percent(share), significant(sums.marks_per_s)]
    if priced:
        cells += [significant(sums.charge_per_s, 3), significant(sums.price_per_mbit, 4)]
    table.add_row(name, *cells)
