# SPDX-License-Identifier: Apache-2.0
"""Scale observations and actions to shares of a range, linearly or logarithmically.

    share = (value - least) / (most - least)                       scale: linear
    share = log(value / least) / log(most / least)                 scale: log

Shares are from 0 to 1. A value outside the range counts as the nearest end of the range.
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec

from ecnomy.markets.inputs import units
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, child_path, show

__all__ = ["CONTINUOUS", "QuantityRange", "Ranges"]

CONTINUOUS: Final = 0
_SCALES: Final = ("linear", "log")
_MOST_LEVELS: Final = 10_000


class QuantityRange(msgspec.Struct, frozen=True):
    """The range of a quantity, in the quantity's unit.

    Attributes:
        least, most: lower and upper end of the range.
        log: whether shares are logarithmic.
        levels: number of evenly spaced shares of an action; CONTINUOUS allows all shares.
    """

    least: float
    most: float
    log: bool = False
    levels: int = CONTINUOUS

    def share(self, value: float) -> float:
        """Convert a value to a share from 0 to 1."""
        held = min(max(value, self.least), self.most)
        if self.log:
            return math.log(held / self.least) / math.log(self.most / self.least)
        return (held - self.least) / (self.most - self.least)

    def value(self, share: float) -> float:
        """Convert a share to a value."""
        if self.log:
            value = self.least * math.pow(self.most / self.least, share)
        else:
            value = self.least + share * (self.most - self.least)
        return min(max(value, self.least), self.most)


class Ranges(msgspec.Struct, frozen=True):
    """Reads `name: {least: ..., most: ..., scale: log}`.

    Attributes:
        catalogue: unit of each quantity, by name.
        of_role: names of each role's quantities.
        acted: whether the quantities are actions, which may have levels.
    """

    catalogue: dict[str, str]
    of_role: dict[str, tuple[str, ...]]
    acted: bool = False

    @property
    def note(self) -> str:
        """Return text for the reference: the names of each role's quantities, with units."""
        return " ".join(
            f"A {role} has {', '.join(self._with_unit(name) for name in names)}."
            for role, names in self.of_role.items()
        )

    @property
    def expected(self) -> str:
        """See Reader."""
        name, unit = next((name, unit) for name, unit in self.catalogue.items() if unit)
        return f"ranges such as {name}: {{least: 0.1 {unit}, most: 10 {unit}}}"

    def _with_unit(self, name: str) -> str:
        return f"{name} [{self.catalogue[name] or 1}]"

    def read(self, node: Node, path: str) -> dict[str, QuantityRange]:
        """See Reader."""
        if not node.mapping():
            raise node.place.error(path, show(node), self.expected)
        ranges = {}
        for name, child in node.mapping().items():
            here = child_path(path, name)
            if name not in self.catalogue:
                place = node.keys.get(name, node.place)
                wanted = known_name(name, self.catalogue)
                raise place.error(here, f"the unknown name {name[:60]!r}", wanted)
            ranges[name] = self._range(child, here, self.catalogue[name])
        return ranges

    def write(self, value: dict[str, QuantityRange]) -> dict[str, Any]:
        """See Reader."""
        return {name: self._written(of, self.catalogue[name]) for name, of in value.items()}

    def _range(self, node: Node, path: str, unit: str) -> QuantityRange:
        given = node.mapping()
        known = ("least", "most", "scale", *(("levels",) if self.acted else ()))
        for key in given:
            if key not in known:
                place = node.keys.get(key, node.place)
                here, found = child_path(path, key), f"the unknown key {key[:60]!r}"
                raise place.error(here, found, known_name(key, known))
        least, most = (_end(node, key, path, unit) for key in ("least", "most"))
        log = self._log(given.get("scale"), path)
        if not least < most:
            here, shown = child_path(path, "most"), show(given["most"])
            raise given["most"].place.error(here, shown, f"more than {least:g} {unit}".strip())
        if log and least <= 0:
            here, shown = child_path(path, "least"), show(given["least"])
            raise given["least"].place.error(here, shown, "a value above 0 on a log scale")
        return QuantityRange(least, most, log, self._levels(given.get("levels"), path))

    def _log(self, node: Node | None, path: str) -> bool:
        if node is None:
            return False
        if node.value not in _SCALES:
            here = child_path(path, "scale")
            raise node.place.error(here, show(node), f"one of {', '.join(_SCALES)}")
        return node.value == "log"

    def _levels(self, node: Node | None, path: str) -> int:
        if node is None:
            return CONTINUOUS
        if type(node.value) is not int or not 2 <= node.value <= _MOST_LEVELS:
            wanted = f"a whole number from 2 to {_MOST_LEVELS}"
            raise node.place.error(child_path(path, "levels"), show(node), wanted)
        return node.value

    def _written(self, of: QuantityRange, unit: str) -> dict[str, Any]:
        written: dict[str, Any] = {"scale": _SCALES[of.log]}
        for key, value in (("least", of.least), ("most", of.most)):
            written[key] = f"{value!r} {unit}" if unit else value
        return written | ({"levels": of.levels} if of.levels else {})


def _end(node: Node, key: str, path: str, unit: str) -> float:
    """Read one end of a range, in the unit of the quantity."""
    child, here = node.mapping().get(key), child_path(path, key)
    wanted = f"a quantity in {unit}" if unit else "a number"
    if child is None:
        raise node.place.error(here, f"no {key!r}", wanted)
    try:
        if unit:
            value = units.quantity(child.value, unit) if isinstance(child.value, str) else None
        else:
            value = units.number(child.text) if type(child.value) in (int, float) else None
    except units.UnitError as error:
        raise child.place.error(here, f"{show(child)} ({error})", wanted) from None
    if value is None or not abs(value) <= 10**30:
        raise child.place.error(here, show(child), wanted)
    return float(value)
