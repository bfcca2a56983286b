# SPDX-License-Identifier: Apache-2.0
"""Agents whose strategy declares a utility, their flows, and their utility over time.

The utility of a flow is a function of its current rate, which reports give for each epoch. If n
flows of a row were on (`active`) in an epoch of dt seconds, each at the rate x, their utility was
n U(x) dt money. Inactive flows have no rate and no utility. If U(0) is infinite, rates below
x0/1000 count as x0/1000, as in the strategies. A utility's cost of delay is subtracted for packets
acknowledged in an epoch, at the round trip reported at the end of the epoch.
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.roles import preset_of
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.strategies import BUILT_IN
from ecnomy.agents.strategies.declared_utility import declared_utility
from ecnomy.agents.times import PS_PER_S
from ecnomy.agents.utilities import Utility, delay_cost_of
from ecnomy.agents.volumes import BITS_PER_MB
from ecnomy.analysis.run.windows import Epochs
from ecnomy.markets.economy.contracts import Spans
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.scenario import scenario_from_text

__all__ = ["Declared", "Lived", "agent_specs", "declared_of", "lived"]

LEAST: Final = 1e-3  # as a share of x0, if U(0) is infinite


class Declared(msgspec.Struct, frozen=True, eq=False):
    """An agent that declares a utility.

    Attributes:
        agent: name of the agent.
        utility: utility of a flow [money/s] as a function of its rate divided by x0.
        rows: rows of the agent's flows in the table `flows`.
        x0_bps: reference rate x0 of each row [bit/s].
        least: lower bound of the rate divided by x0; 0 if U(0) is finite.
        weight: parameter `a` of the utility [money/s]; 1 if it has no such parameter.
        flows: the number of flows in each row.
        stop_ps: stop time of the source of each row [ps], at most the end of the run.
    """

    agent: str
    utility: Utility
    rows: Integers
    x0_bps: Floats
    least: float
    weight: float
    flows: Floats
    stop_ps: Integers

    def value(self, rates_bps: Floats) -> Floats:
        """Return U of rates of shape (..., rows), money/s."""
        ratio = np.maximum(rates_bps / self.x0_bps, self.least)
        worth = np.asarray(self.utility.value(ratio.ravel()), dtype=np.float64)
        return worth.reshape(ratio.shape)


class Lived(msgspec.Struct, frozen=True, eq=False):
    """The activity of an agent's flows in a window, by row.

    Attributes:
        on_s: active time of the flows of each row, summed over the flows [s].
        bits: acknowledged data in that time [bits].
        money: integral of their utility over time [money].
    """

    on_s: Floats
    bits: Floats
    money: Floats

    @property
    def rates_bps(self) -> Floats:
        """The mean rate of a flow while it was on [bit/s]; 0 for rows that were never on."""
        return np.divide(self.bits, self.on_s, out=np.zeros_like(self.bits), where=self.on_s > 0)

    def steady(self, declared: Declared) -> Floats:
        """Return the utility of the same bits at constant rates, by row [money].

        A cost of delay is not subtracted.
        """
        worth = declared.value(self.rates_bps)
        return np.where(self.on_s > 0, self.on_s * np.where(self.on_s > 0, worth, 0.0), 0.0)


def agent_specs(run: RawRun) -> tuple[AgentSpec, ...]:
    """Return the agents of the run's scenario; () if no agent can declare a utility.

    The result is also () if the scenario does not load, for example because a custom role, tariff
    or settlement is not found.
    """
    if not _may_declare(run.manifest.scenario):
        return ()
    try:
        text = msgspec.json.encode(run.manifest.scenario).decode()
        market = scenario_from_text(text, str(run.path)).market
    except EcnomyError:
        return ()
    return market.agents if market else ()


class _Strategy(msgspec.Struct, frozen=True):
    kind: str = ""
    utility: Any = None


class _Agent(msgspec.Struct, frozen=True):
    strategy: _Strategy | None = None


class _Market(msgspec.Struct, frozen=True):
    agents: tuple[_Agent, ...] = ()


class _Scenario(msgspec.Struct, frozen=True):
    """The part of a manifest's scenario that shows whether to load all of it, which is slow."""

    market: _Market | None = None


