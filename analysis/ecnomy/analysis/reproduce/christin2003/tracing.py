# SPDX-License-Identifier: Apache-2.0
"""Outcome columns from packet traces: rounds, estimates, marks and filters (sections 2 and 3)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.christin2003.filtering import filter_figures
from ecnomy.analysis.reproduce.christin2003.interpolation import interpolation_figures
from ecnomy.analysis.reproduce.christin2003.projection import due_marks
from ecnomy.analysis.reproduce.christin2003.rounds import (
    SenderRounds,
    round_trips,
    router_rounds,
    sender_rounds,
)
from ecnomy.analysis.reproduce.christin2003.traces import (
    ENQUEUE,
    MARK,
    Bottleneck,
    FlowTrace,
    bottleneck_of,
    flows_of,
)
from ecnomy.analysis.reproduce.christin2003.windows import PICTURED_SEED

__all__ = [
    "PICTURED_S",
    "classed",
    "estimates",
    "experiment",
    "matched",
    "single",
    "twice_in_a_round",
    "window_bound",
    "window_growth",
]

K: Final = 10.0
ALPHA: Final = 0.9
_ALPHAS: Final = (0.71, 0.9, 0.99)
_WITHIN: Final = 0.2
_GRID: Final = 120
PICTURED_S: Final = 30.0
Figures = dict[str, float | list[float]]


def single(results: Path) -> Figures:
    """Return how far the rounds, marks and estimates of one flow agree with section 2.1."""
    trace = bottleneck_of(results)
    flow = next(iter(flows_of(results)))
    measures = window_bound([sender_rounds(flow)], trace.measured_ps) | _due(trace)
    measures |= _estimates([flow], trace.measured_ps)
    measures["plain_newreno"] = _plain(results)
    if _seed(results) == PICTURED_SEED:
        measures |= _picture(flow)
    return measures


def estimates(results: Path) -> Figures:
    """Return how far the router's estimates for several flows agree with the senders' values."""
    trace, flows = bottleneck_of(results), list(flows_of(results))
    rounds = [sender_rounds(flow) for flow in flows]
    return window_bound(rounds, trace.measured_ps) | _estimates(flows, trace.measured_ps)


def experiment(results: Path) -> Figures:
    """Return the measures of estimates, filters and projections for experiment 1's traffic."""
    trace = bottleneck_of(results)
    measures = estimates(results) | filter_figures(trace, 1.0)
    return measures | interpolation_figures(trace, _law(results).endswith("heuristic"))


def classed(results: Path) -> Figures:
    """Return the measures of filters for experiment 2's traffic."""
    return filter_figures(bottleneck_of(results), 0.1)


def _seed(results: Path) -> int:
    from ecnomy.markets.results.rawrun import open_raw

    return open_raw(results).plan.seed


def _law(results: Path) -> str:
    from ecnomy.markets.results.rawrun import open_raw

    links = open_raw(results).plan.links
    return next(link.marking.law for link in links if link.name == "bottleneck")


def _plain(results: Path) -> float:
    """Return 1 if all sources are NewReno with the echo of RFC 3168, otherwise 0."""
    from ecnomy.markets.plan.structs import Tcp
    from ecnomy.markets.results.rawrun import open_raw

    transports = [source.transport for source in open_raw(results).plan.sources]
    plain = [
        isinstance(own, Tcp) and own.window.law == "newreno" and own.echo == "rfc3168"
        for own in transports
    ]
    return float(all(plain))


def window_bound(flows: list[SenderRounds], from_ps: int) -> Figures:
    """Return the shares of rounds that satisfy Eq. 3 exactly, and within one packet on either side.

    A round counts only if neither it nor the next round has retransmissions, because these belong
    to recoveries.
    """
    before: list[Floats] = []
    after: list[Floats] = []
    for rounds in flows:
        calm = ~rounds.repairs[:-1] & ~rounds.repairs[1:] & (rounds.start_ps[:-1] > from_ps)
        before.append(rounds.window[:-1][calm].astype(np.float64))
        after.append(rounds.window[1:][calm].astype(np.float64))
    w, following = np.concatenate(before), np.concatenate(after)
    strict = (following >= w / 2) & (following <= w + 1)
    near = (following >= w / 2 - 1) & (following <= w + 2)
    return {
        "rounds": float(len(w)),
        "mean_window": float(w.mean()),
        "within_eq3": float(strict.mean()),
        "within_eq3_and_a_packet": float(near.mean()),
    }


