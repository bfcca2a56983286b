# SPDX-License-Identifier: Apache-2.0
"""Names the forms of an experiment that the paper's text permits, each measured separately.

The form is the second part of a quantity's name: `share_over_theory.smoothed.n=3.link=1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ecnomy.analysis.reproduce.judge import Sample

__all__ = ["SOURCES", "of_form"]

SOURCES: Final = {"plain": "plain", "smoothed": "smoothed (section II-D)"}  # form -> its label


def of_form(form: str, samples: Mapping[str, Sample]) -> dict[str, Sample]:
    """Return the quantities with the form inserted into their names."""
    return {_named(name, form): sample for name, sample in samples.items()}


def _named(name: str, form: str) -> str:
    head, dot, rest = name.partition(".")
    return f"{head}.{form}{dot}{rest}"
