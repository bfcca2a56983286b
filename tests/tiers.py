# SPDX-License-Identifier: Apache-2.0
"""The two tiers of the suite: `make test` and, at full depth, `make test-full`.

A test marked `full` runs only in the full tier. A test over many seeds uses `seeds(10)`: all of
them in the full tier, the first three in the fast tier. A Hypothesis test uses `examples(100)`: a
quarter of them in the fast tier. tests/README.md lists full-tier tests with the fast test for the
same fault.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

__all__ = ["SAID", "examples", "full", "in_full", "rare", "seeds", "set_full"]

FAST_SEEDS = 3
# Findings of validation/test_papers.py on the records; a suite ends with them (conftest.py).
SAID: Final = Path(__file__).parents[1] / "build" / "records.txt"
full = pytest.mark.full
_depth = {"full": False}


def set_full(depth: bool) -> None:
    """Chooses the tier before any test module is imported."""
    _depth["full"] = depth


def in_full() -> bool:
    """Whether this is the full tier."""
    return _depth["full"]


def examples(count: int) -> int:
    """The number of Hypothesis examples: `count`, or a quarter of that in the fast tier."""
    return count if in_full() else -(-count // 4)


def rare(*values: Any) -> Any:
    """Values of parameters that only the full tier tries."""
    return pytest.param(*values, marks=full)


def seeds(count: int, fast: int = FAST_SEEDS) -> range:
    """Seeds from 1 on: `count` seeds, or at most `fast` in the fast tier."""
    return range(1, 1 + (count if in_full() else min(fast, count)))
