# SPDX-License-Identifier: Apache-2.0
"""The guaranteed stream providers (GSPs) of a run, read from its manifest and its plan."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.families import family_of
from ecnomy.analysis.run.scenario_agents import ScenarioAgent, ScenarioTariff, agents_of
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["FileOffer", "Provider", "TariffRow", "flows_of", "providers_of", "shared_sources"]

_ROLE: Final = "guaranteed-stream-provider"
_CHOOSER: Final = "subscriber"
_PS_PER_HOUR: Final = 3600 * PS_PER_S


class TariffRow(msgspec.Struct, frozen=True):
    """A row of a GSP's tariff table.

    Attributes:
        name: name of the row; "calls" if the scenario has one tariff.
        index: index in the run's list of tariffs, ordered by agent and then by row, as in the
            column `tariff` of the table `calls`.
        sources: sources of the calls.
        price: price of a call, in words.
        reimbursement: reimbursement of a call, in words.
        tied: whether the reimbursement equals the price of the call.
        max_delay_ps: largest delay of a good packet [ps]; -1 without sources.
        max_delay_rate: largest share of bad packets in a call that keeps the promise (L^G).
        max_blocking_rate: promised upper limit of the share of blocked calls (B^G); None without a
            limit.
        max_time: longest duration of a call, as written in the manifest; None without a limit.
        strategy: the strategy's entry in the manifest.
    """

    name: str
    index: int
    sources: tuple[str, ...]
    price: str
    reimbursement: str
    tied: bool
    max_delay_ps: int
    max_delay_rate: float
    max_blocking_rate: float | None
    max_time: str | None
    strategy: dict[str, Any]


class FileOffer(msgspec.Struct, frozen=True):
    """A row of a GSP's tariff table of files; price, deadline and reimbursement are in words."""

    name: str
    sources: tuple[str, ...]
    price: str
    deadline: str
    reimbursement: str


class Provider(msgspec.Struct, frozen=True):
    """A GSP of a scenario.

    Attributes:
        name: name of the agent and of its account.
        offers: the tariff table of calls.
        stream_sources: sources of its test streams.
        files: the tariff table of files.
    """

    name: str
    offers: tuple[TariffRow, ...]
    stream_sources: tuple[str, ...]
    files: tuple[FileOffer, ...]

    @property
    def file_sources(self) -> dict[str, tuple[str, ...]]:
        """Return row -> its sources, for the tariff table of files."""
        return {row.name: row.sources for row in self.files}

    @property
    def call_sources(self) -> tuple[str, ...]:
        """Return the sources whose calls the provider sells."""
        return tuple(name for offer in self.offers for name in offer.sources)

    @property
    def paid_sources(self) -> tuple[str, ...]:
        """Return the sources for whose marks the provider pays, including shared sources."""
        files = tuple(name for names in self.file_sources.values() for name in names)
        return (*self.call_sources, *self.stream_sources, *files)

    @property
    def first(self) -> TariffRow:
        """Return the first row of the tariff table, usually the only row."""
        return self.offers[0]

    @property
    def max_delay_ps(self) -> int:
        """Return the first row's delay limit, which test streams use [ps]; -1 without rows."""
        return self.offers[0].max_delay_ps if self.offers else -1


def providers_of(run: RawRun) -> tuple[Provider, ...]:
    """Return the GSPs of a run; () for a run without a market."""
    balances, providers, index = run.manifest.balances_micro, [], 0
    for agent in agents_of(run) or ():
        if agent.role == _ROLE and (balances is None or agent.name in balances):
            provider = _provider(run, agent, index)
            index += len(provider.offers)
            providers.append(provider)
    return tuple(providers)


def shared_sources(run: RawRun) -> frozenset[str]:
    """Return the sources whose calls may go to several providers, so the payer of marks varies."""
    sold = [name for provider in providers_of(run) for name in provider.call_sources]
    family, agents = family_of(run), agents_of(run) or ()
    chosen = {name for agent in agents if agent.role == _CHOOSER for name in agent.sources}
    return frozenset(n for n in sold if sold.count(n) > 1 or {n, family[n]} & chosen)


def _provider(run: RawRun, agent: ScenarioAgent, index: int) -> Provider:
    family, sources = family_of(run), run.plan.sources

    def named(listed: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(s.name for s in sources if s.name in listed or family[s.name] in listed)

    table = agent.tariffs or {}
    if agent.tariff is not None:
        table = {"calls": msgspec.structs.replace(agent.tariff, sources=agent.sources)}
    delays_ps = {s.name: s.calls.max_delay_ps for s in sources}
    offers = []
    for place, (name, tariff) in enumerate(table.items()):
        calls = named(tariff.sources)
        tied = tariff.reimbursement == "price"
        price = _in_words(tariff.price)
        offer = TariffRow(
            name=name,
            index=index + place,
            sources=calls,
            price=price,
            reimbursement=_paid_back(tariff, price),
            tied=tied,
            max_delay_ps=max((delays_ps[source] for source in calls), default=-1),
            max_delay_rate=tariff.max_delay_rate,
            max_blocking_rate=tariff.max_blocking_rate,
            max_time=tariff.max_time,
            strategy=tariff.strategy or agent.strategy or {},
        )
        offers.append(offer)
    files = tuple(
        FileOffer(
            name=name,
            sources=named(row.sources),
            price=row.price,
            deadline=_time(row.deadline),
            reimbursement=row.price if row.reimbursement == "price" else row.reimbursement,
        )
        for name, row in (agent.elastic or {}).items()
    )
    return Provider(agent.name, tuple(offers), named(agent.test_streams), files)


def _in_words(price: Any) -> str:
    """Return the price of a call in words, given its entry in the manifest."""
    if not isinstance(price, dict):
        return str(price)
    if "time" in price:
        return f"{price.get('call', '0 money')} and {price['time']}"
    hours = [
        f"{p['price']} from {_hour(p['from'])} to {_hour(p['to'])}"
        for p in price.get("periods", ())
    ]
    outside = price.get("price")
    return ", ".join([*hours, *([f"else {outside}"] if outside else [])])


def _hour(written: str) -> str:
    """Convert a time of day in ps, as in the manifest, to hours; other text is not changed."""
    number, _, unit = written.partition(" ")
    return f"{int(number) / _PS_PER_HOUR:.10g} h" if unit == "ps" else written


def _time(written: str) -> str:
    """Convert a time in ps, as in the manifest, to seconds; other text is not changed."""
    number, _, unit = written.partition(" ")
    return f"{int(number) / PS_PER_S:.10g} s" if unit == "ps" else written


def _paid_back(tariff: ScenarioTariff, price: str) -> str:
    if tariff.reimbursement != "price":
        return tariff.reimbursement
    return price if isinstance(tariff.price, str) else "its price"


def flows_of(run: RawRun, sources: tuple[str, ...]) -> Integers:
    """Return the row numbers of the flows of the given sources."""
    names = np.array([s.name for s in run.plan.row_sources()])
    return np.flatnonzero(np.isin(names, np.array(sources, dtype=str))).astype(np.int64)
