# SPDX-License-Identifier: Apache-2.0
"""Adds outcome columns to a sweep, from a function that reads the results of each run.

    measure: my_figures:burstiness        in the sweep file; a module on the Python path

    def burstiness(results: Path) -> dict[str, float]: ...

The values that the function returns may be numbers, None (if a run lacks a value), and lists of
numbers (which become the columns `name[0]`, `name[1]`, ...). Each run records the digest of the
function's module, as it does for strategies.

Runs whose agents declare a utility also get the measure `welfare` (support/additions.py). Runs with
guaranteed stream providers get the measure `guarantees`.
"""

from __future__ import annotations

import importlib
import math
import numbers
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from ecnomy.agents.errors import InputError, ResultsError, StrategyError
from ecnomy.agents.spec import MarketSpec
from ecnomy.agents.strategies.declared_utility import declared_utility
from ecnomy.markets.support.additions import added

__all__ = ["Measure", "added_measures", "find_measure", "measured", "measures_of"]

Figure = float | Sequence[float] | None
Measure = Callable[[Path], Mapping[str, Figure]]
EXPECTED: Final = "module:function"


def added_measures(*names: str) -> tuple[str, ...]:
    """Return the measures that installed packages add under these names (by default, all)."""
    return tuple(measure for name in names or ("welfare", "guarantees") if (measure := added(name)))


def measures_of(measure: str, market: MarketSpec | None) -> tuple[str, ...]:
    """Return the measures of a run: the sweep's own measure, and added measures that apply."""
    agents = market.agents if market else ()
    try:
        declares = any(declared_utility(agent.strategy) is not None for agent in agents)
    except StrategyError:
        declares = False  # the run fails when its market is made, and reports the reason
    sells = any(agent.lines or agent.elastic for agent in agents)
    own = (measure,) if measure else ()
    fitting = [name for name, fits in (("welfare", declares), ("guarantees", sells)) if fits]
    return (*own, *(added_measures(*fitting) if fitting else ()))


def find_measure(name: str) -> Measure:
    """Return the function that `module:function` names.

    Raises:
        InputError: the function does not exist or cannot be called, or importing its module fails.
    """
    module, _, attribute = name.partition(":")
    try:
        measure = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a user's module may raise anything
        raise InputError(f"measure {name!r}: {type(error).__name__}: {error}") from error
    if not callable(measure):
        raise InputError(f"measure {name!r} is not a function, expected {EXPECTED}")
    return cast(Measure, measure)


def measured(
    name: str, results: Path, taken: Mapping[str, object]
) -> dict[str, int | float | None]:
    """Return the values of a measure for a run, by column.

    Args:
        name: name of the function, as module:function.
        results: the folder of the run.
        taken: names of existing columns.

    Raises:
        InputError: as for find_measure.
        ResultsError: the function failed, returned something other than numbers, or used the name
            of an existing column.
    """
    measure = find_measure(name)
    try:
        figures = measure(results)
    except ResultsError:  # the message of the error names the file
        raise
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{at.filename}:{at.lineno}"
        raise ResultsError(
            f"measure {name!r} failed: {type(error).__name__}: {error} ({where})"
        ) from error
    if not isinstance(figures, Mapping):
        raise ResultsError(
            f"measure {name!r}: found {type(figures).__name__}, expected names with numbers"
        )
    columns: dict[str, int | float | None] = {}
    for key, figure in figures.items():
        columns |= _columns(name, str(key), figure)
    if clash := sorted(set(columns) & set(taken)):
        raise ResultsError(
            f"measure {name!r}: column {clash[0]!r} already exists; choose another name"
        )
    return columns


def _columns(name: str, key: str, figure: Figure) -> dict[str, int | float | None]:
    if figure is None:
        return {key: None}
    if isinstance(figure, numbers.Integral) and not isinstance(figure, bool):
        return {key: int(figure)}
    try:
        values = [float(figure)]  # type: ignore[arg-type]
        keys = [key]
    except (TypeError, ValueError):
        try:
            values = [float(value) for value in cast(Sequence[float], figure)]
        except (TypeError, ValueError):
            raise ResultsError(f"measure {name!r}: {key!r} is not a number") from None
        keys = [f"{key}[{index}]" for index in range(len(values))]
    return {
        column: value if math.isfinite(value) else None
        for column, value in zip(keys, values, strict=True)
    }
