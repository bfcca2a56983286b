# SPDX-License-Identifier: Apache-2.0
"""The guaranteed stream providers (GSP) of a run, as its manifest and its plan state them."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.analysis.families import family_of
from ecnomy.analysis.results import Run
from ecnomy.analysis.told_agents import ToldAgent, ToldTariff, agents_of

__all__ = ["Provider", "flows_of", "providers_of"]

_ROLE: Final = "guaranteed-stream-provider"


class Provider(msgspec.Struct, frozen=True):
    """A GSP as its scenario states it.

    Attributes:
        name: of the agent and of its account.
        call_sources: sources whose calls it sells.
        stream_sources: sources that are its test streams.
        price: of a call, as written in the manifest; likewise `reimbursement`.
        max_delay_ps: a packet later than this is bad.
        max_delay_rate: the largest share of bad packets that keeps the promise.
    """

    name: str
    call_sources: tuple[str, ...]
    stream_sources: tuple[str, ...]
    price: str
    reimbursement: str
    max_delay_ps: int
    max_delay_rate: float


def providers_of(run: Run) -> tuple[Provider, ...]:
    """The GSPs that did business in a run; none in a run without a market."""
    balances = run.manifest.balances_micro
    return tuple(
        _provider(run, agent, agent.tariff)
        for agent in agents_of(run) or ()
        if agent.role == _ROLE and agent.tariff and (balances is None or agent.name in balances)
    )


def _provider(run: Run, agent: ToldAgent, tariff: ToldTariff) -> Provider:
    family, sources = family_of(run), run.plan.sources

    def named(listed: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(s.name for s in sources if s.name in listed or family[s.name] in listed)

    calls = named(agent.sources)
    delays_ps = {s.calls.max_delay_ps for s in sources if s.name in calls}
    back = tariff.price if tariff.reimbursement == "price" else tariff.reimbursement
    return Provider(
        name=agent.name,
        call_sources=calls,
        stream_sources=named(agent.test_streams),
        price=tariff.price,
        reimbursement=back,
        max_delay_ps=max(delays_ps, default=-1),
        max_delay_rate=tariff.max_delay_rate,
    )


def flows_of(run: Run, sources: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """The flows of these sources."""
    names = np.array([s.name for s in run.plan.row_sources()])
    return np.flatnonzero(np.isin(names, np.array(sources, dtype=str))).astype(np.int64)
