# SPDX-License-Identifier: Apache-2.0
"""What a guaranteed stream provider (GSP) sells, tariff by tariff: the one place that asks it.

A scenario's `tariff:` is one tariff called "calls", over all sources of its provider.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from ecnomy.analysis.guarantors import Provider
from ecnomy.analysis.results import Run

__all__ = ["Tariff", "sample_s", "tariffs_of"]

_DEFAULT_SAMPLE_S: Final = 60.0
_SECONDS: Final = {"ps": 1e-12, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_AMOUNT: Final = re.compile(r"\s*([-+0-9.eE_]+)\s*([a-z]*)\s*")


class Tariff(msgspec.Struct, frozen=True):
    """A connection type that is sold.

    Attributes:
        name: of the tariff, unique for its provider.
        index: in the run's list of tariffs (agents in their order, rows in theirs), which the
            column `tariff` of the table calls counts by where it is there.
        sources: whose calls these are.
        price: as written in the manifest.
        max_delay_ps: a packet later than this is bad.
        max_delay_rate: the largest share of bad packets that keeps the promise (L^G).
        max_blocking_rate: the largest share of calls blocked (B^G); none where none is promised.
        max_time_s: the longest connection; none where there is no limit.
        tied: whether what is paid back is the price, whatever it is.
    """

    name: str
    index: int
    sources: tuple[str, ...]
    price: str
    max_delay_ps: int
    max_delay_rate: float
    max_blocking_rate: float | None
    max_time_s: float | None
    tied: bool


def tariffs_of(run: Run, providers: tuple[Provider, ...]) -> dict[str, tuple[Tariff, ...]]:
    """The tariffs of each provider, by its name."""
    found: dict[str, tuple[Tariff, ...]] = {}
    for index, provider in enumerate(providers):
        written = _told(run, provider.name).get("tariff") or {}
        tariff = Tariff(
            name="calls",
            index=index,
            sources=provider.call_sources,
            price=provider.price,
            max_delay_ps=provider.max_delay_ps,
            max_delay_rate=provider.max_delay_rate,
            max_blocking_rate=_number(written.get("max_blocking_rate")),
            max_time_s=_time_s(written.get("max_time")),
            tied=written.get("reimbursement") in ("price", provider.price),
        )
        found[provider.name] = (tariff,)
    return found


def sample_s(run: Run, provider: Provider, tariff: Tariff) -> float:
    """The length of a sample of the test streams.

    That is the tariff's longest connection, else its strategy's `sample`, else a minute.
    """
    if tariff.max_time_s:
        return tariff.max_time_s
    strategy = _told(run, provider.name).get("strategy") or {}
    return _time_s(strategy.get("sample")) or _DEFAULT_SAMPLE_S


def _told(run: Run, name: str) -> dict[str, Any]:
    market = (run.manifest.scenario or {}).get("market") or {}
    return next((agent for agent in market.get("agents", ()) if agent.get("name") == name), {})


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _time_s(value: Any) -> float | None:
    """Seconds of a time as manifests write it ("60.0 s"); none where there is none above 0."""
    found = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if found is None or found[2] not in _SECONDS:
        return None
    seconds = float(found[1]) * _SECONDS[found[2]]
    return seconds if seconds > 0 else None
