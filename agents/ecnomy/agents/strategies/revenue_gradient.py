# SPDX-License-Identifier: Apache-2.0
"""`revenue-gradient`: a carrier climbs to the most profitable price along a measured slope.

In each round, the carrier tries one price above its current price and one below, twice each. It
follows the slope of the logarithm of the profit R (receipts minus payments, which include debts to
other carriers):

    slope   <- (R(P e^h) - R(P e^-h)) / (|R(P e^h)| + |R(P e^-h)|) / h
    log P   <- log P + min(m, max(-m, slope / n'))           m = `probe` max(4 / n, 1)

n is 1 plus the number of sign changes of the slope and of returns to earlier prices (see below), at
most 10. The search is that of Kiefer and Wolfowitz 1952 with the steps of Kesten 1958. Steps are
long while the direction stays the same. After each reversal, the steps and their limit m are
shorter. The slope has no unit, so it needs no gain. Let c = -d slope / d log P at the best price. A
step leaves a share 1 - c / n' of an error, so n' > c/2 is stable, and 10 suffices for c up to 20.
For a demand of constant elasticity e and a cost per mark, c is e (e - 1), so 10 suffices for e up
to 5. For c below 1, a step of slope / n stalls, because noise reverses the slope, and a tenth of a
small slope leaves almost all of the error. So c is estimated from all rounds (curvature.py). For c
< 1,

    n' = min(n, max(n c, v^1/2 / `probe`))

as Lai and Robbins 1979 divide by n c. v is the random variance of a slope. The second term keeps
steps due to noise alone within the probe. For c >= 1, n' = n. A flat profit needs wide trials,
because noise would otherwise hide its slope:

    h = `probe` min(max(c^-1/2, 1), 2)

The cost of trials is then a constant share c h^2 / 2 of the best profit, 0.5 % with the default
`probe`, for c from 1/4 to 1. The final error results from the probe and from noise. If samples of R
have a relative error s, the error of log P is about s / (2 h sqrt(20 c)) for c of 1 or more. The
carrier records the slope and c after each step along the slope, as `profit_slope` and
`profit_curvature`. `ecnomy show` uses them to judge whether the price has settled.

Carriers that search at the same time must not synchronise their trials. Otherwise each carrier
would attribute the effects of other carriers' trials to its own, and all would drift together. The
number of the carrier's first link selects one of three orders for a round's four trials, with a
random sign each time. Different orders are orthogonal: one carrier's trials add equally to both
sides of the other's. Three cases do not use the slope. If a step of more than two probes loses
profit beyond three standard errors, the price has left a peak, such as a price above which a group
of users leaves. The step is undone, and later steps are shorter. If a round earns less than a
quarter of the best of the last ten rounds, too few users respond to the price, and the carrier
returns to the price of the best round. Users who have left return late, so a round after a return
does not count. If a round has fewer than 100 marks and the links are busy for less than a
thousandth of the time, log P falls by 4 `probe`. The search is local. If the profit has two peaks,
the search finds the peak to which its first prices lead. If the profit does not depend on the
price, as for users with U = a log x, the slope is pure noise and P wanders, with decreasing steps.
R is assumed to have one sign. If the price does not cover the cost, the slope of the loss leads out
of the loss. Each trial takes two decisions or more, because customers respond in the interval after
a change, and the carrier measures the next interval. If customers respond more slowly, each part
takes as many intervals as customers need, up to ten (trial.py). A round of four trials takes at
least eight `decision_interval`s.
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
RHYTHMS: Final = ((1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))  # orders of trials
LONGEST_STEP: Final = 4.0  # largest step, in probes
WIDEST: Final = 2.0  # largest trial, in probes
IDLE: Final = 0.001  # least share of the time for which its links are busy
FEW: Final = 100  # least marks of its links in a round
LEAP: Final = 2.0  # in probes; longer steps are undone if they lose profit
SIGMAS: Final = 3.0  # number of standard errors that such a loss must exceed
LOST: Final = 0.25  # share of the best round's profit
ROUNDS: Final = 10  # number of earlier rounds for this comparison


@dataclasses.dataclass
class RevenueGradient:
    """Moves the price along the slope of the carrier's profit.

    Attributes:
        probe: log of the ratio of a trial price to the carrier's price; trials use up to twice
            this value if wide trials cost little [from 0.01 to 1].
        floor: the lowest price of the carrier, except in trials.
        ceiling: the highest price of the carrier, except in trials.
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
        self._log_price = math.nan  # log of the carrier's price in micro-units
        self._tries: list[int] = []  # 1: above the current price, -1: below; the first is in force
        self._found: dict[int, list[float]] = {1: [], -1: []}
        self._turns, self._before = 1, 0.0
        self._returned = False  # whether its last round ended with a return to an earlier price
        self._leapt: tuple[float, float] | None = None  # profit and log price before a long step
        self._h, self._curvature = self.probe, Curvature()
        self._rounds: deque[tuple[float, float]] = deque(maxlen=ROUNDS)  # profit, log of its price
        self._busy_ps = self._link_ps = self._marks = 0  # sums over its links in this round

    def post_price(self, observation: PriceObservation) -> int:
        """Return the new price [micro-units per mark]."""
        earned = self._trial.earned(observation)
        self._busy_ps += int(observation.links.busy_ps.sum())
        self._link_ps += observation.dt_ps * len(observation.links.busy_ps)
        self._marks += int(observation.links.marks.sum())
        if not self._tries:
            self._log_price = math.log(max(observation.price_micro, 1))
            self._begin(observation)
        elif earned is not None:
            self._found[self._tries.pop(0)].append(earned)
            if not self._tries:
                self._climb(observation.agent)
                self._begin(observation)
            self._trial.changed()
        price = math.exp(self._log_price + self._tries[0] * self._h)
        return min(max(round(price), 1), round(DEAREST * MICRO))

    def _begin(self, observation: PriceObservation) -> None:
        if observation.agent is None:
            raise StrategyError("revenue-gradient: the random first trial requires a market")
        low, high = math.log(self.floor * MICRO), math.log(self.ceiling * MICRO)
        self._log_price = min(max(self._log_price, low), high)
        observation.agent.note("own_price", math.exp(self._log_price) / MICRO)
        first = 1 if observation.agent.random.integers(2) else -1
        link = int(observation.links.link[:1].sum())
        self._tries = [first * sign for sign in RHYTHMS[link % len(RHYTHMS)]]
        self._found = {1: [], -1: []}
        self._h = self.probe * min(max(self._curvature.value**-0.5, 1.0), WIDEST)
        self._busy_ps = self._link_ps = self._marks = 0

    def _climb(self, agent: AgentView | None) -> None:
        above, below = sum(self._found[1]), sum(self._found[-1])
        earned = above + below
        if self._returned:
            self._returned = False
            return
        leapt, self._leapt = self._leapt, None
        if leapt and self._lost(earned, leapt[0]):
            self._turn_back(leapt[1])
            return
        self._rounds.append((earned, self._log_price))
        best, log_price = max(self._rounds)
        if self._marks < FEW and self._busy_ps < IDLE * self._link_ps:
            self._log_price -= LONGEST_STEP * self.probe
            return
        if 0 < best and earned < LOST * best:
            self._turn_back(log_price)
            self._rounds.remove((best, log_price))  # the next return uses another round
            return
        before = self._log_price
        self._step(above, below)
        if abs(self._log_price - before) > LEAP * self.probe:
            self._leapt = earned, before
        if agent is not None:
            agent.note("profit_slope", self._before)
            agent.note("profit_curvature", self._curvature.value)

    def _lost(self, earned: float, before: float) -> bool:
        """Return whether the last step lost more than chance explains."""
        chance = SIGMAS * self._h * math.sqrt(self._curvature.noise)
        return earned < before - chance * abs(before)

    def _turn_back(self, log_price: float) -> None:
        self._turns = min(self._turns + 1, MOST_TURNS)
        self._log_price, self._returned = log_price, True

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
