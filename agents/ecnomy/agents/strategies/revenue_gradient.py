# SPDX-License-Identifier: Apache-2.0
"""`revenue-gradient`: a carrier climbs to the price that leaves it most, by what two prices earn.

It tries a price above its own and one below, each twice a round, and goes by the slope of the
logarithm of what is left (received less paid, so that what it owes others counts):

    slope   <- (R(P e^h) - R(P e^-h)) / (|R(P e^h)| + |R(P e^-h)|) / h
    log P   <- log P + min(m, max(-m, slope / n'))           m = `probe` max(4 / n, 1)

n is 1 plus the number of times that the slope has changed its sign, and at most 10. This is the
search of Kiefer and Wolfowitz 1952 with the steps of Kesten 1958: long as long as it goes one way,
shorter once it turns round, and so is m, the longest of them. A slope without a unit needs no gain:
be c = -d slope / d log P at the best price; a step leaves 1 - c / n' of an error, so that n' > c/2
is stable, and 10 is for c up to 20. For a demand of constant elasticity e and a cost per mark, c is
e (e - 1): up to e = 5.

Where c is below 1 a step of slope / n stalls: chance turns the slope round, and a tenth of a small
slope leaves almost all of the error. c is estimated from all rounds (curvature.py), and there

    n' = min(n, max(n c, v^1/2 / `probe`))

as Lai and Robbins 1979 divide by n c. v is the variance of a slope by chance: the second term
keeps a step that chance alone explains within the probe. Elsewhere n' = n.

A profit that is flat calls for wide tries, as its slope drowns in chance otherwise:

    h = `probe` min(max(c^-1/2, 1), 2)

Trying then costs the same share c h^2 / 2 of what could be earned, 0.5 %, for c from 1/4 to 1. What
is left at the end is the probe itself, and chance: with samples of R that are off by a share s,
log P is by about s / (2 h sqrt(20 c)) where c is 1 or more. It notes the slope and c after each
round as `profit_slope` and `profit_curvature`, by which `ecnomy show` judges whether it settled.

Carriers that search at the same time must not try in step: each would mistake the effect of the
other's tries for that of its tries, and both would drift together. The order of a round's four
tries is one of three, by the number of the carrier's first link, with a sign drawn each time.
Two orders that differ are orthogonal: tries of the one add as much to either side of the other.

Two cases are apart from the slope, as hardly anybody is left to respond to a price. A round that
left less than a quarter of the best of the last ten rounds takes the price of that one. And where
its links are busy for less than a thousandth of the time, the price falls by 4 h.

Where what is left does not depend on the price, as with users of U = a log x, the slope is chance
alone and P wanders, by steps that get shorter. R of one sign all over is taken for granted: where
the price does not cover the cost, the slope is that of a loss, which leads out of it.

Each try takes two decisions or more: in the interval after a change customers respond, in the one
after that it is measured. Where customers take longer, each takes as many intervals as they do, up
to ten (trial.py). A round of four tries is eight times the `decision_interval` or more.
"""

from __future__ import annotations

import dataclasses
import math
from collections import deque
from typing import Annotated, ClassVar, Final

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Refused, Unit
from ecnomy.agents.strategies.curvature import Curvature
from ecnomy.agents.strategies.trial import DEAREST, LONGEST, Trial, check_range

__all__ = ["RevenueGradient"]

MOST_TURNS: Final = 10
RHYTHMS: Final = ((1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))  # of tries above and below
LONGEST_STEP: Final = 4.0  # probes
WIDEST: Final = 2.0  # probes
IDLE: Final = 0.001  # share of the time that its links are busy
LOST: Final = 0.25  # of what the best round left
ROUNDS: Final = 10  # that it compares with


