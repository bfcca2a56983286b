# SPDX-License-Identifier: Apache-2.0
"""Describes which promises on blocked calls, lost or late packets and files were kept."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.delays import delays_drawn
from ecnomy.analysis.gsp_report.estimates import owned, student
from ecnomy.analysis.gsp_report.opened_runs import Material, provider_of
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.gsp_report.statement import period_s
from ecnomy.analysis.gsp_report.tariffs import Tariff
from ecnomy.analysis.pages.parts import Block, Cell, Picture, Section, Table, Words, percent
from ecnomy.analysis.statistics.intervals import LEVEL
from ecnomy.analysis.support.first_use import scipy_part

__all__ = ["promises", "share_interval"]

_COUNTS: Final = (
    "count(*), count(*) filter (accepted), count(*) filter (accepted and complete), "
    "count(*) filter (broken)"
)


def promises(material: Material, db: Database, answer: Answer) -> Section:
    """Return the section on the promises of each tariff: results, intervals, calls over time."""
    own = owned(answer.provider, answer.runs)
    tariffs = db.tariffs(answer.provider, answer.runs)
    files = _files(db, answer, own)
    blocks: list[Block] = []
    if tariffs:
        claims = _claims(db, own)
        blocks = [_table(db, answer, own, tariffs), _note(len(answer.runs))]
        blocks += [*([claims] if claims is not None else []), _over_time(db, answer, own, tariffs)]
        drawn = delays_drawn(material, db, answer)
        blocks += [drawn] if drawn is not None else []
    blocks += [files] if files is not None else []
    return Section(f"{answer.provider}-promises", "Promises kept and broken", tuple(blocks))


def share_interval(parts: list[int], wholes: list[int]) -> tuple[float, float]:
    """Return a share's 95 % interval, by Student's t if runs differ, else by Clopper-Pearson."""
    shares = [a / b for a, b in zip(parts, wholes, strict=True) if b]
    if len(shares) > 1 and np.ptp(shares) > 0:
        half = student(len(shares)) * float(np.std(shares, ddof=1)) / len(shares) ** 0.5
        mean = float(np.mean(shares))
        return max(mean - half, 0.0), min(mean + half, 1.0)
    part, whole = sum(parts), sum(wholes)
    if not whole:
        return float("nan"), float("nan")
    special, tail = scipy_part("special"), (1 - LEVEL) / 2
    low = float(special.betaincinv(part, whole - part + 1, tail)) if part else 0.0
    high = float(special.betainccinv(part + 1, whole - part, tail)) if part < whole else 1.0
    return low, high


def _table(db: Database, answer: Answer, own: str, tariffs: tuple[Tariff, ...]) -> Table:
    query = db.ask(
        f"select tariff, run, {_COUNTS}, max(bad / nullif(sent, 0)) filter (accepted and "
        f"complete)\n"
        f"from calls where {own} group by tariff, run order by tariff, run"
    )
    rows = []
    for tariff in tariffs:
        of_tariff = [row for row in query.rows if row[0] == tariff.name]
        requested, sold, ended, broken = ([int(row[i]) for row in of_tariff] for i in (2, 3, 4, 5))
        worst = max(
            (float(row[6]) for row in of_tariff if row[6] is not None), default=float("nan")
        )
        blocked = [a - b for a, b in zip(requested, sold, strict=True)]
        limit = tariff.max_blocking_rate
        of = f"{tariff.name}: " if len(tariffs) > 1 else ""
        rows.append(_row(f"{of}turned away", blocked, requested, "asked", limit, "-"))
        most = f"at most {100 * tariff.max_delay_rate:g} % of packets lost or later than "
        most += f"{tariff.max_delay_ps / 1e9:g} ms"
        rows.append(
            _row(
                f"{of}promise broken",
                broken,
                ended,
                "ended",
                None,
                f"worst call: {percent(worst, 2)}",
                most,
            )
        )
    return Table(
        id=f"{answer.provider}-promises-table",
        caption="Promises and results",
        of="calls",
        head=("promise", "number", "of", "share", "95 % interval", "promised", "kept?"),
        rows=tuple(rows),
    )


def _files(db: Database, answer: Answer, own: str) -> Table | None:
    """Return a table of paid and refunded files by tariff; None for a provider without files."""
    files = provider_of(answer.runs[0], answer.provider).files
    if not files:
        return None
    query = db.ask(
        f"select tariff, run, coalesce(sum(quantity) filter (line = 'files'), 0),\n"
        f"  coalesce(sum(quantity) filter (line = 'reimbursements of files'), 0)\n"
        f"from postings where {own} and tariff is not null group by tariff, run "
        f"order by tariff, run"
    )
    rows = []
    for row in files:
        of_tariff = [one for one in query.rows if one[0] == row.name]
        sold, back = ([int(one[i]) for one in of_tariff] for i in (2, 3))
        most = f"delivered within {row.deadline}"
        rows.append(_row(f"{row.name}: paid back", back, sold, "paid for", None, "-", most))
    return Table(
        id=f"{answer.provider}-files-table",
        caption="Late files",
        of="ledger",
        head=("promise", "number", "of", "share", "95 % interval", "promised", "kept?"),
        rows=tuple(rows),
        more=(query,),
    )


def _row(
    name: str,
    parts: list[int],
    wholes: list[int],
    of: str,
    limit: float | None,
    kept: str,
    most: str = "",
) -> tuple[Cell, ...]:
    part, whole = sum(parts), sum(wholes)
    low, high = share_interval(parts, wholes)
    share = part / whole if whole else float("nan")
    if limit is not None:
        kept = "kept" if high <= limit else "broken" if low > limit else "not decided"
        most = f"at most {percent(limit, 1)}"
    return (
        Cell(name),
        Cell(f"{part:,}", value=part),
        Cell(f"{whole:,} {of}", value=whole),
        Cell(percent(share), value=share),
        Cell(f"{percent(low)} to {percent(high)}" if whole else "-"),
        Cell(most or "nothing"),
        Cell(kept),
    )


def _note(runs: int) -> Words:
    how = (
        "Student's t over the runs' shares"
        if runs > 1
        else "Clopper and Pearson's (calls are not quite independent)"
    )
    return Words.of(
        "A promise is broken if a call has ended and more of its packets than promised were "
        "lost or late. Calls still in progress at the end count as neither kept nor broken. "
        f"Intervals: {how}."
    )


def _claims(db: Database, own: str) -> Words | None:
    query = db.ask(
        f"select count(*) filter (back and not broken), count(*) filter (broken and not back)\n"
        f"from (select c.broken, coalesce(sum(p.micro) filter (p.line = 'reimbursements'), 0) < 0 "
        f"as back\n    from (from calls where {own} and accepted) as c left join postings as p "
        f"on p.run = c.run\n    and p.provider = c.provider and p.flow = c.flow and p.start_ps = "
        f"c.start_ps\n    group by c.run, c.tariff, c.flow, c.start_ps, c.broken)"
    )
    kept, broken = (int(value) for value in query.rows[0])
    clauses = []
    if kept:
        were = "promise that was" if kept == 1 else "promises that were"
        paid = "was" if kept == 1 else "were"
        clauses.append(f"{kept:,} {were} kept by this measure {paid} reimbursed nevertheless")
    if broken:
        clauses.append(f"{broken:,} broken {'promise was' if broken == 1 else 'promises were'} not")
    if not clauses:
        return None
    why = "reports of subscribers (quality_seen_by) or a reimbursement of 0 can cause this"
    if kept:
        why = "subscribers claimed reimbursements (quality_seen_by)"
    return Words.of(f"{', and '.join(clauses)}: {why}.", queries=(query,))


def _over_time(
    db: Database, answer: Answer, own: str, tariffs: tuple[Tariff, ...]
) -> Picture | Words:
    length_s = period_s(max(made.seconds for made in answer.runs))
    query = db.ask(
        f"select start_ps // {length_s * PS_PER_S} as period, {_COUNTS}\nfrom calls where {own} "
        f"group by period order by period"
    )
    if not query.rows:
        return Words.of("No call was requested, so there is nothing to draw.")
    rows: Any = np.array([[int(v) for v in row] for row in query.rows])
    unit = 3600 if length_s % 3600 == 0 else 60
    periods = np.arange(rows[0, 0], rows[-1, 0] + 1)
    counts = np.zeros((len(periods), 4))
    counts[rows[:, 0] - periods[0]] = rows[:, 1:]
    requested, sold, ended, broken = counts.T
    limits = [t.max_blocking_rate for t in tariffs]
    edges = np.append(periods, periods[-1] + 1) * length_s / unit
    worst = int(np.argmax(np.divide(broken, ended, out=np.zeros(len(ended)), where=ended > 0)))
    name = "h" if unit == 3600 else "min"
    return Picture(
        id=f"{answer.provider}-promises-drawn",
        caption="Calls by time of request",
        alt="Above, bars of calls sold and turned away. Below, the shares turned away and "
        f"broken. The share broken is largest for calls that began between {edges[worst]:g} "
        f"and {edges[worst + 1]:g} {name}.",
        of="calls",
        svg=business_plots.shares(
            edges,
            sold,
            requested - sold,
            ended,
            broken,
            limits[0] if len(limits) == 1 else None,
            f"simulated time [{name}]",
        ),
        head=("period", "asked", "sold", "ended", "broken"),
        rows=query.rows,
        query=query,
    )
