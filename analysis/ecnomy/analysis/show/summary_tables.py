# SPDX-License-Identifier: Apache-2.0
"""Tables of `ecnomy show`: rates and payments of groups of flows, loads of links, balances."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Protocol

from ecnomy.analysis.support.number_text import percent, significant

if TYPE_CHECKING:
    from rich.table import Table

    from ecnomy.analysis.run.summary import GroupRow, LinkRow, PhaseSummary, Summary

__all__ = [
    "background_in_words",
    "balance_table",
    "link_table",
    "money_table",
    "new_table",
    "shown_rows",
    "traffic_table",
]


def new_table(first: str, *columns: str) -> Table:
    """Return a frameless table with a text column and further, right-aligned columns."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    table.add_column(first, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def shown_rows(rows: tuple[GroupRow, ...]) -> list[GroupRow]:
    """Return the groups that delivered data or paid fees."""
    return [row for row in rows if row.goodput_high_bps > 0 or row.fee_per_s > 0]


def traffic_table(rows: tuple[GroupRow, ...]) -> Table:
    """Return the table of rates, marks and delays by group, as means over active flows."""
    columns = ["flows", "Mbps\na flow", "least to\nmost", "share\nof all", "marks/s\na flow"]
    table = new_table("who", *columns, "packets\nmarked", "delay\nms", "RTT\nms")
    for row in shown_rows(rows):
        low, high = row.goodput_low_bps / 1e6, row.goodput_high_bps / 1e6
        table.add_row(
            row.group.label,
            _size(row),
            significant(row.goodput_bps / 1e6),
            f"{significant(low)} to {significant(high)}" if len(row.group.flows) > 1 else "",
            percent(row.share),
            significant(row.marks_per_s),
            percent(row.marking_probability),
            significant(1e3 * row.delay_s, 1),
            significant(1e3 * row.rtt_s, 1),
        )
    return table


def _size(row: GroupRow) -> str:
    if row.active is None:
        return str(row.group.size)
    return f"{row.active:.1f} of {row.group.size}\nactive"


def money_table(one: PhaseSummary) -> Table:
    """Return the table of payments by group: means over flows, and totals for marks."""
    columns = [
        "fees and\ncontracts\na flow\nmoney/s",
        "for marks\na flow\nmoney/s",
        "marks\nof fee",
    ]
    columns += ["price of\na mark\nmoney", "for marks\nall flows\nmoney/s", "of all\nfor marks"]
    table = new_table("who pays", *columns)
    for row in shown_rows(one.groups):
        fee_per_s = row.fee_per_s if row.group.service_class else 0.0
        together = row.charge_per_s * row.counted
        table.add_row(
            row.group.label,
            significant(row.fee_per_s) if row.fee_per_s else "-",
            significant(row.charge_per_s),
            percent(_part(row.charge_per_s, fee_per_s)),
            significant(row.price_per_mark, 4),
            significant(together),
            percent(_part(together, one.charge_per_s)),
        )
    return table


def background_in_words(one: PhaseSummary) -> str:
    """Describe the total paid for marks and background traffic's part; "" if the total is 0."""
    if not one.charge_per_s:
        return ""
    whole, part = significant(one.charge_per_s), significant(one.background_per_s)
    share = percent(one.background_per_s / one.charge_per_s)
    return (
        f"total paid for marks: {whole} money/s, of which {part} ({share}) by sources without an "
        "agent or a class"
    )


def _part(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


class Dropping(Protocol):
    """A struct with the numbers of packets dropped in total and by cause."""

    @property
    def drops(self) -> int:
        """The number of all dropped packets."""

    @property
    def law_drops(self) -> int:
        """The number of packets dropped by the marking law rather than by a full buffer."""

    @property
    def not_ect_drops(self) -> int:
        """The number of packets dropped by the marking law because they are not ECN-capable."""


class DropColumns:
    """Columns of dropped packets: the total or, if a marking law dropped packets, one per cause.

    The causes are a full buffer, a drop of ECN-capable packets by the law (omitted if no such
    packet was dropped), and a drop of other packets that the law would have marked if they were
    ECN-capable.
    """

    def __init__(self, rows: Iterable[Dropping]) -> None:
        rows = list(rows)
        self._apart = any(row.law_drops for row in rows)
        self._by_law = any(row.law_drops > row.not_ect_drops for row in rows)
        law = ("by\nlaw",) if self._by_law else ()
        self.heads: Final = ("drops:\nfull", *law, "not-ECT") if self._apart else ("drops",)

    def cells(self, row: Dropping) -> list[str]:
        """Return the cells of a table row, one per column of drops."""
        if not self._apart:
            return [f"{row.drops:,}"]
        law = [row.law_drops - row.not_ect_drops] if self._by_law else []
        return [f"{n:,}" for n in (row.drops - row.law_drops, *law, row.not_ect_drops)]


def link_table(rows: tuple[LinkRow, ...]) -> Table:
    """Return the table of links, with dropped packets (see DropColumns) and signs of congestion."""
    drops = DropColumns(rows)
    table = new_table("link", "used", "marked", "queue\npackets", "wait\nms", *drops.heads)
    table.add_column("congested by")
    for row in rows:
        table.add_row(
            row.name,
            percent(row.utilization),
            percent(row.marking_probability),
            f"{row.queue_packets:.1f}",
            "-" if math.isnan(row.wait_s) else f"{1e3 * row.wait_s:.1f}",
            *drops.cells(row),
            ", ".join(row.congested_by) or "-",
        )
    return table


def balance_table(summary: Summary) -> Table:
    """Return the table of account balances at the end of the run."""
    columns = ["received", "of which by sources\nwithout an agent", "paid", "balance"]
    table = new_table("account (whole run, money)", *columns)
    for balance in summary.balances:
        table.add_row(
            balance.account,
            significant(balance.received),
            significant(balance.from_background),
            significant(balance.paid),
            significant(round(balance.net, 6), sign="+"),
        )
    return table
