# SPDX-License-Identifier: Apache-2.0
"""REM as a control loop: the effect of a link's price on its sources, and the loop's delay.

A REM link moves its price by p' = gamma (y - c) + gamma alpha (b - b0) / T (rem.h, PC3). A source
of utility w ln x sends x = w / q at the price q of its path. In equilibrium dx/dq = -x^2 / w, so
the price of link l closes the loop gamma S / s exp(-s D) with

    S = sum_s n_s k_s x_s^2 / w_s                 n_s flows, k_s link packets in a packet
    D = RTT_s + N / (2 x_s) + T / input_weight    round trip, mean age of N marks, smoothed input

Optimization flow control converges for gamma < 2 / (L S max x^2 / w) per step, where L is the
largest number of links on a path, and S here is the largest number of sources on a link (Low and
Lapsley 1999, theorem 1, which athuraliya2000 section II-B cites). With delay, Vinnicombe (2002)
shows that the spectrum of the return ratio lies in the convex hull of exp(-j t) / (j t), scaled by
the largest row sum of the loop's gains. The network is stable if, at each link,

    gamma sum_s n_s k_s M_s D_s x_s^2 / w_s < pi / 2,

where M_s is the number of links of the path with a price above zero. The queue's term is a zero at
alpha / T. As the angular frequency w goes to 0, its lag requires atan(w T / alpha) > w D, and so
alpha < T / D, with D weighted as above.

`auto` stays below both bounds by a margin. Its gamma is 1/4 over the sum. The gain margin of 2 pi
allows for the delay of queues and for sources that are not active yet. Its alpha / T is a quarter
of gamma S, which leaves a phase margin of 62 degrees. The sum omits traffic that does not respond
to prices. Such traffic takes capacity and raises prices, so the bound remains safe. Smoothed
sources respond more slowly than the sum assumes.

phi does not change the equilibrium of prices, but a source estimates its price q from the k marks
of N packets, where k is binomial with m = 1 - phi^-q. The packets of a source are 1 / x(k) apart,
so its rate over time is 1 / E[1 / x(k)], within the law's bounds on x. `best_phi` minimises the
second moment E[(X / x(k) - 1)^2] on the worst path, where X is the rate at the price q. For one
price this is nearly the least variance of a reading, (e^u - 1) / (N u^2) with u = q ln phi, at u =
1.59. A larger u is worse than this variance suggests. If all N packets are marked, the source falls
to its smallest rate, and at that rate receives new marks only slowly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import msgspec

from ecnomy.markets.compile.slow_windows import round_trip_s
from ecnomy.markets.plan import Plan, Source, Tcp

__all__ = ["Loop", "Path", "best_phi", "loops", "paths"]

_PC3: Final = 2
_SWEEPS: Final = 200
_HALVINGS: Final = 50
_READ: Final = 20  # number of paths with the lowest and the highest prices that determine phi
_TRIED: Final = 60
_NARROWED: Final = 8
_STILL: Final = 1e-6  # negligible relative change of a price


class Path(msgspec.Struct, frozen=True):
    """The equilibrium of a REM source. Rates are per flow."""

    source: int
    price: float
    rate_pps: float
    slope: float  # -dx/dq, packets/s


class Loop(msgspec.Struct, frozen=True):
    """The loop of one REM link.

    Attributes:
        slope: decrease S of the total rate of the link's sources per unit of price [packets/s].
        lag: sum in the bound, of slopes times delays times numbers of priced links [packets].
        interval_s: update interval T of the price [s].
        integrates: whether the backlog is integrated (PC3).
    """

    slope: float
    lag: float
    interval_s: float
    integrates: bool

    @property
    def most_gamma(self) -> float:
        """Return the bound on gamma below which rates settle."""
        return math.pi / 2 / self.lag

    @property
    def most_alpha(self) -> float:
        """Return the bound on alpha, which the lag of the queue requires at any gamma."""
        return self.interval_s * self.slope / self.lag

    @property
    def gamma(self) -> float:
        """Return the gamma that `auto` stands for."""
        return 0.25 / self.lag

    def alpha(self, gamma: float) -> float:
        """Return the alpha (weight of the queue) that `auto` stands for, at this gamma."""
        return self.interval_s * min(gamma, self.gamma) * self.slope / 4


def paths(plan: Plan) -> list[Path]:
    """Return the equilibrium of all REM sources, with the prices of their paths.

    The prices result from coordinate ascent on the dual. Each link in turn gets the price at which
    its load equals its capacity, or 0 if the load is below capacity at price 0.
    """
    return _at(plan, _prices(plan))


def loops(plan: Plan) -> dict[int, Loop]:
    """Return the loop of each REM link that REM sources use, by the link's index."""
    prices = _prices(plan)
    source_paths = _at(plan, prices)
    priced = {link for link, price in prices.items() if price > 0}
    result = {}
    for link in prices:
        line, slope, lag = plan.links[link], 0.0, 0.0
        params = line.marking.params
        for path in source_paths:
            source = plan.sources[path.source]
            if link in source.path:
                own = source.count * _scale(plan, link, source) * path.slope
                links = len((priced | {link}) & set(source.path))
                slope += own
                lag += own * links * _delay_s(plan, source, path.rate_pps, link)
        if lag > 0:
            integrates = params["price"] == _PC3
            result[link] = Loop(slope, lag, params["interval_s"], integrates)
    return result


