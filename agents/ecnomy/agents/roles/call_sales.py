# SPDX-License-Identifier: Apache-2.0
"""One line of a provider's tariff table, with the strategy that admits its calls."""

from __future__ import annotations

from ecnomy.agents.answers import shown, truth, whole
from ecnomy.agents.call_tariff import DEFAULT_ADMISSION, CallTariff
from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.agents.roles.role import Terms
from ecnomy.agents.spec import CallLine
from ecnomy.agents.strategies import blame, make

__all__ = ["CallSales"]


class CallSales:
    """Sells calls on one tariff: admits or refuses calls, and observes test streams.

    Attributes:
        tariff: the tariff, as in the scenario.
        sources: the sources of the calls on sale.
        apart: whether the line has a separate strategy, which does not count calls on other lines.
    """

    def __init__(self, who: str, line: CallLine, terms: Terms) -> None:
        """Create the strategy, or raise StrategyError if it cannot be created or used."""
        self.tariff: CallTariff = line.tariff
        self.sources = line.sources
        self.apart = line.strategy is not None
        kind, params = terms.kind or DEFAULT_ADMISSION, terms.params
        if line.strategy is not None:
            kind, params = line.strategy.kind, line.strategy.params
        self._who = f"{who} ({kind})"
        self._strategy = make(kind, params)
        if not callable(getattr(self._strategy, "admit", None)):
            raise StrategyError(f"{self._who}: a strategy for calls needs the method admit")
        self._watch = getattr(self._strategy, "watch", None)
        self._post = getattr(self._strategy, "post_call_price", None)

    def watch(self, observation: StreamObservation) -> int | None:
        """Observe the test streams, and return the new price of calls [micro-units] or None.

        Raises:
            StrategyError: the code of the strategy failed, or its price is invalid.
        """
        try:
            if self._watch is not None:
                self._watch(observation)
            posted = None if self._post is None else self._post(observation)
        except Exception as error:
            raise blame(self._who, error) from error
        price = None if posted is None else whole(posted)
        if posted is not None and (price is None or not 0 <= price <= DEAREST_MICRO):
            expected = "an integer from 0 to 10^12 micro-units, or None"
            raise StrategyError(f"{self._who}: the price must be {expected}, got {shown(posted)}")
        return price

    def admit(self, call: Call) -> bool:
        """Return whether the call is admitted.

        Raises:
            StrategyError: the strategy failed, or did not return True or False.
        """
        try:
            answer = self._strategy.admit(call)  # type: ignore[attr-defined]
        except Exception as error:
            raise blame(self._who, error) from error
        admitted = truth(answer)
        if admitted is None:
            raise StrategyError(
                f"{self._who} answered a call with {answer!r}, expected True or False"
            )
        return admitted

    @property
    def readings(self) -> dict[str, float]:
        """The strategy's current readings by name, for the table `agents`."""
        readings: dict[str, float] = getattr(self._strategy, "readings", {})
        return readings
