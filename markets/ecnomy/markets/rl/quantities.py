# SPDX-License-Identifier: Apache-2.0
"""Define the observations, actions and rewards of learners by role.

Rates and the utilization cover the measured part of a step (after `settle`); the other quantities
are current values. Except the elapsed share of the episode (`time`), all concern the agent's
account, links and flows. A learner therefore observes no more of the market than a strategy does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Final

import msgspec
import numpy as np

from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import Observation, PriceObservation
from ecnomy.agents.parameters import OneOf, Refused, Unit, positive
from ecnomy.agents.roles import ROLES
from ecnomy.agents.utilities import UTILITIES, delay_cost_of, find_utility, utility_of

__all__ = [
    "ACTED",
    "LEARNERS",
    "OBSERVED",
    "REWARDS",
    "Profit",
    "StepView",
    "Surplus",
    "known",
    "measured",
]

CARRIER: Final = next(word for word, preset in ROLES.items() if preset.owns_links)
HANDLER: Final = next(word for word, preset in ROLES.items() if preset.pays_itself)
LEARNERS: Final = (CARRIER, HANDLER)


class StepView(msgspec.Struct, frozen=True, eq=False):
    """The observations of a learner's agent over the measured part of the last step.

    Attributes:
        dt_s: duration of the observation [s]; at the start of an episode, that of the warm-up.
        share: elapsed share of the episode.
        balance: current balance of the agent's account [money].
        gained: receipts minus payments during the observation [money].
        links: observation of links, for a carrier.
        flows: observation of flows, for a price handler.
    """

    dt_s: float
    share: float
    balance: float
    gained: float
    links: PriceObservation | None = None
    flows: Observation | None = None


class _Quantity(msgspec.Struct, frozen=True):
    unit: str
    roles: tuple[str, ...]
    of: Callable[[StepView], float]


def _rate(count: float, look: StepView) -> float:
    return count / look.dt_s if look.dt_s else 0.0


def _of_links(name: str) -> Callable[[StepView], float]:
    def of(look: StepView) -> float:
        assert look.links is not None
        return _rate(float(getattr(look.links.links, name).sum()), look)

    return of


def _utilization(look: StepView) -> float:
    assert look.links is not None
    return float(look.links.utilization.max()) if look.dt_s else 0.0


def _queue(look: StepView) -> float:
    assert look.links is not None
    return float(look.links.links.queue_packets.sum())


def _price(look: StepView) -> float:
    observation = look.links or look.flows
    assert observation is not None
    return observation.price_micro / MICRO


def _goodput(look: StepView) -> float:
    assert look.flows is not None
    return float(look.flows.flows.goodput_bps.mean())


def _rtt(look: StepView) -> float:
    assert look.flows is not None
    sampled = look.flows.flows.srtt_s[look.flows.flows.srtt_s > 0]
    return float(sampled.mean()) if len(sampled) else 0.0


def _flow_marks(look: StepView) -> float:
    assert look.flows is not None
    return _rate(float(look.flows.flows.marks.sum()), look)


def _charge(look: StepView) -> float:
    assert look.flows is not None
    return _rate(float(look.flows.flows.charge_micro.sum()) / MICRO, look)


def _marks(look: StepView) -> float:
    return _flow_marks(look) if look.flows is not None else _of_links("marks")(look)


_QUANTITIES: Final[dict[str, _Quantity]] = {
    "time": _Quantity("", LEARNERS, lambda look: look.share),
    "balance": _Quantity("money", LEARNERS, lambda look: look.balance),
    "profit": _Quantity("money/s", LEARNERS, lambda look: _rate(look.gained, look)),
    "price": _Quantity("money", LEARNERS, _price),
    "marks": _Quantity("mark/s", LEARNERS, _marks),
    "utilization": _Quantity("", (CARRIER,), _utilization),
    "arrivals": _Quantity("packet/s", (CARRIER,), _of_links("arrivals")),
    "drops": _Quantity("packet/s", (CARRIER,), _of_links("drops")),
    "queue": _Quantity("packet", (CARRIER,), _queue),
    "goodput": _Quantity("bit/s", (HANDLER,), _goodput),
    "rtt": _Quantity("s", (HANDLER,), _rtt),
    "charge": _Quantity("money/s", (HANDLER,), _charge),
}

OBSERVED: Final[dict[str, str]] = {name: of.unit for name, of in _QUANTITIES.items()}
ACTED: Final[dict[str, str]] = {"price": "money", "willingness": "money/s", "rate_cap": "bit/s"}
_ACTS: Final = {CARRIER: ("price",), HANDLER: ("willingness", "rate_cap")}


def measured(name: str, look: StepView) -> float:
    """Return the observed quantity with this name in its unit (see OBSERVED)."""
    return _QUANTITIES[name].of(look)


def known(kind: str, role: str) -> tuple[str, ...]:
    """Return the names of a role's observations or actions, depending on `kind`."""
    if kind == "actions":
        return _ACTS[role]
    return tuple(name for name, of in _QUANTITIES.items() if role in of.roles)


@dataclasses.dataclass
class Profit:
    """The agent's receipts minus its payments, per second.

    Attributes:
        per: profit that gives a reward of 1.
    """

    roles: ClassVar[tuple[str, ...]] = LEARNERS
    per: Annotated[float, Unit("money/s")] = 1.0

    def __post_init__(self) -> None:
        positive("per", self.per, "money/s")

    def reward(self, look: StepView) -> float:
        """Return the reward for the measured part of a step."""
        return _rate(look.gained, look) / self.per


@dataclasses.dataclass
class Surplus:
    """The utility of the agent's flow rates, plus its receipts minus its payments, per second.

    Attributes:
        utility: utility of each flow's goodput (see ecnomy.agents.utilities); `x0` is required.
        per: amount that gives a reward of 1.
    """

    roles: ClassVar[tuple[str, ...]] = (HANDLER,)
    utility: Annotated[Mapping[str, object], OneOf(UTILITIES, find_utility)]
    per: Annotated[float, Unit("money/s")] = 1.0

    def __post_init__(self) -> None:
        positive("per", self.per, "money/s")
        try:
            self._utility = utility_of(self.utility)
        except Refused as refused:
            raise Refused(f"utility.{refused.key}", refused.found, refused.expected) from None
        if self._utility.x0 is None:
            raise Refused("utility.x0", "no 'x0'", "a rate such as 1 Mbps")
        if delay_cost_of(self._utility):
            raise Refused(
                "utility.delay_cost",
                "a cost of delay",
                "no cost of delay, because rewards are for rates only",
            )

    def reward(self, look: StepView) -> float:
        """Return the reward for the measured part of a step. Rates count as at least x0/1000."""
        assert look.flows is not None and self._utility.x0 is not None
        if not look.dt_s:
            return 0.0
        ratio = np.maximum(look.flows.flows.goodput_bps / self._utility.x0, 1e-3)
        worth = float(np.sum(self._utility.value(ratio)))
        return (worth + _rate(look.gained, look)) / self.per


REWARDS: Final[dict[str, type[Profit] | type[Surplus]]] = {"profit": Profit, "surplus": Surplus}
