# SPDX-License-Identifier: Apache-2.0
"""The YAML under `tariff:`, `tariffs:` and `elastic:` of a guaranteed stream provider."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

from ecnomy.agents.call_tariff import (
    BOTH,
    MEGA,
    PROVIDER_SEES,
    SUBSCRIBER_SEES,
    CallTariff,
    Hours,
)
from ecnomy.agents.effective_bandwidth import MOST_EXPONENT, tangent
from ecnomy.agents.elastic_tariff import ElasticTariff
from ecnomy.agents.money import DEAREST_MICRO, MICRO
from ecnomy.agents.spec import CallLine, ElasticLine, StrategySpec
from ecnomy.agents.times import PS_PER_MIN, PS_PER_S
from ecnomy.markets.inputs import reading
from ecnomy.markets.inputs.amounts import Amount, Choice, Names, Number, quantity_schema
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.yamlfile import Node, child_path, show
from ecnomy.markets.scenario.parameters import StrategyReader
from ecnomy.markets.terms.tariffs import TimeOfDay
from ecnomy.markets.terms.unit_price import EXAMPLES, Price, PriceReader

__all__ = ["DEFAULT_ROW", "CallTariffEntry", "CallTariffRow", "ElasticRow"]

DEFAULT_ROW: Final = "calls"
_AS_PRICE: Final = -1
_BY_RATES: Final = "effective-bandwidth"
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
_Space = Annotated[
    float,
    Amount(what="a time", example="0.2 s", units=("ps",), whole=False, above=True),
]
_Share = Annotated[float, Number(what="a share", least=0, most=1)]


class _Parts(msgspec.Struct, frozen=True, kw_only=True):
    """The price of a call, of its duration, and of its packets.

    Attributes:
        call: price of each call, in addition to a price under `time` or `packets`.
        time: price of a call's duration, in whole millionths of money per minute.
        packets: price of each packet that a call sends.
    """

    call: Annotated[int, _MONEY] = 0
    time: Annotated[Price, PriceReader("ps")] | None = None
    packets: Annotated[Price, PriceReader("packet")] | None = None

    def __post_init__(self) -> None:
        if self.time is None and self.packets is None:
            expected = (
                f"a price under 'time' such as {EXAMPLES['ps']}, or a price under 'packets', or "
                "both"
            )
            raise Misfit("time", "no 'time'", expected)
        if self.time is not None:
            _per_minute(self.time, "time")

    @property
    def price(self) -> _CallPrice:
        """Return the price of a call."""
        per_min = 0 if self.time is None else _per_minute(self.time, "time")
        per_mega = 0 if self.packets is None else int(self.packets.exact * MEGA)
        return _CallPrice(self.call, per_min, per_mega=per_mega)


class _ByBandwidth(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="effective-bandwidth"
):
    """A price for the effective bandwidth, which follows from the tariff's peak and mean rate.

    Note:
        A call of time T that sends V packets costs price x (a T + b V). The line a + b M is the
        tangent at M = mean_rate to the effective bandwidth (1/s) log(1 + (M/h)(e^(s h) - 1)), with
        h = peak_rate and s = space (Kelly 1996). A caller therefore pays least if it declares its
        true mean rate. The product s h is at most 100. Price x a is rounded to millionths per
        minute, and price x b to millionths per million packets.

    Attributes:
        price: price of each packet of a call that sends at a constant rate.
        space: Kelly's s; choose a larger value for calls that are burstier relative to the link.
    """

    price: Annotated[Price, PriceReader("packet")]
    space: _Space

    def uses(self, peak_pps: float, mean_pps: float) -> tuple[int, int]:
        """Return the prices per minute and per million packets, rounded to whole micro-units."""
        along = tangent(peak_pps, mean_pps, self.space / PS_PER_S)
        micro = float(self.price.exact)
        return round(along.per_s * micro * 60), round(along.per_packet * micro * MEGA)


def _per_minute(price: Price, key: str) -> int:
    exact = price.exact * PS_PER_MIN
    if exact.denominator != 1:
        expected = f"a price in whole multiples of 1/{MICRO} money/min"
        raise Misfit(key, str(price), expected)
    if exact > DEAREST_MICRO:
        raise Misfit(key, str(price), f"a price of at most {DEAREST_MICRO // MICRO} money/min")
    return int(exact)


class _CallPrice(msgspec.Struct, frozen=True):
    """The price of a call.

    Attributes:
        micro: price of the call, in micro-units. With prices by time of day, this price applies
            outside the periods.
        per_min: price of its duration, in micro-units per minute.
        by_day: prices by time of day.
        per_mega: price of its packets, in micro-units per million packets.
        by_rates: price by peak and mean rate, which replaces the prices of time and packets.
    """

    micro: int
    per_min: int = 0
    by_day: TimeOfDay | None = None
    per_mega: int = 0
    by_rates: _ByBandwidth | None = None

    def hours(self) -> tuple[Hours, ...]:
        """Return the periods of a day with their prices, in order of time."""
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
    """Reads and writes the price of a call in any of its forms."""

    expected = "a price such as 0.05 money, 0.02 money/min or {call: 0.05 money, time: 6 money/h}"
    forms = (_Parts, _ByBandwidth, TimeOfDay)
    samples = {"2 money/GB": "0.2 money/call", "0.1 money/min": "0.2 money/call"}
    schema = quantity_schema()

    def read(self, node: Node, path: str) -> _CallPrice:
        """See Reader."""
        if isinstance(node.value, dict):
            kind = node.mapping().get("kind")
            if kind is None:
                return reading.read(node, _Parts, path, {}).price
            if kind.value == _BY_RATES:
                by_rates = reading.read(node, _ByBandwidth, path, {})
                return _CallPrice(0, by_rates=by_rates)
            if kind.value != "time-of-day":
                here = child_path(path, "kind")
                expected = f"time-of-day, {_BY_RATES}, or {{call: ..., time: ..., packets: ...}}"
                raise kind.place.error(here, show(kind), expected)
            return self._by_day(reading.read(node, TimeOfDay, path, {}), node, path)
        if isinstance(node.value, str) and "/" in node.value:
            price = PriceReader("ps").read(node, path)
            try:
                return _CallPrice(0, _per_minute(price, path))
            except Misfit as misfit:
                raise node.place.error(path, show(node), misfit.expected) from None
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
        if value.by_rates is not None:
            return reading.write(value.by_rates)
        if not (value.per_min or value.per_mega):
            return call
        time = str(Price(value.per_min, PS_PER_MIN, "ps"))
        if value.per_mega:
            packets = str(Price(value.per_mega // MEGA, 1, "packet"))
            return {"call": call, "time": time, "packets": packets}
        return {"call": call, "time": time} if value.micro else time


class CallTariffEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The price and promised quality of a call, and the reimbursement for a broken promise.

    A call is ended after `max_time`, and its source may not send faster than `peak_rate`. The
    `mean_rate` is only a declaration, on which prices may depend.

    Attributes:
        price: price of a call: an amount, prices per time or packet, a sum of these, prices by
            hour, or one by peak and mean rate. Prices per time or packet are charged when a call
            ends. Prices by hour have kind: time-of-day, with amounts such as 0.2 money/call.
            Callers compare prices at `mean_rate`, or at `peak_rate` if `mean_rate` is not set.
        max_delay: largest delay of a good packet; packets that arrive later or are lost are bad.
        max_delay_rate: largest share of bad packets at which the promise is kept.
        reimbursement: repayment for a broken promise; `price` repays the call's full price.
        max_time: time after which a call is ended; by default there is no limit.
        peak_rate: largest rate at which a source may send in a call; by default there is no limit.
            Required for effective-bandwidth; a price of packets needs `peak_rate` or `mean_rate`.
        mean_rate: mean rate that callers declare, for prices of packets; by default `peak_rate`.
            Required for effective-bandwidth.
        max_blocking_rate: largest share of calls that may be blocked; the strategy
            marking-quantile uses it as a target.
        quality_seen_by: party that decides whether a promise was broken; by default the provider
            (gsp). With subscriber, the provider pays each claim. A subscriber with
            `overclaims` also claims for kept promises.
    """

    price: Annotated[_CallPrice, _CallPriceReader()]
    max_delay: _Delay = 15_000_000_000
    max_delay_rate: _Share = 0.01
    reimbursement: _Reimbursement = _AS_PRICE
    max_time: _MaxTime | None = None
    peak_rate: _Peak | None = None
    mean_rate: _Peak | None = None
    max_blocking_rate: _Share | None = None
    quality_seen_by: Annotated[str, Choice(_SEERS)] | None = None

    def __post_init__(self) -> None:
        peak, mean, by_rates = self.peak_rate, self.mean_rate, self.price.by_rates
        if mean is not None and peak is not None and mean > peak:
            expected = f"at most the peak_rate of {peak:g} packets/s"
            raise Misfit("mean_rate", f"{mean:g} packets/s", expected)
        if self.price.per_mega and mean is None and peak is None:
            expected = "a rate such as 10 packets/s, or a mean_rate, because packets have a price"
            raise Misfit("peak_rate", "no 'peak_rate'", expected)
        if by_rates is None:
            return
        for key, rate in (("peak_rate", peak), ("mean_rate", mean)):
            if rate is None:
                expected = f"a rate such as 10 packets/s, because the price is set by {_BY_RATES}"
                raise Misfit(key, f"no {key!r}", expected)
        assert peak is not None
        if by_rates.space / PS_PER_S * peak > MOST_EXPONENT:
            expected = (
                f"at most {MOST_EXPONENT / peak:g} s ({MOST_EXPONENT:g} divided by the peak_rate)"
            )
            raise Misfit("price.space", f"{by_rates.space / PS_PER_S:g} s", expected)
        if max(self._uses()) > DEAREST_MICRO * MEGA:
            expected = f"a rate at which a packet costs at most {DEAREST_MICRO // MICRO:,} money"
            raise Misfit("mean_rate", f"{mean:g} packets/s", expected)

    def _uses(self) -> tuple[int, int]:
        """Return the prices in micro-units per minute and per million packets."""
        if self.price.by_rates is None:
            return self.price.per_min, self.price.per_mega
        assert self.peak_rate is not None and self.mean_rate is not None
        return self.price.by_rates.uses(self.peak_rate, self.mean_rate)

    def tariff(self, name: str = DEFAULT_ROW) -> CallTariff:
        """Return the tariff with the given name."""
        per_min, per_mega = self._uses()
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
            price_micro_per_min=per_min,
            price_micro_per_mega=per_mega,
            money_back=money_back,
            hours=price.hours(),
            **day,
            max_time_ps=unsaid.max_time_ps if self.max_time is None else self.max_time,
            peak_pps=unsaid.peak_pps if self.peak_rate is None else self.peak_rate,
            mean_pps=unsaid.mean_pps if self.mean_rate is None else self.mean_rate,
            max_blocking_rate=(
                unsaid.max_blocking_rate
                if self.max_blocking_rate is None
                else self.max_blocking_rate
            ),
            quality_seen_by=self.quality_seen_by or unsaid.quality_seen_by,
        )


