# SPDX-License-Identifier: Apache-2.0
"""The base class of all roles: name, random stream, and times of decisions.

An adaptive role must not be faster than its flows, because faster decisions would measure
transients. WTP's time constant is T / (gain p), with the round-trip time T and the marking
probability p. An adaptive role therefore decides every max(5 s, 3 T / (gain p)), computed from the
measured T and p. Other roles decide at every report or at their configured interval. By default,
the first decision is at a random time within the interval, or within the first 5 s if the interval
is adaptive. A strategy may need a longer adaptive interval (`needs_s`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import mesa
import msgspec

from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowColumns, Truths
from ecnomy.agents.random_streams import agent_stream
from ecnomy.agents.roles.preset import Preset
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.times import LONGEST_PS, PS_PER_S

if TYPE_CHECKING:
    from ecnomy.agents.seat import Seat

__all__ = [
    "ADAPT",
    "EVERY_REPORT",
    "SHORTEST_PS",
    "Role",
    "Terms",
    "settling_ps",
]

EVERY_REPORT: Final = 0
ADAPT: Final = -1
SHORTEST_PS: Final = 5 * PS_PER_S
DECISIONS: Final = 5  # decisions until an attentive user has adapted its purchases to a new price
SETTLE: Final = 3.0  # after this number of time constants, a response is within 5 % of its end


def settling_ps(flows: FlowColumns) -> int:
    """Return max(5 s, 3 T / (gain p)) over these flows [ps], or 5 s if there are no marks."""
    marks, delivered, slowest_s = _steered(flows)
    if marks == 0:
        return SHORTEST_PS
    constant_s = slowest_s * delivered / marks
    return max(SHORTEST_PS, min(LONGEST_PS, round(SETTLE * constant_s * PS_PER_S)))


def _steered(flows: FlowColumns) -> tuple[int, int, float]:
    """Return the marks, delivered packets and largest T / gain of flows that marks control."""
    steered = (flows.gain > 0) & (flows.delivered > 0) & (flows.srtt_s > 0)
    marks, delivered = int(flows.marks[steered].sum()), int(flows.delivered[steered].sum())
    if marks == 0:
        return 0, 0, 0.0
    return marks, delivered, float((flows.srtt_s[steered] / flows.gain[steered]).max())


class Terms(msgspec.Struct, frozen=True):
    """An agent's strategy and the times of its decisions; None leaves a choice to the role.

    Attributes:
        seed: the run's seed.
        kind: name of the strategy.
        params: parameters of that strategy.
        interval_ps: time between two decisions [ps]; EVERY_REPORT, or ADAPT for an adaptive one.
    """

    seed: int
    kind: str | None = None
    params: Mapping[str, object] = {}
    interval_ps: int | None = None

    @classmethod
    def of(cls, agent: AgentSpec, seed: int) -> Self:
        """Return the terms of an agent's entry in a scenario."""
        interval_ps = None if agent.decision_interval_ps < 0 else agent.decision_interval_ps
        if agent.strategy is None:
            return cls(seed, interval_ps=interval_ps)
        return cls(seed, agent.strategy.kind, agent.strategy.params, interval_ps)


