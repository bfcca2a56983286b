# SPDX-License-Identifier: Apache-2.0
"""Reads outcome columns of the recorded runs of a sweep, from records and shards."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import Any

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.sweep.rows import RESERVED
from ecnomy.markets.sweep.store import check_shard, read_record

__all__ = ["columns_in", "figures"]


def figures(folder: Path, outcome: str) -> dict[str, float]:
    """Return an outcome of each recorded run, by point, or NaN if the run lacks the outcome.

    Args:
        folder: folder of the sweep, which may not exist.
        outcome: name of an outcome column.
    """
    import pyarrow.parquet as pq

    latest: dict[str, tuple[int, float]] = {}

    def take(point: str, generation: int, value: Any) -> None:
        if point not in latest or generation >= latest[point][0]:
            latest[point] = (generation, math.nan if value is None else float(value))

    for file in sorted((folder / "shards").glob("*.parquet")):
        with contextlib.suppress(OSError, ResultsError):  # a damaged file; its runs are repeated
            check_shard(file)
            there = outcome in pq.read_schema(file).names
            names = ["point", "generation", *([outcome] if there else [])]
            for row in pq.read_table(file, columns=names).to_pylist():
                take(row["point"], row["generation"], row.get(outcome))
    for file in sorted((folder / "outcomes").glob("*.json")):
        with contextlib.suppress(OSError, ResultsError):
            one = read_record(file)
            take(one.point, one.generation, one.values.get(outcome))
    return {point: value for point, (_, value) in latest.items()}


def columns_in(folder: Path) -> list[str]:
    """Return the outcome columns of recorded runs in order, and parameters that are in shards."""
    import pyarrow.parquet as pq

    columns: dict[str, None] = {}
    for file in sorted((folder / "shards").glob("*.parquet")):
        with contextlib.suppress(OSError, ResultsError):
            check_shard(file)
            columns |= dict.fromkeys(pq.read_schema(file).names)
    for file in sorted((folder / "outcomes").glob("*.json")):
        with contextlib.suppress(OSError, ResultsError):
            columns |= dict.fromkeys(read_record(file).values)
    return [name for name in columns if name not in RESERVED]
