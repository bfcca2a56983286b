# SPDX-License-Identifier: Apache-2.0
"""The keys that the YAML entry of a role may hold.

find.py lists the roles with their presets. The class of a custom role has its preset as `preset`.
"""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["CARRIES_FILES", "PHASES", "Preset", "with_article"]


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


def with_article(word: str) -> str:
    """`a customer`, `an application-provider`."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"
