# SPDX-License-Identifier: Apache-2.0
"""What users write under `traffic:`: what a source has to send, and when."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Choice, RateBps, number_of
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.yamlfile import Node
from ecnomy.markets.plan.truncated_pareto import mean as pareto_mean

__all__ = ["Cbr", "Greedy", "PacketRate", "Poisson", "RateCapped", "Traffic", "Web"]

_FOR_EVER = -1
_Until = Annotated[
    int, Amount(what="a time", example="60 s", units=("ps",), words=(("never", _FOR_EVER),))
]
_Gap = Annotated[int, Amount(what="a time", example="20 ms", units=("ps",), least=1000)]
_Reading = Annotated[int, Amount(what="a time", example="5 s", units=("ps",), least=1000)]
_FileSize = Annotated[
    float,
    Amount(what="a size", example="50 kB", units=("byte",), whole=False, least=1, most=10**12),
]


class PacketRate(msgspec.Struct, frozen=True):
    """Packets per second of a source, given as such or as bit/s (of IP packets)."""

    value: float
    unit: str  # "packets/s" or "bps"


class _PacketRateReader(msgspec.Struct, frozen=True):
    @property
    def expected(self) -> str:
        """The form."""
        return "a rate above 0 such as 200 packets/s or 2 Mbps"

    def read(self, node: Node, path: str) -> PacketRate:
        """See Reader."""
        packets = isinstance(node.value, str) and "packet" in node.value
        unit = "packets/s" if packets else "bps"
        example = "200 packets/s" if packets else "2 Mbps"
        amount = Amount(
            what="a rate", example=example, units=(unit,), whole=False, above=True, most=10**15
        )
        return PacketRate(amount.read(node, path), unit)

    def write(self, value: PacketRate) -> str:
        """See Reader."""
        return f"{value.value!r} {value.unit}"


class Greedy(msgspec.Struct, frozen=True, kw_only=True, tag="greedy", tag_field="kind"):
    """Always has data."""


class RateCapped(msgspec.Struct, frozen=True, kw_only=True, tag="rate-capped", tag_field="kind"):
    """Always has data, sent at most at `rate` (of IP bits) until `until`."""

    rate: RateBps
    until: _Until = _FOR_EVER


class Cbr(msgspec.Struct, frozen=True, kw_only=True, tag="cbr", tag_field="kind"):
    """A packet every `interval`, or as many as make up `rate` (of IP bits)."""

    rate: RateBps | None = None
    interval: _Gap | None = None
    phase: Annotated[str, Choice(("independent", "tick"))] = "independent"

    def __post_init__(self) -> None:
        if self.rate is None and self.interval is None:
            raise Misfit("rate", "neither 'rate' nor 'interval'", "one of them")
        if self.rate is not None and self.interval is not None:
            raise Misfit("interval", "both 'rate' and 'interval'", "one of them")


class Poisson(msgspec.Struct, frozen=True, kw_only=True, tag="poisson", tag_field="kind"):
    """Packets at exponential gaps."""

    rate: Annotated[PacketRate, _PacketRateReader()]


class Web(msgspec.Struct, frozen=True, kw_only=True, tag="web", tag_field="kind"):
    """A person who reads, then fetches a file, and so on. `mean` is the mean file size drawn."""

    reading: _Reading = 5_000_000_000_000
    size: Annotated[str, Choice(("fixed", "exponential", "pareto"))] = "pareto"
    mean: _FileSize = 50_000.0
    shape: Annotated[float, number_of("traffic", "web", "size_shape")] = 1.2
    max: _FileSize = 5_000_000.0

    def __post_init__(self) -> None:
        if self.size == "pareto" and self.mean >= self.max:
            raise Misfit("mean", f"{self.mean:g} bytes", f"less than max, {self.max:g} bytes")
        least = pareto_mean(1.0, self.max, self.shape) if self.size == "pareto" else 1.0
        if self.mean < least:
            expected = f"at least {least:g} bytes, as files have at least 1 byte"
            raise Misfit("mean", f"{self.mean:g} bytes", expected)


Traffic = Greedy | RateCapped | Cbr | Poisson | Web
