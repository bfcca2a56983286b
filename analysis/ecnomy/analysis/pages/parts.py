# SPDX-License-Identifier: Apache-2.0
"""The parts of a page: queries and their amounts, tables, pictures, words.

Every amount of money is a cell of a query's result. All other numbers name their tables.
"""

from __future__ import annotations

import base64
import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from ecnomy.analysis.support.digits import exact, significant

__all__ = [
    "Block",
    "Cell",
    "Page",
    "Picture",
    "Query",
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
    """A query, with its result, over the tables that the page's first query makes.

    Attributes:
        id: an identifier that is unique in the page.
        sql: the SQL text, in DuckDB's dialect.
        rows: the rows of the result.
    """

    id: str
    sql: str
    rows: tuple[tuple[Any, ...], ...]

    def cell(self, row: int, column: int, text: str, css: str = "") -> Cell:
        """Return a value of the result as a cell of the page."""
        return Cell(text, css, self.id, row, column, self.rows[row][column])


class Cell(msgspec.Struct, frozen=True):
    """A piece of text or, if `query` is not "", a value of that query.

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
    """A table of the page.

    Attributes:
        id: an identifier that is unique in the page; also the name of the CSV file.
        of: the results tables behind its numbers.
        rows: rows of cells or plain text.
        strong: indices of the rows that hold totals.
        more: queries of its cells in addition to `query`.
        wide: whether it takes the whole width, like all tables with many columns.
        unfolded: whether a long table is open.
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
        """All queries behind its cells."""
        return (*((self.query,) if self.query is not None else ()), *self.more)

    @property
    def csv(self) -> str:
        """A link to the values as CSV, with unrounded numbers."""
        rows = [[_plain(cell) for cell in r] for r in self.rows]
        return csv_link(self.head, rows)


class Picture(msgspec.Struct, frozen=True):
    """A plot (SVG), with a description in words and with its numbers."""

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
        """See Table."""
        return () if self.query is None else (self.query,)

    @property
    def source(self) -> str:
        """The picture as a data address."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode()

    @property
    def csv(self) -> str:
        """See Table."""
        return csv_link(self.head, self.rows)


class Words(msgspec.Struct, frozen=True):
    """A paragraph of text and amounts."""

    parts: tuple[Cell, ...]
    queries: tuple[Query, ...] = ()

    @classmethod
    def of(cls, *parts: str | Cell, queries: tuple[Query, ...] = ()) -> Words:
        """Return a paragraph of the given parts; plain text is accepted."""
        return cls(tuple(p if isinstance(p, Cell) else Cell(p) for p in parts), queries)


Block: TypeAlias = Table | Picture | Words


class Section(msgspec.Struct, frozen=True):
    """A heading with its content."""

    id: str
    title: str
    blocks: tuple[Block, ...]


class Page(msgspec.Struct, frozen=True):
    """The content of a page without its template."""

    title: str
    answers: tuple[Any, ...]
    sections: tuple[Section, ...]
    prelude: str


def _plain(cell: Cell) -> Any:
    return cell.text if cell.value is None else cell.value


def csv_link(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a data: address of a CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return "data:text/csv;base64," + base64.b64encode(out.getvalue().encode()).decode()


def money(value: float, sign: str = "") -> str:
    """Return an amount with three significant digits, for sentences."""
    if value is None or math.isnan(value):
        return "-"
    return significant(value, 0, sign).replace("-", "\u2212")


def exactly(micro: int) -> str:
    """Return an amount to the micro-unit, as in `ecnomy show`, with a real minus sign."""
    return exact(micro).replace("-", "\u2212")


def number(value: float) -> str:
    """Return a count with thousands separators, or another number with three significant digits."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"


def percent(value: float, digits: int = 1) -> str:
    """Return a share in percent."""
    if value is None or math.isnan(value):
        return "-"
    return f"{100 * value:.{digits}f} %".replace("-", "\u2212")
