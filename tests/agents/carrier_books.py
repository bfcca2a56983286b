# SPDX-License-Identifier: Apache-2.0
"""A carrier's accounts and clock without a market, for strategies that follow their earnings."""

from __future__ import annotations

import numpy as np

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.observation import LinkColumns, PriceObservation

__all__ = ["NO_LINKS", "CarrierBooks", "S"]

S = 10**12
NO_LINKS = LinkColumns(*[np.zeros(0, dtype=np.int64)] * 7)


class CarrierBooks:
    """A carrier whose receipts and payments a test sets; it decides every 10 s."""

    def __init__(
        self,
        strategy: object,
        price: int,
        seed: int = 1,
        responds_s: float = 0.0,
        link: int | None = None,
        busy: float = 0.0,
    ) -> None:
        self.link, self.busy = link, busy
        self.strategy, self.price, self.t_ps = strategy, price, 0
        self.received, self.paid, self.responds_ps = 0, 0, round(responds_s * S)
        self.notes: list[tuple[str, float]] = []
        random = np.random.default_rng(seed)
        self.view = AgentView("net", random, self, lambda *note: self.notes.append(note))

    def balance_micro(self, name: str) -> int:
        """See Books."""
        return self.received - self.paid

    def paid_micro(self, name: str) -> dict[str, int]:
        """See Books."""
        return {"settlement": self.paid}

    def received_micro(self, name: str) -> dict[str, int]:
        """See Books."""
        return {"marks": self.received}

    def decide(self, received: int = 0, paid: int = 0) -> int:
        """Return the price posted after these receipts and payments, in micro-units."""
        self.received += received
        self.paid += paid
        dt_ps = 10 * S if self.t_ps else 0
        self.t_ps += 10 * S
        observation = PriceObservation(
            self.t_ps,
            dt_ps,
            self.price,
            self._links(dt_ps),
            self.view,
            responds_ps=self.responds_ps,
        )
        self.price = self.strategy.post_price(observation)  # type: ignore[attr-defined]
        return self.price

    def _links(self, dt_ps: int) -> LinkColumns:
        """One link, busy for the share of the time that a test says, or none."""
        if self.link is None:
            return NO_LINKS
        row = [self.link, 10**6, 0, 0, 0, round(self.busy * dt_ps), 0]
        return LinkColumns(*(np.array([value]) for value in row))
