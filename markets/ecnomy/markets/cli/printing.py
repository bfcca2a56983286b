# SPDX-License-Identifier: Apache-2.0
"""Write the standard output of verbs, as tables for people or as JSON for programs.

Tables fit a terminal (see table_fit.py). If standard output is a pipe or a file, tables are as wide
as necessary, so that nothing is wrapped or cut off.

With `--json`, standard output contains one JSON document and nothing else. Its keys are the names
of fields, which end in their units (`goodput_bps`, `delay_s`). Numbers are not rounded. Unknown
(NaN) and unbounded (infinite) values are null. Progress and warnings go to standard error.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from ecnomy.markets.support.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["UNBOUNDED", "Json", "console_for_tables", "hanging", "print_json"]

UNBOUNDED: Final = 100_000  # more columns than any table has
_LEAST: Final = 24  # smallest number of columns for text beside a head
_CONTROLS: Final = {  # JSON does not escape these; the last two change the direction of text
    code: f"\\u{code:04x}"
    for codes in (range(0x7F, 0xA0), range(0x2028, 0x202F), range(0x2066, 0x206A))
    for code in codes
}

Json = Annotated[
    bool, typer.Option("--json", help="Print a single JSON document and nothing else.")
]


def console_for_tables(most: int | None = None) -> Console:
    """Return a console that prints tables on standard output.

    Args:
        most: largest width on a terminal, in columns, or None to use the full width.
    """
    from ecnomy.markets.cli.table_fit import TableConsole

    if not sys.stdout.isatty():
        return TableConsole(highlight=False, width=UNBOUNDED)
    width, height = shutil.get_terminal_size()
    console = TableConsole(highlight=False, width=width, height=height)  # TERM=dumb means 80 x 25
    if most is not None:
        console.width = min(console.width, most)
    return console


def hanging(head: str, text: str, *, deeper: int = 0) -> str:
    """Return a head followed by text, which is wrapped with a hanging indent on a terminal.

    Args:
        head, text: the parts of the line.
        deeper: number of spaces by which the indent exceeds the length of the head.
    """
    head, text = printable(head), printable(text)
    if not (text.strip() and sys.stdout.isatty()):
        return f"{head}{text}".rstrip()
    width = max(shutil.get_terminal_size().columns, len(head) + _LEAST)
    return textwrap.fill(
        text,
        width,
        initial_indent=head,
        subsequent_indent=" " * (len(head) + deeper),
        break_on_hyphens=False,
    )


def print_json(value: Any) -> None:
    """Print structs, mappings, lists, NumPy arrays and numbers as one JSON document."""
    plain = msgspec.to_builtins(value, enc_hook=_plain, str_keys=True)
    text = msgspec.json.format(msgspec.json.encode(plain), indent=1).decode()
    print(text.translate(_CONTROLS))  # JSON escapes other controls itself


def _plain(value: Any) -> Any:
    """Convert types that msgspec does not support: NumPy arrays and numbers, and paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise NotImplementedError(f"{type(value).__name__} cannot be written as JSON")
