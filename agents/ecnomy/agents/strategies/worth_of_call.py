# SPDX-License-Identifier: Apache-2.0
"""`worth-of-call`: make the kind of call with the largest surplus, if this surplus is above 0.

A call is worth W to its caller, where W is drawn for each call. If b is the share of bad calls of a
kind in the caller's experience, the surplus is

    guaranteed     W (1 - spoils b) - V - V_min m + r R     r: the share that was refunded
    best effort    W (1 - spoils b) - k c                   k: marks of a call, c: price of a mark

V, V_min and R are from the tariff, and m is the mean duration of a call. The caller requests the
kinds with a positive surplus, the largest first. So demand falls as a price rises: with an
exponential W and without an alternative, as exp(-V / W_mean). (In Andreassen 2002, callers call at
any cost.) Experience fades to 1/e after `memory`. In addition to this experience, `trust` good
calls of each kind, without marks and refunds, always count. A call is bad if more than `tolerates`
of its packets are bad.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.calls import BEST_EFFORT, CallAsk, CallOffer, EndedCalls
from ecnomy.agents.money import MICRO
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.strategies.cheapest_call import Claimant
from ecnomy.agents.times import PS_PER_S

__all__ = ["WorthOfCall"]

WORTHS = ("exponential", "uniform", "fixed")


@dataclasses.dataclass
class _Kind:
    """Experience with one kind of call, as sums that fade over time."""

    at_ps: int = 0
    calls: float = 0.0
    bad: float = 0.0
    back: float = 0.0
    marks: float = 0.0

    def fade(self, t_ps: int, memory_ps: float) -> None:
        """Fade all sums over the time since the last update."""
        kept = math.exp(-(t_ps - self.at_ps) / memory_ps)
        self.at_ps = t_ps
        self.calls, self.bad = self.calls * kept, self.bad * kept
        self.back, self.marks = self.back * kept, self.marks * kept


@dataclasses.dataclass
class WorthOfCall(Claimant):
    """Chooses among guaranteed calls, a best-effort call and no call.

    Attributes:
        worth: mean worth of a call.
        spread: distribution of the worth: exponential, uniform from 0 to twice the mean, or fixed.
        best_effort: whether a call may go ahead without a guarantee.
        spoils: the share of its worth that a bad call loses [from 0 to 1].
        tolerates: the share of bad packets up to which a call is good [from 0 to 1].
        trust: number of good calls of each kind that count in addition to experience [above 0].
        memory: time after which experience has the weight 1/e.
        call_time: expected duration of a call before any experience; it counts as `trust` calls.
    """

    worth: Annotated[float, Unit("money")] = 0.2
    spread: str = "exponential"
    best_effort: bool = True
    spoils: float = 1.0
    tolerates: float = 0.01
    trust: float = 20.0
    memory: Annotated[float, Unit("s")] = 3600.0
    call_time: Annotated[float, Unit("s")] = 180.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("worth", self.worth, "money")
        positive("trust", self.trust)
        positive("memory", self.memory, "s")
        positive("call_time", self.call_time, "s")
        if self.spread not in WORTHS:
            raise Refused("spread", repr(self.spread), f"one of {', '.join(WORTHS)}")
        for name in ("spoils", "tolerates"):
            if not 0 <= getattr(self, name) <= 1:
                raise Refused(name, f"{getattr(self, name):g}", "a share from 0 to 1")
        self._kinds: dict[int, _Kind] = {}
        self._time_ps, self._ended = self.call_time * self.trust * PS_PER_S, self.trust

    def order(self, ask: CallAsk) -> Sequence[int]:
        """Return the calls with a positive surplus, the largest first, up to best effort."""
        assert ask.agent is not None
        worth = self._drawn(ask.agent)
        left = {k: self._guaranteed(ask.t_ps, worth, offer) for k, offer in enumerate(ask.offers)}
        best = sorted((k for k in left if left[k] > 0), key=lambda k: (-left[k], k))
        if not self.best_effort:
            return best
        plain = self._at_best_effort(ask.t_ps, worth, ask.mark_price)
        if plain <= 0:
            return best
        return [*(k for k in best if left[k] >= plain), BEST_EFFORT]

    def hear(self, ended: EndedCalls) -> None:
        """Learn from calls that ended."""
        columns = (ended.tariff, ended.end_ps, ended.start_ps, ended.sent, ended.bad, ended.marks)
        rows = zip(*(c.tolist() for c in columns), ended.reimbursed.tolist(), strict=True)
        for number, end_ps, start_ps, sent, bad, marks, back in rows:
            kind = self._kinds.setdefault(number, _Kind(end_ps))
            kind.fade(max(end_ps, kind.at_ps), self.memory * PS_PER_S)
            kind.calls += 1
            kind.bad += bad > self.tolerates * sent
            kind.back += back
            kind.marks += marks
            self._time_ps += end_ps - start_ps
            self._ended += 1

    @property
    def readings(self) -> dict[str, float]:
        """The share of bad calls of each kind in the callers' experience."""
        named = {n: "best-effort" if n == BEST_EFFORT else str(n) for n in sorted(self._kinds)}
        return {
            f"bad-calls:{name}": self._kinds[n].bad / (self._kinds[n].calls + self.trust)
            for n, name in named.items()
        }

    def _drawn(self, agent: AgentView) -> float:
        """Draw a worth [micro-units].

        Each call takes one draw, so draws do not depend on tariffs.
        """
        u, mean = float(agent.random.random()), self.worth * MICRO
        if self.spread == "exponential":
            return -mean * math.log1p(-u)
        return 2 * u * mean if self.spread == "uniform" else mean

    def _faded(self, number: int, t_ps: int) -> _Kind:
        kind = self._kinds.get(number, _Kind(t_ps))
        kind.fade(max(t_ps, kind.at_ps), self.memory * PS_PER_S)
        return kind

    def _guaranteed(self, t_ps: int, worth: float, offer: CallOffer) -> float:
        kind, tariff = self._faded(offer.number, t_ps), offer.tariff
        counted = kind.calls + self.trust
        time_ps = round(self._time_ps / self._ended)
        packets = tariff.usual_packets(time_ps)
        charge = tariff.price_micro + tariff.use_charge_micro(time_ps, packets)
        back = tariff.back_micro(charge)
        kept = worth * (1 - self.spoils * kind.bad / counted)
        return kept - charge + kind.back / counted * back

    def _at_best_effort(self, t_ps: int, worth: float, mark_price: float) -> float:
        kind = self._faded(BEST_EFFORT, t_ps)
        counted = kind.calls + self.trust
        kept = worth * (1 - self.spoils * kind.bad / counted)
        return kept - kind.marks / counted * mark_price
