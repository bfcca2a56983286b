# SPDX-License-Identifier: Apache-2.0
"""Profiles: the number of players of each strategy, as a tuple of counts."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Profile", "alone", "mixed"]

Profile: TypeAlias = tuple[int, ...]


def alone(number: int, players: int, entrants: int) -> Profile:
    """Return the profile in which all players use entrant `number`."""
    return mixed({number: players}, entrants)


def mixed(counts: dict[int, int], entrants: int) -> Profile:
    """Return the profile with the given counts, entrant -> number of players."""
    return tuple(counts.get(number, 0) for number in range(entrants))
