# SPDX-License-Identifier: Apache-2.0
"""The cost of a byte on each path, averaged over all flows of an agent on the path.

    c = (prior cost of one byte + sum of charges) / (1 + sum of payload bytes)

Both sums fade by exp(-dt / memory) over the time dt between two decisions. So c is a mean over the
last `memory` seconds in which any of these flows sent. The prior has the weight of one byte, so
it holds until the first bytes arrive. Sums do not fade in intervals without traffic, which give no
new information. The ratio of sums is the mean over bytes. A mean of ratios would give quiet and
busy intervals equal weight.
"""

from __future__ import annotations

import math

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.observation import Observation

__all__ = ["CostMemory"]


class CostMemory:
    """The cost of a byte of payload by source [micro-units]; flows of a source share a path."""

    def __init__(self, memory_s: float, first_micro_per_byte: float) -> None:
        self._memory_s, self._first = memory_s, first_micro_per_byte
        self._charge: Floats = np.zeros(0)
        self._bytes: Floats = np.zeros(0)

    def learn(self, observation: Observation) -> None:
        """Record the payments and bytes of an agent's flows since the last decision."""
        flows, sources = observation.flows, len(observation.sources)
        if len(self._bytes) < sources:
            self._charge, self._bytes = np.full(sources, self._first), np.ones(sources)
        if not observation.dt_ps:
            return
        sent = flows.payload_bps * observation.dt_s / 8 * np.maximum(flows.active, 1)
        got = np.bincount(flows.source, sent, sources)
        paid = np.bincount(flows.source, flows.charge_micro.astype(np.float64), sources)
        kept = np.where(got > 0, math.exp(-observation.dt_s / self._memory_s), 1.0)
        self._charge = kept * self._charge + paid
        self._bytes = kept * self._bytes + got

    def micro_per_byte(self, source: Integers | int) -> Floats:
        """Return the cost of a byte on the path of each of these sources [micro-units]."""
        cost: Floats = self._charge[source] / self._bytes[source]
        return cost
