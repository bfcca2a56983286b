# SPDX-License-Identifier: Apache-2.0
"""Tables of `ecnomy show` for runs on a network: what pairs and nodes send and pay, which links."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from ecnomy.analysis.digits import significant
from ecnomy.analysis.network_loads import LinkLoad, NetworkLoads, PairLoad
from ecnomy.analysis.summary_tables import DropColumns

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Sums", "link_table", "node_sums", "node_table", "pair_table"]

_MOST_PAIRS: Final = 12
_MOST_LINKS: Final = 10
_MOST_NODES: Final = 20


class Sums(msgspec.Struct, frozen=True):
    """Pairs added up. `wanted_bps` is NaN as soon as one of them has no limit."""

    pairs: int
    wanted_bps: float
    goodput_bps: float
    marks_per_s: float
    charge_per_s: float

    @property
    def price_per_mbit(self) -> float:
        """What a delivered megabit cost in marks, money; NaN if nothing was delivered."""
        return 1e6 * self.charge_per_s / self.goodput_bps if self.goodput_bps else math.nan


def _added(pairs: Iterable[PairLoad]) -> Sums:
    rows = list(pairs)
    return Sums(
        pairs=len(rows),
        wanted_bps=sum(p.wanted_bps for p in rows),
        goodput_bps=sum(p.goodput_bps for p in rows),
        marks_per_s=sum(p.marks_per_s for p in rows),
        charge_per_s=sum(p.charge_per_s for p in rows),
    )


def _sending(loads: NetworkLoads) -> list[PairLoad]:
    """Pairs that sent anything, who pays most first, then who gets most."""
    rows = [pair for pair in loads.pairs if pair.goodput_bps > 0]
    return sorted(rows, key=lambda p: (-p.charge_per_s, -p.goodput_bps, p.name))


def node_sums(loads: NetworkLoads) -> dict[str, Sums]:
    """What each node sends and pays, who pays most first."""
    by_node: dict[str, list[PairLoad]] = {}
    for pair in _sending(loads):
        by_node.setdefault(pair.source, []).append(pair)
    sums = {node: _added(pairs) for node, pairs in by_node.items()}
    return dict(sorted(sums.items(), key=lambda s: (-s[1].charge_per_s, -s[1].goodput_bps, s[0])))


def pair_table(loads: NetworkLoads) -> Table:
    """The pairs that pay most, the others added up, and all."""
    rows = _sending(loads)
    table = _table("from and to", loads.priced)
    many = len({pair.family for pair in rows}) > 1
    for pair in rows[:_MOST_PAIRS]:
        family = f" ({pair.family})" if many and pair.family != pair.name else ""
        name = f"{pair.source} to {pair.target}".replace("_", " ") + family
        _row(table, name, _added([pair]), loads.priced)
    if rest := rows[_MOST_PAIRS:]:
        _row(table, f"{len(rest)} other pairs", _added(rest), loads.priced)
    table.add_section()
    _row(table, f"all {len(rows)}", _added(rows), loads.priced)
    return table


def node_table(loads: NetworkLoads) -> Table:
    """What each node sends and pays."""
    table = _table("sent by", loads.priced)
    sums = node_sums(loads)
    for node, sent in list(sums.items())[:_MOST_NODES]:
        _row(table, node.replace("_", " "), sent, loads.priced)
    if (rest := len(sums) - _MOST_NODES) > 0:
        table.add_row(f"and {rest} more")
    return table


def link_table(loads: NetworkLoads) -> Table:
    """The congested links, those that cost most first, then the others, those used most first."""
    drops = DropColumns(loads.links)
    table = _plain("link", "used", "marked", "queue\npackets", "wait\nms", *drops.heads)
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
        f"{link.source} to {link.target}".replace("_", " "),
        _percent(link.utilization),
        _percent(link.marked),
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
    return _plain(first, *columns, *money)


def _plain(first: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    table.add_column(first, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _row(table: Table, name: str, sums: Sums, priced: bool) -> None:
    share = sums.goodput_bps / sums.wanted_bps if sums.wanted_bps else math.nan
    wanted, got = significant(sums.wanted_bps / 1e6, 3), significant(sums.goodput_bps / 1e6, 3)
    cells = [wanted, got, _percent(share), significant(sums.marks_per_s)]
    if priced:
        cells += [significant(sums.charge_per_s, 3), significant(sums.price_per_mbit, 4)]
    table.add_row(name, *cells)


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"
