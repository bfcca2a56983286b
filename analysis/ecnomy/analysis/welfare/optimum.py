# SPDX-License-Identifier: Apache-2.0
"""The distance of a run from the rates that maximise its users' utility on the same routes.

The window is cut at starts and stops of sources and at lifted caps (subwindows.py). In each part,

    max  sum_r N_r U_r(y_r / N_r)     sum over r on l of y_r <= c_l - b_l,   y_r <= N_r M_r

is solved by `theory.network_optimum`. Rows r contain the flows of agents that declare a utility.
N_r is the mean number of active flows of a row, and y_r their total rate. The activity and routes
of flows come from the run. The other traffic on a link, b_l (other users, ACKs, retransmissions),
also comes from the run, as a constant rate. c_l is the link's rate minus framing, regardless of the
target of its marking law. M_r is the largest demand of a flow's traffic. The allocation of the run
itself is feasible. Apart from packets in flight at the ends of a part, a run therefore never
exceeds its optimum. The optimum omits a utility's cost of delay.

The equilibrium of users who anticipate prices (`theory.nash_equilibrium`) is considered only if
some packets are marked. It is the optimum if the capacity satisfies all users. Otherwise it is
computed only if a single link limits all rates, all flows are on throughout, and no cap limits the
traffic.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import InputError
from ecnomy.agents.times import PS_PER_S
from ecnomy.agents.utilities import delay_cost_of
from ecnomy.analysis.run.windows import Epochs, Window
from ecnomy.analysis.theory.nash import nash_equilibrium
from ecnomy.analysis.theory.optimum import FlowProblem, Optimum, network_optimum
from ecnomy.analysis.welfare.declared_utilities import Declared, Lived, lived
from ecnomy.markets.plan import Plan, Source
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["Distance", "WindowPart", "distance_of"]

MBPS: Final = 1e6
_SMALLEST, _LARGEST = 1e-9, 1e9  # ratios of rate and x0 at which the slope is sampled
_HALVINGS: Final = 64
_PRICED: Final = 1e-6  # share of the largest price below which a link has spare capacity


class WindowPart(msgspec.Struct, frozen=True, eq=False):
    """A part of the window, with the rows of flows that were on in it.

    Rates are means per active flow [bit/s]. Utilities are sums over all rows [money/s].
    """

    from_ps: int
    to_ps: int
    rows: Integers
    rates_bps: Floats
    best_bps: Floats
    utility_per_s: float  # utility of the mean rates
    optimum_per_s: float
    nash_per_s: float  # NaN if not considered

    @property
    def seconds(self) -> float:
        """The length of the part in seconds."""
        return (self.to_ps - self.from_ps) / PS_PER_S


class Distance(msgspec.Struct, frozen=True, eq=False):
    """A run compared with its optimum.

    Attributes:
        optimum_per_s: utility of the best rates over the window [money/s]; NaN if not found.
        furthest: the largest |x - x*| / max(x, x*) of any row in any part; NaN if not found.
        nash_per_s: utility of users who anticipate prices [money/s]; NaN if not considered.
        without_delay: whether a utility has a cost of delay. The optimum omits this cost and is
            then only an upper bound.
        why: the reason for a missing optimum, or "".
        parts: the parts of the window for which an optimum was found.
    """

    optimum_per_s: float = math.nan
    furthest: float = math.nan
    nash_per_s: float = math.nan
    without_delay: bool = False
    why: str = ""
    parts: tuple[WindowPart, ...] = ()


class _Utilities(msgspec.Struct, frozen=True, eq=False):
    """The `theory.FlowUtility` of groups of identical rows, N U(y / N / x0), with y in Mbit/s."""

    agents: tuple[Declared, ...]
    count: Floats  # N of each group of rows
    scale: Floats  # N x0, Mbit/s
    least: Floats
    agent: Integers  # agent of each group

    def value(self, rates: Floats) -> Floats:
        """See theory.FlowUtility."""
        return self.count * self._each("value", np.maximum(rates / self.scale, self.least))

    def marginal(self, rates: Floats) -> Floats:
        """See theory.FlowUtility."""
        ratio = np.clip(rates / self.scale, _SMALLEST, _LARGEST)
        return self.count / self.scale * self._each("slope", ratio)

    def demand(self, prices: Floats) -> Floats:
        """See theory.FlowUtility.

        Bisection finds the demand, because a custom utility has no inverse. At a price of 0,
        saturated users demand at most their saturation rate.
        """
        wanted = prices * self.scale / self.count
        low = np.full(np.shape(wanted), math.log(_SMALLEST))
        high = np.full(np.shape(wanted), math.log(_LARGEST))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            slope = self._each("slope", np.exp(middle))
            enough = (slope >= wanted) & (slope > 0)
            low, high = np.where(enough, middle, low), np.where(enough, high, middle)
        return np.asarray(np.exp(low) * self.scale, dtype=np.float64)

    def _each(self, name: str, ratio: Floats) -> Floats:
        out = np.empty(np.shape(ratio))
        for number, one in enumerate(self.agents):
            mine = self.agent == number
            column = ratio[..., mine]
            values = getattr(one.utility, name)(column.ravel())
            out[..., mine] = np.asarray(values, dtype=np.float64).reshape(column.shape)
        return out


def distance_of(
    run: RawRun, declared: tuple[Declared, ...], windows: tuple[Window, ...], *, nash: bool
) -> Distance:
    """Compare a run with the best rates in each window and, with `nash`, the Nash equilibrium.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    if crooked := [one.agent for one in declared if not _concave(one)]:
        return Distance(why=f"the utility of {crooked[0]} is not concave")
    flows = Epochs(run.flow_epochs, "flow", run.plan.row_count)
    links = Epochs(run.link_epochs, "link", len(run.plan.links))
    nash = nash and bool(run.flow_epochs["ce"].any())  # marks are the price
    try:
        parts = [_part(run.plan, flows, links, declared, window, nash=nash) for window in windows]
    except InputError as error:
        return Distance(why=" ".join(str(error).split()))
    known = tuple(part for part in parts if part is not None)
    whole_s = sum(window.seconds for window in windows)
    return Distance(
        optimum_per_s=sum(part.optimum_per_s * part.seconds for part in known) / whole_s,
        furthest=max((_furthest(part) for part in known), default=math.nan),
        nash_per_s=sum(part.nash_per_s * part.seconds for part in known) / whole_s,
        without_delay=any(delay_cost_of(one.utility) for one in declared),
        parts=known,
    )


