# SPDX-License-Identifier: Apache-2.0
"""Compares the projections of both algorithms on one trace, at each arrival (sections 2.2, 3.2).

Exact: the next rounds begin at tau_1 <= tau_2 ..., and the flows' next windows are w~ (W + 1
packets, or W / 2 after a mark or a loss). With link rate C, backlog Q and buffer B, the projected
excess is, over all k (Eq. 7, 9), the largest

    w~_1 + ... + w~_k - C tau_k + Q - B

Interpolated: one line reaches to tau_X, when the last of the next rounds begins, with mean window
Omega and mean MSS S of the X flows, m of them marked. The factor rho is omitted:

    (X - m)(Omega + S) + m Omega / 2 - C tau_X + Q - B

Flows are marked by the rule of the run's algorithm. This code is independent of the marking law's
code.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.observation import Truths
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.christin2003.projection import begin_times
from ecnomy.analysis.reproduce.christin2003.traces import DROP, ENQUEUE, MARK, Bottleneck

__all__ = ["exact_excess", "interpolated_excess", "interpolation_figures", "line_errors"]

_K: Final = 10.0
_ALPHA: Final = 0.9
_FORGET_RTTS: Final = 4.0
_LEAD_PS: Final = 2 * PS_PER_S  # decisions begin this long before the measured window
_INTERVAL_PS: Final = PS_PER_S


def exact_excess(tau_ps: Floats, next_bytes: Floats, per_ps: float) -> float:
    """Return the largest excess of arrivals over departures at the beginning of a round [bytes]."""
    order = np.argsort(tau_ps, kind="stable")
    arrived = np.cumsum(next_bytes[order])
    at = np.maximum(tau_ps[order], 0.0)
    return float(np.max(arrived - per_ps * at))


def interpolated_excess(
    tau_ps: Floats, window: Floats, mss: Floats, hit: Truths, per_ps: float
) -> float:
    """Return the excess when the last of the next rounds begins, from mean windows [bytes]."""
    omega, size = float((mss * window).mean()), float(mss.mean())
    marked = int(hit.sum())
    coming = (len(hit) - marked) * (omega + size) + marked * omega / 2
    return coming - per_ps * max(float(tau_ps.max()), 0.0)


def line_errors(tau_ps: Floats, next_bytes: Floats, end_bytes: float) -> tuple[float, float]:
    """Return two relative errors of the line from 0 to `end_bytes`: at its end, and the largest."""
    order = np.argsort(tau_ps, kind="stable")
    stairs = np.cumsum(next_bytes[order])
    at = np.maximum(tau_ps[order], 0.0)
    line = end_bytes * at / at[-1] if at[-1] > 0 else np.full(len(at), end_bytes)
    below = np.concatenate([[0.0], stairs[:-1]])
    largest = max(float(np.abs(line - stairs).max()), float(np.abs(line - below).max()))
    return abs(end_bytes - stairs[-1]) / stairs[-1], largest / stairs[-1]


class _Flows:
    """The router's state, with one array element per flow."""

    def __init__(self, count: int) -> None:
        self.last, self.start, self.rtt = (np.zeros(count) for _ in range(3))
        self.window, self.previous, self.mss = (np.zeros(count) for _ in range(3))
        self.hit, self.heard = (np.zeros(count, dtype=np.bool_) for _ in range(2))
        self.waiting = np.zeros(count, dtype=np.int64)
        self.recent, self.projected = (np.zeros(count, dtype=np.bool_) for _ in range(2))

    def arrive(self, flow: int, size: int, now: int) -> None:
        """Assign an arrival to a round (section 2.1)."""
        gap, window = now - self.last[flow], self.window[flow]
        heard, self.heard[flow], self.last[flow] = bool(self.heard[flow]), True, now
        self.mss[flow] = max(self.mss[flow], size)
        self.recent[flow] = True
        if not heard:
            return
        silent = gap > self.rtt[flow] / _K
        if window and not silent and (self.previous[flow] == 0 or window <= self.previous[flow]):
            self.window[flow] += 1
            return
        sample = now - self.start[flow]
        self.rtt[flow] = _ALPHA * self.rtt[flow] + (1 - _ALPHA) * sample if window else gap
        self.start[flow], self.previous[flow] = now, window
        self.window[flow], self.hit[flow] = 1, False

    def interval_ends(self, *, forget: bool) -> None:
        """Replace L1 (`projected`) by L2 (`recent`); if `forget` is set, forget all other flows."""
        self.projected, self.recent = self.recent, np.zeros_like(self.recent)
        if forget:
            gone = ~self.projected
            self.heard[gone] = self.hit[gone] = False
            self.window[gone] = self.previous[gone] = self.rtt[gone] = 0

    def live(self, now: int) -> Integers:
        """Return the flows that are in a round at this time."""
        silent = now - self.last > _FORGET_RTTS * self.rtt
        return np.flatnonzero((self.window > 0) & ~silent)


