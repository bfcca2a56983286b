# SPDX-License-Identifier: Apache-2.0
"""The criteria of an evaluation, from criteria.yaml."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

__all__ = ["FILE", "Condition", "Criteria", "Criterion", "CriterionColumn", "criteria"]

FILE = Path(__file__).parent / "criteria.yaml"


class CriterionColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column of the runs by which a criterion is judged.

    Attributes:
        column: a column of measures.py or of a sweep's table.
        of: name of the column in tables.
        better: `higher` or `lower`, whichever values are better.
        unit: unit in tables: "", %, ms, Mbps or packets.
        margin: share of a standard's value below which a difference does not count.
        least: size up to which a difference does not count, in the unit of the column.
        at_most: absolute bound, which replaces the comparison with the standards.
        only: the only condition in which the column is judged; "" for all conditions.
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
        """The factor from the unit of the column to `unit`."""
        return {"%": 100.0, "ms": 1e3, "Mbps": 1e-6}.get(self.unit, 1.0)


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A criterion of RFC 9743.

    Attributes:
        section: section of the RFC.
        asks: the question that the criterion asks.
        sources: sources of the scenario. The transport `candidate` stands for the law under
            evaluation or a standard in its place. The transport `other` stands for a competing
            standard.
        others: the competing standards, each of which replaces `other` in separate runs.
        set: changes to the scenario that all conditions share.
        conditions: name of a condition -> its changes to the scenario.
    """

    name: str
    section: str
    title: str
    asks: str
    sources: tuple[dict[str, Any], ...]
    conditions: dict[str, dict[str, Any]]
    figures: tuple[CriterionColumn, ...]
    others: tuple[str, ...] = ("",)
    set: dict[str, Any] = {}

    def cases(self) -> list[Condition]:
        """Return all conditions, each with every competing standard."""
        several = len(self.others) > 1
        return [
            Condition(self, f"{label}, beside {other}" if several else label, label, other)
            for label in self.conditions
            for other in self.others
        ]


class Condition(msgspec.Struct, frozen=True):
    """A condition of a criterion.

    Attributes:
        label: name of the condition, with the competing standard if there are several.
        own: key of the condition in the criterion's `conditions`.
        other: the competing standard; "" without one.
    """

    criterion: Criterion
    label: str
    own: str
    other: str

    @property
    def changes(self) -> dict[str, Any]:
        """The changes to the scenario in this condition, except `sources`."""
        return self.criterion.set | self.criterion.conditions[self.own]

    @property
    def figures(self) -> tuple[CriterionColumn, ...]:
        """The outcomes by which the condition is judged."""
        return tuple(f for f in self.criterion.figures if f.only in ("", self.own))


class Criteria(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of criteria.yaml.

    Attributes:
        standards: transports that replace the candidate, by name.
        scenario: the scenario that the conditions change.
        absent: section of the RFC that is not tested -> its requirement.
    """

    standards: dict[str, dict[str, Any]]
    scenario: dict[str, Any]
    criteria: tuple[Criterion, ...]
    absent: Mapping[str, str]


@functools.cache
def criteria() -> Criteria:
    """Return the content of criteria.yaml."""
    return msgspec.convert(yaml.safe_load(FILE.read_text()), Criteria)
