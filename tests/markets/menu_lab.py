# SPDX-License-Identifier: Apache-2.0
"""Strategies that choose from menus, well or badly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ecnomy.agents import Decision, Observation

__all__ = ["LOG", "Chooser", "Wrong"]

LOG: list[tuple[float, str, str, tuple[str, ...], list[int], list[int]]] = []


@dataclass
class Chooser:
    """Takes `heavy` for its first flow at 4 s, for all of a menu at 7 s, and `light` at 9 s."""

    roles: ClassVar[tuple[str, ...]] = ("customer",)

    def decide_many(self, observation: Observation) -> Decision:
        """See Strategy."""
        assert observation.agent is not None
        for menu in observation.agent.menus:
            chosen = menu.flows.tolist(), menu.choice.tolist()
            LOG.append((observation.t_s, menu.seller, menu.name, menu.choices, *chosen))
        menu = observation.agent.menus[0]
        if observation.t_s == 4:
            observation.agent.choose(menu, "heavy", np.array([0]))
        if observation.t_s in (7, 9):
            observation.agent.choose(menu, "heavy" if observation.t_s == 7 else "light")
        return Decision()


@dataclass
class Wrong:
    """Chooses `choice` for the flow `flow`, or notes values that only the market may write."""

    choice: str = "heavy"
    flow: int = 0
    note: str = ""

    def decide_many(self, observation: Observation) -> Decision:
        """See Strategy."""
        assert observation.agent is not None
        if self.note:
            observation.agent.note(self.note, 1.0)
        observation.agent.choose(observation.agent.menus[0], self.choice, np.array([self.flow]))
        return Decision()
