# SPDX-License-Identifier: Apache-2.0
"""What a provider learns from its own calls: how long they are, their marks, what was paid back.

Calls are marked more than test streams are (Andreassen 2002, table 7), by how much its bills tell.
Of each call it knows what it expected as it let it in, e marks and a promise broken with the chance
q, and at its end what came: k marks, paid back or not (y). With sums over the calls that ended
within its memory

    marks are e^l times what is expected:       sum k - e^l sum e - l / s^2 = 0
    odds of breaking are e^d times as large:    sum y - sum q_d - d / s^2 = 0,
                                                q_d = 1 / (1 + e^-d (1 - q) / q)

which are the likeliest l and d if k is Poisson, y drawn with q_d, and l and d are normal with mean
0 and deviation s beforehand: ln 2 for marks (the table has ratios of 1.7 to 3.6), 2 for odds. They
are 0 without calls: what was learnt fades as the calls it is from are forgotten, so that a provider
that has stopped selling comes back. How long calls are is not forgotten.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.times import PS_PER_S

__all__ = ["CallBills"]

_MARKS_SPREAD: Final = math.log(2)  # s of l
_ODDS_SPREAD: Final = 2.0  # s of d
_RAREST: Final = 1e-4  # chance of a broken promise that is told from none
_HALVINGS: Final = 60
_UNDER_WAY: Final = 8  # calls of one flow whose packets may be on the way
_PS_PER_MIN: Final = 60 * PS_PER_S


class _Ended(NamedTuple):
    """A call that ended: when, and what came beside what was expected."""

    end_ps: int
    expected: float
    marks: float
    log_odds: float
    broken: bool


class _Period(NamedTuple):
    """What test streams cost between two renewals, and how many calls asked and were sold."""

    t_ps: int
    probing_micro: float
    asked: int
    sold: int


class CallBills:
    """The books of a provider's own calls, as its strategy keeps them.

    Attributes:
        ended: calls, since the beginning.
        marks_factor: e^l, marks of a call over those expected.
        odds_shift: d.
    """

    def __init__(self, memory_s: float) -> None:
        self._memory_ps = round(memory_s * PS_PER_S)
        self._waiting: dict[int, deque[tuple[int, float, float]]] = defaultdict(
            lambda: deque(maxlen=_UNDER_WAY)
        )
        self._calls: list[_Ended] = []
        self._periods: deque[_Period] = deque()
        self._probing, self._asked, self._sold = 0.0, 0, 0
        self._packets = self._time_ps = 0
        self.ended = 0
        self.marks_factor, self.odds_shift = 1.0, 0.0

    def asked(self, call: Call, *, let_in: bool, expected: tuple[float, float]) -> None:
        """A call was answered; what marking rate and chance of a broken promise was expected.

        What was expected before a call has ended is not written down, as promises are of packets
        and nobody knew how many there would be.
        """
        self._asked += 1
        self._sold += let_in
        if let_in and self.ended:
            self._waiting[call.flow].append((call.t_ps, *expected))

    def learn(self, seen: StreamObservation) -> None:
        """Take the calls that ended, and what test streams cost."""
        self._probing += int(seen.marks.sum()) * float(seen.price_micro)
        calls = seen.calls
        columns = (calls.flow, calls.start_ps, calls.end_ps, calls.sent, calls.marks)
        rows = zip(*(column.tolist() for column in columns), calls.reimbursed.tolist(), strict=True)
        for flow, start_ps, end_ps, sent, marks, broken in rows:
            self.ended += 1
            self._packets += sent
            self._time_ps += end_ps - start_ps
            found = self._expected_of(flow, start_ps)
            if found is not None:
                rate, chance = found
                odds = _log_odds(chance)
                self._calls.append(_Ended(end_ps, sent * rate, marks, odds, bool(broken)))

    def renew(self, t_ps: int) -> None:
        """Forget what is older than the memory, and draw the conclusions of the rest."""
        self._periods.append(_Period(t_ps, self._probing, self._asked, self._sold))
        self._probing, self._asked, self._sold = 0.0, 0, 0
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
        """The chance of a broken promise, from that by test streams."""
        return 1 / (1 + math.exp(-_log_odds(broken) - self.odds_shift))

    @property
    def packets(self) -> float:
        """Of a call, on average; 0 before one ended."""
        return self._packets / self.ended if self.ended else 0.0

    @property
    def minutes(self) -> float:
        """How long a call is on average; 0 before one ended."""
        return self._time_ps / self.ended / _PS_PER_MIN if self.ended else 0.0

    @property
    def probing_micro(self) -> float:
        """What test streams cost within the memory, micro-units."""
        return self._probing + sum(period.probing_micro for period in self._periods)

    @property
    def calls_asked(self) -> int:
        """Calls that asked within the memory."""
        return self._asked + sum(period.asked for period in self._periods)

    @property
    def calls_sold(self) -> int:
        """Of these, those let in."""
        return self._sold + sum(period.sold for period in self._periods)

    def _expected_of(self, flow: int, start_ps: int) -> tuple[float, float] | None:
        """What was expected of the call that began then; None where it was not written down."""
        waiting = self._waiting.get(flow)
        found = next((one for one in waiting or () if one[0] == start_ps), None)
        if waiting is None or found is None:
            return None
        waiting.remove(found)
        return found[1:]


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, _RAREST), 1 - _RAREST)
    return math.log(bounded / (1 - bounded))


def _root(falling: Callable[[float], float]) -> float:
    """Where a function that falls is 0, between -30 and 30; exactly 0 where it is 0 there."""
    if falling(0.0) == 0:
        return 0.0
    low, high = -30.0, 30.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
