# SPDX-License-Identifier: Apache-2.0
"""`expected-profit`: admit a call if and only if its expected profit reaches the margin.

    V + V_min E[minutes] + V_pkt E[packets] - R_e p(x) - price of a mark x E[marks | x]  >=  margin

x is the test streams' sample over the last T (stream_samples.py). The expected marks are

    E[marks | x] = packets of a call x E[M_next | M_now] x factor

The forecast predicts the marking rate of the next T from the current rate (stream_forecast.py). The
factor is the ratio of the marks of the provider's calls to the marks of test streams over the same
time (call_bills.py). p(x) is the probability of a broken promise, that is, of more than a share L^G
of bad packets in a call. It is estimated from the samples that followed similar samples, with odds
corrected by refunds. Call lengths, in packets and minutes, are means over all calls that have
ended.

The provider knows its test streams, bills and refunds, but not the network or the requested call.
It admits every call until it has `learning` samples and as many calls have ended. It forgets
samples and calls older than `memory` samples. A provider that blocks calls keeps learning from test
streams. The effect of bad calls fades, so it admits calls again.

With `reprice`, it posts prices V for a mean profit of `margin`. Each sample in memory represents a
time at which calls are requested, with the cost L_i. At price V, it admits calls with V >= L_i. V
must be the mean L_i of these calls plus the margin, plus h, the cost of test streams per call:

    A <- all;   V <- P + mean of L_i over A + h;   A <- those with L_i <= V;   until A is stable

Among all such prices, this price admits the most calls. With posted prices, `margin` is the mean
profit of calls, and the provider admits a call if it does not expect a loss. If every call had to
reach the mean, all calls below the mean would be blocked. The price would follow the remaining
calls, and half of them would be blocked again.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.call_tariff import FREE, CallTariff
from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.estimators import price
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.strategies.call_bills import CallBills, RateDistributions
from ecnomy.agents.strategies.call_pricing import Repricing, postable
from ecnomy.agents.strategies.stream_forecast import Forecast, forecast
from ecnomy.agents.strategies.stream_samples import Sample, StreamSamples

__all__ = ["ExpectedProfit"]


@dataclasses.dataclass
class ExpectedProfit:
    """Admits a call if its expected profit is large enough.

    Attributes:
        margin: the least expected profit of a call; with `reprice`, the mean profit.
        sample: T, the length of a sample of test streams; about as long as a call.
        learning: number of samples, and of ended calls, before any call is blocked [from 1].
        memory: number of samples in memory; calls are kept for the same time [from `learning`].
        reprice: time between posted prices; 0 for never.
    """

    margin: Annotated[float, Unit("money")] = 0.0
    sample: Annotated[float, Unit("s")] = 180.0
    learning: int = 10
    memory: int = 100
    reprice: Annotated[float, Unit("s")] = 0.0

    roles: ClassVar[tuple[str, ...]] = ("guaranteed-stream-provider",)
    needs_streams = True

    def __post_init__(self) -> None:
        positive("sample", self.sample, "s")
        if self.learning < 1:
            raise Refused("learning", f"{self.learning}", "at least 1 sample")
        if self.memory < self.learning:
            raise Refused("memory", f"{self.memory}", f"at least `learning`, {self.learning}")
        self._pricing = Repricing(self.margin, self.reprice)
        self._least_micro = 0.0 if self._pricing.on else self._pricing.wanted_micro
        self._samples = StreamSamples(self.sample, self.memory)
        self._bills = CallBills(self.memory * self.sample)
        self._learn()
        self._tariff, self._mark_price = FREE, 0.0
        self._expected: dict[float, tuple[float, float]] = {}  # forecasts by L^G, for the current x

    def watch(self, observation: StreamObservation) -> None:
        """Learn from test streams and from the calls that ended."""
        over = self._samples.watch(observation)
        laws = RateDistributions(self._marks.law, self._bad.law) if len(self._samples) else None
        self._bills.learn(observation, self._samples, laws)
        if over:
            self._bills.renew(observation.t_ps)
            self._learn()
        self._tariff, self._mark_price = observation.tariff, float(observation.price_micro)
        self._expected.clear()

    def admit(self, call: Call) -> bool:
        """Admit a call if its expected profit suffices, and every call while learning."""
        let_in = not self.learnt or self._profit(call.tariff, call.mark_price) >= self._least_micro
        self._bills.count_request(let_in=let_in)
        return let_in

    def post_call_price(self, observation: StreamObservation) -> int | None:
        """Return the new price of a call [micro-units], or None to keep the price."""
        if not self._pricing.due(observation.t_ps) or not self.learnt:
            return None
        self._pricing.posted(observation.t_ps)
        return postable(self._price(observation.tariff, float(observation.price_micro)))

    @property
    def learnt(self) -> bool:
        """Whether samples and ended calls suffice for decisions."""
        enough = len(self._samples) >= self.learning and self._bills.ended >= self.learning
        return enough and self._packets > 0

    @property
    def readings(self) -> dict[str, float]:
        """The marking rate M and, once learnt, the expected profit of a call now [micro-units]."""
        readings = {"marking_rate": self._samples.marking_rate}
        if self.learnt:
            readings["expected_profit"] = self._profit(self._tariff, self._mark_price)
        return readings

    def _learn(self) -> None:
        numbers = [row.number for row in self._samples.rows]
        self._marks: Forecast = forecast(numbers, self._samples.marked)
        self._bad: Forecast = forecast(numbers, self._samples.bad)
        self._packets = round(self._bills.packets)
        self._chances: dict[float, Floats] = {}  # by L^G, for samples with a predecessor

    def _now(self, tariff: CallTariff) -> tuple[float, float]:
        """Forecast the marking rate and the probability of a broken promise from test streams."""
        limit = tariff.max_delay_rate
        if limit not in self._expected:
            now = self._samples.now
            broken = self._broken(limit, now)
            self._expected[limit] = self._marks.at(now.marks, now.packets), broken
        return self._expected[limit]

    def _broken(self, limit: float, now: Sample) -> float:
        if limit not in self._chances:
            self._chances[limit] = self._bad.chances(limit, self._packets)
        chances = self._chances[limit]
        return self._bad.breaks(chances, limit, self._packets, now.bad, now.packets)

    def _profit(self, tariff: CallTariff, mark_price: float) -> float:
        """Return the expected profit of a call requested now [micro-units]."""
        rate, broken = self._now(tariff)
        bills = self._bills
        earned = tariff.price_micro + tariff.expected_use_micro(bills.minutes, bills.packets)
        back = tariff.back_micro(round(earned)) * self._bills.chance(broken)
        return earned - back - self._cost(rate, mark_price)

    def _cost(self, rate: float, mark_price: float) -> float:
        return mark_price * self._packets * rate * self._bills.marks_factor

    def _price(self, tariff: CallTariff, mark_price: float) -> float:
        """Return the price V that yields the margin [micro-units]."""
        rows, bills = self._samples.rows, self._bills
        limit = tariff.max_delay_rate
        rates = [self._marks.at(row.marks, row.packets) for row in rows]
        costs = np.array([self._cost(rate, mark_price) for rate in rates])
        chances = np.array([bills.chance(self._broken(limit, row)) for row in rows])
        use = tariff.expected_use_micro(bills.minutes, bills.packets)
        forgone = tariff.money_back
        back = 0.0 if forgone else float(tariff.reimbursement_micro)
        keeps = 1 - chances if forgone else np.ones(len(rows))  # share of V that the provider keeps
        kept = np.ones(len(rows), dtype=np.bool_)
        while True:
            buyers = bills.call_requests * kept.mean()
            charge = price(
                self._pricing.wanted_micro - use,
                back,
                float(chances[kept].mean()),
                float(costs[kept].mean()),
                bills.probing_micro / buyers if buyers else 0.0,
                forgone=forgone,
            )
            stay = kept & (charge * keeps + use - back * chances - costs >= -1e-6)
            if not stay.any() or (stay == kept).all():
                return charge
            kept = stay
