# SPDX-License-Identifier: Apache-2.0
"""The YAML under `marking:`, derived from the table of laws (ecnomy.markets.plan.law_table).

Two rules apply in addition to those of law_forms.py:

- Sizes that a law counts in its `unit`, packets or bytes, are written with that unit. All sizes of
  a law have the same unit, and there is no key `unit`.
- A law that copies its link's buffer (trait `link_buffer`) has a key `buffer`, in packets or bytes.
The default is the link's buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final, Union

import msgspec

from ecnomy.markets.inputs.amounts import AUTO_NUMBER, Size, SizeReader
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.plan.law_table import LawEntry, Param, law_table
from ecnomy.markets.scenario.law_forms import (
    Field,
    check_order,
    default_of,
    in_table,
    kind_of,
    law_struct,
)
from ecnomy.markets.scenario.law_numbers import number_of

__all__ = ["DROP_TAIL", "Marking", "MarkingForm", "PlainMarking", "marking_form"]

_PC1_SHARE: Final = 0.85  # share of the capacity, athuraliya2000 section IV-A


class MarkingForm(msgspec.Struct, frozen=True, kw_only=True):
    """A marking law as written in YAML, with its keys as fields."""

    @property
    def law(self) -> str:
        """Return the name of the law."""
        return str(self.__struct_config__.tag)

    def __post_init__(self) -> None:
        sizes = self._sizes()
        for key, size in sizes.items():
            first, unit = next((k, s.unit) for k, s in sizes.items())
            if size.value >= 0 and size.unit != unit:
                raise Misfit(key, f"{size.value} {size.unit}", f"{unit}, like {first}")
        entry = _entry(self.law)
        for pair in entry.at_least:
            check_order(self, *(entry.named(name) for name in pair))

    def written(self, key: str) -> Any:
        """Return the value of a key."""
        return getattr(self, key)

    def values(self, link_buffer: Size) -> dict[str, float | str]:
        """Return the parameters of the law by their names in the table of laws.

        Args:
            link_buffer: buffer of the link, which the law may copy.
        """
        parameters = _entry(self.law).parameters
        return {parameter.name: self._value(parameter, link_buffer) for parameter in parameters}

    def _value(self, parameter: Param, link_buffer: Size) -> float | str:
        sizes = self._sizes()
        if sizes and parameter.name == "unit":
            return next(iter(sizes.values())).unit
        value: Any = self.written(parameter.key)
        if parameter.name == "buffer_packets" and _entry(self.law).traits["link_buffer"]:
            own = value or link_buffer
            mean: float = self.written("mean_packet")
            return own.value / mean if own.unit == "bytes" else own.value
        if isinstance(value, Size):
            return value.value
        return in_table(parameter, value)  # type: ignore[no-any-return]

    def _sizes(self) -> dict[str, Size]:
        names = [p.key for p in _entry(self.law).parameters if p.unit == "unit"]
        return {name: self.written(name) for name in names}


class _RemForm(MarkingForm, frozen=True, kw_only=True):
    """The marking law REM; `capacity_share` is by default 0.85 with pc1 and 1 otherwise.

    make_plan replaces AUTO_NUMBER in phi, gamma and alpha by computed values (see
    ecnomy.markets.compile.rem_steps). Until then, the law's default applies.
    """

    def _value(self, parameter: Param, link_buffer: Size) -> float | str:
        value = MarkingForm._value(self, parameter, link_buffer)
        if value is None:
            return _PC1_SHARE if self.written("price") == "pc1" else 1.0
        if value == AUTO_NUMBER and parameter.default is not None:
            return parameter.default
        return value


_BASES: Final[dict[str, type[MarkingForm]]] = {"rem": _RemForm}
_COMPUTED: Final = {("rem", "capacity_share")}  # computed unless it is written


def _entry(law: str) -> LawEntry:
    return law_table()["marking"][law]


def _fields(law: str) -> Iterator[Field]:
    entry = _entry(law)
    sized = any(p.unit == "unit" for p in entry.parameters)
    for parameter in entry.parameters:
        key = parameter.key
        if sized and parameter.name == "unit":
            continue
        if parameter.name == "buffer_packets" and entry.traits["link_buffer"]:
            yield key, Annotated[Size | None, SizeReader(least=1)], None
        elif (law, key) in _COMPUTED:
            yield key, Annotated[float | None, number_of("marking", law, key)], None
        else:
            kind, default = kind_of("marking", law, parameter), default_of(parameter)
            yield (key, kind) if default is None else (key, kind, default)


def _made(law: str) -> type[MarkingForm]:
    base = _BASES.get(law, MarkingForm)
    return law_struct(law, _entry(law).about, _fields(law), base=base, tag_field="law")  # type: ignore[no-any-return]


_FORMS: Final = {law: _made(law) for law in law_table()["marking"]}
globals().update({form.__name__: form for form in _FORMS.values()})  # pickle looks for them here
_ARRIVALS_ONLY: Final = [  # laws that need only the queue that arrivals find
    form for law, form in _FORMS.items() if _entry(law).traits["arrivals_only"]
]


def marking_form(law: str) -> type[MarkingForm]:
    """Return the YAML struct of a law, or raise KeyError if the law does not exist."""
    return _FORMS[law]


if TYPE_CHECKING:
    Marking = MarkingForm
    PlainMarking = MarkingForm  # also used for a class of a link
else:
    Marking = Union[tuple(_FORMS.values())]  # noqa: UP007
    PlainMarking = Union[tuple(_ARRIVALS_ONLY)]  # noqa: UP007
DROP_TAIL: Final = marking_form("drop-tail")()
