# SPDX-License-Identifier: Apache-2.0
"""Utilities of time: the worth of a file or page that arrives T seconds after its request.

    kind           V(T) [money]                                         until  worth nothing from
    file-deadline  a; a (1 - (T - deadline) / grace) after the deadline deadline  deadline + grace
    page           a (MOS(T) - 1) / 4, MOS from 5 to 1                  best    worst

MOS is the mean opinion score of a web page (ITU-T G.1030, 2005, Annex A), logarithmic in the time
by the law of Weber and Fechner (Reichl, Tuffin, Schatz 2013):

    MOS(T) = 5 - 4 ln(T / best) / ln(worst / best)        best = 0.12 s + 0.003 worst

If the remaining 8 B bits are sent at the rate x from t on, T is t + 8 B / x. At a given price per
bit, the cost does not depend on the rate, so the highest rate that still adds benefit is best. If a
transfer at this rate is not worth more than its cost, the user should give up the transfer. The
cost of bits already sent is sunk. With the largest rate `most`, `demand_bps` is therefore x:

    T* = max(t + 8 B / most, the time until which V stays a)
    x  = 8 B / (T* - t)   if V(T*) > 8 B price, else 0

If the price rises with the user's rate, an even pace to the deadline is cheapest (`pace_bps`).
Sources: Jensen, Locke, Tokuda 1985 for functions of completion time; Antoniadis et al. 2000,
section 5 for transfers of files and pages as tasks of price handlers.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, Final, Protocol

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.parameters import Refused, Unit, positive

__all__ = ["FileDeadline", "PageWait", "TimeUtility", "TransferUtility"]

_LONGEST_S: Final = 1e9
_SHARE: Final = 0.003  # G.1030: slope of the best wait against the worst wait
_LEAST_S: Final = 0.12


class TimeUtility(Protocol):
    """The value of a transfer by its time; `value`, `slope` and `latest_s` map columns."""

    def value(self, seconds: Floats) -> Floats:
        """Return V(T), the value of a transfer [money], which never grows with T."""

    def slope(self, seconds: Floats) -> Floats:
        """Return V'(T) [money/s], the change of V per second of waiting, which is at most 0."""

    def latest_s(self, money: Floats) -> Floats:
        """Return the latest T with this value, the inverse of V, or NaN if it does not exist."""

    def pace_bps(self, left_bytes: float, elapsed_s: float) -> float:
        """Return the least payload rate [bit/s] at which the transfer keeps its full value."""

    def demand_bps(
        self,
        left_bytes: float,
        elapsed_s: float,
        money_per_bit: float,
        most_bps: float = math.inf,
    ) -> float:
        """Return the best payload rate [bit/s] at a price, or 0 if the user should give up."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TransferUtility:
    """Holds the amount `a` and computes results from `value`, `slope` and `best_s`.

    A custom utility is a frozen, kw_only dataclass that extends this class and defines these three
    members.

    Attributes:
        a: value of a transfer that arrives early enough [money].
    """

    a: Annotated[float, Unit("money")]

    def __post_init__(self) -> None:
        positive("a", self.a, "money")

    @property
    def best_s(self) -> float:
        """The time until which V is a [s]. An earlier arrival has no further benefit."""
        raise NotImplementedError(f"{type(self).__name__} does not define 'best_s'")

    def value(self, seconds: Floats) -> Floats:
        """See TimeUtility."""
        raise NotImplementedError(f"{type(self).__name__} does not define 'value'")

    def slope(self, seconds: Floats) -> Floats:
        """See TimeUtility."""
        raise NotImplementedError(f"{type(self).__name__} does not define 'slope'")

    def latest_s(self, money: Floats) -> Floats:
        """See TimeUtility. Bisection finds the time, up to a billion seconds."""
        money = np.asarray(money, dtype=np.float64)
        low, high = np.zeros_like(money), np.full_like(money, _LONGEST_S)
        for _ in range(100):
            middle = (low + high) / 2
            enough = self.value(middle) >= money
            low, high = np.where(enough, middle, low), np.where(enough, high, middle)
        return np.where(self.value(np.zeros_like(money)) >= money, low, np.nan)

    def pace_bps(self, left_bytes: float, elapsed_s: float) -> float:
        """See TimeUtility. The pace is infinite once V falls, because any delay then reduces V."""
        return _rate_bps(left_bytes, self.best_s - elapsed_s)

    def demand_bps(
        self,
        left_bytes: float,
        elapsed_s: float,
        money_per_bit: float,
        most_bps: float = math.inf,
    ) -> float:
        """See TimeUtility."""
        if left_bytes <= 0 or most_bps <= 0:
            return 0.0
        soonest_s = elapsed_s + 8 * left_bytes / most_bps
        there_s = max(soonest_s, self.best_s)
        if float(self.value(np.asarray(there_s))) <= 8 * left_bytes * money_per_bit:
            return 0.0
        if soonest_s >= self.best_s:
            return most_bps
        return _rate_bps(left_bytes, there_s - elapsed_s)


def _rate_bps(left_bytes: float, seconds: float) -> float:
    if left_bytes <= 0:
        return 0.0
    return 8 * left_bytes / seconds if seconds > 0 else math.inf


@dataclasses.dataclass(frozen=True, kw_only=True)
class FileDeadline(TransferUtility):
    """A file that is worth `a` until its deadline, and nothing after a grace period.

    Without grace, the deadline is hard. With grace, the value falls linearly after the deadline, so
    V' is constant and has no inverse. Source: Jensen, Locke, Tokuda 1985.

    Attributes:
        deadline: time from the request of the file [s].
        grace: time after the deadline in which the value falls to 0 [s]; 0 for a hard deadline.
    """

    deadline: Annotated[float, Unit("s")]
    grace: Annotated[float, Unit("s")] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("deadline", self.deadline, "s")
        if not 0 <= self.grace < math.inf:
            raise Refused("grace", f"{self.grace:g} s", "a finite time of 0 s or more")

    @property
    def best_s(self) -> float:
        """The deadline."""
        return self.deadline

    def value(self, seconds: Floats) -> Floats:
        """See TimeUtility."""
        late = np.asarray(seconds, dtype=np.float64) - self.deadline
        if not self.grace:
            return np.where(late <= 0, self.a, 0.0)
        return self.a * (1.0 - np.clip(late, 0.0, self.grace) / self.grace)

    def slope(self, seconds: Floats) -> Floats:
        """See TimeUtility; 0 at a hard deadline, where V' does not exist."""
        late = np.asarray(seconds, dtype=np.float64) - self.deadline
        falling = (late > 0) & (late < self.grace)
        return np.where(falling, -self.a / self.grace if self.grace else 0.0, 0.0)

    def latest_s(self, money: Floats) -> Floats:
        """Return deadline + grace (1 - money / a), for 0 < money <= a, or infinity for 0."""
        share = np.divide(money, self.a)
        latest = np.where(share > 0, self.deadline + self.grace * (1.0 - share), np.inf)
        return np.where(share <= 1.0, latest, np.nan)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PageWait(TransferUtility):
    """A page whose value falls with the logarithm of the reader's wait.

    The source, ITU-T G.1030 (2005), Annex A, applies to one page. There, `worst` is 6, 15 and 60 s
    on networks that users know as fast, medium and slow. The MOS is 5 up to `best` and 1 from
    `worst` on.

    Attributes:
        worst: wait from which on the page is worth nothing [s].
        best: wait up to which the page keeps its full value [s]; by default 0.12 s + 0.003 worst.
    """

    worst: Annotated[float, Unit("s")]
    best: Annotated[float | None, Unit("s")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("worst", self.worst, "s")
        if self.best is not None:
            positive("best", self.best, "s")
        if self.best_s >= self.worst:
            key = "worst" if self.best is None else "best"
            time_s = getattr(self, key)
            wanted = f"above {self.best_s:g} s" if key == "worst" else f"below {self.worst:g} s"
            raise Refused(
                key, f"{time_s:g} s", f"a time {wanted}, because `best` is before `worst`"
            )

    @property
    def best_s(self) -> float:
        """The parameter `best`, or the default from G.1030."""
        return _LEAST_S + _SHARE * self.worst if self.best is None else self.best

    @property
    def _scale(self) -> float:
        return math.log(self.worst / self.best_s)

    def mos(self, seconds: Floats) -> Floats:
        """Return the mean opinion score, from 5 to 1."""
        within = np.clip(seconds, self.best_s, self.worst)
        return 5.0 - 4.0 * np.log(within / self.best_s) / self._scale

    def value(self, seconds: Floats) -> Floats:
        """See TimeUtility."""
        return self.a * (self.mos(seconds) - 1.0) / 4.0

    def slope(self, seconds: Floats) -> Floats:
        """See TimeUtility."""
        t = np.asarray(seconds, dtype=np.float64)
        falling = (t > self.best_s) & (t < self.worst)
        return np.where(falling, -self.a / (self._scale * np.maximum(t, self.best_s)), 0.0)

    def inverse(self, money_per_s: Floats) -> Floats:
        """Return the wait [s] with this V' (below 0), or NaN if it does not exist."""
        with np.errstate(divide="ignore"):
            t = np.divide(-self.a / self._scale, money_per_s)
        return np.where((t > self.best_s) & (t < self.worst), t, np.nan)

    def latest_s(self, money: Floats) -> Floats:
        """Return worst (best / worst)^(money / a), for 0 < money <= a, or infinity for 0."""
        share = np.divide(money, self.a)
        latest = self.worst * np.exp(-self._scale * np.clip(share, 0.0, 1.0))
        return np.where(share <= 1.0, np.where(share > 0, latest, np.inf), np.nan)
