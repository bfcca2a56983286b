# SPDX-License-Identifier: Apache-2.0
"""Describes lists and mixes of strategies in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["listed", "shares_words"]


def listed(words: Sequence[str]) -> str:
    """Return items as a phrase: `a`, `a and b`, or `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def shares_words(shares: Iterable[float], names: Sequence[str], form: str = ".0%") -> str:
    """Return a mix in words, e.g. `all average` or `60% elastic and 40% reno`.

    Args:
        shares: shares of the strategies, at least 0.
        names: names of the strategies.
        form: format specification of a share.
    """
    played = [(float(s), name) for s, name in zip(shares, names, strict=True) if s > 0]
    if len(played) == 1:
        return f"all {played[0][1]}"
    return listed([f"{share:{form}} {name}" for share, name in sorted(played, reverse=True)])
