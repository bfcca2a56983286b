# SPDX-License-Identifier: Apache-2.0
"""The load of sources with an unlimited population of callers, and their share of lost calls.

A. K. Erlang (1917): if calls with Poisson arrivals offer A erlang (arrival rate times mean length)
to c lines, a share B(c) of the calls is lost, with B(0) = 1 and

    B(c) = A B(c - 1) / (c + A B(c - 1))

B depends on the mean length, but not on the distribution of lengths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Plan, Source

__all__ = ["call_s", "erlang_b", "few_lines", "is_pooled", "load"]

_FEW: Final = 0.01  # share of lost calls up to which `check` does not warn


def erlang_b(load: float, lines: int) -> float:
    """Return the share [0 to 1] of calls that `lines` lines lose at this load [erlang]."""
    lost = 1.0
    for line in range(1, lines + 1):
        lost = load * lost / (line + load * lost)
    return lost


def is_pooled(source: Source) -> bool:
    """Return whether a source's calls come from an unlimited population."""
    params = source.traffic.params  # plans of older runs lack the parameter
    return source.traffic.law == "voip" and params.get("interarrival_mean_s", 0.0) > 0


def call_s(source: Source) -> float:
    """Return the mean length [s] of a telephone source's calls, each cut off at `longest`."""
    mean_s, longest_s = source.traffic.params["call_mean_s"], source.calls.longest_ps / PS_PER_S
    return mean_s * -math.expm1(-longest_s / mean_s) if longest_s > 0 else mean_s


def load(source: Source) -> float:
    """Return the load of a source's calls at its busiest time [erlang]."""
    arrivals = source.profile.largest / source.traffic.params["interarrival_mean_s"]
    return arrivals * call_s(source)


def few_lines(plan: Plan) -> Iterator[str]:
    """Yield a warning for each source that loses more than 1 % of its calls for lack of lines."""
    for source in plan.sources:
        if is_pooled(source) and (lost := erlang_b(load(source), source.count)) > _FEW:
            yield (
                f"source {source.name}: {load(source):.3g} erlang of calls on {source.count} "
                f"lines, so {lost:.1%} of them find all lines busy (Erlang B). The number of lines "
                "is its 'count'"
            )