class CallTariffRow(CallTariffEntry, frozen=True, kw_only=True):
    """An entry of a tariff table, with the sources of calls and the strategy that admits them.

    Attributes:
        sources: sources of the calls sold at this tariff.
        strategy: strategy that admits these calls; by default the agent's strategy.
    """

    sources: Names
    strategy: Annotated[StrategySpec | None, StrategyReader()] = None

    def line(self, name: str) -> CallLine:
        """Return the entry in the form that the market reads."""
        return CallLine(self.tariff(name), self.sources, self.strategy)


class ElasticRow(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the `elastic` table: the price and deadline of a file, and a strategy for marks.

    By default the strategy file-budget aims to send each file by its deadline, and limits the cost
    of marks to the file's price.

    Attributes:
        sources: sources of the files or pages.
        price: price of a file, charged when it is complete.
        deadline: promised transfer time of a file, counted from its request.
        reimbursement: repayment for a late file; `price` repays the file's full price.
        strategy: strategy that limits the cost of a file's marks; by default file-budget with this
            deadline and price.
    """

    sources: Names
    price: Annotated[int, _MONEY]
    deadline: _MaxTime
    reimbursement: _Reimbursement = _AS_PRICE
    strategy: Annotated[StrategySpec | None, StrategyReader()] = None

    def line(self, name: str) -> ElasticLine:
        """Return the entry in the form that the market reads."""
        back = self.price if self.reimbursement == _AS_PRICE else self.reimbursement
        tariff = ElasticTariff(self.price, self.deadline, back, name)
        deadline_s, budget = self.deadline / PS_PER_S, self.price / MICRO
        usual = StrategySpec("file-budget", {"deadline": deadline_s, "budget": budget})
        return ElasticLine(tariff, self.sources, self.strategy or usual)