@dataclasses.dataclass
class RevenueGradient:
    """Moves its price along the slope of its profit.

    Attributes:
        probe: how far above and below its own price it tries, and up to twice as far where that
            costs little [logarithm of the ratio].
        floor: the lowest price it has as its own.
        ceiling: the highest price it has as its own.
    """

    roles: ClassVar[tuple[str, ...]] = ("connectivity-provider",)
    waits: ClassVar[int] = LONGEST
    probe: float = 0.1
    floor: Annotated[float, Unit("money")] = 1 / MICRO
    ceiling: Annotated[float, Unit("money")] = DEAREST

    def __post_init__(self) -> None:
        if not 0.01 <= self.probe <= 1:
            raise Refused("probe", f"{self.probe:g}", "from 0.01 to 1, such as 0.1")
        check_range(self.floor, self.ceiling)
        self._trial = Trial("revenue-gradient")
        self._log_price = math.nan  # of micro-units: its own price
        self._tries: list[int] = []  # 1 above its own price, -1 below; the first is in force
        self._found: dict[int, list[float]] = {1: [], -1: []}
        self._turns, self._before = 1, 0.0
        self._h, self._curvature = self.probe, Curvature()
        self._rounds: deque[tuple[float, float]] = deque(maxlen=ROUNDS)  # left, log of own price
        self._busy_ps = self._link_ps = 0  # of its links in this round

    def post_price(self, seen: PriceObservation) -> int:
        """The price from now on, micro-units per mark."""
        earned = self._trial.earned(seen)
        self._busy_ps += int(seen.links.busy_ps.sum())
        self._link_ps += seen.dt_ps * len(seen.links.busy_ps)
        if not self._tries:
            self._log_price = math.log(max(seen.price_micro, 1))
            self._begin(seen)
        elif earned is not None:
            self._found[self._tries.pop(0)].append(earned)
            if not self._tries:
                self._climb(seen.agent)
                self._begin(seen)
            self._trial.changed()
        price = math.exp(self._log_price + self._tries[0] * self._h)
        return min(max(round(price), 1), round(DEAREST * MICRO))

    def _begin(self, seen: PriceObservation) -> None:
        """A round of tries about its own price."""
        if seen.agent is None:
            raise StrategyError("revenue-gradient: the random first trial requires a market")
        low, high = math.log(self.floor * MICRO), math.log(self.ceiling * MICRO)
        self._log_price = min(max(self._log_price, low), high)
        seen.agent.note("own_price", math.exp(self._log_price) / MICRO)
        first = 1 if seen.agent.random.integers(2) else -1
        link = int(seen.links.link[:1].sum())
        self._tries = [first * sign for sign in RHYTHMS[link % len(RHYTHMS)]]
        self._found = {1: [], -1: []}
        self._h = self.probe * min(max(self._curvature.value**-0.5, 1.0), WIDEST)
        self._busy_ps = self._link_ps = 0

    def _climb(self, agent: AgentView | None) -> None:
        above, below = sum(self._found[1]), sum(self._found[-1])
        self._rounds.append((above + below, self._log_price))
        best, log_price = max(self._rounds)
        if self._busy_ps < IDLE * self._link_ps:
            self._log_price -= LONGEST_STEP * self.probe
            return
        if 0 < best and above + below < LOST * best:
            self._turns = min(self._turns + 1, MOST_TURNS)
            self._log_price = log_price
            self._rounds.remove((best, log_price))  # the next one, if that does no longer hold
            return
        self._step(above, below)
        if agent is not None:
            agent.note("profit_slope", self._before)
            agent.note("profit_curvature", self._curvature.value)

    def _step(self, above: float, below: float) -> None:
        size = (abs(above) + abs(below)) * self._h
        slope = (above - below) / size if size else 0.0
        if size:
            pairs = sum((first - second) ** 2 for first, second in self._found.values())
            self._curvature.learn(self._log_price, slope, pairs / size**2)
        if slope * self._before < 0:
            self._turns = min(self._turns + 1, MOST_TURNS)
        self._before = slope or self._before
        most = self.probe * max(LONGEST_STEP / self._turns, 1.0)
        by_chance = math.sqrt(self._curvature.noise) / self.probe
        divisor = min(max(self._turns * self._curvature.value, by_chance), self._turns)
        step = slope / divisor
        self._log_price += min(max(step, -most), most)
