# SPDX-License-Identifier: Apache-2.0
"""The agents of a run, from the scenario in its manifest."""

from __future__ import annotations

from typing import Any

import msgspec

from ecnomy.markets.results.rawrun import RawRun

__all__ = ["ScenarioAgent", "ScenarioTariff", "agents_of"]


class ScenarioTariff(msgspec.Struct, frozen=True):
    """A provider's tariff, with amounts as written in the manifest.

    `price` is text, a mapping with prices per call and per time, or an hourly tariff.
    """

    price: Any
    max_delay_rate: float
    reimbursement: str
    sources: tuple[str, ...] = ()
    max_blocking_rate: float | None = None
    max_time: str | None = None
    strategy: dict[str, Any] | None = None


class ScenarioFileTariff(msgspec.Struct, frozen=True):
    """A provider's tariff for files, as written in the manifest."""

    price: str
    deadline: str
    reimbursement: str
    sources: tuple[str, ...] = ()


class ScenarioAgent(msgspec.Struct, frozen=True):
    """The part of an agent's entry in the manifest that analyses use.

    Attributes:
        role: name or dotted path of the role, without its terms.
    """

    name: str
    role: str = ""
    sources: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    test_streams: tuple[str, ...] = ()
    tariff: ScenarioTariff | None = None
    tariffs: dict[str, ScenarioTariff] | None = None
    elastic: dict[str, ScenarioFileTariff] | None = None
    strategy: Any = None

    @property
    def strategy_kind(self) -> str:
        """Name or dotted path of the strategy; "" if there is no strategy."""
        kind = self.strategy.get("kind") if isinstance(self.strategy, dict) else self.strategy
        return str(kind or "")


class _Market(msgspec.Struct, frozen=True):
    agents: tuple[ScenarioAgent, ...] = ()


class _Scenario(msgspec.Struct, frozen=True):
    market: _Market | None = None


def agents_of(run: RawRun) -> tuple[ScenarioAgent, ...] | None:
    """Return the agents in the scenario's order; () without a market, None if unreadable."""
    scenario: Any = run.manifest.scenario
    try:
        market = msgspec.convert(
            _with_role_names(scenario or {}), type=_Scenario, strict=False
        ).market
    except msgspec.ValidationError:
        return None  # a manifest of an older version; the run is shown without the missing parts
    return market.agents if market else ()


def _with_role_names(scenario: dict[str, Any]) -> dict[str, Any]:
    """Replace each role that has terms, a mapping with `kind`, by its name."""
    market = scenario.get("market") or {}
    agents = [
        {**agent, "role": agent["role"].get("kind", "")}
        if isinstance(agent.get("role"), dict)
        else agent
        for agent in market.get("agents", ())
    ]
    return {**scenario, "market": {**market, "agents": agents}} if agents else scenario
