# SPDX-License-Identifier: Apache-2.0
"""A provider of calls with drawn test streams and calls, without a network or a market.

There is a report every second. Calls arrive in between, last a drawn time, and have marks and bad
packets by the rates at their time. The strategy's observations are kept in plain lists, so that
tests can recompute its answers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call, EndedCalls, StreamObservation

__all__ = ["PS", "TARIFF", "Ended", "World", "observation"]

PS = 10**12
TARIFF = CallTariff(150_000, 15 * 10**9, 0.01, 100_000)


class Ended(NamedTuple):
    """A call that ended: its flow, its end, its outcome, its income and its cost."""

    flow: int
    start_ps: int
    end_ps: int
    sent: int
    marks: int
    reimbursed: bool
    profit_micro: float


def columns_of(calls: list[Ended], tariff: CallTariff) -> EndedCalls:
    """Ended calls in the form that a strategy sees."""
    columns = {
        name: np.array([getattr(call, name) for call in calls], dtype=np.int64)
        for name in ("flow", "start_ps", "end_ps", "sent", "marks")
    }
    broken = np.array([call.reimbursed for call in calls], dtype=np.bool_)
    return EndedCalls(
        **columns,
        tariff=np.zeros(len(calls), dtype=np.int64),
        bad=np.full(len(calls), -1),
        reimbursed=broken,
        charge_micro=np.full(len(calls), tariff.price_micro),
        reimbursement_micro=broken * tariff.reimbursement_micro,
    )


def observation(
    t_s: float,
    dt_s: float,
    counts: tuple[int, int, int],
    calls: list[Ended] | None = None,
    tariff: CallTariff = TARIFF,
    price_micro: int = 1000,
) -> StreamObservation:
    """Two test streams with these packets, marks and bad packets in total."""
    sent, marks, bad = counts
    half = np.array([sent // 2, sent - sent // 2])
    late, lost = np.array([bad // 2, 0]), np.array([0, bad - bad // 2])
    return StreamObservation(
        *(round(t_s * PS), round(dt_s * PS), price_micro),
        *(half, half - lost, np.array([marks, 0]), late, lost),
        calls=columns_of(calls or [], tariff),
        tariff=tariff,
    )


class World:
    """A simulated world, second by second.

    Attributes:
        reports: packets, marks and bad packets of the test streams, second by second.
        answers: time, flow and answer of every call.
        ended: all calls that ended.
        reported: calls that ended, by the second at which the strategy got their records.
        tariff: the tariff in force.
        posted: time and price of every price posted.
    """

    def __init__(
        self,
        strategy: Any,
        levels: Callable[[int], tuple[float, float]],
        *,
        seed: int = 1,
        dearer: float = 1.0,
        worse: float = 1.0,
        tariff: CallTariff = TARIFF,
        price_micro: int = 1000,
    ) -> None:
        """`levels(second)` is the marking rate and the share of bad packets of test streams then.

        Calls have `dearer` times as many marks, and `worse` times as many bad packets.
        """
        self.strategy, self._levels = strategy, levels
        self._random = random.Random(seed)
        self._draws = np.random.Generator(np.random.Philox(key=[seed, 6]))
        self._dearer, self._worse = dearer, worse
        self.tariff, self._price = tariff, price_micro
        self._under_way: list[tuple[int, int, int, int, int, int, CallTariff]] = []
        self.second = 0
        self.reports: list[tuple[int, int, int]] = []
        self.answers: list[tuple[int, int, bool]] = []
        self.ended: list[Ended] = []
        self.reported: dict[int, list[Ended]] = {}
        self.posted: list[tuple[int, int]] = []

    def run(self, seconds: int, each: Callable[[], None] = lambda: None) -> None:
        """Run the world; `each` is called after every report and the calls that follow it."""
        for _ in range(seconds):
            self._report()
            self._calls()
            each()
            self.second += 1

    def profit_micro(self, since: int = 0) -> float:
        """Profit of calls that began at this second or later, without the cost of test streams."""
        return sum(c.profit_micro for c in self.ended if c.start_ps >= since * PS)

    def _report(self) -> None:
        marking, bad = self._levels(self.second)
        counts = (0, 0, 0)
        if self.second:
            sent = 40 + self._random.randint(0, 3)
            marks, late = (int(self._draws.binomial(sent, p)) for p in (marking, bad))
            counts = (sent, marks, late)
        self.reports.append(counts)
        over = [call for call in self._under_way if call[2] <= self.second * PS]
        self._under_way = [call for call in self._under_way if call[2] > self.second * PS]
        self.reported[self.second] = [self._judged(call) for call in over]
        self.ended += self.reported[self.second]
        dt_s = 1.0 if self.second else 0.0
        view = observation(
            self.second, dt_s, counts, self.reported[self.second], self.tariff, self._price
        )
        self.strategy.watch(view)
        price = self.strategy.post_call_price(view)
        if price is not None:
            self.posted.append((self.second, price))
            self.tariff = msgspec.structs.replace(self.tariff, price_micro=price)

    def _calls(self) -> None:
        marking, bad = self._levels(self.second)
        self._under_way = [
            (*call[:3], *self._sent(call, marking, bad), call[6]) for call in self._under_way
        ]
        if self._random.random() >= 0.3:
            return
        t_ps = self.second * PS + self._random.randrange(PS)
        flow = self._random.randrange(200)
        answer = self.strategy.admit(Call(t_ps, flow, self.tariff, float(self._price)))
        self.answers.append((t_ps, flow, answer))
        if answer:
            end_ps = t_ps + round((self._random.expovariate(1 / 15) + 1) * PS)
            self._under_way.append((flow, t_ps, end_ps, 0, 0, 0, self.tariff))

    def _sent(self, call: tuple[Any, ...], marking: float, bad: float) -> tuple[int, int, int]:
        marks = int(self._draws.binomial(10, min(self._dearer * marking, 1)))
        late = int(self._draws.binomial(10, min(self._worse * bad, 1)))
        return call[3] + 10, call[4] + marks, call[5] + late

    def _judged(self, call: tuple[int, int, int, int, int, int, CallTariff]) -> Ended:
        flow, start_ps, end_ps, sent, marks, bad, tariff = call
        broken = tariff.broken(sent, bad)
        minutes = (end_ps - start_ps) / PS / 60
        earned = tariff.price_micro + tariff.price_micro_per_min * minutes
        profit = earned - broken * tariff.reimbursement_micro - marks * self._price
        return Ended(flow, start_ps, end_ps, sent, marks, broken, profit)
