# SPDX-License-Identifier: Apache-2.0
"""Readers of a law's parameters, with the ranges that the law states."""

from __future__ import annotations

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs.amounts import Amount, Number
from ecnomy.markets.plan.law_table import param

__all__ = ["number_of", "time_of"]


def number_of(kind: str, law: str, name: str, *, auto: bool = False) -> Number:
    """Return the reader of a dimensionless parameter, with the range that the law states."""
    entry = param(kind, law, name)
    whole = entry.unit == "whole"
    what = "a whole number" if whole else "a number"
    if entry.unit not in ("", "whole"):
        what += f" in {entry.unit}"
    return Number(what=what, least=entry.min, most=entry.max, whole=whole, auto=auto)


def time_of(kind: str, law: str, name: str, example: str) -> Amount:
    """Return the reader of a law's time parameter, with the range that the law states."""
    entry = param(kind, law, name)
    least, most = (round(s * PS_PER_S) for s in (entry.min, entry.max))
    return Amount(what="a time", example=example, units=("ps",), least=least, most=most)
