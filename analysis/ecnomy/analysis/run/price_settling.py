# SPDX-License-Identifier: Apache-2.0
"""Tests whether the price that a carrier's strategy sets has settled in the last half of a run.

A search never rests, because it keeps trying prices around the best one. So a price counts as
settled unless it moves more than its trial steps explain. All values are shares of the mean price
over the last half:

    try         the median size of the changes of the posted price
    stretches   ten parts of equal length, each with its mean price over time. Tries above and
                below the best price cancel in such a mean
    drift       the Theil-Sen slope through the ten means (the median of the slopes of all 45
                pairs), times the length of the half
    swing       the largest minus the smallest of the ten means
    range       the 90 % quantile of the price over time minus the 10 % quantile

In three cases, a price has not settled:

    rising,     the drift is above 10 %, and at least 40 of the 45 pairs of means agree in its
    falling     direction (Mann 1945: one in 1,000 sets of independent means agrees by chance)
    swinging    the swing is above 50 % and above four tries
    swinging    the range is above 50 % and above eight tries, as in a cycle within a stretch. For
                independent tries, range / try was 2.4 to 3.2 in the examined lists of prices

Prices of a Thompson sampler jump far but independently, so a try is as wide as the range. A walk by
steps, as in `hill-climbing`, stays within a few steps of its resting point, unless noise in the
profit hides the best price from such short steps.

A price at rest can be far from the best one. The slope s of the profit shows this
(profit_slope.py). Let e be the error of s, c the decrease of s per unit of the log price, and s^2 /
2c the share by which the best price would increase the profit. A price that appears at rest is then

    climbing    if (|s| - e)^2 / 2c is above 2 %, with |s| above e: the price is too low or too high
    unclear     if (|s| + e)^2 / 2c is above 2 % or c is at its lower bound. Chance, a flat profit
                or a short run then hides the best price, and the search may have stalled. A slope
                that had to be fitted to the whole run gives this verdict instead of `climbing`. The
                verdict is also `unclear` if the prices are too few or too far apart for a slope, or
                if another carrier's price has not settled or changes too seldom for a verdict

A notice appears if, for more than half of the last half, a settled price was the highest or lowest
price of the run, because the best price may lie beyond the range of the search. Every search is
local, so it may settle at a price for the remaining users although a lower price for all users
would earn more. So users who were away because of the price are reported (priced_out.py). A carrier
that received nothing in the last half is `unpaid`, regardless of its price.

The verdict covers only the last half of one run. Two carriers that both move under `retail` have no
equilibrium. Yet one of them (or both, in a short run) may count as settled, because prices that
diverge in the long run can appear at rest for a while.

Fewer than eight changes in the last half do not suffice to distinguish a search from a drift. A
price that did not change has settled, and a price with one to seven changes is `unclear`. Carriers
with scheduled prices or without a strategy do not search, so they have no verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.carriers import Prices, links_by_carrier, prices_of
from ecnomy.analysis.run.priced_out import PricedOut, priced_out
from ecnomy.analysis.run.profit_slope import ProfitSlope, slope_of
from ecnomy.analysis.run.scenario_agents import agents_of
from ecnomy.analysis.support.number_text import significant
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "Settling",
    "by_slope",
    "print_settling",
    "scheduled_prices",
    "settling_in_words",
    "settling_of",
    "verdict_of",
]

Verdict = Literal["settled", "rising", "falling", "swinging", "climbing", "unclear", "unpaid"]

STRETCHES: Final = 10
FEWEST: Final = 8  # least number of price changes
FAR: Final = 0.5  # above this gain, the best price is far from all tried prices, and so unknown
AGREE: Final = 35  # rising minus falling pairs, of 45
DRIFT: Final = 0.1
SWING: Final = 0.5
SWING_TRIES: Final = 4
RANGE: Final = 0.5
RANGE_TRIES: Final = 8
MORE: Final = 0.02  # as a share of the profit
FIXED: Final = ("stay", "price-schedule")  # strategies without a search for a price


class Settling(msgspec.Struct, frozen=True):
    """The verdict on the price of a carrier that sets its price by a strategy.

    Attributes:
        carrier: name of the carrier.
        verdict: `settled`, the kind of movement, `unclear`, or `unpaid` if the carrier received
            nothing.
        low: 10 % quantile of the price over time, money.
        high: 90 % quantile of the price over time, money.
        mean: mean price over time, money.
        from_s: start of the last half, seconds.
        to_s: end of the last half, seconds.
        gain: share by which the best price would increase the profit, if the verdict is `climbing`.
        better: whether the best price is higher or lower, if the verdict is `climbing`.
        edge: `highest` or `lowest` if, for most of the last half, the price was the highest or
            lowest price of the whole run.
        few: number of price changes, if too few for a verdict.
        away: sources that use the carrier's links and whose users were away most of the time.
    """

    carrier: str
    verdict: Verdict
    low: float
    high: float
    mean: float
    from_s: float
    to_s: float
    gain: float | None = None
    better: Literal["higher", "lower"] | None = None
    edge: Literal["highest", "lowest"] | None = None
    few: int | None = None
    away: tuple[PricedOut, ...] = ()


def settling_of(run: RawRun | Results) -> tuple[Settling, ...]:
    """Return a verdict for each carrier with a strategy that searches for a price.

    Raises:
        ResultsError: a table is unreadable.
    """
    run = run.raw
    agents = [agent for agent in agents_of(run) or () if agent.strategy_kind]
    steering = {agent.name for agent in agents if agent.strategy_kind not in FIXED}
    if not steering or not len(run.link_epochs):
        return ()
    end_ps = int(run.link_epochs["t_ps"].max())
    steered = {name: prices for name, prices in prices_of(run).items() if name in steering}
    owned = links_by_carrier(run)
    judged = [
        _with_ledger(one, run, prices, owned.get(name))
        for name, prices in steered.items()
        for one in (verdict_of(name, prices, end_ps // 2, end_ps),)
        if one is not None
    ]
    return _beside_others(judged)


def scheduled_prices(run: RawRun, from_ps: int, to_ps: int) -> dict[str, Prices]:
    """Return the prices in a window of each carrier whose scheduled price changed in it.

    Raises:
        ResultsError: a table is unreadable.
    """
    fixed = {agent.name for agent in agents_of(run) or () if agent.strategy_kind in FIXED}
    carrier_prices = {}
    for name, prices in (prices_of(run) if fixed else {}).items():
        first = max(int(np.searchsorted(prices.t_ps, from_ps, side="right")) - 1, 0)
        times, money = prices.t_ps[first:], prices.money[first:]
        money, times = money[times < to_ps], times[times < to_ps]
        changes = np.append(True, np.diff(money) != 0)
        if name in fixed and changes.sum() > 1:
            carrier_prices[name] = Prices(np.maximum(times[changes], from_ps), money[changes])
    return carrier_prices


def _beside_others(judged: list[Settling]) -> tuple[Settling, ...]:
    """Return the verdicts; a changing `settled` price is `unclear` if another has not settled."""
    moves = any(one.few or (one.verdict != "settled" and one.low < one.high) for one in judged)
    return tuple(
        msgspec.structs.replace(one, verdict="unclear")
        if moves and one.verdict == "settled" and one.low < one.high
        else one
        for one in judged
    )


def _with_ledger(
    one: Settling, run: RawRun, prices: Prices, links: tuple[int, ...] | None
) -> Settling:
    """Revise a verdict by receipts, users who were away, and the slope of the profit."""
    from_ps, to_ps = (round(s * PS_PER_S) for s in (one.from_s, one.to_s))
    ledger = run.ledger
    own = ledger[(ledger["credit"] == one.carrier) & ledger["t_ps"].gt(from_ps)]
    if not own["amount_micro"].any():
        return msgspec.structs.replace(one, verdict="unpaid", edge=None)
    one = msgspec.structs.replace(one, away=priced_out(run, links, from_ps, to_ps))
    return _with_slope(one, run, prices, from_ps, to_ps) if one.verdict == "settled" else one


def _with_slope(one: Settling, run: RawRun, prices: Prices, from_ps: int, to_ps: int) -> Settling:
    """Revise a verdict by the profit's slope; a moving price without a slope is `unclear`."""
    profit_slope = slope_of(run, one.carrier, prices, from_ps, to_ps)
    if profit_slope is None:
        moves = one.low < one.high
        return msgspec.structs.replace(one, verdict="unclear") if moves else one
    verdict = by_slope(profit_slope)
    if verdict != "climbing":
        return msgspec.structs.replace(one, verdict=verdict)
    better: Literal["higher", "lower"] = "higher" if profit_slope.slope > 0 else "lower"
    gain = profit_slope.gain(profit_slope.slope)
    return msgspec.structs.replace(one, verdict=verdict, gain=gain, better=better)


