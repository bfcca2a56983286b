# SPDX-License-Identifier: Apache-2.0
"""Shows which links set the marks, and what each source paid and why."""

from __future__ import annotations

from typing import Final, TypeAlias

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.pages.parts import Block, Cell, Query, Table, Words, percent
from ecnomy.analysis.run.summary import GroupRow, PhaseSummary, Summary
from ecnomy.analysis.run_report.database import RunDatabase
from ecnomy.analysis.run_report.money import Payments
from ecnomy.markets.terms.ledger_kinds import MARKS

__all__ = ["marks_of", "stories", "where_marked"]

_MOST_STORIES: Final = 8
_MOST_LINKS: Final = 3
_MOST_PHASES: Final = 6  # most phases described
_SEVERAL: Final = (
    " Counts cover the whole run. Money for marks is not divided among links, because prices may "
    "have changed during the run."
)

Parts: TypeAlias = list[str | Cell]


def marks_of(db: RunDatabase) -> Query:
    """Query the marks by source and link.

    The columns are source, link, packets, marks, lost, underway, the link's share of the source's
    marks, and the marked share of the packets.
    """
    return db.ask(
        "select source, link, packets, marks, lost, underway,\n"
        "  marks / sum(marks) over (partition by source), marks / packets\n"
        "from marked order by sum(marks) over (partition by source) desc, source, marks desc, link"
    )


def where_marked(marked: Query) -> Table | None:
    """Return the table of marks by source and link; None without marks."""
    if not marked.rows:
        return None
    rows = []
    for source, link, packets, marks, lost, underway, share, rate in marked.rows:
        counts = [Cell(f"{int(v):,}", value=int(v)) for v in (packets, marks)]
        shares = [Cell(percent(float(v)), value=float(v)) for v in (share, rate)]
        rest = [Cell(f"{int(v):,}", value=int(v)) for v in (lost, underway)]
        rows.append((Cell(str(source)), Cell(str(link)), *counts, *shares, *rest))
    several = len({row[1] for row in marked.rows}) > 1
    return Table(
        id="where-marked",
        caption="Where the marks were set, in the whole run",
        of="pairs",
        head=(
            *("source", "link", "its packets there", "marked", "of the source's marks"),
            *("of its packets", "lost later", "still on their way"),
        ),
        rows=tuple(rows),
        query=marked,
        note="Marks of data packets. A mark that was lost with its packet, or had not arrived at "
        "the end, is not paid for." + (_SEVERAL if several else ""),
        wide=True,
    )


def stories(payments: Payments, marked: Query, summary: Summary) -> list[Block]:
    """Return a paragraph on the payments of each of up to eight sources, the largest sum first."""
    sums: dict[str, int] = {}
    for row in payments.query.rows:
        if row[3]:
            sums[str(row[3])] = sums.get(str(row[3]), 0) + int(row[7])
    ordered = sorted(sums, key=lambda source: -sums[source])
    paragraphs = [_story(source, payments, marked, summary) for source in ordered[:_MOST_STORIES]]
    if (more := len(ordered) - _MOST_STORIES) > 0:
        paragraphs.append([f"{more} more sources are in the table."])
    queries = (payments.query, marked)
    return [
        Words.of(*parts, queries=queries if parts is paragraphs[-1] else ()) for parts in paragraphs
    ]


def _story(source: str, payments: Payments, marked: Query, summary: Summary) -> Parts:
    parts: Parts = [Cell(f"{source}. ", css="who")]
    own = [i for i, row in enumerate(payments.query.rows) if row[3] == source]
    for i in sorted(own, key=lambda i: payments.query.rows[i][2] == MARKS):  # marks come last
        payer, payee = (_named(str(name), source) for name in payments.query.rows[i][:2])
        payer = payer[:1].upper() + payer[1:] if payer.startswith("its ") else payer
        what = payments.what(i).removesuffix(f" of {source}")
        parts += [f"{payer} paid {payee} ", payments.about(i), f" money for its {what}: "]
        parts += [payments.count(i), " \u00d7 ", payments.price(i), " money. "]
    links = [row for row in marked.rows if row[0] == source]
    parts.append(_where([(str(row[1]), float(row[6])) for row in links]))
    parts += _why(source, summary, str(links[0][1]) if links else "")
    return parts


def _named(account: str, source: str) -> str:
    return f"its users ({account})" if account == f"source:{source}" else account


def _where(links: list[tuple[str, float]]) -> str:
    if not links:
        return "Its packets were not marked. "
    if len(links) == 1:
        return f"All of its marks were set at {links[0][0]}. "
    shares = ", ".join(f"{link} ({percent(share, 0)})" for link, share in links[:_MOST_LINKS])
    more = f" and {len(links) - _MOST_LINKS} more links" if len(links) > _MOST_LINKS else ""
    return f"Its marks were set at {shares}{more}. "


def _why(source: str, summary: Summary, worst: str) -> list[str]:
    reasons = []
    for one in summary.phases:
        span = f"{one.phase.from_ps / PS_PER_S:g} to {one.phase.to_ps / PS_PER_S:g} s"
        where = f"In phase {one.phase.number} ({span})"
        if len(summary.phases) == 1:
            where = "In the measured window"
        for row in one.groups:
            if row.group.source == source and row.counted and row.goodput_bps:
                reasons.append(f"{where} {_lived(row)}{_full(one, worst)}. ")
    return reasons[:_MOST_PHASES]


def _lived(row: GroupRow) -> str:
    label = "" if row.group.service_class in ("", row.group.source) else f" in {row.group.label}"
    marked = f"{100 * row.marking_probability:.3g} % of its packets were marked"
    if not row.marks_per_s:
        marked = "no packet was marked, so there was no mark to pay for"
    return f"a flow{label} got {row.goodput_bps / 1e6:.3g} Mbps and {marked}"


def _full(one: PhaseSummary, worst: str) -> str:
    for link in one.links:
        if link.name == worst:
            queue = f"{link.queue_packets:.1f} packets waiting"
            return f": {worst} was {100 * link.utilization:.0f} % used, with {queue}"
    return ""
