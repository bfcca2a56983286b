# SPDX-License-Identifier: Apache-2.0
"""Reads the tariffs of guaranteed stream providers (GSPs), for all parts of the report.

A tariff is an offer of run/guarantors.py with times as numbers and with a sample length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any, Final

import msgspec

from ecnomy.analysis.run.guarantors import Provider

__all__ = ["Tariff", "Tariffs", "tariffs_of"]

_DEFAULT_SAMPLE_S: Final = 60.0
_SECONDS: Final = {"ps": 1e-12, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_AMOUNT: Final = re.compile(r"\s*([-+0-9.eE_]+)\s*([a-z]*)\s*")


class Tariff(msgspec.Struct, frozen=True):
    """A tariff for calls.

    Attributes:
        name: the tariff's name, unique within its provider.
        index: position in the run's list of tariffs (by agent, then by tariff), which is the value
            of the column `tariff` in the table calls.
        sources: the sources of the calls.
        price: price of a call in words; `reimbursement` is the refund in words.
        max_delay_ps: delay above which a packet is late [ps]; -1 if unknown.
        max_delay_rate: largest share of lost or late packets that keeps the promise (L^G); NaN if
            unknown.
        max_blocking_rate: largest share of blocked calls (B^G); None if it is not promised.
        max_time_s: longest duration of a call [s]; None without a limit.
        tied: whether the refund follows the price, either by declaration or because both change
            together over the runs; equality at a single price does not count.
        sample_s: length of a sample of the test streams [s]: `max_time_s` if set, otherwise the
            strategy's `sample`, otherwise a minute.
    """

    name: str
    index: int
    sources: tuple[str, ...]
    price: str
    reimbursement: str
    max_delay_ps: int
    max_delay_rate: float
    max_blocking_rate: float | None
    max_time_s: float | None
    tied: bool
    sample_s: float


Tariffs = dict[str, tuple[Tariff, ...]]


def tariffs_of(providers_by_run: Mapping[int, tuple[Provider, ...]]) -> dict[int, Tariffs]:
    """Return run number -> provider name -> tariffs."""
    pairs: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for provider in (one for providers in providers_by_run.values() for one in providers):
        for offer in provider.offers:
            there = pairs.setdefault((provider.name, offer.name), set())
            there.add((offer.price, offer.reimbursement))
    together = {
        key
        for key, pairs_of_key in pairs.items()
        if len(pairs_of_key) > 1 and all(price == back for price, back in pairs_of_key)
    }
    return {number: _of_run(providers, together) for number, providers in providers_by_run.items()}


def _of_run(providers: tuple[Provider, ...], together: Set[tuple[str, str]]) -> Tariffs:
    return {
        provider.name: tuple(
            Tariff(
                name=offer.name,
                index=offer.index,
                sources=offer.sources,
                price=offer.price,
                reimbursement=offer.reimbursement,
                max_delay_ps=offer.max_delay_ps,
                max_delay_rate=offer.max_delay_rate,
                max_blocking_rate=offer.max_blocking_rate,
                max_time_s=_time_s(offer.max_time),
                tied=offer.tied or (provider.name, offer.name) in together,
                sample_s=_time_s(offer.max_time)
                or _time_s(offer.strategy.get("sample"))
                or _DEFAULT_SAMPLE_S,
            )
            for offer in provider.offers
        )
        for provider in providers
    }


def _time_s(value: Any) -> float | None:
    """Return a time such as "60.0 s" in seconds; None for other values or up to 0 s."""
    match = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2] not in _SECONDS:
        return None
    seconds = float(match[1]) * _SECONDS[match[2]]
    return seconds if seconds > 0 else None
