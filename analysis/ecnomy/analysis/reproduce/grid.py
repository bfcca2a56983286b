# SPDX-License-Identifier: Apache-2.0
"""The grid of a claim: settings that the paper leaves open, each varied separately.

A variant is one alternative of one setting. Its runs are the studies' runs with the alternative's
changes applied to every point. Points keep their parameters, so entry modules need no change. If
studies already measure an alternative under other quantity names, claims use those quantities
without further runs. Settings are not varied together, so k settings with m alternatives each give
k m variants, not m^k.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from ecnomy.analysis.reproduce.catalogue import FIGURES, Claim, Paper

__all__ = ["Variant", "grid_of", "read_under", "slug", "touched", "variant_of", "variants_of"]


class Variant(msgspec.Struct, frozen=True):
    """One alternative of a setting.

    Attributes:
        changes: `path=value`, applied to every point of a sweep.
        figures: part of a quantity's name -> its replacement under the variant.
    """

    setting: str
    alternative: str
    changes: tuple[str, ...]
    figures: dict[str, str] = {}

    @property
    def name(self) -> str:
        """Return the name of the variant in folder names."""
        return f"{self.setting}={slug(self.alternative)}"


def slug(text: str) -> str:
    """Return the text with hyphens in place of characters that are unsafe in file names."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-")


def variant_of(paper: Paper, setting: str, alternative: str) -> Variant:
    """Return the variant for an alternative of a paper's setting."""
    given = dict(paper.settings[setting].also[alternative])
    figures = given.pop(FIGURES, {})
    changes = tuple(f"{path}={_text(value)}" for path, value in given.items())
    return Variant(setting, alternative, changes, figures)


def read_under(claim: Claim, variant: Variant) -> Claim:
    """Return the claim with the names that its quantities have under a variant."""
    return claim.of_parts(variant.figures) if variant.figures else claim


def grid_of(paper: Paper, item: str, number: str) -> list[Variant]:
    """Return the variants over which a claim is judged, or [] for a claim that cannot be judged."""
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
    """Return the variants over which any claim of an entry is judged."""
    numbers: Iterable[str] = paper.entries[item].claims
    variants = {v.name: v for number in numbers for v in grid_of(paper, item, number)}
    return list(variants.values())


def touched(paper: Paper, names: Iterable[str], variant: Variant) -> list[str]:
    """Return those of the named studies that must run again for a variant."""
    setting = paper.settings[variant.setting]
    return [name for name in names if variant.changes and setting.touches(name)]


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
