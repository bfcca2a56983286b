# SPDX-License-Identifier: Apache-2.0
"""The application provider: sells classes for a fee, and sets the cost of their flows' marks.

Either the provider pays for these marks and resells transport at the fee (the default), or its
customers pay (Antoniadis et al. 2000, 2). In both cases the provider's strategy controls the flows,
because the provider sends. With the default strategy, `constant-charge`, the target cost of each
flow's marks is the charge of its class (2.1). A change of class takes effect at the report at which
the flow enters the new class, so this role decides at every report unless an interval is set.

A strategy may also post fees before customers choose classes (`post_fees`), and decide whether a
flow may enter a class (`let_in`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import mesa

from ecnomy.agents.answers import shown, truth, whole
from ecnomy.agents.classes import ClassObservation, ClassRequest
from ecnomy.agents.decision import Decision
from ecnomy.agents.errors import EcnomyError, StrategyError
from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.agents.observation import Observation, Offer
from ecnomy.agents.roles.role import EVERY_REPORT, Role, Terms, settling_ps
from ecnomy.agents.seat import Seat
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.strategies import blame
from ecnomy.agents.strategies.menu import Menu
from ecnomy.agents.strategies.strategist import Strategist

__all__ = ["ApplicationProvider"]


class ApplicationProvider(Role):
    """Holds the provider's classes, and one strategy for the flows in them.

    Attributes:
        offers: the classes on sale, with their initial fees.
        decides_requests: whether the strategy decides on requests for a class.
        watches_classes: whether the strategy posts fees.
    """

    phase: ClassVar[str] = "provide"

    def __init__(
        self, model: mesa.Model, name: str, terms: Terms, offers: tuple[Offer, ...]
    ) -> None:
        """Create the agent, or raise StrategyError if its strategy cannot be created or used."""
        super().__init__(model, name, terms, EVERY_REPORT)
        self.offers = offers
        kind = terms.kind or "constant-charge"
        self._who = f"{name} ({kind})"
        self._strategist = Strategist(name, kind, terms.params)
        self._seller = self._strategist.whole
        self.watches_classes = callable(getattr(self._seller, "post_fees", None))
        self.decides_requests = callable(getattr(self._seller, "let_in", None))

    @classmethod
    def made(cls, model: mesa.Model, terms: Terms, spec: AgentSpec) -> Self:
        """See Role."""
        offers = tuple(Offer(spec.name, c.name, c.fee_micro_per_s) for c in spec.classes)
        return cls(model, spec.name, terms, offers)

    def join(self, seat: Seat) -> None:
        """Put the classes and any menu on sale, and keep the strategy from switching flows off."""
        if callable(stay := getattr(self._seller, "staying", None)):
            stay()
        for sold in seat.spec.classes:
            seat.sell_class(sold, self)
        if isinstance(self._seller, Menu):
            seat.offer_strategies(self._seller.menu)

    def post_fees(self, seat: Seat) -> None:
        """Post new fees if the strategy sets fees."""
        if self.watches_classes:
            for name, fee in self.fees(seat.classes()).items():
                seat.post_fee(name, fee)

    def act(self, seat: Seat) -> None:
        """Set the payment for the flows in the provider's classes."""
        rows = seat.sold_rows()
        seat.pay(rows, self.decide(seat.flows(rows)), all_of_them=True)

    @property
    def advice(self) -> str:
        """See Role."""
        return self._strategist.advice

    def decide(self, observation: Observation) -> Decision:
        """Return the target cost of marks for each flow in the provider's classes."""
        decision = self._strategist.decide(observation)
        self.decided(observation.t_ps, settling_ps(observation.flows))
        return decision

    def fees(self, observation: ClassObservation) -> Mapping[str, int]:
        """Return the new fee of each class [micro-units/s]; omitted classes keep their fees.

        Raises:
            StrategyError: the strategy failed, or did not return a mapping of valid fees.
        """
        try:
            answer = self._seller.post_fees(observation)  # type: ignore[attr-defined]
            posted = dict(answer.items()) if isinstance(answer, Mapping) else None
        except EcnomyError:
            raise
        except Exception as error:
            raise blame(self._who, error) from error
        if posted is None:
            expected = "a mapping from class to fee"
            raise StrategyError(f"{self._who}: the fees must be {expected}, got {shown(answer)}")
        for name, fee in posted.items():
            found_fee = whole(fee)
            if found_fee is None or not 0 <= found_fee <= DEAREST_MICRO:
                expected = "an integer from 0 to 10^12 micro-units/s"
                raise StrategyError(
                    f"{self._who}: the fee for {shown(name)} must be {expected}, got {shown(fee)}"
                )
            if name not in observation.names:
                expected = f"expected one of the classes {', '.join(observation.names)}"
                raise StrategyError(f"{self._who}: found a fee for {shown(name)}, {expected}")
        return {name: int(fee) for name, fee in posted.items()}

    def let_in(self, request: ClassRequest) -> bool:
        """Return whether a flow may enter a class that is not full.

        Raises:
            StrategyError: the strategy failed, or did not return a Boolean.
        """
        try:
            answer = self._seller.let_in(request)  # type: ignore[attr-defined]
            let_in = truth(answer)
        except EcnomyError:
            raise
        except Exception as error:
            raise blame(self._who, error) from error
        if let_in is None:
            raise StrategyError(
                f"{self._who} answered a request for admission with {shown(answer)}, expected "
                "True or False"
            )
        return let_in
