# SPDX-License-Identifier: Apache-2.0
"""The guaranteed stream provider (GSP): buys marks at a changing price, sells calls at a fixed one.

Andreassen 2002, chapter 4: stand-alone, without access to routers or to its subscribers' quality.
All it knows of the network is what its own test streams see; on that it admits or blocks a call at
the moment of the call. It pays the marks of its calls and of its test streams.
"""

from __future__ import annotations

from typing import ClassVar, Self

import mesa

from ecnomy.agents.answers import truth
from ecnomy.agents.call_tariff import DEFAULT_ADMISSION, CallTariff
from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.roles.role import EVERY_REPORT, Role, Terms
from ecnomy.agents.seat import Seat
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.strategies import blame, make

__all__ = ["GuaranteedStreamProvider"]


class GuaranteedStreamProvider(Role):
    """Holds one tariff and one strategy of admission.

    Attributes:
        tariff: what a call costs and promises.
    """

    phase: ClassVar[str] = "watch"

    def __init__(self, model: mesa.Model, name: str, terms: Terms, tariff: CallTariff) -> None:
        """See Role; a strategy that cannot be made or used is a StrategyError."""
        super().__init__(model, name, terms, EVERY_REPORT)
        self.tariff = tariff
        kind = terms.kind or DEFAULT_ADMISSION
        self._who = f"{name} ({kind})"
        self._strategy = make(kind, terms.params)
        if not callable(getattr(self._strategy, "admit", None)):
            raise StrategyError(f"{self._who}: a strategy for calls has admit")

    @classmethod
    def made(cls, model: mesa.Model, terms: Terms, spec: AgentSpec) -> Self:
        """See Role."""
        if spec.tariff is None:
            raise StrategyError(f"{spec.name}: a provider of calls has a tariff")
        return cls(model, spec.name, terms, spec.tariff)

    def join(self, seat: Seat) -> None:
        """It sells the calls of its sources, and pays their marks and those of its test streams."""
        spec = seat.spec
        seat.pay_marks((*spec.sources, *spec.test_streams))
        seat.sell_calls(self, spec.sources, self.tariff)
        self._streams = seat.rows_of(spec.test_streams)

    def act(self, seat: Seat) -> None:
        """Look at the test streams; what has changed of its readings is noted."""
        before = self.readings
        self.watch(seat.streams(self._streams, self.tariff))
        for name, value in self.readings.items():
            if before.get(name) != value:
                seat.note(name, value)

    def watch(self, seen: StreamObservation) -> None:
        """Look at the test streams.

        Raises:
            StrategyError: the strategy's own code failed.
        """
        look = getattr(self._strategy, "watch", None)
        if look is not None:
            try:
                look(seen)
            except Exception as error:
                raise blame(self._who, error) from error
        self.decided(seen.t_ps, 0)

    def admit(self, call: Call) -> bool:
        """Whether the call is let in.

        Raises:
            StrategyError: the strategy failed, or answered something else than True or False.
        """
        try:
            answer = self._strategy.admit(call)  # type: ignore[attr-defined]
        except Exception as error:
            raise blame(self._who, error) from error
        admitted = truth(answer)
        if admitted is None:
            raise StrategyError(f"{self._who} answered a call by {answer!r}, not True or False")
        return admitted

    @property
    def readings(self) -> dict[str, float]:
        """What the strategy goes by now, by name, for the table `agents`."""
        readings: dict[str, float] = getattr(self._strategy, "readings", {})
        return readings
