# SPDX-License-Identifier: Apache-2.0
"""A custom strategy for an application provider, used by patient.yaml in the same folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ecnomy.agents import FlowDecision, FlowView, Unit


@dataclass
class Patient:
    """Pays for marks at the rate of the class fee, up to a ceiling."""

    roles: ClassVar[tuple[str, ...]] = ("application-provider",)
    ceiling: Annotated[float, Unit("money/s")] = 1.0  # in YAML: `ceiling: 2 money/s`

    def decide(self, view: FlowView) -> FlowDecision:
        """Return the decision for a flow. Each flow has a separate strategy object."""
        fee = view.offers[view.offer].fee_micro_per_s
        return FlowDecision(willingness_micro_per_s=min(fee, self.ceiling * 1e6))
