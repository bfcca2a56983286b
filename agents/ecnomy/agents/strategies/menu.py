# SPDX-License-Identifier: Apache-2.0
"""`menu`: a provider offers basic strategies by name, and customers pick one for each flow.

Antoniadis et al. 2000, 2.2: "the knowledge of the user's utility will be located at the user agent.
At the other side, the provider agent can offer some basic strategies that the user agent can
synthesize in order to achieve a particular objective." The provider runs these strategies, at every
report if needed. A user sends a message only to change its choice, as with menus of tariffs. The
user's strategy finds the menu in `observation.agent.menus`, under the name `strategy`, and calls
`choose`.
Flows begin with the first choice. After a change, a flow loses the state of its old choice. It gets
the rate cap and the budget of the new choice, which starts with empty records for the flow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.decision import LEAVE, NO_BUDGET, NO_CAP, Decision
from ecnomy.agents.observation import Observation
from ecnomy.agents.parameters import Refused, Strategies
from ecnomy.agents.strategies.find import FOR_FLOWS, find
from ecnomy.agents.strategies.fitting import fits, listed
from ecnomy.agents.strategies.strategist import Strategist

__all__ = ["Menu"]

_COLUMNS: tuple[tuple[str, float], ...] = (
    *(("willingness_micro_per_s", LEAVE), ("rate_cap_bps", NO_CAP)),
    *(("weight", LEAVE), ("budget_micro", NO_BUDGET)),
)
_OF_CLASSES = ("post_fees", "let_in", "needs_of_classes", "needs_of_one_class")


@dataclasses.dataclass
class Menu:
    """Runs the strategy that the customer picked for each flow.

    Attributes:
        choices: strategies for application providers, by name.
    """

    roles: ClassVar[tuple[str, ...]] = ("application-provider",)
    choices: Annotated[Mapping[str, Any], Strategies()]

    def __post_init__(self) -> None:
        if not self.choices:
            raise Refused("choices", "no choices", "at least one named strategy")
        self._of: dict[str, Strategist] = {}
        for name, given in self.choices.items():
            kind = str(given["kind"])
            cls, role = find(kind), self.roles[0]
            if not fits(cls, role, FOR_FLOWS):
                wanted = f"a strategy for an {role}: {listed(role, FOR_FLOWS)}"
                raise Refused(f"choices.{name}.kind", repr(kind), wanted)
            if kind == "menu":
                raise Refused(f"choices.{name}.kind", repr(kind), "a strategy that is not a menu")
            whole = [
                key for key in ("post_fees", "let_in", "needs_of_classes") if hasattr(cls, key)
            ]
            if whole:
                found = f"{kind!r}, whose {whole[0]} acts on whole classes"
                raise Refused(f"choices.{name}.kind", found, "a strategy for single flows")
            params = {key: value for key, value in given.items() if key != "kind"}
            self._of[name] = Strategist(f"menu, {name}", kind, params)

    @property
    def menu(self) -> tuple[str, ...]:
        """The names of the choices, in the order of their numbers."""
        return tuple(self.choices)

    @property
    def needs_rate(self) -> str:
        """The parameter that a choice needs for flows without a rate limit, or "".

        The first choice that needs one counts.
        """
        for name, one in self._of.items():
            if key := getattr(one.whole, "needs_rate", ""):
                return f"choices.{name}.{key}"
        return ""

    @property
    def sets_budget(self) -> str:
        """The parameter with which a choice limits the cost of a flow's marks, or "".

        The first choice that has one counts.
        """
        for name, one in self._of.items():
            if limit := getattr(one.whole, "sets_budget", ""):
                return f"choices.{name}.{limit}"
        return ""

    def decide_many(self, observation: Observation) -> Decision:
        """Return each flow's decision, made by the strategy that its customer picked."""
        flows = observation.flows
        count = len(flows.flow)
        columns = {name: np.full(count, none) for name, none in _COLUMNS}
        for number, strategist in enumerate(self._of.values()):
            rows = np.flatnonzero(flows.choice == number)
            if not len(rows):
                continue
            decision = strategist.decide(_only(observation, rows))
            for name, column in columns.items():
                decided = getattr(decision, name)
                if decided is not None:
                    column[rows] = decided
        return Decision(**columns)


def _only(observation: Observation, rows: Integers) -> Observation:
    flows = observation.flows
    kept = {name: getattr(flows, name)[rows] for name in type(flows).__struct_fields__}
    return msgspec.structs.replace(observation, flows=type(flows)(**kept))
