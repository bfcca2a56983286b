# SPDX-License-Identifier: Apache-2.0
"""Fit tables to the width of a terminal, without breaking a number or cutting a name.

If a table is too wide, its headings and texts are wrapped at spaces. If that does not suffice, the
space between columns shrinks. If the table is still too wide, it is printed in parts, each with the
leading columns that identify a row.
"""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from ecnomy.markets.support.printable import printable

__all__ = ["TableConsole", "fitted", "titled_table"]

_TEXT: Final = 16  # smallest width of a wrapped text
_NARROW: Final = (0, 1, 0, 0)  # padding of a cell: a space on the right
_WIDE: Final = 100_000


def titled_table(title: str, **options: Any) -> Table:
    """Return an empty table with a line under its headings and without a frame."""
    return Table(
        title=title or None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1),
        **options,
    )


class TableConsole(Console):
    """A console that fits tables to its width (see `fitted`).

    It escapes control characters in texts, and removes spaces at the ends of lines in tables.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """See Console."""
        return super().render_str(printable(text), **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """See Console."""
        if not (len(objects) == 1 and isinstance(objects[0], Table)):
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            for number, part in enumerate(fitted(objects[0], self)):
                if number:
                    super().print()
                super().print(part, **options)
        self.file.write(re.sub(r" +$", "", captured.get(), flags=re.MULTILINE))


def fitted(table: Table, console: Console) -> Iterator[Table]:
    """Yield the table, narrowed to fit, or else its parts, which fit unless a word is too long."""
    if _width(table, console) <= console.width:
        yield table
        return
    ranges = [_range(column, console) for column in table.columns]
    count = len(ranges)
    table = copy.copy(table)
    paddings = (_NARROW, 0) if table.collapse_padding else (table.padding, _NARROW, 0)
    table.collapse_padding = False  # otherwise rich counts one column too few
    for table.padding in paddings:
        if _fits(table, range(count), ranges, console):
            yield _part(table, range(count), _widths(table, range(count), ranges, console))
            return
    first = next((i for i, c in enumerate(table.columns) if c.justify == "right"), count)
    keys = list(range(min(max(first, 1), count - 1)))
    while len(keys) > 1 and sum(ranges[i][0] for i in keys) > 2 * console.width // 3:
        keys.pop()
    parts: list[list[int]] = [list(keys)]
    for index in range(len(keys), count):
        with_it = [*parts[-1], index]
        if len(parts[-1]) > len(keys) and not _fits(table, with_it, ranges, console):
            parts.append([*keys, index])
        else:
            parts[-1] = with_it
    for number, chosen in enumerate(parts):
        part = _part(table, chosen, _widths(table, chosen, ranges, console))
        part.title = table.title if number == 0 else None
        part.caption = table.caption if number == len(parts) - 1 else None
        yield part


def _width(table: Table, console: Console) -> int:
    options = console.options.update(width=_WIDE)
    bare = copy.copy(table)
    bare.title = bare.caption = None
    return Measurement.get(console, options, bare).maximum


def _range(column: Column, console: Console) -> tuple[int, int]:
    """Return the smallest and the largest width of a column.

    At the smallest width, headings and texts break at spaces, but numbers do not break.
    """
    options = console.options.update(width=_WIDE)
    heads = [Measurement.get(console, options, column.header)]
    cells = [Measurement.get(console, options, cell) for cell in column._cells]
    most = max(one.maximum for one in heads + cells)
    whole = column.justify == "right"
    least = max((one.maximum if whole else one.minimum for one in cells), default=0)
    if not whole:
        least = max(least, min(_TEXT, max((one.maximum for one in cells), default=0)))
    return max(least, *(one.minimum for one in heads)), most


def _fits(
    table: Table, chosen: Sequence[int], ranges: Sequence[tuple[int, int]], console: Console
) -> bool:
    least = [ranges[index][0] for index in chosen]
    return _width(_part(table, chosen, least), console) <= console.width


def _widths(
    table: Table, chosen: Sequence[int], ranges: Sequence[tuple[int, int]], console: Console
) -> list[int]:
    """Return the widths of columns. The widest columns shrink first, each to its smallest width."""
    widths = [ranges[index][1] for index in chosen]
    over = _width(_part(table, chosen, widths), console) - console.width
    while over > 0:
        spare = [(width, i) for i, width in enumerate(widths) if width > ranges[chosen[i]][0]]
        if not spare:
            break
        widths[max(spare)[1]] -= 1
        over -= 1
    return widths


def _part(table: Table, chosen: Sequence[int], widths: Sequence[int]) -> Table:
    part = copy.copy(table)
    part.columns = [
        dataclasses.replace(
            table.columns[index], _index=place, width=width, no_wrap=False, overflow="fold"
        )
        for place, (index, width) in enumerate(zip(chosen, widths, strict=True))
    ]
    return part
