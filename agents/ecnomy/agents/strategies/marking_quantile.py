# SPDX-License-Identifier: Apache-2.0
"""`marking-quantile`: block calls while test streams receive more marks than usual.

As in Andreassen 2002, 4.2, the provider samples the marking rate M = marked / sent of the test
streams over a time T. It blocks a request while the current M is above the (1 - B^G) quantile of M,
where B^G is the largest blocking rate promised to customers. Here the current M covers the last T,
updated at every report, and samples cover consecutive intervals of length T. Blocking begins after
`learning` samples. The `estimator` (estimators/kinds.py) computes the quantile from the samples.
The empirical estimator takes the sample that the next sample exceeds with a probability of at most
B^G. It needs (1 - B^G) / B^G samples (nine for 0.1), and does not block earlier. B^G holds while
the network is stationary. After a change for the worse, most calls are blocked until a share B^G of
the samples comes from the new state. With `reprice`, the provider posts a price V at this interval,
from P = `margin` in the paper's P = V (1 - p) - R p - mu. Test streams give estimates for admitted
calls: mu = price of a mark x packets x E[M | M <= beta] and p = P(L > L^G | M <= beta). Marks and
refunds of sold calls correct both estimates (call_bills.py). `packets` is the mean over the calls
so far. The cost of test streams is spread over the calls sold, and revenue from minutes and packets
is deducted. Posting begins after `learning` samples and as many ended calls.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar, Final

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call, StreamObservation
from ecnomy.agents.estimators import ESTIMATORS, BetaBinomial, estimate, estimator_named, price
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.strategies.call_bills import CallBills, RateDistributions
from ecnomy.agents.strategies.call_pricing import Repricing, postable
from ecnomy.agents.strategies.stream_samples import StreamSamples

__all__ = ["MarkingQuantile"]

_QUANTILE: Final = 0.9  # quantile for a tariff without a promised blocking rate
_MEMORY: Final = 100  # memory of calls, in sample lengths


@dataclasses.dataclass
class MarkingQuantile:
    """Admits calls by a quantile of the marking rate of test streams.

    Attributes:
        quantile: quantile of the samples above which calls are blocked; by default 1 minus the
            tariff's `max_blocking_rate`, or else 0.9 [above 0, up to 1].
        sample: T, the length of a sample of marks; andreassen2002 uses the longest call, 3 min.
        learning: number of samples before any call is blocked [from 1].
        estimator: distribution of the samples: `empirical`, `beta` (andreassen2002) or
            `beta-binomial`.
        margin: target mean profit of a call, with `reprice`.
        reprice: time between posted prices; 0 for never.
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
        self._laws: RateDistributions | None = None
        self._expected = 0.0, 0.0  # marking rate and P(broken promise) of an admitted call

    def watch(self, observation: StreamObservation) -> None:
        """Advance the window, and take a sample after each time T."""
        over = self._samples.watch(observation)
        if self._pricing.on:
            self._bills.learn(observation, self._samples, self._laws)
        if over:
            self._learn(observation)

    @property
    def marking_rate(self) -> float:
        """The current M, or 0 if nothing was sent."""
        return self._samples.marking_rate

    @property
    def threshold(self) -> float:
        """The blocking threshold beta, or infinity if no call is blocked."""
        return self._threshold

    @property
    def readings(self) -> dict[str, float]:
        """The marking rate M, and the threshold beta if it is finite."""
        readings = {"marking_rate": self.marking_rate}
        if self.threshold < math.inf:
            readings["blocking_threshold"] = self.threshold
        return readings

    def admit(self, call: Call) -> bool:
        """Admit the call unless M is above the threshold."""
        let_in = self.marking_rate <= self.threshold
        if self._pricing.on:
            self._bills.count_request(let_in=let_in)
        return let_in

    def post_call_price(self, observation: StreamObservation) -> int | None:
        """Return the new price of a call [micro-units], or None to keep the price."""
        if not self._pricing.due(observation.t_ps) or not self._learnt:
            return None
        bills, tariff = self._bills, observation.tariff
        if bills.ended < self.learning:
            return None
        self._pricing.posted(observation.t_ps)
        rate, broken = self._expected
        cost = observation.price_micro * bills.packets * rate * bills.marks_factor
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

    def _learn(self, observation: StreamObservation) -> None:
        blocked = self._blocked(observation.tariff)
        self._learnt = len(self._samples) >= self.learning
        if self._learnt:
            marked = self._samples.marked
            threshold = estimator_named(self.estimator, marked).threshold(blocked)
            self._threshold = threshold if threshold < 1 else math.inf  # M is at most 1
        if not self._pricing.on:
            return
        self._bills.renew(observation.t_ps)
        if len(self._samples):
            fits = BetaBinomial.of(self._samples.marked), BetaBinomial.of(self._samples.bad)
            self._laws = RateDistributions(*(fit.rate for fit in fits))
        estimates = estimate(
            self.estimator,
            self._samples.marked,
            self._samples.bad,
            blocked=blocked if self._learnt else 0.0,
            limit=observation.tariff.max_delay_rate,
            packets=self._bills.packets,
        )
        self._expected = estimates.marking_rate, estimates.broken

    def _blocked(self, tariff: CallTariff) -> float:
        """Return B^G, the allowed share of blocked calls."""
        if self.quantile is not None:
            return 1 - self.quantile
        return tariff.max_blocking_rate if tariff.max_blocking_rate >= 0 else 1 - _QUANTILE
