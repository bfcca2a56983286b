# SPDX-License-Identifier: Apache-2.0
"""The list of roles: what the entry of each may hold, and where its class is.

A new role is one file and one entry here. A role of a user's own is named by dotted path; its class
says in `preset` what an entry here would.
"""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["CARRIES_FILES", "PHASES", "ROLES", "Preset", "with_article"]

_HERE: Final = "ecnomy.agents.roles"
_FOR_FLOWS: Final = ("decide", "decide_many")
_CHARGE: Final = "{kind: constant-charge, charge: 2 money/s}"
_PROMISE: Final = "{price: 0.05 money, max_delay: 15 ms, max_delay_rate: 0.01}"


class Preset(msgspec.Struct, frozen=True):
    """The keys of a role's YAML entry.

    Attributes:
        path: its class, `module:Class`; "" in a class of a user's own.
        takes: keys beside those that every agent may have.
        needs: those it cannot do without -> what is expected there.
        asks: methods, one of which its strategy has; none: it takes no strategy.
        strategy_needs: kind of strategy -> the parameter it needs here, what is found without it
            and an example.
        owns_links: it is a carrier, who is paid for marks.
        uses: `sources` are those whose flows are its own.
        pays_itself: for the marks of its flows, which are therefore in no class.
    """

    path: str = ""
    takes: tuple[str, ...] = ()
    needs: dict[str, str] = {}
    asks: tuple[str, ...] = ()
    strategy_needs: dict[str, tuple[str, str, str]] = {}
    owns_links: bool = False
    uses: bool = False
    pays_itself: bool = False


CARRIES_FILES: Final = "price-handler"  # strategies for this role carry what is sold by deadlines
PHASES: Final = ("post", "choose", "provide", "watch")  # of a meeting, in this order
ROLES: Final[dict[str, Preset]] = {
    "connectivity-provider": Preset(
        f"{_HERE}.connectivity_provider:ConnectivityProvider",
        takes=("links", "nodes", "price_per_mark"),
        asks=("post_price",),
        owns_links=True,
    ),
    "application-provider": Preset(
        f"{_HERE}.application_provider:ApplicationProvider",
        takes=("classes", "marks_paid_by"),
        needs={"classes": "at least one class with a fee"},
        asks=_FOR_FLOWS,
    ),
    "customer": Preset(
        f"{_HERE}.customer:Customer",
        takes=("sources",),
        needs={"sources": "the sources whose flows are the customer's"},
        asks=_FOR_FLOWS,
        uses=True,
    ),
    "price-handler": Preset(
        f"{_HERE}.price_handler:PriceHandler",
        takes=("sources",),
        needs={
            "sources": "the sources whose flows are the price-handler's",
            "strategy": f"a strategy such as {_CHARGE}",
        },
        asks=_FOR_FLOWS,
        strategy_needs={
            "constant-charge": ("charge", "neither 'charge' nor a class with a fee", _CHARGE)
        },
        uses=True,
        pays_itself=True,
    ),
    "guaranteed-stream-provider": Preset(
        f"{_HERE}.guaranteed_stream_provider:GuaranteedStreamProvider",
        takes=(
            "sources",
            "test_streams",
            "tariff",
            "tariffs",
            "elastic",
            "integrated_with",
            "fixed_costs",
        ),
        needs={
            "sources": "the sources whose calls are sold",
            "tariff": f"a tariff such as {_PROMISE}",
        },
        asks=("admit",),
    ),
    "subscriber": Preset(
        f"{_HERE}.subscriber:Subscriber",
        takes=("sources",),
        needs={"sources": "the sources whose calls are the subscriber's"},
        asks=("order",),
        uses=True,
    ),
}


def with_article(word: str) -> str:
    """`a customer`, `an application-provider`."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"
