# SPDX-License-Identifier: Apache-2.0
"""Parallel carriers that compete by the price of a mark, and a monopolist that owns all links.

Market: m parallel links of capacity C use load-based marking. At the load X/C, a share p = s (X/C -
r) of packets is marked for X >= r C. A carrier posts the price P of a mark. A packet over its link
then costs lambda = P p, so the carrier sells along the linear supply function

    X_i = T + beta_i lambda,      T = r C,  beta_i = C / (P_i s)                                (1)

whose slope its price sets. Customers pay w = lambda x for the rate x, use the cheapest carrier, and
switch at no cost. So all used carriers cost the same lambda. N customers with the utility U(x) = a
(x/x0 - (x/x0)^2 / 2) are best off at U'(x) = lambda. Their total demand is

    D(lambda) = A (1 - lambda / l0),      A = N x0,  l0 = a / x0                                (2)

Packets cost a carrier nothing, so it maximises its income lambda X_i.

Equilibrium: Given the others' supply, a carrier sells D(lambda) - (m-1) T - lambda sum beta_j.
The carrier's price selects lambda on that line, and the income is a parabola in lambda with the
optimum

    X_i = lambda (A / l0 + sum_{j != i} beta_j)                                                 (3)

With equal carriers, beta_j lambda = X - T and m X = D, so lambda A / l0 = (m-1) T - (m-2) X and

    y = lambda / l0 = m (m-1) T / (2 A) - (m-2) / 2          m = 1: 1/2      m = 2: T / A       (4)

For two carriers, -lambda D' is T in equilibrium, compared with X under Cournot and 0 under
Bertrand. With more unmarked traffic on a link, sales respond less to the price, and both carriers
charge more. A monopolist over the same m links has unit elasticity, y = 1/2, like a single carrier.
By (3), the best reply of two carriers is linear in beta with the slope (A - 3T) / (A - T) < 1.
Repeated best replies converge, so the equilibrium is unique. It requires T < X <= C, that is, 3T <
A <= 2C + T for two carriers. More carriers undercut one another to a price of zero unless m (m-1) T
> (m-2) A.

Trial prices: A carrier compares its income at P e^h and at P e^-h. Its price rests where both
incomes are equal on average over the rivals' trial prices. Income falls more slowly above the best
price than below it. So the resting price exceeds the equilibrium by a relative amount of order h^2.

Sources: Klemperer, Meyer 1989 (equilibria in supply functions lie between Bertrand and Cournot);
Green 1996 (linear supply functions); Acemoglu, Ozdaglar 2007 (parallel carriers whose
congestion costs customers time, while a mark here only transfers money); Siris et al. 2002,
section 4.3 (load-based marking).
"""

from __future__ import annotations

import itertools
import math

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.analysis.support.first_use import scipy_part

__all__ = ["ParallelCarriers", "PostedPriceOutcome"]


class PostedPriceOutcome(msgspec.Struct, frozen=True):
    """The outcome of posted prices if customers respond optimally.

    Attributes:
        prices: price of a mark on each link [money].
        packet_price: cost of a packet, equal on all used links [money].
        rates: traffic on each link [packets/s].
        marking: share of packets marked on each link.
        incomes: income of each link's owner [money/s].
        welfare: utility of all customers [money/s]; payments only transfer money.
    """

    prices: tuple[float, ...]
    packet_price: float
    rates: tuple[float, ...]
    marking: tuple[float, ...]
    incomes: tuple[float, ...]
    welfare: float


