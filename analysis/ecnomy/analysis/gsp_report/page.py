# SPDX-License-Identifier: Apache-2.0
"""Writes the page on a guaranteed stream provider's business: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.database import Database, open_database
from ecnomy.analysis.gsp_report.glossary import glossary
from ecnomy.analysis.gsp_report.law_comparison import accounts_by_law, laws_apart
from ecnomy.analysis.gsp_report.loss_causes import why_it_loses
from ecnomy.analysis.gsp_report.maps import maps
from ecnomy.analysis.gsp_report.opened_runs import Material, open_material
from ecnomy.analysis.gsp_report.profitability import Answer, answer_of
from ecnomy.analysis.gsp_report.promises import promises
from ecnomy.analysis.gsp_report.provenance import provenance
from ecnomy.analysis.gsp_report.risk import profit_per_call
from ecnomy.analysis.gsp_report.scatter import scatter
from ecnomy.analysis.gsp_report.sensitivity import sensitivity
from ecnomy.analysis.gsp_report.statement import statement
from ecnomy.analysis.gsp_report.tariff_profits import rows_apart
from ecnomy.analysis.pages.parts import Picture, Query, ReportPage, Section, money
from ecnomy.analysis.pages.shell import environment

__all__ = ["gsp_page", "write_gsp_page"]

_ONE = {"hour": "per hour", "call": "per call sold"}


def write_gsp_page(results: Sequence[Path], file: Path, command: list[str]) -> ReportPage:
    """Write the page on the providers in some runs or in a sweep, and return its content.

    Args:
        results: the folders of the runs, or the folder of the sweep.
        file: the page; an existing file is replaced when the new page is complete.
        command: the command line to show on the page.

    Raises:
        ResultsError: results or a table are missing, or a profit differs from the balances.
        InputError: a package is missing, or the folders do not belong together.
    """
    from ecnomy.analysis.support.whole_file import write_whole

    template = environment(Path(__file__).parent).get_template("page.html")
    page = gsp_page(results, command)
    write_whole(file, template.render(page=page, kind=_kind).encode())
    return page


def gsp_page(results: Sequence[Path], command: list[str]) -> ReportPage:
    """Return the content of the page, before the template renders it."""
    material = open_material(results)
    db = open_database(material)
    try:
        answers = tuple(answer_of(material, db, name) for name in material.providers)
        sections = [s for answer in answers for s in _sections(material, db, answer)]
        sections += [provenance(material, db, command), glossary()]
        shown = tuple(_Shown(material, db, answer) for answer in answers)
        return ReportPage(material.title, shown, tuple(sections), db.prelude)
    finally:
        db.close()


class _Shown:
    def __init__(self, material: Material, db: Database, answer: Answer) -> None:
        self.answer = answer
        self.alone = len(material.providers) == 1
        self.picture = _along(material, answer) if len(answer.loads) > 1 else _waterfall(db, answer)
        self.laws = laws_apart(material, db, answer)
        self.rows = rows_apart(db, answer.provider, answer.runs)
        self.kept = material.kept
        self.load = material.load

    @property
    def line(self) -> str:
        """The line that the terminal shows."""
        text = f"{self.answer.provider}: {''.join(cell.text for cell in self.answer.sentence)}"
        return text if self.laws is None else f"{text}. {self.laws.title}"

    @property
    def queries(self) -> tuple[Query, ...]:
        """The queries behind the first screen."""
        drawn = self.picture.queries if self.picture is not None else ()
        loads = tuple(one.query for one in self.answer.loads.values())
        rows = self.rows.queries if self.rows is not None else ()
        laws = self.laws.words.queries if self.laws is not None else ()
        return (*self.answer.queries, *laws, *rows, *drawn, *loads)


def _sections(material: Material, db: Database, answer: Answer) -> list[Section]:
    sections: list[Section | None] = [accounts_by_law(material, db, answer)]
    if material.kept:
        sections.append(why_it_loses(db, answer))
        sections.append(statement(material, db, answer))
    sections.append(profit_per_call(material, db, answer))
    if material.kept:
        sections += [promises(material, db, answer), scatter(db, answer)]
    sections += [maps(material, db, answer), sensitivity(material, db, answer)]
    return [section for section in sections if section is not None and section.blocks]


def _along(material: Material, answer: Answer) -> Picture:
    load = material.load
    assert load is not None
    rows = [(x, one.value, *one.bounds) for x, one in answer.loads.items()]
    curves = {answer.choice_words or answer.figure_words: rows}
    values_text = "; ".join(f"{x:g}: {money(mean)}" for x, mean, _, _ in rows)
    return Picture(
        id=f"{answer.provider}-along",
        caption=f"{answer.figure_words.capitalize()} over {load.words}, 95 % intervals",
        alt=f"{answer.figure_words.capitalize()} falls or rises with {load.words}: {values_text}.",
        of="ledger; calls sold: calls",
        svg=business_plots.along(curves, load.words, f"{answer.figure_words} [money]"),
        head=(load.words, answer.figure_words, "from", "to"),
        rows=tuple(rows),
    )


def _waterfall(db: Database, answer: Answer) -> Picture | None:
    from ecnomy.analysis.gsp_report.database import LINES
    from ecnomy.analysis.gsp_report.estimates import owned

    if answer.runs[0].run is None:
        return None
    own = owned(answer.provider, answer.runs)
    order = ", ".join(f"'{line}'" for line in LINES)
    each, what = ("hours", "hour") if answer.by_files else ("sold", "call")
    query = db.ask(
        f"select line, sum(micro) / 1e6 / nullif((select sum({each}) from accounts where {own}), "
        f"0)\n"
        f"from postings where {own} group by line order by coalesce(list_position([{order}], "
        f"line), 99), line"
    )
    steps = [(str(line), float(value)) for line, value in query.rows if value is not None]
    if not steps:
        return None
    steps.append(("profit", sum(value for _, value in steps)))
    steps_text = ", ".join(f"{line} {money(value, '+')}" for line, value in steps)
    return Picture(
        id=f"{answer.provider}-waterfall",
        caption=f"Income and costs of an average {what}, money",
        alt=f"Bars from the receipts {_ONE[what]} to the profit: {steps_text}.",
        of="ledger; calls sold: calls",
        svg=business_plots.waterfall(steps, f"money {_ONE[what]}"),
        head=("line", f"money {_ONE[what]}"),
        rows=tuple(steps),
        query=query,
    )


def _kind(block: Any) -> str:
    return type(block).__name__.lower()
