# SPDX-License-Identifier: Apache-2.0
"""The YAML keys of a role's entry.

find.py lists the presets of the built-in roles. A custom role has the class attribute `preset`.
"""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["CARRIES_FILES", "PHASES", "Preset", "with_article"]


class Preset(msgspec.Struct, frozen=True):
    """The keys of a role's YAML entry.

    Attributes:
        path: class of the role, `module:Class`; "" in a custom class.
        takes: keys in addition to those of all agents.
        needs: required key -> its expected content.
        asks: methods, at least one of which a strategy of the role must define; empty for a role
            without a strategy.
        strategy_needs: kind of strategy -> the parameter that it needs in this role, the error text
            if the parameter is missing, and an example.
        owns_links: whether the role is a carrier, which receives payments for marks.
        uses: whether the flows of `sources` belong to the agent.
        pays_itself: whether the agent pays for the marks of its flows, which are then outside any
            class.
    """

    path: str = ""
    takes: tuple[str, ...] = ()
    needs: dict[str, str] = {}
    asks: tuple[str, ...] = ()
    strategy_needs: dict[str, tuple[str, str, str]] = {}
    owns_links: bool = False
    uses: bool = False
    pays_itself: bool = False


CARRIES_FILES: Final = "price-handler"  # strategies of this role carry files with a deadline
PHASES: Final = ("post", "choose", "provide", "watch")  # phases of a meeting, in this order


def with_article(word: str) -> str:
    """Return the word with an article: `a customer`, `an application-provider`."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"
