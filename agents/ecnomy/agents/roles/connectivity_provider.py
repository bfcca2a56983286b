# SPDX-License-Identifier: Apache-2.0
"""The connectivity provider (ISP): posts a price per mark and is paid for every mark delivered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

import mesa
import msgspec

from ecnomy.agents.answers import whole
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.roles.role import ADAPT, EVERY_REPORT, SHORTEST_PS, Role, Terms
from ecnomy.agents.seat import Seat
from ecnomy.agents.strategies import blame, make
from ecnomy.agents.times import PS_PER_S

__all__ = ["ConnectivityProvider", "price_posted"]

PATIENCE_PS: Final = 600 * PS_PER_S  # longest adaptive interval


class ConnectivityProvider(Role):
    """Posts one integer price per mark [micro-units]; by default, the scenario's price.

    By default, the provider decides at every report. With a strategy that waits for customers
    (`waits`), the default interval is the customers' time to respond, from 5 s to 10 min.
    """

    phase: ClassVar[str] = "post"

    def __init__(self, model: mesa.Model, name: str, terms: Terms) -> None:
        """Create the agent, or raise StrategyError if its strategy cannot be created or used."""
        kind = terms.kind or "stay"
        self._who = f"{name} ({kind})"
        self._strategy = make(kind, terms.params)
        self._waits: int = getattr(self._strategy, "waits", 0)
        super().__init__(model, name, terms, ADAPT if self._waits else EVERY_REPORT)
        if not callable(getattr(self._strategy, "post_price", None)):
            raise StrategyError(f"{self._who}: a strategy for prices needs the method post_price")

    def join(self, seat: Seat) -> None:
        """Make the agent the owner of its links, so that it is paid for their marks."""
        seat.own_links()

    def act(self, seat: Seat) -> None:
        """Post the new price and tune the marking of the carrier's links."""
        observation = seat.links()
        if self._waits:
            observation = msgspec.structs.replace(observation, responds_ps=seat.responds_ps())
        seat.post_price(self.post_price(observation))
        for link, values in self.tune(observation).items():
            seat.tune(link, values)

    def post_price(self, observation: PriceObservation) -> int:
        """Return the new price per mark, in micro-units.

        Raises:
            StrategyError: the strategy failed, or did not return an integer in [0, 10^12].
        """
        try:
            answer = self._strategy.post_price(observation)  # type: ignore[attr-defined]
        except Exception as error:
            raise blame(self._who, error) from error
        price = price_posted(self._who, answer)
        responded_ps = min(max(observation.responds_ps, SHORTEST_PS), PATIENCE_PS)
        self.decided(observation.t_ps, 0, needs=responded_ps)
        self.settles_ps = observation.responds_ps if self._waits else 0
        self.hasty = (
            0 < self._waits * max(self.interval_ps, observation.dt_ps) < observation.responds_ps
        )
        return price

    def tune(self, observation: PriceObservation) -> Mapping[str, Mapping[str, object]]:
        """Return link -> parameter of its law -> new value, or {} if the strategy has no `tune`.

        Raises:
            StrategyError: the strategy failed, or returned another type.
        """
        ask = getattr(self._strategy, "tune", None)
        if ask is None:
            return {}
        try:
            answer = ask(observation)
        except Exception as error:
            raise blame(self._who, error) from error
        if not isinstance(answer, Mapping) or not all(
            isinstance(values, Mapping) for values in answer.values()
        ):
            raise StrategyError(
                f"{self._who} returned {answer!r} from `tune`, expected a mapping such as "
                "{link: {parameter: value}}"
            )
        return answer


def price_posted(who: str, price: object) -> int:
    """Check and return the price that `who` posts.

    Raises:
        StrategyError: the price is not an integer in [0, 10^12].
    """
    price_micro = whole(price)
    if price_micro is None or not 0 <= price_micro <= DEAREST_MICRO:
        expected = "an integer from 0 to 10^12 micro-units"
        raise StrategyError(f"{who}: the price must be {expected}, got {price!r}")
    return price_micro
