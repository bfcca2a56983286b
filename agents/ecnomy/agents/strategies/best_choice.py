# SPDX-License-Identifier: Apache-2.0
"""`best-choice`: pick strategies from the provider's menu by the user's utility.

The provider runs basic strategies (`menu`), and the user knows the utility of a rate (Antoniadis et
al. 2000, 2.2). At each decision, the user computes each flow's surplus since the previous decision,

    s = U(x) - charge - fee        [money/s], x the goodput

and picks again. Only the user's payments count, so the charge for marks counts only if the carrier
charges customers. Learning, word of mouth between flows, trials and switches are as in
`best-offer`, but the alternatives are choices of the menu instead of sources, and all flows may
send. A switch does not start a flow, so the user also learns from the interval after a switch. It
learns separately about the menus of different providers.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.menus import STRATEGY, MenuView
from ecnomy.agents.observation import Observation, Truths
from ecnomy.agents.strategies.best_offer import BestOffer

__all__ = ["BestChoice"]


@dataclasses.dataclass
class BestChoice(BestOffer):
    """Picks for each flow the menu choice with the largest surplus for its user.

    Attributes: as in BestOffer; `pay` and `retry` have no effect, because the provider controls the
    flows and users do not leave.
    """

    chooses_sources: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._nothing = -np.inf
        self._own: dict[str, BestChoice] = {}  # experience with each provider's menu

    def decide_many(self, observation: Observation) -> Decision:
        """Pick from the menus with `observation.agent.choose`, and return an empty decision."""
        if observation.agent is None:
            raise StrategyError("best-choice: menus and random numbers require a market")
        menus = [menu for menu in observation.agent.menus if menu.name == STRATEGY]
        moved = 0
        for menu in menus:
            own = self._own.setdefault(menu.seller, dataclasses.replace(self))
            moved += own._compose(observation, menu)
        if moved:
            self._switches += moved
            observation.agent.note("switches", self._switches)
        return Decision()

    def _compose(self, observation: Observation, menu: MenuView) -> int:
        """Choose from one provider's menu, and return the number of switches."""
        if self._known.shape != (len(menu.choices), len(menu.flows)):
            self._begin(len(menu.choices), menu.choice.copy())
        elif observation.dt_ps:
            self._learn_of(observation, np.searchsorted(observation.flows.flow, menu.flows))
            return self._pick(observation, menu)
        return 0

    def _renew(self, users: Truths) -> None:
        """Do nothing, because all flows continue."""

    def _pick(self, observation: Observation, menu: MenuView) -> int:
        assert observation.agent is not None
        choice = self._better(observation.agent.random)
        moved = self._switch(choice)
        for number in np.unique(choice[moved]).tolist():
            picked = menu.flows[moved & (choice == number)]
            observation.agent.choose(menu, menu.choices[number], picked)
        return int(np.count_nonzero(moved))
