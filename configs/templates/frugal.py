# SPDX-License-Identifier: Apache-2.0
"""A custom strategy for users who pay for their marks, used by frugal.yaml in the same folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ecnomy.agents import FlowDecision, FlowView, Unit


@dataclass
class Frugal:
    """Pays `most` while few packets are marked, and a quarter of `most` while many are marked."""

    roles: ClassVar[tuple[str, ...]] = ("price-handler",)
    most: Annotated[float, Unit("money/s")] = 3.0  # in YAML: `most: 6 money/s`
    limit: float = 0.05  # share of packets that are marked

    def decide(self, view: FlowView) -> FlowDecision:
        """Return the decision for a flow. Each flow has a separate strategy object."""
        many = view.marks > self.limit * view.delivered
        return FlowDecision(willingness_micro_per_s=1e6 * self.most / (4 if many else 1))
