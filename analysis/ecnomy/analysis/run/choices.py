# SPDX-License-Identifier: Apache-2.0
"""Users who choose among sources: the number of changes, and the users of each option over time.

An agent's users have a choice if its sources are alternatives, as with `best-offer`. Such sources
have the same number of flows, and the i-th flow of each source belongs to user i. The agent keeps
one source on for each user, or no source for a user who has left. A user's first choice does not
count as a change, nor does a return to the same source after an absence.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.analysis.run.carriers import access_carriers
from ecnomy.analysis.run.families import family_of
from ecnomy.analysis.run.scenario_agents import ScenarioAgent, agents_of
from ecnomy.markets.economy.journal import ACTIVE
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

__all__ = ["AgentChoices", "choices_of"]

_AWAY: Final = -1


class AgentChoices(msgspec.Struct, frozen=True, eq=False):
    """The choices of one agent's users.

    Attributes:
        agent: name of the agent.
        users: number of users of the agent.
        options: the carriers to choose from, or the sources if one carrier serves them all or the
            carriers are unknown.
        t_ps: times of decisions that switched flows, ascending from the first choice [ps].
        counts: number of users of each option from each time to the next, without users who have
            left, [time, option].
        changes: number of users who changed source at each time, [time]; 0 at the first time.
    """

    agent: str
    users: int
    options: tuple[str, ...]
    t_ps: Integers
    counts: Integers
    changes: Integers

    def changes_in(self, from_ps: int, to_ps: int) -> int:
        """Return the number of changes in [`from_ps`, `to_ps`)."""
        return int(self.changes[(self.t_ps >= from_ps) & (self.t_ps < to_ps)].sum())

    def shares(self, from_ps: int, to_ps: int) -> Floats:
        """Return each option's mean share of users, [option]; NaN before any choice."""
        starts = np.clip(self.t_ps, from_ps, to_ps)
        spans = np.diff(np.append(starts, to_ps)).astype(np.float64)
        if not spans.sum():
            return np.full(len(self.options), np.nan)
        return np.asarray(spans @ self.counts / (spans.sum() * self.users), dtype=np.float64)


def choices_of(run: RawRun | Results) -> tuple[AgentChoices, ...]:
    """Return the choices of each agent whose users choose among sources, in the scenario's order.

    Raises:
        ResultsError: a table is unreadable.
    """
    run = run.raw
    made = [_choice(run, agent) for agent in agents_of(run) or ()]
    return tuple(one for one in made if one is not None)


def _choice(run: RawRun, agent: ScenarioAgent) -> AgentChoices | None:
    table, family = run.agents, family_of(run)
    mine = (table["agent"].astype(str) == agent.name) & (table["name"].astype(str) == ACTIVE)
    own = table[mine & (table["flow"] >= 0)]  # without the agent's notes under that name
    sources = [s for s in run.plan.sources if {s.name, family[s.name]} & set(agent.sources)]
    if own.empty or len(sources) < 2 or len({s.row_count for s in sources}) > 1:
        return None
    names = [source.name for source in run.plan.row_sources()]
    rows = np.array([[i for i, n in enumerate(names) if n == s.name] for s in sources])
    on = np.ones(len(names), dtype=np.bool_)
    times, chosen = [], []
    for t_ps, changed in own.groupby("t_ps", sort=True):
        on[changed["flow"].to_numpy(dtype=np.int64)] = changed["value"].to_numpy() != 0
        if (on[rows].sum(axis=0) > 1).any():
            return None  # the sources are not alternatives
        times.append(int(str(t_ps)))
        chosen.append(np.where(on[rows].any(axis=0), on[rows].argmax(axis=0), _AWAY))
    weights = np.array([sources[0].row_flows] * rows.shape[1], dtype=np.int64)
    return _counted(run, agent.name, [s.name for s in sources], times, np.array(chosen), weights)


def _counted(
    run: RawRun,
    agent: str,
    sources: list[str],
    times: list[int],
    chosen: Integers,
    weights: Integers,
) -> AgentChoices:
    """Count users by option; `chosen` has each user's source as an index or _AWAY, [time, user]."""
    carriers = access_carriers(run)
    labels = [carriers.get(name, name) for name in sources]
    if len(set(labels)) < 2:
        labels = sources
    options = tuple(dict.fromkeys(labels))
    option = np.array([*(options.index(label) for label in labels), _AWAY])[chosen]
    counts = [[int(weights[row == k].sum()) for k in range(len(options))] for row in option]
    last = chosen.copy()
    for before, now in zip(last, last[1:], strict=False):
        now[now == _AWAY] = before[now == _AWAY]
    moved = (last[1:] != last[:-1]) & (last[:-1] != _AWAY)
    return AgentChoices(
        agent=agent,
        users=int(weights.sum()),
        options=options,
        t_ps=np.array(times, dtype=np.int64),
        counts=np.array(counts, dtype=np.int64),
        changes=np.concatenate([[0], moved @ weights]).astype(np.int64),
    )
