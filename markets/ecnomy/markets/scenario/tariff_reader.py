# SPDX-License-Identifier: Apache-2.0
"""The YAML under `tariff:` of a contract.

    tariff: {kind: two-part, fee: 1 money/h, price: 0.1 money/MB}
    tariff: {kind: my_lab.tariffs:Mine, price: 2 money/MB}

terms/tariffs.py describes each kind, with its fields and their readers. This module adds menus,
custom tariffs, and the check that a tariff fits its meter.
"""

from __future__ import annotations

import importlib.metadata
import typing
from typing import Any, Protocol

import msgspec

from ecnomy.agents.errors import EcnomyError, ScenarioError
from ecnomy.markets.inputs import reading
from ecnomy.markets.inputs.amounts import Word
from ecnomy.markets.inputs.error_variants import add_variant
from ecnomy.markets.inputs.reading import Misfit, known_name
from ecnomy.markets.inputs.units import money_per
from ecnomy.markets.inputs.yamlfile import Node, child_path, show
from ecnomy.markets.scenario.parameters import read_params, write_params
from ecnomy.markets.terms.tariffs import (
    KINDS,
    Blocks,
    Flat,
    Menu,
    Own,
    Posted,
    Simple,
    Tariff,
    TimeOfDay,
)
from ecnomy.markets.terms.unit_price import EXAMPLES, Price

__all__ = ["MeteredQuantity", "TariffReader", "check_fits"]


class MeteredQuantity(Protocol):
    """A metered quantity, with a name and a unit from unit_price.METER_UNITS."""

    @property
    def name(self) -> str:
        """Return the name of the meter, as shown to users."""

    @property
    def unit(self) -> str:
        """Return the unit: ps, byte, packet, mark, call or transfer."""


class TariffReader(msgspec.Struct, frozen=True):
    """Reads and writes a Tariff, which may be a menu if `menus` is true."""

    menus: bool = True

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "a tariff such as {kind: per-unit, price: 2 money/GB}"

    @property
    def forms(self) -> tuple[type[msgspec.Struct], ...]:
        """Return the structs of the tariffs that are valid at this place."""
        return tuple(KINDS[kind] for kind in self._kinds())

    def read(self, node: Node, path: str) -> Tariff:
        """See Reader."""
        if not isinstance(node.value, dict):
            raise node.place.error(path, show(node), self.expected)
        kind, here = node.value.get("kind"), child_path(path, "kind")
        if kind is None or kind.value is None:
            raise node.place.error(here, "no 'kind'", f"one of {', '.join(self._kinds())}")
        name = kind.value
        if isinstance(name, str) and name in self._kinds():
            if name == "menu":
                return self._read_menu(node, path)
            return typing.cast(Tariff, reading.read(node, KINDS[name], path, {}))
        if isinstance(name, str) and (":" in name or name in _entry_points()):
            return self._own(node, kind, name, path)
        wanted = f"{known_name(kind.text, self._kinds())}, or a custom class as module:Class"
        raise kind.place.error(here, show(kind), wanted)

    def write(self, value: Tariff) -> dict[str, Any]:
        """See Reader."""
        if isinstance(value, Own):
            from ecnomy.markets.terms.own_tariff import find

            return {"kind": value.path, **write_params(value.params, find(value.path))}
        if isinstance(value, Menu):
            choices = {name: self.write(choice) for name, choice in value.choices.items()}
            return {"kind": "menu", "choices": choices}
        written: dict[str, Any] = reading.write(value)
        return written

    def _kinds(self) -> list[str]:
        return [kind for kind in KINDS if self.menus or kind != "menu"]

    def _read_menu(self, node: Node, path: str) -> Menu:
        try:
            return self._menu(node, path)
        except ScenarioError as error:
            add_variant(error, "kind", "menu")
            raise

    @staticmethod
    def _menu(node: Node, path: str) -> Menu:
        for key in node.mapping():
            if key not in ("kind", "choices"):
                place = node.keys.get(key, node.place)
                found = f"the unknown key {key[:60]!r}"
                raise place.error(child_path(path, key), found, known_name(key, ["choices"]))
        here, given = child_path(path, "choices"), node.mapping().get("choices")
        if given is None or not given.mapping():
            place, found = (given.place, show(given)) if given else (node.place, "no 'choices'")
            raise place.error(
                here, found, "a mapping of names to tariffs, such as {light: {kind: posted}}"
            )
        choices: dict[str, Simple] = {}
        for name, choice in given.mapping().items():
            at = child_path(here, name)
            Word().read(Node(name, given.keys.get(name, given.place), name), at)
            tariff = TariffReader(menus=False).read(choice, at)
            assert not isinstance(tariff, Menu)
            choices[name] = tariff
        return Menu(choices=choices)

    @staticmethod
    def _own(node: Node, kind: Node, name: str, path: str) -> Own:
        from ecnomy.markets.terms.own_tariff import find, make

        try:
            cls = find(name)
        except EcnomyError as error:
            reason = " ".join(str(error).split())
            here = child_path(path, "kind")
            raise kind.place.error(here, show(kind), f"a tariff ({reason})") from None
        return Own(path=name, params=read_params(node, path, cls, make))


def _entry_points() -> set[str]:
    from ecnomy.markets.terms.own_tariff import GROUP

    return {entry.name for entry in importlib.metadata.entry_points(group=GROUP)}


def check_fits(tariff: Tariff, meter: MeteredQuantity, key: str = "tariff") -> None:
    """Check that a tariff's prices are per unit of the meter. A flat rate fits any meter.

    Args:
        tariff: the tariff.
        meter: the meter of the contract.
        key: YAML key or dotted path of the tariff in the struct that holds both.

    Raises:
        Misfit: the prices are for another unit.
    """
    if isinstance(tariff, Menu):
        for name, choice in tariff.choices.items():
            check_fits(choice, meter, f"{key}.choices.{name}")
    elif isinstance(tariff, Own):
        _check_own(tariff, meter, key)
    elif isinstance(tariff, Posted):
        if tariff.unit != meter.unit:
            how = (
                "per: mark"
                if meter.unit == "mark"
                else "another kind, because only marks have a posted price"
            )
            found = f"a posted price in {money_per(tariff.per)}"
            raise Misfit(f"{key}.per", found, f"a tariff for {meter.name}: {how}")
    elif not isinstance(tariff, Flat):
        at, price = _a_price(tariff)
        if price.unit != meter.unit:
            raise Misfit(f"{key}.{at}", f"a price of {price}", _wanted(meter))


def _a_price(tariff: Any) -> tuple[str, Price]:
    """Return the key of one of the tariff's prices, and the price; all have the same unit."""
    if isinstance(tariff, TimeOfDay):
        return "periods[0].price", tariff.periods[0].price
    if isinstance(tariff, Blocks):
        return "blocks[0].price", tariff.blocks[0].price
    return "price", tariff.price


def _check_own(tariff: Own, meter: MeteredQuantity, key: str) -> None:
    from ecnomy.markets.terms.own_tariff import find

    unit = getattr(find(tariff.path), "unit", None)
    if unit not in (None, meter.unit):
        found = f"{tariff.path!r}, a tariff for a meter of {unit}"
        raise Misfit(f"{key}.kind", found, f"a tariff for {meter.name}, measured in {meter.unit}")


def _wanted(meter: MeteredQuantity) -> str:
    return f"a price for {meter.name}, such as {EXAMPLES[meter.unit]}"