def _concave(declared: Declared) -> bool:
    """Return whether a utility has slopes >= 0 that do not increase, unless it declares otherwise.

    A step function has slopes of 0 everywhere, so slopes alone would not reveal its jumps.
    """
    if not getattr(declared.utility, "concave", True):
        return False
    slope = np.asarray(declared.utility.slope(np.geomspace(1e-3, 1e3, 400)), dtype=np.float64)
    falls = slope[1:] <= slope[:-1] * (1 + 1e-9)
    return bool(np.isfinite(slope).all() and (slope >= 0).all() and falls.all())


def _furthest(part: WindowPart) -> float:
    largest = np.maximum(part.rates_bps, part.best_bps)
    apart = np.abs(part.rates_bps - part.best_bps)
    return float(np.divide(apart, largest, out=np.zeros_like(apart), where=largest > 0).max())


class _Alike(msgspec.Struct, frozen=True, eq=False):
    """Groups of rows with equal utility, path, packet size and limit, which have equal optima.

    Attributes:
        group: the group of each row.
        agent: the agent of each group; the fields below are also per group.
        source: source of the first row of each group.
        x0_bps: reference rate x0 of a flow [bit/s].
        most_bps: the largest demand of a flow's traffic [bit/s].
    """

    group: Integers
    agent: Integers
    source: list[Source]
    x0_bps: Floats
    most_bps: Floats

    def sums(self, values: Floats) -> Floats:
        """Return the sums over the rows of each group."""
        sums = np.bincount(self.group, values, minlength=len(self.source))
        return np.asarray(sums, dtype=np.float64)


def _alike(agent: Integers, x0_bps: Floats, sources: list[Source], window: Window) -> _Alike:
    numbers: dict[tuple[object, ...], int] = {}
    group = np.empty(len(sources), dtype=np.int64)
    first: list[int] = []
    for row, source in enumerate(sources):
        own = (int(agent[row]), float(x0_bps[row]), _most_bps(source, window))
        key = (*own, source.packet_bytes, tuple(source.path))
        if key not in numbers:
            numbers[key] = len(first)
            first.append(row)
        group[row] = numbers[key]
    most = np.array([_most_bps(sources[row], window) for row in first])
    return _Alike(group, agent[first], [sources[row] for row in first], x0_bps[first], most)


