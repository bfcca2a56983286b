# SPDX-License-Identifier: Apache-2.0
"""Findings about an examined strategy."""

from __future__ import annotations

import re

import msgspec

__all__ = ["ANSWER", "CLOCK", "MUTATES", "RAISES", "RANDOM", "REFUSES", "SHARED", "Examined"]
__all__ += ["FindingCollector", "StrategyFinding"]

RAISES = "raises"
ANSWER = "answer"
MUTATES = "mutates"
RANDOM = "random"
SHARED = "shared"
CLOCK = "clock"
REFUSES = "refuses"


class StrategyFinding(msgspec.Struct, frozen=True):
    """A finding about a strategy.

    Attributes:
        kind: `raises` (raises an exception), `answer` (gives an answer that its role cannot use),
            `mutates` (changes its inputs), `random` (gives different answers with the same seed),
            `shared` (shares state between two objects), `clock` (reads a clock), or `refuses`
            (raises StrategyError).
        role: role in which the strategy was examined.
        situations: names of the situations with this finding, in order.
        what: description of the finding, on one line.
    """

    kind: str
    role: str
    situations: tuple[str, ...]
    what: str

    def line(self) -> str:
        """Return the finding as a line of text."""
        first, *others = self.situations
        more = f" (and {len(others)} more)" if others else ""
        return f"{self.kind}: as {self.role}, {first}{more}: {self.what}"


class Examined(msgspec.Struct, frozen=True):
    """The result of an examination.

    Attributes:
        kind: name of the strategy.
        roles: roles in which the strategy was examined.
        situations: total number of situations in all roles.
        defects: findings that the author must correct.
        refusals: situations that the strategy refused with StrategyError, which ends a run with a
            message. A refusal is not a defect if the message states what the strategy requires.
        warnings: warnings of Python or numpy in the strategy's code, and amounts so small in all
            situations that the strategy seems to return money instead of micro-units.
    """

    kind: str
    roles: tuple[str, ...]
    situations: int
    defects: tuple[StrategyFinding, ...]
    refusals: tuple[StrategyFinding, ...]
    warnings: tuple[StrategyFinding, ...]


class FindingCollector:
    """Collects findings, and counts findings that differ only in numbers as one."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], tuple[str, list[str]]] = {}

    def add(self, kind: str, role: str, situation: str, what: str) -> None:
        """Add a finding."""
        words = " ".join(what.split())
        key = kind, role, re.sub(r"(?<!:)[0-9][0-9.e+]*", "#", words)  # but not lines of files
        _, situations = self._found.setdefault(key, (words, []))
        if situation not in situations:
            situations.append(situation)

    def all(self) -> tuple[StrategyFinding, ...]:
        """Return the findings in the order in which they were first added."""
        return tuple(
            StrategyFinding(kind, role, tuple(where), what)
            for (kind, role, _), (what, where) in self._found.items()
        )
