# SPDX-License-Identifier: Apache-2.0
"""Describes the missing runs of a sweep: their number, their shards, and how to run them.

Runs are missing while the sweep is in progress, or if a shard was lost, damaged or not merged.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ecnomy.markets.support.printable import say
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.parts import SweepPart, parts_in

__all__ = ["missing_runs", "say_missing"]

_SHOWN: Final = 10  # most shards listed
_AGAIN: Final = "run the sweep's command again"
_MERGE: Final = "run the shards again and merge them (`ecnomy merge`), or run the sweep's command"


def missing_runs(folder: Path, requested: int, there: Iterable[int]) -> str:
    """Return a line about missing runs; "" if all runs exist.

    Args:
        folder: the folder of the sweep.
        requested: total number of runs in the sweep.
        there: numbers of the completed and failed runs, counted from 0.
    """
    missing = set(range(requested)) - set(there)
    if not missing:
        return ""
    sentence = f"{len(missing)} of {requested} runs {'is' if len(missing) == 1 else 'are'} missing"
    counts = {part.of for part in parts_in(folder)}
    if len(counts) != 1:
        return f"{sentence}; {_AGAIN}"
    of = counts.pop()
    lacking = Counter(SweepPart(of=of, number=number % of + 1) for number in missing)
    shards = [f"{part} ({runs})" for part, runs in sorted(lacking.items())]
    more = f" and {len(shards) - _SHOWN} more" if len(shards) > _SHOWN else ""
    word = "shard" if len(shards) == 1 else "shards"
    where = f"in {word} {', '.join(shards[:_SHOWN])}{more}"
    return f"{sentence}, {where}; {_MERGE}"


def say_missing(folder: Path, there: Iterable[int]) -> None:
    """Print the line about missing runs, if there are any, on standard error."""
    if line := missing_runs(folder, len(head_of(folder)["points"]), there):
        say(f"ecnomy: {folder}: {line}", sys.stderr)
