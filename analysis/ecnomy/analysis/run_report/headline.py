# SPDX-License-Identifier: Apache-2.0
"""Summarises the traffic and the payments of a run in a few sentences."""

from __future__ import annotations

from ecnomy.analysis.pages.parts import Cell, Query, Words
from ecnomy.analysis.run.summary import LinkRow, PhaseSummary, Summary
from ecnomy.analysis.run_report.database import RunDatabase
from ecnomy.analysis.run_report.money import rounded
from ecnomy.analysis.show.sentence import sentence

__all__ = ["headline"]


def headline(summary: Summary, db: RunDatabase) -> Words:
    """Return the summary of a run, with amounts from queries."""
    parts: list[str | Cell] = [(sentence(summary) or _traffic(summary)) + " "]
    query = db.ask(
        "select payer, sum(amount_micro)::bigint as micro,\n"
        "  (select sum(amount_micro)::bigint from payments) as whole\n"
        "from payments group by payer order by micro desc, payer"
    )
    left = db.ask(
        "select account, micro from accounts where account <> '' order by micro desc, account"
    )
    if not query.rows:
        return Words.of(*parts, "No money changed hands.")
    parts += _money(query, left)
    return Words.of(*parts, queries=(query, left))


def _money(query: Query, left: Query) -> list[str | Cell]:
    account, micro, whole = query.rows[0]
    payer = _party(account)
    parts: list[str | Cell] = [
        query.cell(0, 2, rounded(int(whole))),
        " money changed hands: ",
        f"{payer} paid most, " if len(query.rows) > 1 else f"all paid by {payer}, ",
        query.cell(0, 1, rounded(int(micro))),
    ]
    if left.rows and int(left.rows[0][1]) > 0:
        parts += [
            f"; {_party(left.rows[0][0])} gained most, ",
            left.cell(0, 1, rounded(int(left.rows[0][1]))),
        ]
    return [*parts, "."]


def _party(account: object) -> str:
    """Return the name of an account's owner: users for the account of a source."""
    name = str(account)
    source = name.removeprefix("source:")
    return name if source == name else f"users of {source}"


def _traffic(summary: Summary) -> str:
    whole = summary.whole or (summary.phases[-1] if summary.phases else None)
    if whole is None:
        return "The run ended before the measured window began."
    flows = sum(row.group.size for row in whole.groups)
    total = sum(row.goodput_bps * row.counted for row in whole.groups if row.counted)
    got = "1 flow" if flows == 1 else f"{flows:,} flows"
    return f"{got} got {total / 1e6:.3g} Mbps together. {_congestion(whole)}"


def _congestion(whole: PhaseSummary) -> str:
    links = [link for link in whole.links if link.congested_by]
    if not links:
        return "No link was congested."
    worst = max(links, key=lambda link: (link.marks + link.drops, link.queue_packets))
    others = f" {len(links) - 1} more links were congested." if len(links) > 2 else ""
    others = " 1 more link was congested." if len(links) == 2 else others
    return f"The most congested link was {worst.name}: {_signs(worst)}.{others}"


def _signs(link: LinkRow) -> str:
    signs = [f"{100 * link.utilization:.0f} % used"]
    if link.marking_probability > 0:
        signs.append(f"{100 * link.marking_probability:.3g} % of its data packets marked")
    if link.drops:
        signs.append(f"{100 * link.drop_probability:.2g} % of its packets dropped")
    return ", ".join(signs)