def best_phi(plan: Plan, source_paths: list[Path]) -> float:
    """Return the phi that minimises the largest error of a reading. A price must be above 0."""
    readings = {
        (path.price, _weight(source), *_params(source).values()): (path, source)
        for path in source_paths
        if path.price > 0
        for source in (plan.sources[path.source],)
    }
    ordered = [readings[key] for key in sorted(readings, key=lambda key: key[0])]
    some = ordered[:_READ] + ordered[max(_READ, len(ordered) - _READ) :]
    prices = [path.price for path, _ in some]

    def worst(log: float) -> float:
        return max(_misread(path, source, math.exp(log)) for path, source in some)

    low, high = math.log(0.05 / max(prices)), math.log(3 / min(prices))
    step = (high - low) / _TRIED
    best = min((low + n * step for n in range(_TRIED + 1)), key=worst)
    for _ in range(_NARROWED):
        step /= 2
        best = min((best - step, best, best + step), key=worst)
    return math.exp(min(math.exp(best), 700.0))


def _misread(path: Path, source: Source, log_phi: float) -> float:
    """Return E[(X / x(k) - 1)^2] over the marks k in N packets of a source."""
    count, u = int(_params(source)["samples"]), path.price * log_phi
    marked = math.log(-math.expm1(-u)) if u < 700 else 0.0
    error = 0.0
    for k in range(count + 1):
        price = math.inf if k == count else -math.log1p(-k / count) / log_phi
        chance = math.exp(math.log(math.comb(count, k)) + k * marked - (count - k) * u)
        error += chance * (path.rate_pps / _rate(source, price) - 1) ** 2
    return error


def _rem_sources(plan: Plan) -> list[int]:
    return [
        index
        for index, source in enumerate(plan.sources)
        if isinstance(source.transport, Tcp) and source.transport.window.law == "rem"
    ]


def _prices(plan: Plan) -> dict[int, float]:
    """Return the price of each REM link that REM sources use."""
    sources = _rem_sources(plan)
    used = {link for index in sources for link in plan.sources[index].path}
    prices = {
        link: 0.0
        for link in sorted(used)
        if plan.links[link].marking.law == "rem" and plan.links[link].scheduler is None
    }
    users = {
        link: [plan.sources[i] for i in sources if link in plan.sources[i].path] for link in prices
    }
    for _ in range(_SWEEPS):
        before = dict(prices)
        for link, own in users.items():
            prices[link] = 0.0
            load = _load(plan, link, own, prices)
            prices[link] = _root(load, _capacity_pps(plan, link))
        if all(abs(prices[link] - before[link]) <= _STILL * prices[link] for link in prices):
            break
    return prices


def _load(
    plan: Plan, link: int, users: list[Source], prices: dict[int, float]
) -> Callable[[float], float]:
    """Return the load of a link [packets/s] as a function of its price, with other prices fixed."""
    terms = [
        (user, user.count * _scale(plan, link, user), _path_price(user, prices)) for user in users
    ]

    def load(price: float) -> float:
        return sum(scale * _rate(user, others + price) for user, scale, others in terms)

    return load


def _root(load: Callable[[float], float], capacity_pps: float) -> float:
    """Return the price at which a decreasing load equals the capacity, or 0 if none does."""
    if load(0.0) <= capacity_pps:
        return 0.0
    low, high = 0.0, 1e-12
    while load(high) > capacity_pps and high < 1e12:
        low, high = high, 4 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if load(middle) > capacity_pps else (low, middle)
    return high


def _at(plan: Plan, prices: dict[int, float]) -> list[Path]:
    source_paths = []
    for index in _rem_sources(plan):
        source = plan.sources[index]
        price = _path_price(source, prices)
        rate = _rate(source, price)
        w = _weight(source)
        slope = w if _params(source)["utility"] else rate**2 / w
        source_paths.append(Path(index, price, rate, slope))
    return source_paths


def _path_price(source: Source, prices: dict[int, float]) -> float:
    return sum(prices.get(link, 0.0) for link in source.path)


def _params(source: Source) -> dict[str, float]:
    assert isinstance(source.transport, Tcp)
    return source.transport.window.params


def _weight(source: Source) -> float:
    """Return w in packets/s, given that a mark rate is w ln phi."""
    assert isinstance(source.transport, Tcp)
    rate, params = source.transport.initial_mark_rate, _params(source)
    return rate / math.log(params["phi"]) if rate > 0 else params["w"]


def _rate(source: Source, price: float) -> float:
    """Return the rate x of a flow at the price of its path [packets/s]."""
    params, w = _params(source), _weight(source)
    most = params["max_rate"]
    if params["utility"]:
        rate = most - w * price
    else:
        rate = w / price if price > 0 else most
    return min(max(rate, params["min_rate"]), most)


def _capacity_pps(plan: Plan, link: int) -> float:
    params = plan.links[link].marking.params
    packets_per_s = plan.links[link].rate_bps / (8 * params["mean_packet_bytes"])
    return params["capacity_share"] * packets_per_s


def _scale(plan: Plan, link: int, source: Source) -> float:
    """Return the number of packets that the link's law counts for a packet of the source."""
    line = plan.links[link]
    params = line.marking.params
    in_bytes = source.packet_bytes + line.framing_bytes
    return in_bytes / params["mean_packet_bytes"] if params["unit"] else 1.0


def _delay_s(plan: Plan, source: Source, rate_pps: float, link: int) -> float:
    """Return the delay from a change of price until the link measures the resulting rate."""
    params = plan.links[link].marking.params
    waiting_s = sum(_target_s(plan, other) for other in source.path)
    marks_s = _params(source)["samples"] / (2 * rate_pps)
    smoothing_s = params["interval_s"] / params["input_weight"]
    return round_trip_s(source, plan) + waiting_s + marks_s + smoothing_s


def _target_s(plan: Plan, link: int) -> float:
    """Return the queueing delay in equilibrium of a REM link with PC3, or 0 for other links."""
    line = plan.links[link]
    if line.marking.law != "rem" or line.marking.params["price"] != _PC3:
        return 0.0
    return line.marking.params["target_backlog_packets"] / _capacity_pps(plan, link)
