# SPDX-License-Identifier: Apache-2.0
"""The criteria of an evaluation, from criteria.yaml."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

__all__ = ["FILE", "Condition", "Criteria", "Criterion", "Figure", "criteria"]

FILE = Path(__file__).parent / "criteria.yaml"


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column of the runs by which a criterion is judged.

    Attributes:
        column: the column, from measures.py or a sweep's table.
        of: name of the column in tables.
        better: higher or lower.
        unit: unit of its values in tables: "", %, ms, Mbps or packets.
        margin: a difference below this share of a standard's value does not count.
        least: a difference of at most this size does not count.
        at_most: absolute bound, instead of a comparison with the standards.
        only: the condition in which the column is judged; "" for all conditions.
    """

    column: str
    of: str
    better: str
    unit: str = ""
    margin: float = 0.0
    least: float = 0.0
    at_most: float | None = None
    only: str = ""

    @property
    def scale(self) -> float:
        """Return the factor from a column's value to `unit`."""
        return {"%": 100.0, "ms": 1e3, "Mbps": 1e-6}.get(self.unit, 1.0)


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A criterion of RFC 9743.

    Attributes:
        section: section of the RFC.
        asks: the question that its outcomes answer.
        sources: sources of the scenario. The transport `candidate` stands for the law under
            evaluation, or for a standard in its place. The transport `other` stands for a competing
            standard.
        others: the standards that take the place of `other`, one after another.
        set: changes to the scenario in all conditions.
        conditions: changes to the scenario by name of the condition.
    """

    name: str
    section: str
    title: str
    asks: str
    sources: tuple[dict[str, Any], ...]
    conditions: dict[str, dict[str, Any]]
    figures: tuple[Figure, ...]
    others: tuple[str, ...] = ("",)
    set: dict[str, Any] = {}

    def cases(self) -> list[Condition]:
        """Return each condition with each competing standard."""
        several = len(self.others) > 1
        return [
            Condition(self, f"{label}, beside {other}" if several else label, label, other)
            for label in self.conditions
            for other in self.others
        ]


class Condition(msgspec.Struct, frozen=True):
    """A condition of a criterion.

    Attributes:
        label: name of the condition, including the competing standard if there are several.
        own: key of the condition in the criterion's `conditions`.
        other: the standard in the place of `other`; "" if there is none.
    """

    criterion: Criterion
    label: str
    own: str
    other: str

    @property
    def changes(self) -> dict[str, Any]:
        """Return the condition's changes to the scenario, `sources` excluded."""
        return self.criterion.set | self.criterion.conditions[self.own]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Return the outcomes by which the condition is judged."""
        return tuple(f for f in self.criterion.figures if f.only in ("", self.own))


class Criteria(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file.

    Attributes:
        standards: transports that stand in for the candidate, by name.
        scenario: the scenario that conditions change.
        absent: section of the RFC without runs -> the question that the section asks.
    """

    standards: dict[str, dict[str, Any]]
    scenario: dict[str, Any]
    criteria: tuple[Criterion, ...]
    absent: Mapping[str, str]


@functools.cache
def criteria() -> Criteria:
    """Return the content of criteria.yaml."""
    return msgspec.convert(yaml.safe_load(FILE.read_text()), Criteria)
