# SPDX-License-Identifier: Apache-2.0
"""The initial price of a mark for each source, which depends on the carriers on its data path."""

from __future__ import annotations

import msgspec

from ecnomy.agents.roles.find import preset_of
from ecnomy.agents.spec import MarketSpec
from ecnomy.markets.plan import Plan
from ecnomy.markets.terms.money import classic_price_micro
from ecnomy.markets.terms.ownership import owners_of, ways

__all__ = ["DIRECT", "MarkPrice", "mark_prices"]

DIRECT = "direct"


class MarkPrice(msgspec.Struct, frozen=True):
    """The price of a mark for a source's flows, in micro-units.

    Attributes:
        domains: carriers on the path of the source's data, in order; the first is the access
            carrier.
        low, high: lowest and highest price. They differ only under `direct`, where the price
            depends on the domain that set the mark.
    """

    domains: tuple[str, ...]
    low: int
    high: int


def mark_prices(market: MarketSpec, plan: Plan) -> dict[str, MarkPrice]:
    """Return the price of a mark by name of the source, or {} if there is no carrier."""
    carriers = [agent for agent in market.agents if preset_of(agent.role).owns_links]
    if not carriers:
        return {}
    links = [(link.name, plan.nodes[link.source]) for link in plan.links]
    prices = [
        market.price_micro_per_mark if c.price_micro_per_mark < 0 else c.price_micro_per_mark
        for c in carriers
    ]
    price_of_source = {}
    for source, way in zip(plan.sources, ways(plan, owners_of(links, carriers)), strict=True):
        met = [prices[domain] for domain in way.domains]
        charged = met if market.settlement == DIRECT else met[:1]
        if not source.l4s:
            charged = [classic_price_micro(price, market.classic_price_ratio) for price in charged]
        names = tuple(carriers[domain].name for domain in way.domains)
        price_of_source[source.name] = MarkPrice(names, min(charged), max(charged))
    return price_of_source
