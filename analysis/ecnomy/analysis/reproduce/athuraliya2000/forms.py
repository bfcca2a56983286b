# SPDX-License-Identifier: Apache-2.0
"""Forms of one experiment that the paper's text allows. Each is measured and has its own figures.

The form is the second part of a figure's name: `share_over_theory.smoothed.n=3.link=1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ecnomy.analysis.reproduce.judge import Sample

__all__ = ["SOURCES", "of_form"]

SOURCES: Final = {"plain": "plain", "smoothed": "smoothed (section II-D)"}  # form -> its label


def of_form(form: str, found: Mapping[str, Sample]) -> dict[str, Sample]:
    """Return the figures of a form, with its name inserted into theirs."""
    return {_named(name, form): sample for name, sample in found.items()}


def _named(name: str, form: str) -> str:
    head, dot, rest = name.partition(".")
    return f"{head}.{form}{dot}{rest}"
