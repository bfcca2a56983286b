# SPDX-License-Identifier: Apache-2.0
"""Phrases that several messages share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["OPENS_ENVIRONMENT", "counted", "exclusive", "few", "other_format"]

OPENS_ENVIRONMENT: Final = "to open an environment, use market_env(FILE) in Python"
_MOST_NAMED = 6


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 run` or `3 runs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def few(names: Sequence[str], noun: str = "") -> str:
    """Return the first six names and the number of others: `a, b, c, d, e, f and 3 more links`.

    Args:
        names: the names, in order.
        noun: plural noun after the number; "" for text such as `and 3 more`.
    """
    rest = len(names) - _MOST_NAMED
    more = f" and {rest} more {noun}".rstrip() if rest > 0 else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def exclusive(one: str, other: str) -> str:
    """Return the error message for two options or arguments that cannot be combined."""
    return f"{one} and {other} exclude each other: use only one"


def other_format(file: Path, what: str, version: object, known: int) -> str:
    """Return the error message for a file in a format that this version of ecnomy cannot read."""
    return f"{file}: found {what} {version}, but this version of ecnomy reads {what} {known}"
