# SPDX-License-Identifier: Apache-2.0
"""`marking-quantile`: block a call while the test streams are marked more than they usually are.

Andreassen 2002, 4.2: samples of the marking rate M = marked / sent of the test streams over a time
T; a request is blocked when the present M is above the (1 - B^G) quantile of M, B^G the largest
blocking rate that customers are promised. Here the present M is that of the last T, renewed at
every report, and the samples are those of adjoining intervals of length T. Until `learning`
samples are there, nobody is blocked. The `estimator` (estimators/kinds.py) computes the quantile
from the samples. The empirical one takes the sample that the next one is above with a chance
of at most B^G. It needs (1 - B^G) / B^G samples, nine at 0.1, and blocks nobody before.

B^G is kept while the network is as it was. After a change for the worse most calls are blocked,
until a share B^G of the samples is of the new state.

With `reprice` it posts a price by the paper's P = V (1 - p) - R p - mu at that interval, V for
P = `margin`. Of calls that are let in, mu = price of a mark x packets x E[M | M <= beta] and
p = P(L > L^G | M <= beta) are estimated from the test streams, and corrected by what its own calls
were marked and broke over that (call_bills.py); a call has as many packets as calls had so far.
What test streams cost is spread over the calls sold, and what minutes and packets bring in is
deducted. It posts none before it has `learning` samples and as many calls have ended.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar, Final

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.estimators import ESTIMATORS, BetaBinomial, estimate, estimator_named, price
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.strategies.call_bills import CallBills, Laws
from ecnomy.agents.strategies.call_pricing import Repricing, postable
from ecnomy.agents.strategies.stream_samples import StreamSamples

__all__ = ["MarkingQuantile"]

_QUANTILE: Final = 0.9  # of a tariff that promises no blocking rate
_MEMORY: Final = 100  # samples of time over which calls are remembered


@dataclasses.dataclass
class MarkingQuantile:
    """Admits calls by a quantile of the marking rate of test streams.

    Attributes:
        quantile: 1 - B^G, of the samples of M; without it B^G is the tariff's `max_blocking_rate`,
            and 0.1 where it has none.
        sample: T, the length of a sample; the paper's is the longest call, 3 min.
        learning: samples before anybody is blocked.
        estimator: `empirical`, `beta` (the paper's) or `beta-binomial`.
        margin: what a call is to leave on average, with `reprice`.
        reprice: how often a price is posted; 0 for never.
    """

    quantile: float | None = None
    sample: Annotated[float, Unit("s")] = 180.0
    learning: int = 10
    estimator: str = "empirical"
    margin: Annotated[float, Unit("money")] = 0.0
    reprice: Annotated[float, Unit("s")] = 0.0

    roles: ClassVar[tuple[str, ...]] = ("guaranteed-stream-provider",)
    needs_streams = True

    def __post_init__(self) -> None:
        positive("sample", self.sample, "s")
        if self.quantile is not None and not 0 < self.quantile <= 1:
            raise Refused("quantile", f"{self.quantile:g}", "a share above 0 and at most 1")
        if self.learning < 1:
            raise Refused("learning", f"{self.learning}", "at least 1 sample")
        if self.estimator not in ESTIMATORS:
            raise Refused("estimator", self.estimator, f"one of {', '.join(ESTIMATORS)}")
        self._pricing = Repricing(self.margin, self.reprice)
        self._samples = StreamSamples(self.sample)
        self._bills = CallBills(_MEMORY * self.sample)
        self._threshold = math.inf
        self._learnt = False
        self._laws: Laws | None = None
        self._expected = 0.0, 0.0  # of a call let in: marking rate, chance of a broken promise

    def watch(self, seen: StreamObservation) -> None:
        """Move the window on; take a sample whenever it is a whole one further."""
        over = self._samples.watch(seen)
        if self._pricing.on:
            self._bills.learn(seen, self._samples, self._laws)
        if over:
            self._learn(seen)

    @property
    def marking_rate(self) -> float:
        """The present M; 0 as long as nothing was sent."""
        return self._samples.marking_rate

    @property
    def threshold(self) -> float:
        """The blocking threshold beta; infinite where nobody is to be blocked."""
        return self._threshold

    @property
    def readings(self) -> dict[str, float]:
        """M, and the threshold once there is one."""
        readings = {"marking_rate": self.marking_rate}
        if self.threshold < math.inf:
            readings["blocking_threshold"] = self.threshold
        return readings

    def admit(self, call: Call) -> bool:
        """Unless M is above the threshold."""
        let_in = self.marking_rate <= self.threshold
        if self._pricing.on:
            self._bills.asked(let_in=let_in)
        return let_in

    def post_call_price(self, seen: StreamObservation) -> int | None:
        """The price of a call from now on, micro-units; None keeps the one in force."""
        if not self._pricing.due(seen.t_ps) or not self._learnt:
            return None
        bills, tariff = self._bills, seen.tariff
        if bills.ended < self.learning:
            return None
        self._pricing.posted(seen.t_ps)
        rate, broken = self._expected
        cost = seen.price_micro * bills.packets * rate * bills.marks_factor
        forgone = tariff.money_back
        charge = price(
            self._pricing.wanted_micro - tariff.expected_use_micro(bills.minutes, bills.packets),
            0.0 if forgone else tariff.reimbursement_micro,
            bills.chance(broken),
            cost,
            bills.probing_micro / bills.calls_sold if bills.calls_sold else 0.0,
            forgone=forgone,
        )
        return postable(charge)

    def _learn(self, seen: StreamObservation) -> None:
        """A time T is over: what is known by now."""
        blocked = self._blocked(seen.tariff)
        self._learnt = len(self._samples) >= self.learning
        if self._learnt:
            marked = self._samples.marked
            threshold = estimator_named(self.estimator, marked).threshold(blocked)
            self._threshold = threshold if threshold < 1 else math.inf  # no M is above 1
        if not self._pricing.on:
            return
        self._bills.renew(seen.t_ps)
        if len(self._samples):
            fits = BetaBinomial.of(self._samples.marked), BetaBinomial.of(self._samples.bad)
            self._laws = Laws(*(fit.rate for fit in fits))
        found = estimate(
            self.estimator,
            self._samples.marked,
            self._samples.bad,
            blocked=blocked if self._learnt else 0.0,
            limit=seen.tariff.max_delay_rate,
            packets=self._bills.packets,
        )
        self._expected = found.marking_rate, found.broken

    def _blocked(self, tariff: CallTariff) -> float:
        """B^G."""
        if self.quantile is not None:
            return 1 - self.quantile
        return tariff.max_blocking_rate if tariff.max_blocking_rate >= 0 else 1 - _QUANTILE
