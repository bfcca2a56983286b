# SPDX-License-Identifier: Apache-2.0
"""What a page is made of: queries and the amounts they give, tables, pictures, words.

Every amount of money is a cell of a query's rows; a number of any other kind names its table.
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
    """A query over the views of the page's first query, and what it gave.

    Attributes:
        id: unique in the page.
        sql: DuckDB's.
        rows: its rows.
    """

    id: str
    sql: str
    rows: tuple[tuple[Any, ...], ...]

    def cell(self, row: int, column: int, text: str, css: str = "") -> Cell:
        """One of its values as the page prints it."""
        return Cell(text, css, self.id, row, column, self.rows[row][column])


class Cell(msgspec.Struct, frozen=True):
    """A piece of text, of a query's value where `query` is not ""."""

    text: str
    css: str = ""
    query: str = ""
    row: int = 0
    column: int = 0
    value: Any = None
    by: str = ""  # how the value was computed, where it is not the query's own


class Table(msgspec.Struct, frozen=True):
    """A table of the page.

    Attributes:
        id: unique in the page, and the name of its CSV.
        of: the results tables that its numbers are of.
        rows: cells; plain text is a cell too.
        strong: rows that are totals.
        more: queries of its cells beside `query`.
        wide: it takes the whole width; tables of many columns do anyhow.
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

    @property
    def queries(self) -> tuple[Query, ...]:
        """All that its cells are of."""
        return (*((self.query,) if self.query is not None else ()), *self.more)

    @property
    def csv(self) -> str:
        """A link to its values, as CSV: numbers whole, not as printed."""
        rows = [[_plain(cell) for cell in r] for r in self.rows]
        return csv_link(self.head, rows)


class Picture(msgspec.Struct, frozen=True):
    """A picture (SVG), what it shows in words, and the numbers it draws."""

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
        """As an address that needs no network."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode()

    @property
    def csv(self) -> str:
        """See Table."""
        return csv_link(self.head, self.rows)


class Words(msgspec.Struct, frozen=True):
    """A paragraph: text and amounts in turn."""

    parts: tuple[Cell, ...]
    queries: tuple[Query, ...] = ()

    @classmethod
    def of(cls, *parts: str | Cell, queries: tuple[Query, ...] = ()) -> Words:
        """Text may be given as it is."""
        return cls(tuple(p if isinstance(p, Cell) else Cell(p) for p in parts), queries)


Block: TypeAlias = Table | Picture | Words


class Section(msgspec.Struct, frozen=True):
    """A heading and what is below it."""

    id: str
    title: str
    blocks: tuple[Block, ...]


class Page(msgspec.Struct, frozen=True):
    """All of a page but its template."""

    title: str
    answers: tuple[Any, ...]
    sections: tuple[Section, ...]
    prelude: str


def _plain(cell: Cell) -> Any:
    return cell.text if cell.value is None else cell.value


def csv_link(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A data: address of a CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return "data:text/csv;base64," + base64.b64encode(out.getvalue().encode()).decode()


def money(value: float, sign: str = "") -> str:
    """An amount as sentences print it: three digits."""
    if value is None or math.isnan(value):
        return "-"
    return significant(value, 0, sign).replace("-", "\u2212")


def exactly(micro: int) -> str:
    """An amount to the micro-unit, as `ecnomy show` prints it, with a minus that is one."""
    return exact(micro).replace("-", "\u2212")


def number(value: float) -> str:
    """A count with its thousands, or a number of three digits."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"


def percent(value: float, digits: int = 1) -> str:
    """A share."""
    if value is None or math.isnan(value):
        return "-"
    return f"{100 * value:.{digits}f} %".replace("-", "\u2212")