def _part(
    plan: Plan,
    flows: Epochs,
    links: Epochs,
    declared: tuple[Declared, ...],
    window: Window,
    *,
    nash: bool,
) -> WindowPart | None:
    """Return the optimum of a part; None if all rows were off."""
    had = [lived(flows, one, window.from_ps, window.to_ps) for one in declared]
    on = _joined(had, "on_s") > 0
    if not on.any():
        return None
    rows = np.concatenate([one.rows for one in declared])[on]
    agent = np.repeat(np.arange(len(declared)), [len(one.rows) for one in declared])[on]
    x0_bps = np.concatenate([one.x0_bps for one in declared])[on]
    named = plan.row_sources()
    sources = [named[row] for row in rows]
    alike = _alike(agent, x0_bps, sources, window)
    each = _joined(had, "on_s")[on] / window.seconds
    got_bps = _joined(had, "bits")[on] / window.seconds
    count, taken = alike.sums(each), alike.sums(got_bps) / MBPS
    least = np.array([one.least for one in declared])[alike.agent]
    utilities = _Utilities(declared, count, count * alike.x0_bps / MBPS, least, alike.agent)
    used = sorted({link for source in alike.source for link in source.path})
    low = least * utilities.scale
    problem = FlowProblem(
        routes=tuple(tuple(used.index(link) for link in s.path) for s in alike.source),
        capacities=_room(plan, links, used, alike.source, taken, window),
        utility=utilities,
        min_rates=tuple(low),
        max_rates=tuple(np.maximum(np.maximum(count * alike.most_bps / MBPS, taken), low)),
    )
    best = network_optimum(problem)
    members = np.array([source.row_flows for source in sources], dtype=np.float64)
    always = bool(np.abs(each - members).max() < 1e-9)
    steady = sum(float(h.steady(one).sum()) for h, one in zip(had, declared, strict=True))
    selfish = math.nan
    if nash:
        selfish = _nash(problem, utilities, best, alike.sums(members), always=always)
    return WindowPart(
        from_ps=window.from_ps,
        to_ps=window.to_ps,
        rows=rows,
        rates_bps=got_bps / each,
        best_bps=(best.rates / count)[alike.group] * MBPS,
        utility_per_s=steady / window.seconds,
        optimum_per_s=best.utility,
        nash_per_s=selfish,
    )


def _joined(had: list[Lived], name: str) -> Floats:
    return np.concatenate([getattr(one, name) for one in had])


def _most_bps(source: Source, window: Window) -> float:
    """Return the largest demand of a flow's traffic in a window, ignoring caps lifted before it."""
    until_s = source.traffic.params.get("until_s", -1.0)
    if 0 <= until_s * PS_PER_S <= window.from_ps:
        return math.inf
    return source.most_bps


def _room(
    plan: Plan,
    links: Epochs,
    used: list[int],
    sources: list[Source],
    taken: Floats,
    window: Window,
) -> tuple[float, ...]:
    """Return each link's capacity for the sources, at least what they used, Mbit/s (IP)."""
    grown = links.difference("departed_bytes", window)
    packets = links.difference("departures", window)
    size = np.array([source.packet_bytes for source in sources])
    room = []
    for link in used:
        at, framing = plan.links[link], plan.links[link].framing_bytes
        crosses = np.array([link in source.path for source in sources])
        own, frames = taken * crosses, 1 + framing / size
        wire = float((own * frames).sum())
        factor = wire / own.sum() if wire else float(frames[crosses].mean())
        carried = 8 * (grown[link] + packets[link] * framing) / window.seconds / MBPS
        left = at.rate_bps / MBPS - max(carried - wire, 0.0)
        room.append(max(left / factor, float(own.sum()), 1e-6 * at.rate_bps / MBPS))
    return tuple(room)


def _nash(
    problem: FlowProblem, utilities: _Utilities, best: Optimum, members: Floats, *, always: bool
) -> float:
    """Return the utility of users who anticipate prices; NaN if they are not considered.

    Args:
        problem: the problem of the optimum.
        utilities: the utilities of the groups.
        best: the optimum.
        members: the number of users in each group.
        always: whether all users were on throughout.
    """
    priced = best.prices > _PRICED * best.prices.max()
    low, high = problem.limits()
    if best.prices.max() <= 0 or (best.rates >= high * (1 - 1e-6)).all():
        return best.utility  # the capacity satisfies all users, so bids have no effect
    shared = problem.incidence()[:, priced]
    if priced.sum() != 1 or not shared.all() or not always or members.sum() < 2 or low.any():
        return math.nan
    capacity = float(np.asarray(problem.capacities)[priced][0])
    each = np.repeat(np.arange(len(members)), members.astype(np.int64))
    players = _Utilities(
        utilities.agents,
        np.ones(len(each)),
        (utilities.scale / utilities.count)[each],
        utilities.least[each],
        utilities.agent[each],
    )
    if not (players.marginal(np.full(len(each), capacity / len(each))) > 0).all():
        return math.nan  # a user demands less than an equal share
    equilibrium = nash_equilibrium(players, len(each), capacity)
    over = equilibrium.rates > (high / members)[each] * (1 + 1e-9)
    return math.nan if over.any() else equilibrium.utility
