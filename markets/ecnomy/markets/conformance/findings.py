# SPDX-License-Identifier: Apache-2.0
"""Findings about a strategy, each in one line."""

from __future__ import annotations

import re

import msgspec

__all__ = ["ANSWER", "CLOCK", "MUTATES", "RAISES", "RANDOM", "REFUSES", "SHARED", "Examined"]
__all__ += ["Finding", "Gathered"]

RAISES = "raises"
ANSWER = "answer"
MUTATES = "mutates"
RANDOM = "random"
SHARED = "shared"
CLOCK = "clock"
REFUSES = "refuses"


class Finding(msgspec.Struct, frozen=True):
    """Something a strategy did.

    Attributes:
        kind: `raises`, `answer` (one that its role cannot use), `mutates` (what it was told),
            `random` (the same seed, other answers), `shared` (state between two objects), `clock`,
            or `refuses` (every situation, by StrategyErrors of its own).
        role: as which it was asked.
        situations: where, in the order they were tried.
        what: in words, on one line.
    """

    kind: str
    role: str
    situations: tuple[str, ...]
    what: str

    def line(self) -> str:
        """For people."""
        first, *others = self.situations
        more = f" (and {len(others)} more)" if others else ""
        return f"{self.kind}: as {self.role}, {first}{more}: {self.what}"


class Examined(msgspec.Struct, frozen=True):
    """The result of an examination.

    Attributes:
        kind: name of the strategy.
        roles: it was asked as.
        situations: how many it was shown, all roles together.
        defects: what its author has to mend.
        refusals: situations that it refused by a StrategyError of its own, which ends a run with
            its message: no defect where the message says what the strategy needs.
        warnings: what Python or numpy warned of in its code.
    """

    kind: str
    roles: tuple[str, ...]
    situations: int
    defects: tuple[Finding, ...]
    refusals: tuple[Finding, ...]
    warnings: tuple[Finding, ...]


class Gathered:
    """Findings as they come; those that differ in nothing but numbers are one."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], tuple[str, list[str]]] = {}

    def add(self, kind: str, role: str, situation: str, what: str) -> None:
        """One more."""
        words = " ".join(what.split())
        key = kind, role, re.sub(r"(?<!:)[0-9][0-9.e+]*", "#", words)  # but for lines of files
        _, told = self._found.setdefault(key, (words, []))
        if situation not in told:
            told.append(situation)

    def all(self) -> tuple[Finding, ...]:
        """In the order they were first made."""
        return tuple(
            Finding(kind, role, tuple(where), what)
            for (kind, role, _), (what, where) in self._found.items()
        )
