# SPDX-License-Identifier: Apache-2.0
"""Learns the durations, marks and refunds of calls from the calls that a provider sold.

Calls receive more marks than test streams (Andreassen 2002, table 7). The provider's bills reveal
by what factor. When a call ends, the test streams sent during the call give the expected outcome.
Their marked and bad packets imply e marks and a probability q of a broken promise. The actual
outcome is k marks, and a refund (y = 1) or none (y = 0). With sums over the calls that ended within
the memory

    marks are e^l times the expected marks:     sum k - e^l sum e - l / s^2 = 0
    odds of y = 1 are e^d times as large:       sum y - sum q_d - d / s^2 = 0,
                                                q_d = 1 / (1 + e^-d (1 - q) / q)

These are the most likely l and d if k is Poisson, y is drawn with q_d, and l and d have normal
priors with mean 0 and deviation s. s is ln 2 for marks (the table has ratios of 1.7 to 3.6) and 2
for odds. Without calls, l and d are 0. A provider forgets old calls, so a provider that has stopped
selling starts again. It does not forget the calls' mean duration and number of packets.

Calls are compared with test streams over the same time, not with the forecasts at their requests.
An unforeseen rush also affects the test streams and therefore later forecasts. In a comparison with
forecasts, the rush would count twice.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from ecnomy.agents.calls import StreamObservation
from ecnomy.agents.estimators import BetaRate
from ecnomy.agents.strategies.stream_samples import StreamSamples
from ecnomy.agents.times import PS_PER_MIN, PS_PER_S

__all__ = ["CallBills", "RateDistributions"]

_MARKS_SPREAD: Final = math.log(2)  # s of l
_ODDS_SPREAD: Final = 2.0  # s of d
_RAREST: Final = 1e-4  # least probability of a broken promise
_HALVINGS: Final = 60


class _Ended(NamedTuple):
    """A call that ended, with its actual and expected outcomes."""

    end_ps: int
    expected: float
    marks: float
    log_odds: float
    broken: bool


class RateDistributions(NamedTuple):
    """The distributions, over samples, of the test streams' rates of marks and of bad packets."""

    marks: BetaRate
    bad: BetaRate


class _Period(NamedTuple):
    """The cost of test streams and the numbers of requests and sales between two renewals."""

    t_ps: int
    probing_micro: float
    requests: int
    sold: int


class CallBills:
    """The records of a provider's calls, kept by its strategy.

    Attributes:
        ended: number of calls that have ended since the start of the run.
        marks_factor: ratio of the marks of a call to the expected marks, e^l.
        odds_shift: shift d of the log odds of a broken promise.
    """

    def __init__(self, memory_s: float) -> None:
        self._memory_ps = round(memory_s * PS_PER_S)
        self._calls: list[_Ended] = []
        self._periods: deque[_Period] = deque()
        self._probing, self._requests, self._sold = 0.0, 0, 0
        self._packets = self._time_ps = 0
        self.ended = 0
        self.marks_factor, self.odds_shift = 1.0, 0.0

    def count_request(self, *, let_in: bool) -> None:
        """Record the answer to a call request."""
        self._requests += 1
        self._sold += let_in

    def learn(
        self, observation: StreamObservation, streams: StreamSamples, laws: RateDistributions | None
    ) -> None:
        """Record the calls that ended, and the cost of test streams.

        Args:
            observation: the observation of this report.
            streams: the test streams' samples, including this report.
            laws: distributions of the rates of marks and of bad packets; None if unknown.
        """
        self._probing += int(observation.marks.sum()) * float(observation.price_micro)
        calls, limit = observation.calls, observation.tariff.max_delay_rate
        columns = (calls.start_ps, calls.end_ps, calls.sent, calls.marks, calls.reimbursed)
        for start_ps, end_ps, sent, marks, broken in zip(*columns, strict=True):
            self.ended += 1
            self._packets += int(sent)
            self._time_ps += int(end_ps) - int(start_ps)
            stream = streams.during(int(start_ps), int(end_ps))
            if laws is None or not stream.packets:
                continue
            rate = laws.marks.after(stream.marks, stream.packets).mean
            chance = laws.bad.exceeds_with(stream.bad, stream.packets, limit, int(sent))
            expected = float(sent) * rate
            odds = _log_odds(chance)
            self._calls.append(_Ended(int(end_ps), expected, float(marks), odds, bool(broken)))

    def renew(self, t_ps: int) -> None:
        """Forget records older than the memory, and estimate l and d from the rest."""
        self._periods.append(_Period(t_ps, self._probing, self._requests, self._sold))
        self._probing, self._requests, self._sold = 0.0, 0, 0
        while self._periods and self._periods[0].t_ps <= t_ps - self._memory_ps:
            self._periods.popleft()
        self._calls = [call for call in self._calls if call.end_ps > t_ps - self._memory_ps]
        expected = sum(call.expected for call in self._calls)
        marks = sum(call.marks for call in self._calls)
        self.marks_factor = math.exp(
            _root(lambda x: marks - expected * math.exp(x) - x / _MARKS_SPREAD**2)
        )
        odds = np.array([call.log_odds for call in self._calls])
        broken = sum(call.broken for call in self._calls)
        self.odds_shift = _root(
            lambda x: broken - float((1 / (1 + np.exp(-odds - x))).sum()) - x / _ODDS_SPREAD**2
        )

    def chance(self, broken: float) -> float:
        """Return the probability of a broken promise, from that of test streams, `broken`."""
        return 1 / (1 + math.exp(-_log_odds(broken) - self.odds_shift))

    @property
    def packets(self) -> float:
        """The mean number of packets of a call, or 0 before the first call has ended."""
        return self._packets / self.ended if self.ended else 0.0

    @property
    def minutes(self) -> float:
        """The mean duration of a call [min], or 0 before the first call has ended."""
        return self._time_ps / self.ended / PS_PER_MIN if self.ended else 0.0

    @property
    def probing_micro(self) -> float:
        """The cost of test streams within the memory [micro-units]."""
        return self._probing + sum(period.probing_micro for period in self._periods)

    @property
    def call_requests(self) -> int:
        """The number of call requests within the memory."""
        return self._requests + sum(period.requests for period in self._periods)

    @property
    def calls_sold(self) -> int:
        """The number of admitted calls within the memory."""
        return self._sold + sum(period.sold for period in self._periods)


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, _RAREST), 1 - _RAREST)
    return math.log(bounded / (1 - bounded))


def _root(falling: Callable[[float], float]) -> float:
    """Return the root of a decreasing function between -30 and 30; exactly 0 if 0 is the root."""
    if falling(0.0) == 0:
        return 0.0
    low, high = -30.0, 30.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
