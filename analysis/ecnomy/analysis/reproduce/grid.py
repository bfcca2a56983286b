# SPDX-License-Identifier: Apache-2.0
"""The grid a claim is judged over: the settings a paper leaves open, one varied at a time.

A variant is one alternative of one setting. Its runs are those of the studies, with the changes of
the alternative laid over every point: points keep their parameters, and entry modules find them as
ever. Settings are not varied together: k settings of m alternatives are k m variants, not m^k.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from ecnomy.analysis.reproduce.catalogue import Paper

__all__ = ["Variant", "grid_of", "slug", "touched", "variant_of", "variants_of"]


class Variant(msgspec.Struct, frozen=True):
    """One alternative of a setting.

    Attributes:
        changes: `path=value`, laid over every point of a sweep.
    """

    setting: str
    alternative: str
    changes: tuple[str, ...]

    @property
    def name(self) -> str:
        """As folders are named."""
        return f"{self.setting}={slug(self.alternative)}"


def slug(text: str) -> str:
    """A text as part of a file name."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-")


def variant_of(paper: Paper, setting: str, alternative: str) -> Variant:
    """An alternative of a paper's setting."""
    changes = paper.settings[setting].also[alternative]
    return Variant(setting, alternative, tuple(f"{k}={_text(v)}" for k, v in changes.items()))


def grid_of(paper: Paper, item: str, number: str) -> list[Variant]:
    """The variants that a claim is judged over; none where there is nothing to judge."""
    entry = paper.entries[item]
    claim = entry.claims[number]
    if claim.pending or claim.not_testable:
        return []
    settings = entry.grid_of(number) or ()
    return [
        variant_of(paper, setting, alternative)
        for setting in settings
        for alternative in paper.settings[setting].also
    ]


def variants_of(paper: Paper, item: str) -> list[Variant]:
    """The variants that some claim of an entry is judged over."""
    numbers: Iterable[str] = paper.entries[item].claims
    found = {v.name: v for number in numbers for v in grid_of(paper, item, number)}
    return list(found.values())


def touched(paper: Paper, names: Iterable[str], variant: Variant) -> list[str]:
    """The studies that are run anew under a variant."""
    return [name for name in names if paper.settings[variant.setting].touches(name)]


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