def _may_declare(scenario: Any) -> bool:
    """Return whether any strategy in the scenario has a utility or is custom."""
    try:
        market = msgspec.convert(scenario or {}, type=_Scenario, strict=False).market
    except msgspec.ValidationError:
        return False  # a manifest of an older version; missing parts are omitted
    held = [agent.strategy for agent in (market.agents if market else ()) if agent.strategy]
    return any(one.utility is not None or one.kind not in BUILT_IN for one in held)


def declared_of(run: RawRun, agents: tuple[AgentSpec, ...]) -> tuple[Declared, ...]:
    """Return the agents that declare a utility, users before providers.

    If both the user and the provider of a source declare a utility, the source belongs to its user.

    Raises:
        StrategyError: a strategy cannot be constructed.
    """
    declared: list[Declared] = []
    taken: set[str] = set()
    for agent in sorted(agents, key=lambda one: not preset_of(one.role).uses):
        utility = declared_utility(agent.strategy)
        own = set(agent.sources) if preset_of(agent.role).uses else set()
        own |= {source for offer in agent.classes for source in offer.sources}
        if utility is not None and own - taken:
            declared.append(_declared(run.plan, agent.name, utility, own - taken))
            taken |= own
    return tuple(declared)


def _declared(plan: Plan, agent: str, utility: Utility, sources: set[str]) -> Declared:
    named = plan.row_sources()
    rows = [row for row, source in enumerate(named) if source.name in sources]
    if utility.x0 is not None:
        x0_bps = np.full(len(rows), float(utility.x0))
    else:  # the traffic's largest demand; if that is unlimited, x0 has no effect
        limits = [named[row].most_bps for row in rows]
        x0_bps = np.array([x if math.isfinite(x) else 1.0 for x in limits])
    with np.errstate(all="ignore"):
        bounded = bool(np.isfinite(utility.value(np.zeros(1))).all())
    least, weight = 0.0 if bounded else LEAST, float(getattr(utility, "a", 1.0))
    spans = Spans(plan)
    return Declared(
        agent=agent,
        utility=utility,
        rows=np.array(rows, dtype=np.int64),
        x0_bps=x0_bps,
        least=least,
        weight=weight,
        flows=spans.flows[rows].astype(np.float64),
        stop_ps=spans.stop_ps[rows],
    )


def lived(flows: Epochs, declared: Declared, from_ps: int, to_ps: int) -> Lived:
    """Return the activity of an agent's flows between two report times.

    Raises:
        ResultsError: a column is missing.
    """
    inside = (flows.t_ps >= from_ps) & (flows.t_ps <= to_ps)
    t_ps = flows.t_ps[inside][:, None]
    bits = 8 * np.diff(flows.column("acked_bytes")[inside][:, declared.rows], axis=0)
    # A report's `active` holds for the epoch before it: decisions act after the report.
    seconds = flows.column("active")[inside][1:, declared.rows] * (np.diff(t_ps, axis=0) / PS_PER_S)
    # Exception: rows switched off in the same epoch in which their source stops have sent
    # nothing.
    begun_s = (declared.stop_ps - t_ps[:-1]) / PS_PER_S * declared.flows
    ends = (declared.stop_ps > t_ps[:-1]) & (declared.stop_ps < t_ps[1:])
    seconds = np.where(ends, np.where(bits > 0, begun_s, 0.0), seconds)
    bits = np.where(seconds > 0, bits, 0.0)
    rates = np.divide(bits, seconds, out=np.zeros_like(bits), where=seconds > 0)
    worth = np.where(seconds > 0, declared.value(rates), 0.0)
    money = (seconds * worth).sum(axis=0)
    if cost := delay_cost_of(declared.utility):
        waits_s = flows.column("srtt_s")[inside][1:, declared.rows]
        money = money - cost * (bits * waits_s).sum(axis=0) / BITS_PER_MB
    return Lived(seconds.sum(axis=0), bits.sum(axis=0), money)
