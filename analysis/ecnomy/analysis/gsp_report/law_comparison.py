# SPDX-License-Identifier: Apache-2.0
"""Compares marking laws by the provider's profit, if the runs have different laws."""

from __future__ import annotations

import math

import msgspec

from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import PER_HOUR, difference, estimate, owned
from ecnomy.analysis.gsp_report.opened_runs import Material, ReportRun, provider_of
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.gsp_report.statement import signed
from ecnomy.analysis.pages.parts import Cell, Section, Table, Words
from ecnomy.analysis.pages.queries import literal

__all__ = ["LawComparison", "accounts_by_law", "laws_apart", "runs_by_law"]


class LawComparison(msgspec.Struct, frozen=True):
    """A comparison of marking laws by profit.

    Attributes:
        title: a sentence that names the law with the highest profit.
        words: the hourly profit with each law, and the lead of the most profitable law.
    """

    title: str
    words: Words


def runs_by_law(material: Material, answer: Answer) -> dict[str, tuple[ReportRun, ...]]:
    """Return law -> runs, with other keys as in the answer; {} for fewer than two laws."""
    key = next((one for one in material.keys if one.is_marking), None)
    if key is None:
        return {}
    at = material.keys.index(key)
    rest = [c if c is not None else w for c, w in zip(answer.choice, material.world, strict=True)]
    of = {value: [value if i == at else v for i, v in enumerate(rest)] for value in key.values}
    by_law = {
        key.value_text(value): runs for value, case in of.items() if (runs := material.at(case))
    }
    return by_law if len(by_law) > 1 else {}


def laws_apart(material: Material, db: Database, answer: Answer) -> LawComparison | None:
    """Compare marking laws by profit; return None if fewer than two have a known profit."""
    runs = runs_by_law(material, answer)
    hourly = {name: estimate(db, answer.provider, of, PER_HOUR) for name, of in runs.items()}
    ranked = sorted(
        ((name, one) for name, one in hourly.items() if not math.isnan(one.value)),
        key=lambda each: -each[1].value,
    )
    if len(ranked) < 2:
        return None
    (best, most), (second, next_most) = ranked[:2]
    lead = difference(db, answer.provider, runs[best], runs[second], PER_HOUR)
    sure = lead.sign > 0 if lead is not None else most.bounds[0] > next_most.bounds[1]
    parts = [Cell(f"Money per hour by marking law{_rest(material, answer)}: ")]
    for i, (name, one) in enumerate(ranked):
        parts += [Cell(f"{', ' if i else ''}{name} "), *one.cells]
    parts.append(Cell(". "))
    if lead is not None:
        plain = [msgspec.structs.replace(c, text=c.text.lstrip("+")) for c in lead.cells]
        parts += [Cell(f"{best} leaves "), *plain, Cell(f" more than {second} ")]
        parts.append(Cell(f"({lead.method})."))
    else:
        parts.append(Cell(f"Intervals: {most.method}; common seeds would be paired."))
    queries = [q for _, one in ranked for q in (one.query, one.more) if q is not None]
    queries += [lead.query] if lead is not None else []
    return LawComparison(
        _title(best, second, len(ranked), sure=sure), Words(tuple(parts), tuple(queries))
    )


def accounts_by_law(material: Material, db: Database, answer: Answer) -> Section | None:
    """Return the hourly account with each law, which shows why one law is more profitable.

    Return None if the runs do not differ in the marking law, or if the provider sells files.
    """
    runs = runs_by_law(material, answer)
    first = answer.runs[0]
    files = first.run is not None and provider_of(first, answer.provider).file_sources
    if not runs or files or answer.by_files:
        return None
    an_hour = "1e6 / nullif(sum(hours), 0)"
    query = db.ask(
        "from (\n"
        + "\nunion all\n".join(
            f"select {literal(name)} as law, sum(sold) / nullif(sum(hours), 0) as sold, "
            f"sum(revenue_micro) / {an_hour} as revenue,\n  -sum(refunds_micro) / {an_hour} "
            f"as refunds, sum(profit_micro - revenue_micro + refunds_micro) / {an_hour} as others,"
            f"\n  sum(profit_micro) / {an_hour} as profit, "
            f"100 * sum(broken) / nullif(sum(sold), 0) as broken\n  from accounts where "
            f"{owned(answer.provider, of)}"
            for name, of in runs.items()
        )
        + "\n) order by profit desc, law"
    )
    rows = tuple(
        (
            Cell(str(law)),
            query.cell(i, 1, "-" if sold is None else f"{float(sold):.3g}"),
            *(query.cell(i, 2 + j, signed(value)) for j, value in enumerate(sums)),
            query.cell(i, 6, "-" if broken is None else f"{float(broken):.3g} %"),
        )
        for i, (law, sold, *sums, broken) in enumerate(query.rows)
    )
    table = Table(
        id=f"{answer.provider}-laws",
        caption=f"An hour under each marking law{_rest(material, answer)}: money received (+) and "
        "paid (\u2212)",
        of="ledger; calls",
        head=("law", "calls sold", "for calls", "paid back", "marks and fixed costs", "profit")
        + ("promises broken",),
        rows=rows,
        query=query,
        note="Promises broken: the share of calls sold.",
        wide=True,
    )
    return Section(f"{answer.provider}-by-law", "Profit and loss by marking law", (table,))


def _rest(material: Material, answer: Answer) -> str:
    values = [c if c is not None else w for c, w in zip(answer.choice, material.world, strict=True)]
    settings = [
        f"{key.words} {key.value_text(value)}"
        for key, value in zip(material.keys, values, strict=True)
        if not key.is_marking and value is not None
    ]
    return f" ({', '.join(settings)})" if settings else ""


def _title(best: str, second: str, count: int, *, sure: bool) -> str:
    of = "both marking laws" if count == 2 else f"{count} marking laws"
    if sure:
        return f"Of {of}, {best} leaves the most money."
    return f"Of {of}, {best} leaves the most money; its lead over {second} is not certain."
