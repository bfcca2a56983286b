# SPDX-License-Identifier: Apache-2.0
"""Apply values that a user sets in Qtenv (the bridge's message `hand`, PROTOCOL.md)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.model.market import Market

__all__ = ["Held"]


class Held(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values that override the decisions of agents.

    Attributes:
        willingness: the payment of each flow of a source for marks [money/s], by source.
        prices: the price that the carrier of a link posts [money per mark], by link.
        weights: the weights of a source's flows, by source. The engine applies the weights, and the
            market only records them.
    """

    willingness: dict[str, float] = {}
    prices: dict[str, float] = {}
    weights: dict[str, tuple[float, ...]] = {}

    @classmethod
    def of(cls, json: str) -> Held:
        """Return the values in a message.

        Raises:
            InputError: the message is not valid JSON, or its keys or types are wrong.
        """
        try:
            return msgspec.json.decode(json, type=cls)
        except msgspec.DecodeError as error:
            raise InputError(f"set by hand: {error}") from error

    def apply(self, market: MarketLike) -> Iterator[str]:
        """Set the values in a market before it answers a report, and yield a text per refusal."""
        for source, weights in self.weights.items():
            market.note_by_hand("weight", source, weights)
        if not isinstance(market, Market):
            if self.willingness or self.prices:
                yield "set by hand: without a market, willingness and prices have no effect"
            return
        for source, pay in self.willingness.items():
            try:
                market.set_willingness(source, pay)
            except InputError as error:
                yield f"set by hand: {error}"
        names = [link.name for link in market.plan.links]
        for link, price in self.prices.items():
            try:
                if link not in names:
                    raise InputError(f"found link {link}, expected one of {', '.join(names)}")
                carrier = market.domains.names[market.domains.of_link[names.index(link)]]
                market.post_price(carrier, price)
            except InputError as error:
                yield f"set by hand: {error}"