def by_slope(profit_slope: ProfitSlope) -> Verdict:
    """Return the verdict on a price at rest from the slope of its profit."""
    slope = abs(profit_slope.slope)
    if profit_slope.gain(max(slope - profit_slope.error, 0.0)) > MORE and not profit_slope.whole:
        return "climbing"
    return (
        "unclear"
        if profit_slope.flat or profit_slope.gain(slope + profit_slope.error) > MORE
        else "settled"
    )


def verdict_of(name: str, prices: Prices, from_ps: int, to_ps: int) -> Settling | None:
    """Return the verdict on a carrier's prices in an interval; None if the interval is empty."""
    if to_ps <= from_ps:
        return None
    spans = np.diff(np.clip(np.append(prices.t_ps, to_ps), from_ps, to_ps)).astype(np.float64)
    held = spans > 0
    money, spans = prices.money[held], spans[held]
    changes = np.abs(np.diff(money))
    changes = changes[changes > 0]
    mean = float(np.average(money, weights=spans))
    low, high = _quantiles(money, spans, (0.1, 0.9))
    window = from_ps / PS_PER_S, to_ps / PS_PER_S
    if 0 < len(changes) < FEWEST:
        return Settling(name, "unclear", low, high, mean, *window, few=len(changes))
    verdict: Verdict = "settled"
    edge = _edge(prices.money, money, spans)
    if len(changes) and mean > 0:
        means = _stretches(money, spans) / mean
        verdict = _verdict(means, (high - low) / mean, float(np.median(changes)) / mean)
    return Settling(name, verdict, low, high, mean, *window, edge=edge)


