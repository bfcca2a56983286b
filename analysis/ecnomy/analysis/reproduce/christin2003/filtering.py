# SPDX-License-Identifier: Apache-2.0
"""Section 3.1 on a trace: multistage filters, the correction factor, and heavy hitters.

In each interval of Delta seconds, a filter of d stages with threshold M records a flow once one of
the flow's packets passes all stages. In a serial filter, a packet counts in a bucket of stage 1. If
the bucket then holds more than M / d bytes, the packet also counts in stage 2, and so on (Estan and
Varghese 2001). In a parallel filter, a packet counts in all d stages, whose buckets must hold more
than M (Estan and Varghese 2002). rho is the ratio of all bytes of an interval to those of its
recorded flows. This module uses separate hashes and is independent of the marking law's code.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.observation import Truths
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.christin2003.traces import ENQUEUE, MARK, Bottleneck

__all__ = ["filter_figures", "passed", "rho"]

_LEAST: Final = 25_000.0  # M, 200,000 bits
_STAGES: Final = 3
_BUCKETS: Final = 8
_MORE: Final = (1.0, 2.0, 4.0)  # times M
_EIGHTH: Final = 0.125  # times M; many flows of experiment 1 send more than this
_TOO_MANY: Final = 16.0  # times M; such a filter misses flows, because buckets hold six times M
_TOP: Final = 0.2


def _hashes(flows: int) -> Integers:
    """Return random but fixed buckets of each flow in each stage, [stage, flow]."""
    generator = np.random.Generator(np.random.Philox(key=2003))
    return generator.integers(0, _BUCKETS, size=(_STAGES, flows))


def passed(
    flow: Integers, size: Integers, hashes: Integers, least: float, parallel: bool
) -> set[int]:
    """Return the flows that a filter records in one interval.

    Args:
        flow: flow of each packet, in order.
        size: size of each packet [bytes].
        hashes: bucket of each flow in each stage, [stage, flow].
        least: threshold M [bytes].
        parallel: whether every stage counts every packet, with threshold M. Otherwise packets pass
            stage by stage, with threshold M / d.
    """
    stages = len(hashes)
    counters = [[0] * (int(hashes.max()) + 1) for _ in range(stages)]
    limit = least if parallel else least / stages
    places = hashes.T.tolist()
    flows: set[int] = set()
    for own, size_bytes in zip(flow.tolist(), size.tolist(), strict=True):
        through = True
        for stage in range(stages):
            if not through and not parallel:
                break
            counter = counters[stage]
            counter[places[own][stage]] += size_bytes
            through = through and counter[places[own][stage]] > limit
        if through:
            flows.add(own)
    return flows


def rho(total: Floats, recorded: set[int]) -> float:
    """Return all bytes / the bytes of the recorded flows, or infinity if no flow is recorded."""
    identified = float(total[sorted(recorded)].sum())
    return float(total.sum()) / identified if identified > 0 else float("inf")


def filter_figures(trace: Bottleneck, interval_s: float) -> dict[str, float | list[float]]:
    """Return the measures of filters, averaged over intervals of `interval_s` (Delta)."""
    flows = int(trace.flow.max()) + 1
    hashes = _hashes(flows)
    taken = trace.event == ENQUEUE
    interval = (trace.t_ps / (interval_s * PS_PER_S)).astype(np.int64)
    first = round(trace.measured_ps / (interval_s * PS_PER_S))
    rows: dict[str, list[float]] = {}
    for number in range(first, int(interval.max())):
        now = interval == number
        own = now & taken
        marks = trace.flow[now & (trace.event == MARK)]
        total = np.zeros(flows)
        np.add.at(total, trace.flow[own], trace.bytes[own])
        for name, value in _interval(trace, own, total, hashes, marks).items():
            rows.setdefault(name, []).append(value)
    measures: dict[str, float | list[float]] = {n: _mean(row) for n, row in rows.items()}
    measures["intervals_with_rho_below_1"] = float(sum(x < 1 for x in rows["rho.serial"]))
    return measures | {"bytes_by_rank": _by_rank(trace, taken, flows)}


def _mean(row: list[float]) -> float:
    """Return the mean of finite values; rho is infinite in intervals without a recorded flow."""
    known = [value for value in row if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")


def _interval(
    trace: Bottleneck,
    own: Truths,
    total: Floats,
    hashes: Integers,
    marks: Integers,
) -> dict[str, float]:
    flow, size = trace.flow[own], trace.bytes[own]
    heavy = set(np.flatnonzero(total > _LEAST).tolist())
    active = set(np.flatnonzero(total > 0).tolist())
    measures: dict[str, float] = {
        "heavy_flows": float(len(heavy)),
        "active_flows": float(len(active)),
    }
    for kind, parallel in (("serial", False), ("parallel", True)):
        known = passed(flow, size, hashes, _LEAST, parallel)
        light = active - heavy
        measures[f"missed.{kind}"] = float(len(heavy - known))
        measures[f"false_positives.{kind}"] = len(known - heavy) / max(len(light), 1)
        measures[f"rho.{kind}"] = rho(total, known)
    some = set(np.flatnonzero(total > _EIGHTH * _LEAST).tolist())
    measures["missed.serial_eighth"] = float(
        len(some - passed(flow, size, hashes, _EIGHTH * _LEAST, False))
    )
    measures["missed_by_16_M"] = float(
        len(some - passed(flow, size, hashes, _TOO_MANY * _LEAST, False))
    )
    serial = passed(flow, size, hashes, _LEAST, False)
    identified = float(total[sorted(serial)].sum() / total.sum())
    measures["share_times_rho"] = identified * rho(total, serial)
    measures["rho_is_1_iff_all"] = float((rho(total, serial) == 1) == (serial >= active))
    for times in _MORE:
        known = passed(flow, size, hashes, times * _LEAST, False)
        measures[f"recorded.M={times:g}"] = float(len(known))
        measures[f"rho.M={times:g}"] = rho(total, known)
    ordered = np.sort(total)[::-1]
    top = max(round(_TOP * len(active)), 1)
    measures["top_fifth_bytes"] = float(ordered[:top].sum() / ordered.sum())
    if len(marks):
        measures["marks_on_heavy"] = float(np.isin(marks, sorted(heavy)).mean())
        larger = np.flatnonzero(total > np.median(total[total > 0]))
        measures["marks_on_larger_half"] = float(np.isin(marks, larger).mean())
    return measures


def _by_rank(trace: Bottleneck, taken: Truths, flows: int) -> list[float]:
    """Return the share of bytes sent by the largest 5, 10, ... 100 % of the flows."""
    own = taken & (trace.t_ps >= trace.measured_ps)
    total = np.sort(np.bincount(trace.flow[own], weights=trace.bytes[own], minlength=flows))[::-1]
    share = np.concatenate([[0.0], np.cumsum(total) / total.sum()])
    return [float(share[round(x * flows)]) for x in np.arange(1, 21) / 20]
