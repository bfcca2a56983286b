# SPDX-License-Identifier: Apache-2.0
"""The YAML under `scheduler:` of a link whose classes have guarantees.

The defaults repeat those in the laws' headers (see ecnomy.markets.plan.law_table), and a test
compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Protocol

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Choice, Name, Number, Size, SizeReader, Word
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.scenario.law_numbers import number_of, time_of

__all__ = [
    "ClassBased",
    "ClassName",
    "ServiceClass",
    "check_classes",
    "class_fault",
    "class_index",
    "class_names",
]

_MOST_CLASSES: Final = 64

_Time = Annotated[int, time_of("scheduling", "class-based", "interval_s", "10 ms")]
_Rate = Annotated[
    int, Amount(what="a rate", example="5 Mbps", units=("bit/s",), least=1, most=10**15)
]
_Loss = Annotated[float, Number(what="a share", least=0, most=1)]
_Ratio = Annotated[float, Number(what="a ratio", least=1e-6, most=1e6)]
_MeanPacket = Annotated[
    int, Amount(what="a size", example="1000 bytes", units=("byte",), least=1, most=10**9)
]
_Least = Annotated[int, Amount(what="a size", example="25 kB", units=("byte",), most=10**15)]


class ClassReader(msgspec.Struct, frozen=True):
    """Reads a class by its name, or by its number on a link, counted from 1."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "the name or the number of a class, counted from 1"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}

    def read(self, node: Node, path: str) -> str:
        """See Reader."""
        text = str(node.value)
        if type(node.value) in (int, str) and text.isascii() and text.isdigit() and text[0] != "0":
            return text
        if type(node.value) is not str:
            raise node.place.error(path, show(node), self.expected)
        return Word().read(node, path)

    def write(self, value: Any) -> Any:
        """See Reader."""
        return value


ClassName = Annotated[str, ClassReader()]


class _Named(Protocol):
    @property
    def name(self) -> str | None: ...


def class_names(classes: Sequence[_Named]) -> list[str]:
    """Return the names of the classes; the name of an unnamed class is its number."""
    return [entry.name or str(number) for number, entry in enumerate(classes, 1)]


def class_index(names: list[str], name: str | None) -> int | None:
    """Return a class's index by name or number (None: the last class), or None if not found."""
    if name is None:
        return len(names) - 1
    if name.isdigit():
        return int(name) - 1 if int(name) <= len(names) else None
    return names.index(name) if name in names else None


def check_classes(names: list[str]) -> None:
    """Raise Misfit for an empty list, too many classes or a duplicate name."""
    if not 1 <= len(names) <= _MOST_CLASSES:
        raise Misfit("classes", f"{len(names)} classes", f"1 to {_MOST_CLASSES}")
    for index, name in enumerate(names):
        if name in names[:index]:
            raise Misfit(f"classes[{index}].name", f"the name {name!r} twice", "a unique name")


class ServiceClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class with its guarantees; None stands for no guarantee.

    Attributes:
        name: name of the class for sources; by default its number, counted from 1.
    """

    name: Name | None = None
    delay: _Time | None = None
    loss: _Loss | None = None
    rate: _Rate | None = None
    delay_ratio: _Ratio | None = None
    loss_ratio: _Ratio | None = None


class ClassBased(msgspec.Struct, frozen=True, kw_only=True, tag="class-based", tag_field="kind"):
    """A scheduler with absolute and proportional guarantees per class, optionally using ECN.

    Note:
        `update` and `gain` control the feedback that keeps delay ratios. The keys from
        `gap_divisor` on control the projection that `regulation` uses, as in the marking law
        flow-projection-heuristic. The sum of the rates of all classes must be below the rate of the
        link. Each source names its `class`, which its ACKs also use.
        configs/examples/service-classes.yaml reproduces Table 1 of christin2003.

    Attributes:
        classes: classes in order, each with its guarantees; ratios compare a class with the next.
    """

    classes: tuple[ServiceClass, ...]
    regulation: Annotated[str, Choice(("off", "ecn"))] = "off"
    update: _Time = 10**10
    gain: Annotated[float, number_of("scheduling", "class-based", "gain")] = 0.5
    buffer: Annotated[Size | None, SizeReader(least=1)] = None  # None: the buffer of the link
    mean_packet: _MeanPacket = 1000
    gap_divisor: Annotated[float, number_of("scheduling", "class-based", "gap_divisor")] = 10.0
    rtt_memory: Annotated[float, number_of("scheduling", "class-based", "rtt_memory")] = 0.9
    forget_rtts: Annotated[float, number_of("scheduling", "class-based", "forget_rtts")] = 4.0
    estimator: Annotated[str, Choice(("rounds", "screened"))] = "rounds"
    interval: _Time = 10**11
    least: _Least = 25_000
    filter: Annotated[str, Choice(("serial", "parallel"))] = "serial"
    stages: Annotated[int, number_of("scheduling", "class-based", "stages")] = 3
    buckets: Annotated[int, number_of("scheduling", "class-based", "buckets")] = 8

    def __post_init__(self) -> None:
        check_classes(self.names())
        for key in ("delay_ratio", "loss_ratio"):
            if getattr(self.classes[-1], key) is not None:
                where = f"classes[{len(self.classes) - 1}].{key}"
                raise Misfit(where, "a ratio to the class after the last", "none")

    def names(self) -> list[str]:
        """Return the names of the classes; the name of an unnamed class is its number."""
        return class_names(self.classes)

    def index(self, name: str | None) -> int | None:
        """Return a class's index by name or number (None: the last class), or None if not found."""
        return class_index(self.names(), name)


def class_fault(scheduler: ClassBased, rate_bps: int, buffer: Size) -> Misfit | None:
    """Return the fault of a scheduler on a link with this rate and buffer, or None."""
    rates = sum(entry.rate or 0 for entry in scheduler.classes)
    if rates >= rate_bps:
        found = f"rates of {rates:,} bit/s in total"
        return Misfit("scheduler.classes", found, f"less than the link's {rate_bps:,} bit/s")
    if scheduler.regulation == "ecn" and scheduler.buffer is None and buffer.value < 0:
        expected = "a buffer for the regulation, because the link's buffer is unlimited"
        return Misfit("scheduler.buffer", "no buffer", expected)
    return None
