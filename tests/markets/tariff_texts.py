# SPDX-License-Identifier: Apache-2.0
"""Tariffs in YAML, read alone or in a contract."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import msgspec

from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.scenario.tariff_reader import TariffReader, check_fits
from ecnomy.markets.terms.tariffs import Tariff

HOUR = 3600 * 10**12
READER = TariffReader()


class Meter(NamedTuple):
    """A meter as check_fits needs it."""

    name: str
    unit: str


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """A struct with a tariff and a meter, as in a scenario."""

    meter: str = "byte"
    tariff: Annotated[Tariff, TariffReader()]

    def __post_init__(self) -> None:
        check_fits(self.tariff, Meter("what-is-counted", self.meter))


def read(text: str) -> Tariff:
    """A tariff in YAML."""
    return READER.read(parse(text, "lab.yaml"), "tariff")
