# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal fit the screen, without broken figures and cut names."""

from __future__ import annotations

import io
import sys

import pytest
from rich.table import Table

from ecnomy.markets.cli.printing import console_for_tables

NAMES = [f"a-link-of-the-network-{number}.mean_queue_packets" for number in range(3)]


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Claim to be a terminal."""
        return True


def wide(columns: int) -> Table:
    """A table of names, texts and figures."""
    table = Table(title="what came out")
    table.add_column("outcome", no_wrap=True)
    table.add_column("what it is")
    for number in range(columns):
        table.add_column(f"value at\npoint {number}", justify="right")
    for name in NAMES:
        figures = [f"{1000 + number:.1f} \u00b1 {number}.25" for number in range(columns)]
        table.add_row(name, "the mean number of packets", *figures)
    return table


def printed(table: Table, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, width: int) -> str:
    """The output of `console_for_tables` for the table."""
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "dumb")
    console_for_tables().print(table)
    return stream.getvalue()


@pytest.mark.parametrize("columns", [1, 2, 5, 9])
@pytest.mark.parametrize("width", [80, 100])
def test_no_figure_is_broken_and_no_name_is_cut(
    columns: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every cell is on one line, and each part of a split table labels its rows."""
    shown = printed(wide(columns), Terminal(), monkeypatch, width)
    assert max(map(len, shown.splitlines())) <= width
    for number in range(columns):
        figure = f"{1000 + number:.1f} \u00b1 {number}.25"
        assert shown.count(figure) == len(NAMES)
    parts = shown.count("outcome")
    assert all(shown.count(name) == parts for name in NAMES)
    assert shown.count("what came out") == 1 and "\u2026" not in shown


def test_no_line_ends_in_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pipe, a long text in one row does not pad the other rows."""
    table = Table("name", "text", box=None)
    table.add_row("long", "x" * 200)
    table.add_row("short", "y")
    lines = printed(table, io.StringIO(), monkeypatch, 80).splitlines()
    assert [len(line) for line in lines] == [12, 208, 9]
    assert lines == [line.rstrip() for line in lines]


def test_a_table_that_fits_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that fits has the same lines on a terminal and in a pipe, without codes."""
    assert printed(wide(2), Terminal(), monkeypatch, 200) == printed(
        wide(2), io.StringIO(), monkeypatch, 20
    )
