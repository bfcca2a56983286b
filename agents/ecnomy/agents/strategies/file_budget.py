# SPDX-License-Identifier: Apache-2.0
"""`file-budget`: send files or pages within a budget, by a deadline, or both.

Antoniadis et al. 2000, 5, mention rate control for file and web transfers under a constraint on the
total budget, but do not give a law. The following laws result from the cost of a byte. S bytes, B
money and T seconds remain, and c is the current cost of a byte (cost_memory.py):

    deadline    w = (S / T) c                     an even pace; c rises with the pace, so any other
                                                  course to the same end costs more
    budget      w <- w (B / S / c)^(dt / 2 memory)
                                                  the fastest even pace that B pays for: S bytes at
                                                  B / S each; a step is within [1/4, 4], and w is
                                                  between 1/2 and 2 times the current payment
    both        the deadline's w, at most B / T   so the money lasts until the deadline

B and T are the remaining amounts minus the share `margin` of the initial amounts. T is also reduced
by two decision intervals, because the strategy observes the beginning and the end of a file up to
one interval late. A late file continues within its budget at the pace that would send the complete
file within `deadline`. A window follows with the lag T_w / (gain p), where T_w is the round-trip
time. So if the flow's rate differs from S / T, w pays for a pace beyond S / T, so that the rate
reaches S / T within two decisions, or within a quarter of the remaining time if this is longer.

The strategy never exceeds the budget: the cost of a flow's marks is at most `budget` for each
finished file, and for the current or next file. (Later files may use the rest of earlier budgets,
because reports do not assign marks to the files of an interval.) The engine stops the flow at the
last mark that it can pay for. A mark in flight may be charged at a newly posted price, so each
decision allows 1 / price_rise of the remaining money. This reserve suffices if a price per mark
rises by at most this factor at a time, and packets in flight arrive before it rises again. A flow
that cannot pay for another mark is switched off.

Among the last 200 files of the source, promises depend on the m files that were at least as large
as the new file, and began at the same or a higher cost of a byte. If h of these m files were in
time, the strategy promises that the new file will be in time if

    h >= promise (m + 1)

that is, if the promise rate would hold even if this promise were broken. If the new file and these
m files were in random order, it would be in time with probability `promise` or more (the argument
of conformal prediction: Vovk, Gammerman, Shafer 2005). The conditions on size and cost ensure that
the m files were at least as difficult. So the first promise needs promise / (1 - promise) files. A
file without a promise is sent in the same way. The table `agents` has the sums `promised`, `kept`
and `late`. For each promise, `promise:<source>.<member>` gives the number of the file in its flow.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import Annotated, ClassVar, Final

import numpy as np

from ecnomy.agents.agent_view import AgentView
from ecnomy.agents.decision import NO_BUDGET, Decision
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import FlowView, Observation
from ecnomy.agents.parameters import Refused, Unit, positive
from ecnomy.agents.strategies.cost_memory import CostMemory

__all__ = ["FileBudget"]

LEAST_MICRO: Final = 1.0
LONGEST_STEP: Final = 4.0
REMEMBERED: Final = 200
MOST_HASTE: Final = 10.0
BEGINS: Final = 20.0  # at the first w, a budget would last for this multiple of `memory`
ASTRAY: Final = 2.0


@dataclasses.dataclass
class _Flow:
    """The state of a flow, with times in seconds."""

    paid_micro: int = 0
    pay_micro: float = 0.0
    requested_bytes: int = 0  # bytes of all requested files so far
    size: int = 0  # size of the current file
    began_s: float = 0.0
    cost: float = 0.0  # cost of a byte when the file began
    promised: bool = False
    under_way: bool = False


@dataclasses.dataclass
class FileBudget:
    """Sends each file within a budget, by a deadline, or both.

    Attributes:
        budget: money for each file; later files of a flow may use the rest of earlier budgets.
        deadline: time from the beginning of a file to its latest arrival.
        promise: target share of promised files that arrive in time [above 0, below 1].
        cost: initial estimate of the cost of bytes, until the first bytes of the source arrive.
        most: the largest payment per second for a flow.
        margin: planned reserve, as a share of budget and deadline [above 0, below 1].
        price_rise: factor by which the price of a mark may rise at once without breaking the
            budget [from 1 to 1,000,000].
        memory: time over which the cost of a byte is averaged.
    """

    roles: ClassVar[tuple[str, ...]] = ("price-handler",)
    needs_files: ClassVar[bool] = True
    heeds_lag: ClassVar[bool] = True
    budget: Annotated[float | None, Unit("money")] = None
    deadline: Annotated[float | None, Unit("s")] = None
    promise: float = 0.9
    cost: Annotated[float, Unit("money/MB")] = 1.0
    most: Annotated[float, Unit("money/s")] = 1000.0
    margin: float = 0.05
    price_rise: float = 2.0
    memory: Annotated[float, Unit("s")] = 5.0

    def __post_init__(self) -> None:
        if self.budget is None and self.deadline is None:
            raise Refused("budget", "neither 'budget' nor 'deadline'", "one of them, or both")
        for name, unit in (("budget", "money"), ("deadline", "s"), ("cost", "money/MB")):
            if getattr(self, name) is not None:
                positive(name, getattr(self, name), unit)
        positive("most", self.most, "money/s")
        positive("memory", self.memory, "s")
        for name in ("promise", "margin"):
            if not 0 < getattr(self, name) < 1:
                raise Refused(name, f"{getattr(self, name):g}", "a share between 0 and 1")
        if not 1 <= self.price_rise <= 1e6:
            raise Refused("price_rise", f"{self.price_rise:g}", "a factor of 1 or more")
        self._costs = CostMemory(self.memory, self.cost)  # money/MB equals micro-units per byte
        self._of: dict[int, _Flow] = {}
        self._done: dict[str, deque[tuple[int, float, bool]]] = {}  # size, cost, whether in time
        self._sums = {"promised": 0, "kept": 0, "late": 0}

    @property
    def sets_budget(self) -> str:
        """The parameter that limits the cost of a flow's marks, or "" without a limit."""
        return "" if self.budget is None else "budget"

    def decide_many(self, observation: Observation) -> Decision:
        """Return each flow's willingness, its budget for marks, and whether it may send."""
        self._costs.learn(observation)
        before, said = dict(self._sums), []
        costs = self._costs.micro_per_byte(observation.flows.source).tolist()
        for view, cost in zip(observation.views(), costs, strict=True):
            flow = self._of.setdefault(view.flow, _Flow())
            self._follow(flow, view, cost)
            flow.pay_micro = self._pay_micro(flow, view, cost)
            said.append((flow.pay_micro, *self._allowed(flow, view)))
        _note(observation.agent, before, self._sums)
        pay, budget, active = zip(*said, strict=True) if said else ((), (), ())
        columns = np.array(pay, np.float64), np.array(budget, np.float64)
        return Decision(columns[0], active=np.array(active, np.bool_), budget_micro=columns[1])

    def _follow(self, flow: _Flow, view: FlowView, cost: float) -> None:
        flow.paid_micro += view.charge_micro
        begun = view.file_bytes > flow.requested_bytes
        if flow.under_way and (begun or not view.file_left):
            self._judge(flow, view)
        if begun and view.file_left:
            flow.size = max(
                view.file_left, min(view.file_bytes - flow.requested_bytes, flow.size or 2**62)
            )
            flow.began_s, flow.cost = view.t_s - view.dt_s, cost
            self._promise(flow, view)
        flow.requested_bytes = view.file_bytes
        flow.under_way = view.file_left > 0

    def _judge(self, flow: _Flow, view: FlowView) -> None:
        if self.deadline is None:
            return
        in_time = view.t_s <= flow.began_s + self.deadline
        done = self._done.setdefault(view.source, deque(maxlen=REMEMBERED))
        done.append((flow.size, flow.cost, in_time))
        if flow.promised:
            self._sums["kept" if in_time else "late"] += 1

    def _promise(self, flow: _Flow, view: FlowView) -> None:
        done = self._done.get(view.source, ())
        harder = [ok for size, cost, ok in done if size >= flow.size and cost >= flow.cost]
        flow.promised = bool(harder) and sum(harder) >= self.promise * (len(harder) + 1)
        if flow.promised:
            self._sums["promised"] += 1
            if view.agent is not None:
                view.agent.note(f"promise:{view.source}.{view.member}", view.files + 1)

    def _pay_micro(self, flow: _Flow, view: FlowView, cost: float) -> float:
        left, left_s, left_micro = self._ahead(flow, view)
        if self.deadline is None:
            wanted = self._by_budget(flow, view, cost, left_micro / left)
        else:
            if left_s <= 0 and view.file_left:  # the file is late, so its deadline restarts now
                left, left_s = max(flow.size, left), self.deadline
            left_s = max(left_s, 2 * view.dt_s, 1e-9)
            wanted = cost * _hurried(left / left_s, left_s, view, cost)
            if self.budget is not None:
                wanted = min(wanted, left_micro / left_s)
        return min(max(wanted, LEAST_MICRO), self.most * MICRO)

    def _ahead(self, flow: _Flow, view: FlowView) -> tuple[float, float, float]:
        """Return the bytes, seconds and micro-units left, or those of a mean file between files."""
        saved = (self.budget or 0.0) * MICRO * (self._begun(view) - self.margin) - flow.paid_micro
        time_s = (self.deadline or 0.0) * (1 - self.margin) - 2 * view.dt_s
        if view.file_left:
            return view.file_left, time_s - (view.t_s - flow.began_s), max(saved, 0.0)
        mean = view.file_bytes / view.files if view.files else flow.size
        return max(mean, 1.0), max(time_s, view.dt_s), max(saved, 0.0)

    def _by_budget(self, flow: _Flow, view: FlowView, cost: float, worth: float) -> float:
        if not flow.pay_micro:
            return (self.budget or 0.0) * MICRO / max(BEGINS * self.memory, view.dt_s)
        if not (view.file_left and view.dt_ps):
            return flow.pay_micro
        step: float = (worth / max(cost, 1e-12)) ** min(0.5, view.dt_s / (2 * self.memory))
        wanted = flow.pay_micro * min(max(step, 1 / LONGEST_STEP), LONGEST_STEP)
        paid = view.charge_micro / view.dt_s
        return min(max(wanted, paid / ASTRAY), ASTRAY * paid) if paid else wanted

    def _begun(self, view: FlowView) -> int:
        """Return the number of finished files plus 1, for the current or the next file."""
        return view.files + 1

    def _allowed(self, flow: _Flow, view: FlowView) -> tuple[float, bool]:
        """Return the cap on the cost of marks until the next decision, and whether to send."""
        if self.budget is None:
            return NO_BUDGET, True
        left_micro = round(self.budget * MICRO) * self._begun(view) - flow.paid_micro
        allowed_micro = max(left_micro, 0) // self.price_rise
        return allowed_micro, allowed_micro >= view.price_micro


def _hurried(pace: float, left_s: float, view: FlowView, cost: float) -> float:
    """Return the pace to pay for [bytes/s] so that a window that lags soon reaches `pace`."""
    now = view.payload_bps / 8
    if not (now > 0 and view.gain and view.delivered and view.price_micro and view.file_left):
        return pace
    marked = cost / view.price_micro * now * view.dt_s / view.delivered
    lag_s = view.srtt_s / view.gain / max(marked, 1e-9)
    haste = min(max(lag_s / max(2 * view.dt_s, left_s / 4), 1.0), MOST_HASTE)
    return max(now + haste * (pace - now), 0.0)


def _note(agent: AgentView | None, before: dict[str, int], now: dict[str, int]) -> None:
    for name, value in now.items():
        if agent is not None and value != before[name]:
            agent.note(name, value)
