# SPDX-License-Identifier: Apache-2.0
"""Phases of a run, separated by starts and stops of sources and by ends of rate caps.

The first phase begins at the end of the warm-up. After each later boundary, flows need time to
settle, so the measurement skips min(10 s, 20 % of the phase).
"""

from __future__ import annotations

from typing import Final

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Plan, Source

__all__ = ["Phase", "phases_of"]

_SETTLE_MOST_PS: Final = 10 * PS_PER_S
_MOST_NAMED: Final = 6


class Phase(msgspec.Struct, frozen=True):
    """A part of a run, [from_ps, to_ps), between starts, stops and lifted rate caps of sources."""

    number: int  # counted from 1
    label: str
    from_ps: int
    to_ps: int
    settled_ps: int  # measured from here on

    @property
    def settling_s(self) -> float:
        """Return the time skipped at the beginning of the phase, seconds."""
        return (self.settled_ps - self.from_ps) / PS_PER_S


def _until_ps(source: Source) -> int:
    """Return the time at which a source's rate cap is lifted; -1 if it is never lifted."""
    if source.traffic.law != "rate-capped":
        return -1
    until_s = source.traffic.params.get("until_s", -1.0)
    return round(until_s * PS_PER_S) if until_s >= 0 else -1


def _names(sources: list[Source]) -> str:
    """Return the names of sources as text, grouped by prefix `<prefix>-` if they are many."""
    names = [source.name for source in sources]
    if len(names) > _MOST_NAMED:
        counts: dict[str, int] = {}
        for name in names:
            prefix = name.partition("-")[0]
            counts[prefix] = counts.get(prefix, 0) + 1
        names = [p if count == 1 else f"{p} ({count} sources)" for p, count in counts.items()]
    if len(names) > _MOST_NAMED:
        names = [*names[: _MOST_NAMED - 1], f"{len(names) - _MOST_NAMED + 1} more"]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _events(plan: Plan, after_ps: int, to_ps: int) -> str:
    """Describe the starts, stops and lifted rate caps after `after_ps`, up to `to_ps`."""
    words = []
    lifted = [s for s in plan.sources if after_ps < _until_ps(s) <= to_ps]
    begun = [s for s in plan.sources if after_ps < s.start.at_ps <= to_ps]
    ended = [s for s in plan.sources if after_ps < s.stop_ps <= to_ps]
    if lifted:
        words.append(f"{_names(lifted)} no longer capped")
    if begun:
        words.append(f"{_names(begun)} on")
    if ended:
        words.append(f"{_names(ended)} off")
    return ", ".join(words)


def _opening(plan: Plan) -> str:
    """Describe the state at the end of the warm-up."""
    by_cap: dict[float, list[Source]] = {}
    for source in plan.sources:
        if source.traffic.law == "rate-capped" and source.start.at_ps <= plan.warmup_ps:
            until = _until_ps(source)
            if until < 0 or until > plan.warmup_ps:
                by_cap.setdefault(source.traffic.params["rate_bps"], []).append(source)
    if len(by_cap) > _MOST_NAMED:
        all_of = _names([source for group in by_cap.values() for source in group])
        return f"{all_of} capped at {min(by_cap) / 1e6:.3g} to {max(by_cap) / 1e6:.3g} Mbps"
    caps = [f"{_names(group)} capped at {rate / 1e6:g} Mbps" for rate, group in by_cap.items()]
    if caps:
        return ", ".join(caps)
    on = [
        source
        for source in plan.sources
        if source.start.at_ps <= plan.warmup_ps and not 0 <= source.stop_ps <= plan.warmup_ps
    ]
    return f"{_names(on)} on" if on else "nothing on"


def phases_of(plan: Plan, end_ps: int | None = None) -> list[Phase]:
    """Return the phases of a plan; without boundaries after the warm-up, there is only one.

    Boundaries less than two epochs apart count as one boundary at the later time.

    Args:
        plan: the plan of the run.
        end_ps: end of a partial run [ps]; by default the duration of the plan.
    """
    end = plan.duration_ps if end_ps is None else min(end_ps, plan.duration_ps)
    switched = {t for s in plan.sources for t in (s.start.at_ps, _until_ps(s), s.stop_ps)}
    times = sorted(t for t in switched if plan.warmup_ps < t < end)
    apart = 2 * max(plan.epoch_ps, 1)
    kept = [t for i, t in enumerate(times) if i + 1 == len(times) or times[i + 1] - t >= apart]
    bounds = [min(plan.warmup_ps, end), *kept, end]
    result = []
    for i, (begin, stop) in enumerate(zip(bounds, bounds[1:], strict=False)):
        settle = min(_SETTLE_MOST_PS, (stop - begin) // 5) if i else 0
        label = _events(plan, bounds[i - 1], begin) if i else _opening(plan)
        result.append(Phase(i + 1, label, begin, stop, begin + settle))
    return result
