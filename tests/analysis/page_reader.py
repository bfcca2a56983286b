# SPDX-License-Identifier: Apache-2.0
"""The contents of a report's page for its reader: amounts, queries and tables."""

from __future__ import annotations

import base64
import csv
import io
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb

__all__ = ["Amount", "PageReader", "answers_of"]


class Amount:
    """A printed number, with the place of its value in the rows of a query."""

    def __init__(self, attributes: dict[str, str | None]) -> None:
        self.value = attributes["value"]
        self.query = attributes.get("data-query")
        self.at = int(attributes.get("data-row") or 0), int(attributes.get("data-column") or 0)
        self.by = attributes.get("data-by")
        self.text = ""


class PageReader(HTMLParser):
    """Reads a page.

    Attributes:
        amounts, counts: printed amounts of money, and other numbers that have a value.
        queries: the text of each, by its number; that of the first is `prelude`.
        homes: the figure that contains each query.
        tables: the rows of texts of each table by id, the head first.
        files: the CSV files by name.
        pictures: the words of each picture, by id.
        words: all text except queries.
        links: the addresses of everything loaded or linked.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.amounts: list[Amount] = []
        self.counts: list[Amount] = []
        self.queries: dict[str, str] = {}
        self.tables: dict[str, list[list[str]]] = {}
        self.files: dict[str, list[list[str]]] = {}
        self.pictures: dict[str, str] = {}
        self.links: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.prelude, self.words = "", ""
        self._figure, self._pre = "", ""
        self.ids: list[str] = []
        self.homes: dict[str, str] = {}
        self._in: list[str] = []
        self._amount: Amount | None = None
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        self.tags.append(tag)
        self._in.append(tag)
        if own.get("id"):
            self.ids.append(str(own["id"]))
        for name in ("src", "href"):
            if own.get(name):
                self.links.append((tag, str(own[name])))
        if tag == "figure":
            self._figure = str(own["id"])
        elif tag == "tr":
            self.tables.setdefault(self._figure, []).append([])
        elif tag in ("td", "th"):
            self.tables[self._figure][-1].append("")
        elif tag == "data":
            self._amount = Amount(own)
            (self.amounts if self._amount.query else self.counts).append(self._amount)
        elif tag == "pre":
            self._pre = str(own.get("id") or "")  # an earlier query has none
            self.homes[self._pre] = self._figure
        elif tag == "img":
            self.pictures[self._figure] = str(own["alt"])
        elif tag == "a" and "download" in own:
            data = base64.b64decode(str(own["href"]).partition("base64,")[2]).decode()
            self.files[str(own["download"])] = list(csv.reader(io.StringIO(data)))

    def handle_endtag(self, tag: str) -> None:
        while self._in and self._in.pop() != tag:
            pass
        if tag == "data":
            self._amount = None
        elif tag == "figure":
            self._figure = ""

    def handle_data(self, data: str) -> None:
        if "style" in self._in:
            return
        if "pre" in self._in:
            if "code" in self._in:
                if self._pre == "prelude-sql":
                    self.prelude += data
                elif self._pre:
                    self.queries[self._pre] = self.queries.get(self._pre, "") + data
            return
        self.words += data
        if self._amount is not None:
            self._amount.text += data
        if ("td" in self._in or "th" in self._in) and self.tables.get(self._figure):
            self.tables[self._figure][-1][-1] += data


def answers_of(page: PageReader) -> dict[str, list[tuple[Any, ...]]]:
    """DuckDB's answer to each query of a page, without any other source."""
    connection = duckdb.connect()
    connection.execute(page.prelude)
    found = {name: connection.execute(sql).fetchall() for name, sql in page.queries.items()}
    connection.close()
    return found