def _edge(tried: Floats, money: Floats, spans: Floats) -> Literal["highest", "lowest"] | None:
    """Return which extreme of at least three tried prices was valid most of the time, or None."""
    if len(np.unique(tried)) < 3:
        return None
    half = spans.sum() / 2
    if spans[money == tried.max()].sum() > half:
        return "highest"
    return "lowest" if spans[money == tried.min()].sum() > half else None


def _verdict(means: Floats, wide: float, tried: float) -> Verdict:
    later, earlier = np.tril_indices(len(means), -1)
    rises = means[later] - means[earlier]
    drift = float(np.median(rises / (later - earlier))) * len(means)
    if abs(drift) > DRIFT and abs(int(np.sign(rises).sum())) >= AGREE:
        return "rising" if drift > 0 else "falling"
    if float(np.ptp(means)) > max(SWING, SWING_TRIES * tried):
        return "swinging"
    return "swinging" if wide > max(RANGE, RANGE_TRIES * tried) else "settled"


def _stretches(money: Floats, spans: Floats) -> Floats:
    """Return the mean price in each stretch, given the price in each span."""
    ends = np.append(0.0, np.cumsum(spans))
    area = np.append(0.0, np.cumsum(money * spans))
    edges = np.linspace(0.0, ends[-1], STRETCHES + 1)
    return np.asarray(np.diff(np.interp(edges, ends, area)) / np.diff(edges), dtype=np.float64)


def _quantiles(money: Floats, spans: Floats, shares: tuple[float, float]) -> tuple[float, float]:
    order = np.argsort(money, kind="stable")
    until = np.cumsum(spans[order])
    low, high = (money[order][int(np.searchsorted(until, q * until[-1]))] for q in shares)
    return float(low), float(high)


def settling_in_words(one: Settling) -> str:
    """Return a verdict as one line, such as `carrier up: its price does not settle: ...`."""
    return f"carrier {one.carrier}: {_judged(one)}" + "".join(f". {away}" for away in one.away)


def _judged(one: Settling) -> str:
    span = f"from {one.from_s:g} s to {one.to_s:g} s"
    if one.verdict == "settled":
        other = {"highest": "higher", "lowest": "lower"}.get(one.edge or "")
        edge = f"the {one.edge} price that it tried"
        beyond = f". This is {edge}. A {other} price may earn more" if other else ""
        return f"its price has settled: {significant(one.mean)} money {span}{beyond}"
    between = f"{significant(one.low)} to {significant(one.high)} money"
    if one.verdict == "unpaid":
        return f"it received nothing {span}; its price was {between}"
    if one.few:
        changes = "once" if one.few == 1 else f"{one.few} times"
        mean = f"{significant(one.mean)} money on average"
        return (
            f"cannot tell whether its price settles: it changed only {changes} {span}, "
            f"{mean}; a verdict requires {FEWEST} changes, as in a longer run"
        )
    if one.verdict == "unclear":
        return f"cannot tell whether its price settles: {between} {span}"
    if one.verdict == "climbing":
        gain = one.gain or 0.0
        much = f"about {100 * gain:.0f} % more" if gain <= FAR else "much more"
        more = f"a {one.better} price would earn {much}"
        return f"its price is not the best yet: {between} {span}; {more}"
    return f"its price does not settle: {between} {span}, {one.verdict}"


def print_settling(run: RawRun, console: Console) -> None:
    """Print a line for each carrier whose strategy searches for a price.

    Raises:
        ResultsError: a table is unreadable.
    """
    settlings = settling_of(run)
    if settlings:
        console.print()
    for one in settlings:
        console.print(settling_in_words(one), markup=False, highlight=False)
