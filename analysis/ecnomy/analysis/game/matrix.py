# SPDX-License-Identifier: Apache-2.0
"""Reads the pay-off matrix of two players from a CSV file.

    ,hawk,dove                   The header names the column player's strategies, the first column
    hawk,-1,2                    those of the row player. A cell is the pay-off of the row player.
    dove,0,1                     With one number per cell the game is symmetric: both have the same
                                 strategies in the same order, and B = A^T.

    ,opera,football              With two numbers per cell, a;b, the first one is the row player's
    opera,3;2,0;0                pay-off and the second one the column player's.
    football,0;0,2;3

The first cell may hold any text.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.files import Unreadable, read_bytes

__all__ = ["MOST_STATES", "Game", "read_game"]

_MOST_MIB: Final = 8  # largest file
MOST_STATES: Final = 400  # states of alpha-rank's chain: strategies, or pairs of strategies
_BETWEEN: Final = ";"  # separates the pay-offs of a cell
_MOST: Final = 1e100  # largest pay-off, so that sums and products stay finite
_EXPECTED: Final = {1: "a number", 2: "two numbers a;b, row player first"}


class Game(msgspec.Struct, frozen=True, eq=False):
    """A two-player game.

    Attributes:
        rows, columns: names of the row player's and the column player's strategies.
        first, second: pay-offs of the row player and the column player, of shape (rows, columns).
        symmetric: whether both players have the same strategies and pay-offs (second = first^T).
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    first: Floats
    second: Floats
    symmetric: bool


def read_game(path: str | os.PathLike[str]) -> Game:
    """Read the game in a CSV file.

    Raises:
        InputError: the file is missing, or is not a pay-off matrix. The message names the file
            and the place of the fault.
    """
    file = os.fspath(path)
    lines = list(_lines(file))
    if not lines:
        raise InputError(f"{file}: found an empty file, expected a header of strategies")
    (head_line, head), body = lines[0], lines[1:]
    columns = _names(file, head[1:], [head_line] * len(head[1:]), "column")
    rows = _names(file, [cells[0] for _, cells in body], [line for line, _ in body], "row")
    if len(rows) * len(columns) < 2:
        found = f"{len(rows)} x {len(columns)} pay-offs (rows x columns)"
        raise InputError(
            f"{file}: found {found}, expected at least two strategies for one of the players"
        )
    pays: list[list[tuple[float, ...]]] = []
    kind = 0
    for line, cells in body:
        place = f"{file}:{line}: row {cells[0].strip()!r}"
        if len(cells) != len(head):
            found = "1 pay-off" if len(cells) == 2 else f"{len(cells) - 1} pay-offs"
            raise InputError(f"{place}: found {found}, expected {len(columns)}, as in the header")
        kind = kind or cells[1].count(_BETWEEN) + 1
        pays.append(
            [
                _pay_offs(f"{place}, column {name!r}", text, min(kind, 2))
                for name, text in zip(columns, cells[1:], strict=True)
            ]
        )
    return _game(file, rows, columns, np.array(pays, dtype=np.float64), head_line)


def _lines(file: str) -> Iterator[tuple[int, list[str]]]:
    try:
        text = read_bytes(Path(file), _MOST_MIB).decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except Unreadable as error:
        expected = f"a CSV file of pay-offs of at most {_MOST_MIB} MiB"
        raise InputError(f"{file}: found {error}, expected {expected}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file}: found {error}, expected CSV in UTF-8") from None
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}, expected a CSV file of pay-offs") from None


def _names(file: str, cells: Sequence[str], lines: Sequence[int], what: str) -> tuple[str, ...]:
    names: list[str] = []
    for number, (cell, line) in enumerate(zip(cells, lines, strict=True), 1):
        name = cell.strip()
        if not name or name in names:
            fault = f"the name {name!r} twice" if name else "no name"
            expected = "a different name for each strategy"
            raise InputError(f"{file}:{line}: {what} {number}: found {fault}, expected {expected}")
        names.append(name)
    if not names:
        raise InputError(f"{file}: found no {what} of pay-offs, expected one for each strategy")
    return tuple(names)


def _pay_offs(place: str, text: str, kind: int) -> tuple[float, ...]:
    try:
        pay_offs = tuple(float(part) for part in text.split(_BETWEEN))
    except ValueError:
        pay_offs = ()
    if len(pay_offs) != kind or not all(math.isfinite(value) for value in pay_offs):
        raise InputError(f"{place}: found {text.strip()!r}, expected {_EXPECTED[kind]}")
    if any(abs(value) > _MOST for value in pay_offs):
        expected = f"pay-offs from {-_MOST:g} to {_MOST:g}"
        raise InputError(f"{place}: found {text.strip()!r}, expected {expected}")
    return pay_offs


def _game(
    file: str, rows: tuple[str, ...], columns: tuple[str, ...], pays: Floats, line: int
) -> Game:
    symmetric = pays.shape[2] == 1
    if symmetric and rows != columns:
        found = f"rows {', '.join(rows)} and columns {', '.join(columns)}"
        expected = "the same names in the same order, or two pay-offs per cell (a;b)"
        raise InputError(f"{file}:{line}: found {found}, expected {expected}")
    states = len(rows) if symmetric else len(rows) * len(columns)
    if states > MOST_STATES:
        what = "strategies" if symmetric else "pairs of strategies"
        raise InputError(f"{file}: found {states} {what}, expected at most {MOST_STATES}")
    first = pays[:, :, 0]
    second = first.T if symmetric else pays[:, :, 1]
    return Game(rows, columns, first, second, symmetric)
