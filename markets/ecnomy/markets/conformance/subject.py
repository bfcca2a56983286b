# SPDX-License-Identifier: Apache-2.0
"""An agent whose strategy is examined.

As in a run, the agent's role queries the strategy and judges its answers. The strategy's inputs are
compared with a copy. Its answers are stored, so that two courses can be compared.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

import mesa
import msgspec
import numpy as np

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.calls import Call, CallAsk, EndedCalls, StreamObservation
from ecnomy.agents.classes import ClassObservation, ClassRequest
from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import FlowColumns, Observation, PriceObservation
from ecnomy.agents.roles import find_role
from ecnomy.agents.roles.role import Terms
from ecnomy.agents.roles.subscriber import Subscriber
from ecnomy.agents.spec import AgentSpec, CallLine, ClassSpec
from ecnomy.markets.conformance.other_situations import CALL_TARIFF
from ecnomy.markets.economy.journal import NAMES

__all__ = ["Account", "Subject", "changed"]

SEED: Final = 20_000


class Account:
    """The account of the examined agent, with payments and receipts between observations."""

    def __init__(self, balance_micro: int) -> None:
        self._balance, self.paid, self.received = balance_micro, 0, 0

    def balance_micro(self, name: str) -> int:
        """See Books."""
        return self._balance + self.received - self.paid

    def paid_micro(self, name: str) -> dict[str, int]:
        """See Books."""
        return {"marks": self.paid} if self.paid else {}

    def received_micro(self, name: str) -> dict[str, int]:
        """See Books."""
        return {"marks": self.received} if self.received else {}


class Subject:
    """An examined agent in a situation.

    Attributes:
        answers: answers and notes of the agent so far, with arrays as bytes.
        most_micro: highest willingness to pay [micro-units/s] or highest price so far.
    """

    def __init__(
        self,
        model: mesa.Model,
        name: str,
        role: str,
        kind: str,
        params: Mapping[str, object],
        balance_micro: int = 0,
    ) -> None:
        """Create the role and its strategy, or raise StrategyError if either fails."""
        classes = tuple(
            ClassSpec(f"class-{i}", fee, ()) for i, fee in enumerate((10**6, 2 * 10**6))
        )
        spec = AgentSpec(name, role, classes=classes, lines=(CallLine(CALL_TARIFF, ()),))
        terms = Terms(SEED, kind, params)
        self._role: Any = find_role(role).made(model, terms, spec)
        self._account = Account(balance_micro)
        self._noted: dict[str, float] = {}
        self._view = AgentView(name, self._role.stream, self._account, self._note)
        if isinstance(self._role, Subscriber):
            self._role.agent = self._view
        self._inputs: list[tuple[Any, dict[str, object]]] = []
        self._before: tuple[FlowColumns, Decision] | None = None
        self.answers: list[tuple[object, ...]] = []
        self.most_micro = 0.0
        self.price_micro = 250_000
        self.fees: dict[str, int] = {}

    def decide(self, observation: Observation) -> None:
        """Request a decision for flows, which are observed under the previous decision."""
        observation = msgspec.structs.replace(self._carried(observation), agent=self._view)
        self._account.paid += int(min(observation.flows.charge_micro.sum(), 10**15)) + 1
        decision = self._answer(observation, self._role.decide)
        self._before = observation.flows, decision
        if (pay := decision.willingness_micro_per_s) is not None:
            self.most_micro = max(self.most_micro, float(pay.max(initial=0.0)))
        columns = (getattr(decision, name) for name in Decision.__struct_fields__)
        self.answers.append(tuple(None if c is None else c.tobytes() for c in columns))

    def post(self, observation: PriceObservation) -> None:
        """Request a price."""
        self._account.received += int(min(observation.links.marks.sum(), 10**6)) * self.price_micro
        self._account.paid += 7
        observation = msgspec.structs.replace(observation, agent=self._view)
        self.price_micro = self._answer(observation, self._role.post_price)
        self.most_micro = max(self.most_micro, self.price_micro)
        self.answers.append((self.price_micro,))

    @property
    def sells_classes(self) -> bool:
        """Return whether the strategy posts fees, or decides which flows enter a class."""
        return bool(getattr(self._role, "watches_classes", False) or self._asks)

    @property
    def _asks(self) -> bool:
        return bool(getattr(self._role, "decides_requests", False))

    def post_fees(self, observation: ClassObservation) -> None:
        """Request fees and admission decisions for classes."""
        observation = msgspec.structs.replace(observation, agent=self._view)
        if self._role.watches_classes:
            posted = self._answer(observation, self._role.fees)
            self.fees |= posted
            self.answers.append(tuple(sorted(posted.items())))
        for flow, name in enumerate(observation.names if self._asks else ()):
            members = int(observation.classes.members[flow])
            cost = float(observation.classes.charge_micro[flow])
            request = ClassRequest(observation.t_ps, name, flow, members, cost)
            self.answers.append((self._role.let_in(request),))

    def watch(self, observation: StreamObservation) -> None:
        """Show the agent its test streams."""
        self._answer(observation, self._role.lines[0].watch)
        readings = self._role.readings
        wrong = [n for n, v in readings.items() if not isinstance(v, int | float | np.number)]
        if wrong:
            raise StrategyError(f"the reading {wrong[0]!r} is not a number")
        self.answers.append(tuple(sorted((n, float(v)) for n, v in readings.items())))

    def admit(self, call: Call) -> None:
        """Request the admission of a call."""
        self.answers.append((self._role.lines[0].admit(call),))

    def order(self, ask: CallAsk) -> None:
        """Request the choice of a provider for a call."""
        self._account.paid += 7
        self.answers.append(tuple(self._answer(ask, self._role.order)))

    def hear(self, ended: EndedCalls) -> None:
        """Report calls that have ended."""
        self._answer(ended, self._role.hear)

    def claims(self, *, broken: bool) -> None:
        """Request a decision on whether to claim a broken promise."""
        self.answers.append((self._role.claims(broken),))

    def mutated(self) -> list[str]:
        """Return descriptions of the inputs that the strategy has changed."""
        names = {name for given, was in self._inputs for name in changed(given, was)}
        if self._view.notes != self._noted:
            names.add("agent.notes, which only note() may change")
        return sorted(names)

    def _answer(self, observation: Any, ask: Any) -> Any:
        self._inputs.append(
            (observation, {name: _copied(value) for name, value in _fields(observation).items()})
        )
        return ask(observation)

    def _note(self, name: str, value: float) -> None:
        self._noted[name] = value
        if name in NAMES:
            raise StrategyError(
                f"the note {name!r} has the name of a column of the table `agents`; rename it"
            )
        self.answers.append((name, value))

    def _carried(self, observation: Observation) -> Observation:
        """Return the observation as changed by the previous decision, if it was for these flows."""
        if self._before is None or len(self._before[0].flow) != len(observation.flows.flow):
            return observation
        flows, decision = self._before
        if not np.array_equal(flows.flow, observation.flows.flow):
            return observation
        moved: dict[str, Any] = {}
        if decision.offer is not None and (observation.flows.offer >= 0).all():
            moved["offer"] = decision.offer.copy()
        if decision.active is not None:
            moved["switched_on"] = decision.active.copy()
            moved["active"] = np.where(decision.active, observation.flows.active, 0)
        return msgspec.structs.replace(
            observation, flows=msgspec.structs.replace(observation.flows, **moved)
        )


def _fields(observation: Any) -> dict[str, object]:
    """Return all fields by name except the agent, with a separate entry for each column."""
    fields = {
        name: getattr(observation, name)
        for name in observation.__struct_fields__
        if name != "agent"
    }
    for name in ("flows", "links", "classes", "calls"):
        if isinstance(fields.get(name), msgspec.Struct):
            columns = fields.pop(name)
            fields |= {f"{name}.{c}": getattr(columns, c) for c in columns.__struct_fields__}
    return fields


def _copied(value: object) -> object:
    """Return a deep copy. Hashable values (numbers, names, tuples of these) are shared."""
    if isinstance(value, np.ndarray):
        return value.copy()
    try:
        hash(value)
    except TypeError:
        return copy.deepcopy(value)
    return value


def changed(observation: Any, was: Any) -> list[str]:
    """Return the names of the fields of an observation that have changed."""
    now, names = _fields(observation), []
    for name, value in was.items():
        held: Any = now[name]
        if isinstance(value, np.ndarray):
            same = np.array_equal(value, held, equal_nan=value.dtype.kind == "f")
        else:
            same = value == held
        if not same:
            names.append(name)
    return names
