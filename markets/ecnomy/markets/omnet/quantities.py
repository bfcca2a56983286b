# SPDX-License-Identifier: Apache-2.0
"""Write the numbers of a plan as NED quantities that OMNeT++ converts back exactly.

OMNeT++ stores a quantity as a double in the parameter's unit, and converts units by the factors in
common/unitconversion.cc: t ps become t * 1e-12 s, and t s become t / 1e-12 ps. A time is written in
the largest unit in which it is an integer that this conversion restores, or else in seconds.
"""

from __future__ import annotations

import math
from typing import Final

from ecnomy.agents.errors import InputError

__all__ = ["bits_per_second", "flag", "number", "time"]

_TIMES: Final = (("s", 10**12, 1.0), ("ms", 10**9, 1e-3), ("us", 10**6, 1e-6), ("ns", 1000, 1e-9))
_PS: Final = 1e-12
_RATES: Final = (("Gbps", 10**9), ("Mbps", 10**6), ("kbps", 1000), ("bps", 1))
_EXACT: Final = 2**53  # integers up to this one are exact doubles


def time(ps: int) -> str:
    """Return a time, given in picoseconds, as a NED quantity, or -1s (unlimited) if it is negative.

    Raises:
        InputError: a double in seconds cannot represent this time. Times up to 1,500 s and whole
            seconds are exact, but some other times beyond an hour are not.
    """
    if ps < 0:
        return "-1s"
    for unit, size, factor in _TIMES:
        if ps % size == 0 and _survives(ps, factor * (ps // size)):
            return f"{ps // size}{unit}"
    if ps <= _EXACT and _survives(ps, _PS * ps):
        return f"{ps}ps"
    if _survives(ps, ps / 1e12):
        return f"{ps / 1e12!r}s"
    raise InputError(f"a time of {ps} ps is too large for OMNeT++; round it to whole seconds")


def _survives(ps: int, seconds: float) -> bool:
    """Return whether OMNeT++ restores the time from seconds, both in ps and as simulated time."""
    return round(seconds / _PS) == ps and math.floor(seconds * 1e12 + 0.5) == ps


def bits_per_second(rate: int) -> str:
    """Return a rate, given in bit/s, as a NED quantity.

    Raises:
        InputError: the rate is too large for OMNeT++.
    """
    for unit, size in _RATES:
        if rate % size == 0 and rate <= _EXACT:
            return f"{rate // size}{unit}"
    raise InputError(f"a rate of {rate} bit/s is too large for OMNeT++")


def number(value: float) -> str:
    """Return the shortest text that represents a double exactly."""
    whole = value == int(value) and abs(value) < 1e15
    return str(int(value)) if whole else repr(float(value))


def flag(value: object) -> str:
    """Return a bool as `true` or `false`."""
    return "true" if value else "false"