class ParallelCarriers(msgspec.Struct, frozen=True, kw_only=True):
    """Equal parallel links, and customers without switching costs.

    Attributes:
        links: the number of links, m.
        capacity_pps: capacity of each link, C [packets/s].
        threshold: load r above which a link marks, in (0, 1).
        slope: slope of the marking probability against the load, s.
        satiation_pps: total demand at a price of zero, A [packets/s].
        worth: A l0, twice the utility of all customers at the total rate A [money/s].

    Raises:
        InputError: a value is out of range.
    """

    links: int
    capacity_pps: float
    threshold: float
    slope: float
    satiation_pps: float
    worth: float

    def __post_init__(self) -> None:
        for name in ("links", "capacity_pps", "threshold", "slope", "satiation_pps", "worth"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise InputError(f"{name}: found {value:g}, expected a finite value above 0")
        if self.threshold >= 1:
            raise InputError(f"threshold: found {self.threshold:g}, expected a load below 1")

    @property
    def free_pps(self) -> float:
        """The rate up to which a link marks no packets, T [packets/s]."""
        return self.threshold * self.capacity_pps

    @property
    def choke_price(self) -> float:
        """The packet price at which demand vanishes, l0 [money]."""
        return self.worth / self.satiation_pps

    def welfare(self, rate_pps: float) -> float:
        """Return the utility of all customers at a total rate [money/s]; at most worth / 2."""
        share = rate_pps / self.satiation_pps
        return self.worth * (share - share**2 / 2)

    def posted(self, prices: tuple[float, ...]) -> PostedPriceOutcome:
        """Return the customers' response to posted prices, at which supply (1) equals demand (2).

        Args:
            prices: price of a mark on each link [money].

        Raises:
            InputError: a price is missing, not positive or infinite, or a link would exceed its
                capacity or mark no packets.
        """
        if len(prices) != self.links or not all(0 < price < math.inf for price in prices):
            raise InputError(f"prices: found {prices}, expected {self.links} prices above 0")
        supply = [self.capacity_pps / (price * self.slope) for price in prices]
        spare = self.satiation_pps - self.links * self.free_pps
        if spare <= 0:
            raise InputError(
                f"satiation_pps: found {self.satiation_pps:g}, expected more than "
                f"{self.links * self.free_pps:g}, which the links carry unmarked"
            )
        cost = spare / (self.satiation_pps / self.choke_price + sum(supply))
        rates = tuple(self.free_pps + each * cost for each in supply)
        if max(rates) > self.capacity_pps:
            raise InputError(f"prices: found {prices}, expected prices at which no link is full")
        marking = tuple(cost / price for price in prices)
        incomes = tuple(cost * rate for rate in rates)
        return PostedPriceOutcome(prices, cost, rates, marking, incomes, self.welfare(sum(rates)))

    def competition(self) -> PostedPriceOutcome:
        """Return the equilibrium in which each link has a different owner, by equation (4).

        Raises:
            InputError: at the equilibrium, links would exceed their capacity or mark no packets, or
                packets would cost nothing.
        """
        m, free = self.links, self.free_pps / self.satiation_pps
        share = m * (m - 1) * free / 2 - (m - 2) / 2
        if share <= 0:
            least = (m - 2) * self.satiation_pps / (m * (m - 1))
            raise InputError(
                f"links: found {m} that carry {self.free_pps:g} packets/s unmarked, so prices fall "
                f"to 0; expected more than {least:g} packets/s unmarked on each link"
            )
        return self._at(share)

    def monopoly(self) -> PostedPriceOutcome:
        """Return the outcome with one owner and one price; sales are half of the demand at price 0.

        Raises:
            InputError: at this outcome, links would exceed their capacity or mark no packets.
        """
        return self._at(0.5)

    def reply(self, rivals: tuple[float, ...]) -> float:
        """Return a carrier's best price of a mark against the rivals' prices, by (3) [money].

        Raises:
            InputError: the best price is unlimited, because the carrier's link would mark no
                packets.
        """
        supply = sum(self.capacity_pps / (price * self.slope) for price in rivals)
        left = self.satiation_pps - (self.links - 1) * self.free_pps
        if left / 2 <= self.free_pps:
            raise InputError("the best price is unlimited, because the packets sold are not marked")
        cost = left / 2 / (self.satiation_pps / self.choke_price + supply)
        return cost * self.capacity_pps / self.slope / (left / 2 - self.free_pps)

    def tried(self, probe: float, *, monopoly: bool = False) -> PostedPriceOutcome:
        """Return the resting point of carriers that try e^probe and e^-probe times their price.

        Args:
            probe: h, above 0 and at most 1.
            monopoly: whether one owner has all links; otherwise each link has a different owner.

        Returns:
            The central price of the trials, and means over all trial prices.

        Raises:
            InputError: as `competition` or `monopoly`; `probe` is out of range; or a link would
                exceed its capacity at a trial price.
        """
        if not 0 < probe <= 1:
            raise InputError(f"probe: found {probe:g}, expected a number above 0 and at most 1")
        near = (self.monopoly() if monopoly else self.competition()).prices[0]
        rivals = 0 if monopoly else self.links - 1

        def outcomes(price: float) -> list[tuple[int, PostedPriceOutcome]]:
            trials = []
            for signs in itertools.product((-1, 1), repeat=rivals + 1):
                prices = [price * math.exp(sign * probe) for sign in signs]
                trials.append(
                    (signs[0], self.posted((*prices, *prices[:1] * (self.links - len(prices)))))
                )
            return trials

        def gain(log: float) -> float:
            own = self.links - rivals
            return sum(sign * sum(of.incomes[:own]) for sign, of in outcomes(math.exp(log)))

        low, high = math.log(near) - probe, math.log(near) + 2 * probe
        price = math.exp(float(scipy_part("optimize").brentq(gain, low, high, xtol=1e-12)))
        return _mean((price,) * self.links, [of for _, of in outcomes(price)])

    def _at(self, share: float) -> PostedPriceOutcome:
        """Return the outcome for equal links at a packet price of `share` times the choke price."""
        rate = self.satiation_pps * (1 - share) / self.links
        if not self.free_pps < rate <= self.capacity_pps:
            raise InputError(
                f"at the packet price {share:g} l0, a link carries {rate:g} packets/s, expected "
                f"more than the {self.free_pps:g} unmarked packets/s, and at most its capacity"
            )
        marking = self.slope * (rate / self.capacity_pps - self.threshold)
        return self.posted((share * self.choke_price / marking,) * self.links)


def _mean(prices: tuple[float, ...], of: list[PostedPriceOutcome]) -> PostedPriceOutcome:
    rates = [sum(each) / len(of) for each in zip(*(one.rates for one in of), strict=True)]
    incomes = [sum(each) / len(of) for each in zip(*(one.incomes for one in of), strict=True)]
    marking = [sum(each) / len(of) for each in zip(*(one.marking for one in of), strict=True)]
    welfare = sum(one.welfare for one in of) / len(of)
    cost = sum(incomes) / sum(rates)
    return PostedPriceOutcome(prices, cost, tuple(rates), tuple(marking), tuple(incomes), welfare)
