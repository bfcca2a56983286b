# SPDX-License-Identifier: Apache-2.0
"""What users write under `tariff:`, `tariffs:` and `elastic:` of a guaranteed stream provider."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.call_tariff import BOTH, PROVIDER_SEES, SUBSCRIBER_SEES, CallTariff, Hours
from ecnomy.agents.elastic_tariff import ElasticTariff
from ecnomy.agents.spec import CallLine, ElasticLine, StrategySpec
from ecnomy.markets.economy.prices import Price, PriceReader
from ecnomy.markets.economy.tariffs import TimeOfDay
from ecnomy.markets.inputs import reading
from ecnomy.markets.inputs.amounts import DEAREST_MICRO, MICRO, Amount, Choice, Names, Number
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.yamlfile import Node, child_path, show
from ecnomy.markets.scenario.strategy import StrategyReader

__all__ = ["DEFAULT_ROW", "CallTariffEntry", "CallTariffRow", "ElasticRow"]

DEFAULT_ROW: Final = "calls"
_AS_PRICE: Final = -1
_PS_PER_MIN: Final = 60 * 10**12
_SEERS: Final = (PROVIDER_SEES, SUBSCRIBER_SEES, BOTH)

_MONEY: Final = Amount(
    what="a price", example="0.05 money", units=("money",), scale=MICRO, most=DEAREST_MICRO
)
_Reimbursement = Annotated[
    int,
    Amount(
        what="an amount",
        example="0.05 money",
        units=("money",),
        scale=MICRO,
        most=DEAREST_MICRO,
        words=(("price", _AS_PRICE),),
    ),
]
_Delay = Annotated[int, Amount(what="a time", example="15 ms", units=("ps",), above=True)]
_MaxTime = Annotated[int, Amount(what="a time", example="3 min", units=("ps",), above=True)]
_Peak = Annotated[
    float,
    Amount(what="a rate", example="10 packets/s", units=("packets/s",), whole=False, above=True),
]
_Share = Annotated[float, Number(what="a share", least=0, most=1)]


class _TwoPart(msgspec.Struct, frozen=True, kw_only=True):
    """So much for a call, and so much for its time."""

    call: Annotated[int, _MONEY] = 0
    time: Annotated[Price, PriceReader("ps")]

    def __post_init__(self) -> None:
        _per_minute(self.time, "time")


def _per_minute(price: Price, key: str) -> int:
    exact = price.exact * _PS_PER_MIN
    if exact.denominator != 1:
        expected = f"a price in whole multiples of 1/{MICRO} money/min"
        raise Misfit(key, str(price), expected)
    return int(exact)


class _CallPrice(msgspec.Struct, frozen=True):
    """What a call costs.

    Attributes:
        micro: for the call, in micro-units; by time of day, outside the periods.
        per_min: for its time, in micro-units a minute.
        by_day: prices by time of day.
    """

    micro: int
    per_min: int = 0
    by_day: TimeOfDay | None = None

    def hours(self) -> tuple[Hours, ...]:
        """Prices of the periods of the day, in order."""
        if self.by_day is None:
            return ()
        periods = self.by_day.periods
        return tuple(
            Hours(begin, end, _of_call(periods[index].price))
            for begin, end, index in self.by_day.spans()
        )


def _of_call(price: Price) -> int:
    return int(price.exact)


class _CallPriceReader:
    """Reads and writes what a call costs: an amount, a price of its time, both, or by the hour."""

    expected = "a price such as 0.05 money, 0.02 money/min or {call: 0.05 money, time: 1 money/h}"

    def read(self, node: Node, path: str) -> _CallPrice:
        """See Reader."""
        if isinstance(node.value, dict):
            kind = node.mapping().get("kind")
            if kind is None:
                parts = reading.read(node, _TwoPart, path, {})
                return _CallPrice(parts.call, _per_minute(parts.time, "time"))
            if kind.value != "time-of-day":
                here = child_path(path, "kind")
                raise kind.place.error(here, show(kind), "time-of-day, or {call: ..., time: ...}")
            return self._by_day(reading.read(node, TimeOfDay, path, {}), node, path)
        if isinstance(node.value, str) and "/" in node.value:
            price = PriceReader("ps").read(node, path)
            if (price.exact * _PS_PER_MIN).denominator != 1:
                expected = f"a price in whole multiples of 1/{MICRO} money/min"
                raise node.place.error(path, show(node), expected)
            return _CallPrice(0, int(price.exact * _PS_PER_MIN))
        return _CallPrice(_MONEY.read(node, path))

    @staticmethod
    def _by_day(by_day: TimeOfDay, node: Node, path: str) -> _CallPrice:
        prices = [period.price for period in by_day.periods]
        prices += [by_day.price] if by_day.price is not None else []
        for price in prices:
            if price.unit != "call" or price.exact.denominator != 1:
                raise node.place.error(path, str(price), "prices such as 0.05 money/call")
        outside = 0 if by_day.price is None else _of_call(by_day.price)
        return _CallPrice(outside, by_day=by_day)

    def write(self, value: _CallPrice) -> Any:
        """See Reader."""
        if value.by_day is not None:
            return reading.write(value.by_day)
        call = _MONEY.write(value.micro)
        if not value.per_min:
            return call
        time = str(Price(value.per_min, _PS_PER_MIN, "ps"))
        return {"call": call, "time": time} if value.micro else time


class CallTariffEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A price of a call, a promise, and what is paid back when it breaks.

    What describes a connection (`max_time`, `peak_rate`) is held to what its sources send.
    """

    price: Annotated[_CallPrice, _CallPriceReader()]
    max_delay: _Delay = 15_000_000_000
    max_delay_rate: _Share = 0.01
    reimbursement: _Reimbursement = _AS_PRICE
    max_time: _MaxTime | None = None
    peak_rate: _Peak | None = None
    max_blocking_rate: _Share | None = None
    quality_seen_by: Annotated[str, Choice(_SEERS)] | None = None

    def tariff(self, name: str = DEFAULT_ROW) -> CallTariff:
        """The tariff under this name."""
        price, money_back = self.price, self.reimbursement == _AS_PRICE
        day = {}
        if price.by_day is not None:
            day = {"day_ps": price.by_day.day, "offset_ps": price.by_day.offset}
        unsaid = CallTariff(0, 0, 0, 0)
        return CallTariff(
            price_micro=price.micro,
            max_delay_ps=self.max_delay,
            max_delay_rate=self.max_delay_rate,
            reimbursement_micro=price.micro if money_back else self.reimbursement,
            name=name,
            price_micro_per_min=price.per_min,
            money_back=money_back,
            hours=price.hours(),
            **day,
            max_time_ps=unsaid.max_time_ps if self.max_time is None else self.max_time,
            peak_pps=unsaid.peak_pps if self.peak_rate is None else self.peak_rate,
            max_blocking_rate=(
                unsaid.max_blocking_rate
                if self.max_blocking_rate is None
                else self.max_blocking_rate
            ),
            quality_seen_by=self.quality_seen_by or unsaid.quality_seen_by,
        )


class CallTariffRow(CallTariffEntry, frozen=True, kw_only=True):
    """A row of a tariff table: whose calls it is for, and who admits."""

    sources: Names
    strategy: Annotated[StrategySpec | None, StrategyReader()] = None

    def line(self, name: str) -> CallLine:
        """As the market takes it."""
        return CallLine(self.tariff(name), self.sources, self.strategy)


class ElasticRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a table of elastic types: a price a file, by when it is there, what marks may cost.

    Without a strategy it is sent by its deadline within its price.
    """

    sources: Names
    price: Annotated[int, _MONEY]
    deadline: _MaxTime
    reimbursement: _Reimbursement = _AS_PRICE
    strategy: Annotated[StrategySpec | None, StrategyReader()] = None

    def line(self, name: str) -> ElasticLine:
        """As the market takes it."""
        back = self.price if self.reimbursement == _AS_PRICE else self.reimbursement
        tariff = ElasticTariff(self.price, self.deadline, back, name)
        deadline_s, budget = self.deadline / 10**12, self.price / MICRO
        usual = StrategySpec("file-budget", {"deadline": deadline_s, "budget": budget})
        return ElasticLine(tariff, self.sources, self.strategy or usual)
