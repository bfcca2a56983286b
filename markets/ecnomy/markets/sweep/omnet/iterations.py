# SPDX-License-Identifier: Apache-2.0
"""OMNeT++ iteration variables from the blocks of a sweep, and the lines that change with them.

`${count=1,2,4}` defines a variable, and `${5s,6s,7s ! count}` changes in step with it (OMNeT++
Simulation Manual, 10.4). Commas separate values, except within quotes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final

import msgspec

from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.space import Assignment, Value

__all__ = ["Axis", "at_door", "axes_of", "driver", "joined", "varying"]

_ALL: Final = "point"
_OURS: Final = frozenset(  # names that have a meaning in OMNeT++
    (
        *("runid", "inifile", "configname", "runnumber", "network", "experiment", "measurement"),
        *("replication", "processid", "datetime", "resultdir", "repetition", "seedset"),
        *("iterationvars", "iterationvarsf", "iterationvarsd"),
    )
)
_SECTIONS: Final = ("network", "links", "sources", "market", "overrides", "*")
Lines = dict[str, str]


class Axis(msgspec.Struct, frozen=True):
    """An iteration variable: its name, the parameters that it sets, and its values."""

    name: str
    paths: tuple[str, ...]
    values: tuple[Assignment, ...]


def axes_of(sweep: Sweep) -> list[Axis]:
    """Return the variables of a sweep in order. The last one varies fastest."""
    axes: list[Axis] = []
    for number, block in enumerate(sweep.blocks):
        parts: list[tuple[tuple[str, ...], tuple[Assignment, ...]]]
        if block.kind == "grid":
            parts = [
                ((path,), tuple({path: value} for value in values))
                for path, values in zip(block.paths, block.values, strict=True)
            ]
        else:
            parts = [(block.paths, tuple(block.assignments(sweep.seed + number)))]
        for paths, values in parts:
            axes.append(Axis(_name(paths, axes), paths, values))
    return axes


def _name(paths: Sequence[str], before: Sequence[Axis]) -> str:
    """Return an unused name of letters and digits, as OMNeT++ requires."""
    words: list[str] = []
    for path in paths:
        parts = [part for part in path.split(".") if part not in _SECTIONS]
        words += re.findall("[A-Za-z0-9]+", " ".join(parts))
    name = "".join([words[0], *(w[:1].upper() + w[1:] for w in words[1:])]) if words else _ALL
    name = name if name[0].isalpha() else f"x{name}"
    taken = _OURS | {axis.name for axis in before}
    return next(
        each for n in itertools.count(1) if (each := name if n == 1 else f"{name}x{n}") not in taken
    )


def driver(axis: Axis) -> str:
    """Return the definition of a variable.

    It lists the values of a single parameter. If there are several parameters, or if a value is a
    list or mapping, it lists the numbers of the values, counted from 1.
    """
    levels = [str(number) for number in range(1, len(axis.values) + 1)]
    if len(axis.paths) == 1:
        values = [each[axis.paths[0]] for each in axis.values]
        if not any(isinstance(v, str) and v[:1] in "[{" for v in values):
            levels = [_word(value) for value in values]
    return f"${{{axis.name}={','.join(levels)}}}"


def _word(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return f'"{str(value).lower()}"'
    if isinstance(value, int | float):
        return repr(value)
    return '"' + re.sub(r'["\\$]', "", value) + '"'


def joined(parts: Sequence[Assignment]) -> Assignment:
    """Return the assignments of several axes as one."""
    return {path: value for part in parts for path, value in part.items()}


def at_door(address: str, numbers: Sequence[object]) -> str:
    """Return the address with the numbers of the chosen values, such as `.market-2-1.sock`."""
    folder, slash, file = address.rpartition("/")
    name, dot, ending = file.rpartition(".")
    suffix = "".join(f"-{number}" for number in numbers)
    return f"{folder}{slash}{name}{suffix}{dot}{ending}" if name else f"{address}{suffix}"


def varying(axes: Sequence[Axis], table: Sequence[Lines]) -> tuple[list[Axis], Lines]:
    """Return the variables, and the values of all lines by key, as lists if points differ.

    If a line depends on several variables, one variable `point` over all combinations of
    values replaces the variables in `axes`.

    Args:
        axes: variables of the sweep.
        table: the lines of each combination of values. The last axis varies fastest.
    """
    shape = [len(axis.values) for axis in axes]
    keys = list(dict.fromkeys(key for lines in table for key in lines))
    columns = {key: _column(table, key) for key in keys}
    moving = {key: values for key, values in columns.items() if len(set(values)) > 1}
    of = {key: _axes_under(values, shape) for key, values in moving.items()}
    if any(len(numbers) > 1 for numbers in of.values()):
        every = Axis(_ALL, (), tuple({} for _ in table))
        return [every], {key: _list(values, _ALL) for key, values in moving.items()} | {
            key: values[0] for key, values in columns.items() if key not in moving
        }
    lines = {key: values[0] for key, values in columns.items()}
    for key, values in moving.items():
        (number,) = of[key]
        step = _strides(shape)[number]
        own = [values[step * index] for index in range(shape[number])]
        lines[key] = _list(own, axes[number].name)
    return [axis for axis in axes if len(axis.values) > 1], lines


def _column(table: Sequence[Lines], key: str) -> list[str]:
    """Return a line's value at each point.

    Points without the line get its value from the first point that has it. There, the value has no
    effect.
    """
    there = next(lines[key] for lines in table if key in lines)
    return [lines.get(key, there) for lines in table]


def _strides(shape: Sequence[int]) -> list[int]:
    strides, step = [], 1
    for count in reversed(shape):
        strides.append(step)
        step *= count
    return strides[::-1]


def _axes_under(values: Sequence[str], shape: Sequence[int]) -> list[int]:
    """Return the indices of the axes along which values in row-major order change."""
    axes = []
    for number, (step, count) in enumerate(zip(_strides(shape), shape, strict=True)):
        starts = (i for i in range(len(values)) if (i // step) % count == 0)
        if any(len({values[i + k * step] for k in range(count)}) > 1 for i in starts):
            axes.append(number)
    return axes


def _list(values: Sequence[str], name: str) -> str:
    return f"${{{','.join(values)} ! {name}}}"
