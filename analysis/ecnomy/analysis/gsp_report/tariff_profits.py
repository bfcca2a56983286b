# SPDX-License-Identifier: Apache-2.0
"""Describes in a sentence which tariffs of a provider earn or lose money."""

from __future__ import annotations

from collections.abc import Sequence

from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import owned
from ecnomy.analysis.gsp_report.opened_runs import ReportRun, provider_of
from ecnomy.analysis.pages.parts import Cell, Words, money

__all__ = ["rows_apart"]


def rows_apart(db: Database, provider: str, runs: Sequence[ReportRun]) -> Words | None:
    """Return a sentence with the hourly profit of each tariff; None for fewer than two tariffs.

    A tariff's profit is the income from its calls or files minus their marks and refunds. Test
    streams and fixed costs do not belong to a tariff. The result is also None if the results of the
    runs were not kept.
    """
    if runs[0].run is None:
        return None
    terms = provider_of(runs[0], provider)
    names = [*(offer.name for offer in terms.offers), *terms.file_sources]
    if len(names) < 2:
        return None
    own = owned(provider, runs)
    query = db.ask(
        f"select tariff, sum(micro) / 1e6 / (select nullif(sum(hours), 0) from accounts where "
        f"{own}) as an_hour\nfrom postings where {own} and tariff is not null group by tariff "
        f"order by tariff"
    )
    places = {row[0]: i for i, row in enumerate(query.rows) if row[1] is not None}
    parts = [Cell("Row by row, without test streams and fixed costs: ")]
    for number, name in enumerate(sorted(names, key=lambda n: -_left(query.rows, places, n))):
        parts.append(Cell(", " if number else ""))
        if name not in places:
            parts.append(Cell(f"{name} sold nothing"))
            continue
        value = float(query.rows[places[name]][1])
        parts.append(
            Cell(f"{name} {'earns' if value > 0 else 'loses' if value < 0 else 'leaves'} ")
        )
        parts.append(query.cell(places[name], 1, money(value, "+")))
    return Words.of(*parts, Cell(" money per hour."), queries=(query,))


def _left(rows: Sequence[tuple[object, ...]], places: dict[str, int], name: str) -> float:
    return float(str(rows[places[name]][1])) if name in places else 0.0