def matched(due: list[int], made: list[int]) -> tuple[float, float]:
    """Return the share of due marks that were made, and the share of made marks that were due."""
    both = len(set(due) & set(made))
    return both / max(len(due), 1), both / max(len(made), 1)


def _due(trace: Bottleneck) -> Figures:
    """Return how far the marks of the measured window agree with those due by Eq. 5 to 7."""
    taken = np.flatnonzero(trace.event == ENQUEUE)
    due = [d for d in due_marks(trace, K, ALPHA) if d.decided_ps > trace.measured_ps]
    marks = trace.event == MARK
    late = marks & (trace.t_ps > trace.measured_ps)
    packets = [int(trace.seq[taken[d.packet]]) for d in due if d.packet < len(taken)]
    first, last = (due[0].decided_ps, due[-1].decided_ps) if due else (0, 0)
    made = trace.seq[late & (trace.t_ps >= first)].tolist()
    wanted, foreseen = matched(packets, made)
    return {
        "marks": float(late.sum()),
        "due_made": wanted,
        "made_due": foreseen,
        "twice_in_a_round": float(
            twice_in_a_round(trace.t_ps[trace.event != MARK], trace.t_ps[late])
        ),
        "drops": float((trace.event[trace.t_ps > trace.measured_ps] > MARK).sum()),
        "marks_span_s": (last - first) / PS_PER_S,
    }


def twice_in_a_round(arrived_ps: Integers, marked_ps: Integers) -> int:
    """Return the number of a flow's marks after the first one in each of the router's rounds."""
    rounds = np.searchsorted(router_rounds(arrived_ps, K, ALPHA).start_ps, marked_ps, "right")
    return len(rounds) - len(np.unique(rounds))


def _estimates(flows: list[FlowTrace], from_ps: int) -> Figures:
    measures: Figures = {}
    trips = [round_trips(flow) for flow in flows]
    for alpha in _ALPHAS:
        error, silent = _errors(flows, trips, alpha, from_ps)
        measures[f"rtt_error.alpha={alpha:g}"] = float(np.mean(np.abs(error)))
        if alpha == ALPHA:
            measures["rtt_within_20"] = float(np.mean(np.abs(error) <= _WITHIN))
            measures["rtt_bias"] = float(np.mean(error))
            measures["silent_share"] = silent
    return measures | _windows(flows, from_ps) | _safeguard(flows, from_ps)


def _errors(
    flows: list[FlowTrace], trips: list[Floats], alpha: float, from_ps: int
) -> tuple[Floats, float]:
    """Return the relative errors of R in rounds after a silence, and the share of these rounds."""
    errors: list[Floats] = []
    rounds = 0
    for flow, trip in zip(flows, trips, strict=True):
        router = router_rounds(flow.arrived_ps, K, alpha)
        true = trip[router.first]
        known = np.isfinite(true) & (router.start_ps > from_ps)
        rounds += int(known.sum())
        kept = known & (router.gap_ps > true / K)
        errors.append(router.rtt_ps[kept] / true[kept] - 1)
    error = np.concatenate(errors)
    return error, len(error) / max(rounds, 1)


