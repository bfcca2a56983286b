# SPDX-License-Identifier: Apache-2.0
"""Make the laws of a plan, with a number for each parameter in the table of laws."""

from __future__ import annotations

from collections.abc import Mapping

from ecnomy.markets.plan import Law
from ecnomy.markets.plan.law_table import law_table

__all__ = ["law"]


def law(kind: str, name: str, values: Mapping[str, float | str]) -> Law:
    """Return a law for a plan, with choices as indices and with defaults for missing values.

    Raises:
        ValueError: a parameter lacks a value or is out of range, or the law does not have it.
    """
    of = law_table()[kind][name]
    if extra := values.keys() - {entry.name for entry in of.parameters}:
        raise ValueError(f"{name}: no parameter {', '.join(sorted(extra))}")
    params = {}
    for entry in of.parameters:
        value = values.get(entry.name, of.default(entry, values))
        if isinstance(value, str):
            value = entry.choices.index(value)
        if value is None or not entry.min <= value <= entry.max:
            wanted = f"{entry.min:g} to {entry.max:g}"
            raise ValueError(f"{name}: {entry.name} is {value}, expected {wanted}")
        params[entry.name] = float(value)
    return Law(law=name, params=params)
