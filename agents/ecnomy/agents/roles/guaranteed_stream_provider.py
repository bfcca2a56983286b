# SPDX-License-Identifier: Apache-2.0
"""The guaranteed stream provider (GSP): pays for marks, and sells calls at fixed prices.

Andreassen 2002, chapter 4, describes a stand-alone provider that can observe neither the routers
nor its subscribers' quality. It knows the network only from its test streams and from the cost of
its calls. With this knowledge, it admits or blocks each call immediately. It pays its fixed costs,
and the marks of its calls and test streams. A provider integrated with a carrier observes the
packets of all its callers, so it does not need test streams (section 4.4).
"""

from __future__ import annotations

from typing import ClassVar, Self

import mesa

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.roles.call_sales import CallSales
from ecnomy.agents.roles.elastic_sales import ElasticSales
from ecnomy.agents.roles.role import EVERY_REPORT, Role, Terms
from ecnomy.agents.seat import Seat
from ecnomy.agents.spec import AgentSpec, CallLine, ElasticLine

__all__ = ["GuaranteedStreamProvider"]


class GuaranteedStreamProvider(Role):
    """Holds a tariff table, and a strategy for each line of the table.

    Attributes:
        lines: the table's lines for calls; their strategies admit calls.
        elastic: the table's lines for files; their strategies set the cost of marks.
    """

    phase: ClassVar[str] = "watch"

    def __init__(
        self,
        model: mesa.Model,
        name: str,
        terms: Terms,
        lines: tuple[CallLine, ...],
        elastic: tuple[ElasticLine, ...] = (),
    ) -> None:
        """Create the agent, or raise StrategyError if its strategy cannot be created or used."""
        super().__init__(model, name, terms, EVERY_REPORT)
        self.lines = tuple(CallSales(name, line, terms) for line in lines)
        self.elastic = tuple(ElasticSales(name, line) for line in elastic)

    @classmethod
    def made(cls, model: mesa.Model, terms: Terms, spec: AgentSpec) -> Self:
        """See Role."""
        if not (spec.lines or spec.elastic):
            raise StrategyError(f"{spec.name}: a provider of calls needs a tariff")
        return cls(model, spec.name, terms, spec.lines, spec.elastic)

    def join(self, seat: Seat) -> None:
        """Sell calls and files; pay for the marks of these and of test streams; pay fixed costs."""
        spec = seat.spec
        calls = tuple(name for line in self.lines for name in line.sources)
        files = tuple(name for line in self.elastic for name in line.sources)
        seat.pay_marks((*calls, *files, *spec.test_streams))
        if spec.fixed_costs is not None:
            seat.pay_fixed_costs(*spec.fixed_costs)
        self._sold = [
            seat.sell_calls(line, line.sources, line.tariff, str(number) if line.apart else "")
            for number, line in enumerate(self.lines)
        ]
        own = calls if spec.integrated_with else ()
        self._streams = seat.rows_of((*spec.test_streams, *own))
        for line in self.elastic:
            seat.sell_files(line.sources, line.tariff)
        self._files = [seat.rows_of(line.sources) for line in self.elastic]

    def act(self, seat: Seat) -> None:
        """Observe test streams, post call prices, set payments for files, and record readings."""
        before = self.readings
        for number, line in zip(self._sold, self.lines, strict=True):
            price_micro = line.watch(seat.streams(self._streams, number))
            if price_micro is not None:
                seat.post_call_price(number, price_micro)
        for part, (rows, row) in enumerate(zip(self._files, self.elastic, strict=True)):
            seat.pay(rows, row.decide(seat.flows(rows, part)), all_of_them=False)
        for name, value in self.readings.items():
            if before.get(name) != value:
                seat.note(name, value)
        self.decided(seat.t_ps, 0)

    @property
    def readings(self) -> dict[str, float]:
        """The strategies' readings by name, or by `<name>:<tariff>` if there are several lines."""
        if len(self.lines) == 1:
            return dict(self.lines[0].readings)
        return {
            f"{name}:{line.tariff.name}": value
            for line in self.lines
            for name, value in line.readings.items()
        }