class _Tally:
    def __init__(self) -> None:
        self.exact: list[bool] = []
        self.line: list[bool] = []
        self.ends: list[float] = []
        self.largest: list[float] = []
        self.marked: list[int] = []

    def figures(self, made: int) -> dict[str, float | list[float]]:
        exact, line = np.array(self.exact), np.array(self.line)
        return {
            "decisions_agree": float(np.mean(exact == line)),
            "overshoots.exact": float(exact.mean()),
            "overshoots.interpolated": float(line.mean()),
            "end_error": float(np.mean(self.ends)),
            "largest_error": float(np.mean(self.largest)),
            "marked_p99": float(np.quantile(self.marked, 0.99)),
            "marked_most": float(np.max(self.marked)),
            "replayed_over_made": sum(self.marked) / made if made else float("nan"),
        }


def interpolation_figures(trace: Bottleneck, heuristic: bool) -> dict[str, float | list[float]]:
    """Return how far the two projections agree over the arrivals of the measured window.

    Args:
        trace: the trace of the bottleneck.
        heuristic: whether flows are marked by the heuristic's rule, rather than the reference's
            rule.
    """
    flows, tally = _Flows(int(trace.flow.max()) + 1), _Tally()
    taken = np.flatnonzero(trace.event == ENQUEUE)
    begins = begin_times(trace.t_ps[taken], trace.bytes[taken], trace.rate_bps)
    gone, backlog, ahead, boundary = 0, 0, 0, _INTERVAL_PS
    per_ps = trace.rate_bps / 8e12
    for index in np.flatnonzero(trace.event != MARK).tolist():
        now, flow, size = int(trace.t_ps[index]), int(trace.flow[index]), int(trace.bytes[index])
        while now >= boundary:
            flows.interval_ends(forget=heuristic)
            boundary += _INTERVAL_PS
        while gone < ahead and begins[gone] <= now:
            flows.waiting[trace.flow[taken[gone]]] -= 1
            backlog -= int(trace.bytes[taken[gone]])
            gone += 1
        flows.arrive(flow, size, now)
        flows.waiting[flow] += 1
        if now > trace.measured_ps - _LEAD_PS:
            room = trace.buffer_bytes - backlog - size
            marked = _decide(flows, now, room, per_ps, heuristic, tally, now > trace.measured_ps)
            if now > trace.measured_ps:
                tally.marked.append(marked)
        if trace.event[index] == DROP:
            flows.waiting[flow] -= 1
            flows.hit[flow] = True
        else:
            ahead, backlog = ahead + 1, backlog + size
    made = int(((trace.event == MARK) & (trace.t_ps > trace.measured_ps)).sum())
    return tally.figures(made)


def _decide(
    flows: _Flows,
    now: int,
    room: float,
    per_ps: float,
    heuristic: bool,
    tally: _Tally,
    counted: bool,
) -> int:
    """Project the arrivals, record both decisions, and return the number of flows marked."""
    own = flows.live(now)
    if heuristic:
        own = np.flatnonzero(flows.projected & (flows.window > 0))
    if not len(own):
        return 0
    tau = flows.start[own] + flows.rtt[own] - now
    window, mss, hit = flows.window[own], flows.mss[own], flows.hit[own]
    coming = mss * np.where(hit, window / 2, window + 1)
    exact = exact_excess(tau, coming, per_ps) - room
    line = interpolated_excess(tau, window, mss, hit, per_ps) - room
    if counted:
        end = line + room + per_ps * max(float(tau.max()), 0.0)
        at_end, largest = line_errors(tau, coming, end)
        tally.exact.append(exact > 0)
        tally.line.append(line > 0)
        tally.ends.append(at_end)
        tally.largest.append(largest)
    if heuristic:
        return _mark_line(flows, own, line) if line > 0 else 0
    return _mark_exact(flows, own, tau, exact, room, per_ps) if exact > 0 else 0


def _mark_exact(
    flows: _Flows,
    own: Integers,
    tau: Floats,
    excess: float,
    room: float,
    per_ps: float,
) -> int:
    """Mark by the reference's rule: waiting flows before others, then by decreasing window."""
    marked = 0
    while excess > 0:
        free = own[~flows.hit[own]]
        if not len(free):
            break
        rank = np.lexsort((free, -flows.window[free], flows.waiting[free] <= 0))
        flows.hit[free[rank[0]]] = True
        marked += 1
        window, mss, hit = flows.window[own], flows.mss[own], flows.hit[own]
        excess = exact_excess(tau, mss * np.where(hit, window / 2, window + 1), per_ps) - room
    return marked


def _mark_line(flows: _Flows, own: Integers, excess: float) -> int:
    """Mark by the heuristic's rule: at once, as many waiting flows as the excess requires."""
    omega, size = (flows.mss[own] * flows.window[own]).mean(), flows.mss[own].mean()
    wanted = int(np.ceil(excess / (omega / 2 + size)))
    free = own[~flows.hit[own] & (flows.waiting[own] > 0)]
    rank = np.lexsort((free, -flows.window[free]))[:wanted]
    flows.hit[free[rank]] = True
    return len(rank)