def _windows(flows: list[FlowTrace], from_ps: int) -> Figures:
    """Return how far the router's observed and projected windows agree with the sender's."""
    ratios: list[float] = []
    right: list[bool] = []
    for flow in flows:
        own, router = sender_rounds(flow), router_rounds(flow.arrived_ps, K, ALPHA)
        if not len(own.start_ps) or len(router.start_ps) < 2:
            continue
        marked = np.searchsorted(router.start_ps, flow.marked_ps, "right") - 1
        hit = np.isin(np.arange(len(router.start_ps)), marked)
        for index in np.flatnonzero(router.start_ps[:-1] > from_ps).tolist():
            at = int(np.searchsorted(own.start_ps, router.start_ps[index], "right")) - 1
            if at < 0 or at + 1 >= len(own.window):
                continue
            window = int(router.window[index])
            projected = window / 2 if hit[index] else window + 1
            ratios.append(window / int(own.window[at]))
            right.append(abs(projected - int(own.window[at + 1])) < 1)
    return {"window_ratio": float(np.mean(ratios)), "next_window_right": float(np.mean(right))}


def _safeguard(flows: list[FlowTrace], from_ps: int) -> Figures:
    """Return windows' growth at K = 0.5, and the share of packets beginning a round at K = 2000."""
    beyond, largest, begun, packets = 0, 0.0, 0, 0
    for flow in flows:
        router = router_rounds(flow.arrived_ps, 0.5, ALPHA)
        beyond += int((router.window[1:] > router.window[:-1] + 1)[1:].sum())
        own = sender_rounds(flow)
        if len(own.window):
            largest = max(largest, float(router.window.max() / own.window.max()))
        every = router_rounds(flow.arrived_ps, 2000.0, ALPHA)
        begun += len(every.start_ps)
        packets += max(len(flow.arrived_ps) - 1, 0)
    return {
        "beyond_safeguard.K=0.5": float(beyond),
        "largest_window_ratio.K=0.5": largest,
        "window_growth.K=0.5": window_growth([flow.arrived_ps for flow in flows], 0.5, from_ps),
        "packets_beginning_a_round.K=2000": begun / max(packets, 1),
    }


def window_growth(flows: list[Integers], k: float, from_ps: int) -> float:
    """Return the growth of the router's largest windows during the measured time.

    Args:
        flows: arrival times of each flow [ps].
        k: parameter K of Eq. 4.
        from_ps: start of the measured time [ps].

    Returns:
        The sum over flows of the largest window in the second half, divided by that in the first
        half. Only flows that send in both halves count; the ratio is NaN without such flows.
    """
    end_ps = max((int(arrived[-1]) for arrived in flows if len(arrived)), default=0)
    middle_ps = (from_ps + end_ps) // 2
    sums = [0, 0]
    for arrived in flows:
        first = router_rounds(arrived, k, ALPHA).first
        at = np.arange(len(arrived))
        begun = np.searchsorted(first, at, "right") - 1
        late = (begun >= 0) & (arrived > middle_ps)
        early = (begun >= 0) & (arrived > from_ps) & ~late
        if early.any() and late.any():
            window = at - first[np.maximum(begun, 0)] + 1
            sums[0] += int(window[early].max())
            sums[1] += int(window[late].max())
    return sums[1] / sums[0] if sums[0] else float("nan")


def _picture(flow: FlowTrace) -> Figures:
    own, router = sender_rounds(flow), router_rounds(flow.arrived_ps, K, ALPHA)
    grid = np.linspace(0, PICTURED_S * PS_PER_S, _GRID)
    sent = np.searchsorted(own.start_ps, grid, "right") - 1
    router_round = np.searchsorted(router.start_ps, grid, "right") - 2
    trip = np.searchsorted(flow.arrived_ps, grid, "right") - 1
    nothing = np.full(_GRID, np.nan)
    true = np.where(trip >= 0, round_trips(flow)[np.maximum(trip, 0)], nothing)
    rows = {
        "sender_window": np.where(sent >= 0, own.window[np.maximum(sent, 0)], nothing),
        "router_window": np.where(
            router_round >= 0, router.window[np.maximum(router_round, 0)], nothing
        ),
        "router_rtt_ms": np.where(
            router_round >= 0, router.rtt_ps[np.maximum(router_round, 0)], nothing
        )
        / 1e9,
        "true_rtt_ms": true / 1e9,
    }
    return {name: np.nan_to_num(row, nan=-1.0).tolist() for name, row in rows.items()}
