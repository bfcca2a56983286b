# SPDX-License-Identifier: Apache-2.0
"""The parts of a page: queries, cells with amounts, tables, pictures and text.

A cell with a query shows a value of the query's result, or a value computed from the result. For
other numbers, a page names the tables behind them.
"""

from __future__ import annotations

import base64
import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from ecnomy.analysis.support import number_text
from ecnomy.analysis.support.number_text import exact, minus, significant

__all__ = [
    "Block",
    "Cell",
    "Picture",
    "Query",
    "ReportPage",
    "Section",
    "Table",
    "Words",
    "csv_link",
    "exactly",
    "money",
    "number",
    "percent",
]


class Query(msgspec.Struct, frozen=True):
    """A query over the tables that the page's first query creates, and its result.

    Attributes:
        id: identifier, unique on the page.
        sql: the SQL text, in DuckDB's dialect.
        rows: the rows of the result.
    """

    id: str
    sql: str
    rows: tuple[tuple[Any, ...], ...]

    def cell(self, row: int, column: int, text: str, css: str = "") -> Cell:
        """Return a value of the result as a cell that refers to this query."""
        return Cell(text, css, self.id, row, column, self.rows[row][column])


class Cell(msgspec.Struct, frozen=True):
    """A piece of text or, if `query` names a query, a value from or computed from its result.

    `href` is a link, relative to the page.
    """

    text: str
    css: str = ""
    query: str = ""
    row: int = 0
    column: int = 0
    value: Any = None
    by: str = ""  # how the value was computed, if not by the query itself
    href: str = ""


class Table(msgspec.Struct, frozen=True):
    """A table on a page.

    Attributes:
        id: identifier, unique on the page; also the name of the CSV file.
        of: the results tables behind the numbers.
        rows: rows of cells.
        strong: indices of rows to emphasise, such as totals.
        more: queries behind the cells in addition to `query`.
        wide: whether the table takes the whole width of the page.
        unfolded: whether a long table is shown unfolded.
    """

    id: str
    caption: str
    of: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    query: Query | None = None
    strong: tuple[int, ...] = ()
    note: str = ""
    more: tuple[Query, ...] = ()
    wide: bool = False
    unfolded: bool = False

    @property
    def queries(self) -> tuple[Query, ...]:
        """All queries behind the cells."""
        return (*((self.query,) if self.query is not None else ()), *self.more)

    @property
    def csv(self) -> str:
        """A link to the cells as CSV, with unrounded numbers."""
        rows = [[_plain(cell) for cell in r] for r in self.rows]
        return csv_link(self.head, rows)


class Picture(msgspec.Struct, frozen=True):
    """A plot (SVG) with a description and its numbers."""

    id: str
    caption: str
    alt: str
    of: str
    svg: bytes
    head: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    query: Query | None = None

    @property
    def queries(self) -> tuple[Query, ...]:
        """The query behind the numbers, if there is one."""
        return () if self.query is None else (self.query,)

    @property
    def source(self) -> str:
        """The picture as a data URL."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode()

    @property
    def csv(self) -> str:
        """A link to the numbers as CSV."""
        return csv_link(self.head, self.rows)


class Words(msgspec.Struct, frozen=True):
    """A paragraph of text and cells."""

    parts: tuple[Cell, ...]
    queries: tuple[Query, ...] = ()

    @classmethod
    def of(cls, *parts: str | Cell, queries: tuple[Query, ...] = ()) -> Words:
        """Return a paragraph of the given cells and plain texts."""
        return cls(tuple(p if isinstance(p, Cell) else Cell(p) for p in parts), queries)


Block: TypeAlias = Table | Picture | Words


class Section(msgspec.Struct, frozen=True):
    """A heading and the blocks below it."""

    id: str
    title: str
    blocks: tuple[Block, ...]


class ReportPage(msgspec.Struct, frozen=True):
    """The content of a page, before the template renders it."""

    title: str
    answers: tuple[Any, ...]
    sections: tuple[Section, ...]
    prelude: str


def _plain(cell: Cell) -> Any:
    return cell.text if cell.value is None else cell.value


def csv_link(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a data URL of a CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return "data:text/csv;base64," + base64.b64encode(out.getvalue().encode()).decode()


def money(value: float, sign: str = "") -> str:
    """Return an amount with at least three digits and a real minus sign; "-" if undefined."""
    if value is None or math.isnan(value):
        return "-"
    return minus(significant(value, 0, sign))


def exactly(micro: int) -> str:
    """Return an amount with its sign and six decimals, as in `ecnomy show`."""
    return minus(exact(micro))


def number(value: float) -> str:
    """Return a number: integers with thousands separators, others to three significant digits."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"


def percent(value: float, digits: int = 1) -> str:
    """Return a share in percent; "-" if undefined."""
    return "-" if value is None else minus(number_text.percent(value, digits))
