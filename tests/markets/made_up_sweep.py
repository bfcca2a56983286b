# SPDX-License-Identifier: Apache-2.0
"""Sweeps with invented outcomes, in folders as `ecnomy sweep` leaves them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ecnomy.markets.engines.registry import DEFAULT_ENGINE
from ecnomy.markets.sweep.config import Sweep, load_sweep
from ecnomy.markets.sweep.fingerprint import code_now
from ecnomy.markets.sweep.outcome import DONE, RunOutcome
from ecnomy.markets.sweep.rows import kinds_of, row_of, table_of
from ecnomy.markets.sweep.space import Point
from ecnomy.markets.sweep.store import SHARD_RUNS, Store, identified
from sweep_world import write

Figures = Callable[[Point], dict[str, int | float | None]]


def made_up(folder: Path, text: str, figures: Figures, name: str = "out") -> Path:
    """The folder of a sweep (`text` is its file) over the small scenario, with these outcomes."""
    folder.mkdir(parents=True, exist_ok=True)
    return record(folder / name, load_sweep(write(folder, text)), figures)


def record(out: Path, sweep: Sweep, figures: Figures) -> Path:
    """Record outcomes for all points of a sweep, in shards."""
    Store(out, sweep).close()
    code, kinds = code_now(DEFAULT_ENGINE), kinds_of(sweep)
    rows = []
    for name, point in identified(sweep):
        outcome = RunOutcome(
            name, name, DONE, "", code, {}, figures(point), generation=1, params=point.params,
            seed=point.seed,
        )  # fmt: skip
        rows.append(row_of(outcome))
        if len(rows) == SHARD_RUNS:
            _shard(out, rows, kinds)
            rows = []
    if rows:
        _shard(out, rows, kinds)
    return out


def _shard(out: Path, rows: list[dict[str, Any]], kinds: dict[str, str | None]) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(table_of(rows, kinds), sink, compression="zstd")
    data = sink.getvalue().to_pybytes()
    (out / "shards" / f"{hashlib.sha256(data).hexdigest()[:32]}.parquet").write_bytes(data)
