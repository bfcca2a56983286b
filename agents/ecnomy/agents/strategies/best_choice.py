# SPDX-License-Identifier: Apache-2.0
"""`best-choice`: a user agent that composes what its provider's menu offers, by its own utility.

The provider runs basic strategies (`menu`), the user knows what a rate is worth to it (Antoniadis
et al. 2000, 2.2). At each decision it looks at what the choice of each flow has left since the last

    s = U(x) - charge - fee        [money/s], x the goodput

with what it pays itself only (the charge for marks where the carrier charges customers), and picks
again. How it learns, hears from its other flows, tries and changes is that of `best-offer`: the
choices of the menu take the place of sources, and all flows may send. Menus of several providers
are learnt of apart.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.menus import STRATEGY, MenuView
from ecnomy.agents.observation import Observation
from ecnomy.agents.strategies.best_offer import BestOffer

__all__ = ["BestChoice"]


@dataclasses.dataclass
class BestChoice(BestOffer):
    """Picks for each flow the choice of its provider's menu that leaves its user most.

    Attributes: as those of BestOffer; `pay` and `retry` have no meaning here, as the provider
    steers the flows and nobody leaves.
    """

    chooses_sources: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._nothing = -np.inf
        self._own: dict[str, BestChoice] = {}  # what is known of each provider's menu

    def decide_many(self, seen: Observation) -> Decision:
        """Every class and flow as it is; what is picked is said by `seen.agent.choose`."""
        if seen.agent is None:
            raise StrategyError("best-choice: menus and random numbers require a market")
        menus = [menu for menu in seen.agent.menus if menu.name == STRATEGY]
        moved = 0
        for menu in menus:
            own = self._own.setdefault(menu.seller, dataclasses.replace(self))
            moved += own._compose(seen, menu)
        if moved:
            self._switches += moved
            seen.agent.note("switches", self._switches)
        return Decision()

    def _compose(self, seen: Observation, menu: MenuView) -> int:
        """Choices of one provider's menu; how many changed."""
        if self._known.shape != (len(menu.choices), len(menu.flows)):
            self._known = np.full((len(menu.choices), len(menu.flows)), np.nan)
            self._choice = menu.choice.copy()
            self._away = np.zeros(len(menu.flows), dtype=np.bool_)
        elif seen.dt_ps:
            self._learn_of(seen, np.searchsorted(seen.flows.flow, menu.flows))
            return self._pick(seen, menu)
        return 0

    def _pick(self, seen: Observation, menu: MenuView) -> int:
        assert seen.agent is not None
        choice = self._better(seen.agent.random)
        moved = choice != self._choice
        for number in np.unique(choice[moved]).tolist():
            picked = menu.flows[moved & (choice == number)]
            seen.agent.choose(menu, menu.choices[number], picked)
        self._choice = choice
        return int(np.count_nonzero(moved))