class Role(mesa.Agent):
    """An agent of the market.

    A custom role declares its YAML keys in `preset` and its phase in `phase`. It makes contracts in
    `join`, and observes and decides in `act`.

    Attributes:
        role: value of `role` in the scenario.
        preset: the YAML keys of the role; find.py lists the presets of built-in roles.
        terms: dataclass of a custom role's terms in YAML, None if it has no terms.
        own: the agent's terms, an object of the class `terms`, or None.
        phase: phase in a meeting: `post` (prices), `choose` (purchases), `provide` (service
            already sold) or `watch`.
        name: name of the agent and its account, unique in the market.
        stream: random stream of the agent.
        interval_ps: time between two decisions [ps]; EVERY_REPORT, or ADAPT for an adaptive one.
        next_ps: time of the next decision [ps].
        hasty: whether the interval was shorter than the settling time at the last measurement.
        settles_ps: last measured settling time of the flows, or of a carrier's customers after a
            new price [ps]; 0 if unknown.
        responds_ps: response time of the flows to a price [ps]; 0 if there are no flows.
        notes: the strategy's last note of each name, for a DataCollector.
    """

    role: str = ""
    preset: ClassVar[Preset] = Preset(takes=("sources",))
    terms: ClassVar[type | None] = None
    own: Any = None
    phase: ClassVar[str] = "choose"

    def __init__(
        self, model: mesa.Model, name: str, terms: Terms, usual_ps: int = EVERY_REPORT
    ) -> None:
        """Set up the agent; `usual_ps` is the role's default interval."""
        super().__init__(model)
        self.name = name
        self.stream = agent_stream(terms.seed, name)
        self.interval_ps = usual_ps if terms.interval_ps is None else terms.interval_ps
        first_ps = SHORTEST_PS if self.interval_ps == ADAPT else self.interval_ps
        self.next_ps = int(self.stream.random() * first_ps)
        self.hasty, self.settles_ps, self.responds_ps = False, 0, 0
        self.notes: Mapping[str, float] = {}

    @classmethod
    def made(cls, model: mesa.Model, terms: Terms, spec: AgentSpec) -> Self:
        """Create the agent of an entry in a scenario."""
        agent = cls(model, spec.name, terms)
        agent.own = cls.terms(**spec.params) if cls.terms is not None else None
        return agent

    def join(self, seat: Seat) -> None:
        """Make the contracts of the run. All agents join before the first report."""

    def act(self, seat: Seat) -> None:
        """Take a turn in a meeting at which a decision is due."""

    def post_fees(self, seat: Seat) -> None:
        """Post the fees of the agent's classes, if any, at the end of the phase `post`.

        `act` sets the time of the next decision.
        """

    @property
    def advice(self) -> str:
        """The strategy's advice on settings, as a clause without a subject, or ""."""
        return ""

    @property
    def balance_micro(self) -> int:
        """The balance after the last report [micro-units]; a negative balance is a debt."""
        balance: int = self.model.ledger.balance_micro(self.name)
        return balance

    @property
    def balance(self) -> float:
        """The balance after the last report [units of money]."""
        return self.balance_micro / MICRO

    def due(self, t_ps: int) -> bool:
        """Return whether a decision is due at a report at `t_ps`."""
        return t_ps >= self.next_ps

    def reconsider(self, t_ps: int, changed: Truths) -> None:
        """React to changes of the posted charges by time; by default, do nothing.

        `changed` has one Boolean per flow of the run.
        """

    def decided(
        self,
        t_ps: int,
        settling: int,
        *,
        heeds_lag: bool = False,
        inertia: float = 0.0,
        needs: int = 0,
    ) -> None:
        """Set the time of the next decision. `settling` [ps] is the shortest useful interval now.

        With `heeds_lag`, a configured interval never counts as too short. Users respond more slowly
        if a share `inertia` of them skips each decision. An adaptive interval is at least `needs`
        [ps].
        """
        self.settles_ps = settling
        self.hasty = 0 < self.interval_ps < settling and not heeds_lag
        pause = max(settling, needs) if self.interval_ps == ADAPT else self.interval_ps
        self.next_ps = t_ps + pause
        longest_ps = min(settling + round(_decisions(inertia) * pause), LONGEST_PS)
        self.responds_ps = longest_ps if settling else 0


def _decisions(inertia: float) -> float:
    """Return the number of decisions until users have responded to a price.

    The number is DECISIONS plus SETTLE time constants of inertia. Each decision multiplies the
    share of users that have not decided yet by `inertia`. If `inertia` is 1, users never respond,
    and the carrier does not wait for them.
    """
    waits = 0 < inertia < 1
    return DECISIONS + (SETTLE / -math.log(inertia) if waits else 0.0)
