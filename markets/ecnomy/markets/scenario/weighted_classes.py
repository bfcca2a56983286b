# SPDX-License-Identifier: Apache-2.0
"""The YAML under `scheduler:` of a link whose classes have shares of its rate.

The defaults repeat those in the laws' headers (see ecnomy.markets.plan.law_table), and a test
compares them.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Name, Size, SizeReader
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.scenario.guaranteed_classes import check_classes, class_index, class_names
from ecnomy.markets.scenario.law_numbers import number_of
from ecnomy.markets.scenario.marking import DROP_TAIL, PlainMarking

__all__ = ["DeficitRoundRobin", "WeightedClass"]

_ROUNDING = 1e-9  # the sum of decimal shares may exceed 1 by rounding

_Quantum = Annotated[
    int, Amount(what="a size", example="1500 bytes", units=("byte",), least=64, most=10**9)
]


class WeightedClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class with its share of the link, its buffer and its marking.

    Attributes:
        name: name of the class for sources; by default its number, counted from 1.
        marking: marking law of the class, which observes that class alone.
    """

    name: Name | None = None
    share: Annotated[float, number_of("service", "weighted-class", "share")]
    buffer: Annotated[Size | None, SizeReader(least=1)] = None  # None: only the buffer of the link
    marking: PlainMarking = DROP_TAIL


class DeficitRoundRobin(
    msgspec.Struct, frozen=True, kw_only=True, tag="deficit-round-robin", tag_field="kind"
):
    """Classes take turns in proportion to their shares, and borrow the capacity of idle classes.

    Note:
        A class's `marking` (drop-tail, fixed, red or self-configuring-red) observes that class
        alone, as if its share were a link. With `above_max: drop, mark_p: 0`, red drops instead of
        marking. A packet that finds no room in its class or in the link's buffer is dropped.
        `quantum` is the quantum of the class with the smallest share; other quanta are proportional
        to the shares. configs/examples/two-classes.yaml reproduces Table 1 of andreassen2002.

    Attributes:
        classes: classes with their shares of the link, which sum to at most 1.
    """

    classes: tuple[WeightedClass, ...]
    quantum: _Quantum = 1500

    def __post_init__(self) -> None:
        check_classes(self.names())
        total = sum(entry.share for entry in self.classes)
        if total > 1 + _ROUNDING:
            raise Misfit("classes", f"shares of {total:g} in total", "at most 1")

    def names(self) -> list[str]:
        """Return the names of the classes; the name of an unnamed class is its number."""
        return class_names(self.classes)

    def index(self, name: str | None) -> int | None:
        """Return a class's index by name or number (None: the last class), or None if not found."""
        return class_index(self.names(), name)
