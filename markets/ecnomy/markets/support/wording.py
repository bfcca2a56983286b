# SPDX-License-Identifier: Apache-2.0
"""Phrases that several messages share."""

from __future__ import annotations

__all__ = ["counted", "exclusive"]


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 run` or `3 runs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def exclusive(one: str, other: str) -> str:
    """Return the fault of two options or arguments that cannot be combined."""
    return f"{one} and {other} exclude each other: use only one"
