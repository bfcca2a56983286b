# SPDX-License-Identifier: Apache-2.0
"""Mean prices per mark over the measured window, as outcome columns of a sweep.

    price.<carrier>    price of each carrier, money
    price              price of the whole market, money, if only one carrier sets a price

A price is valid from its report until the next price, so the mean is weighted by time. A run
without a market has no price columns. Sweeps record these columns during runs (gathered.py of
markets). This module computes them from a stored run.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.money import MICRO
from ecnomy.markets.economy.journal import PRICE
from ecnomy.markets.results.rawrun import open_raw

__all__ = ["price_columns"]


def price_columns(results: Path) -> dict[str, float]:
    """Return the price columns of a run; {} for a run without a market.

    Args:
        results: the folder of the run.

    Returns:
        Column -> price in money per mark. Sums use integer micro-units and picoseconds, so that the
        mean of a constant price is exact.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = open_raw(results).raw
    window, table = run.measured, run.agents
    posted = table[table["name"].astype(str) == PRICE]
    columns: dict[str, float] = {}
    for name, own in posted.groupby(posted["agent"].astype(str), sort=False):
        times = own["t_ps"].to_numpy(dtype=np.int64)
        micro = np.rint(own["value"].to_numpy(dtype=np.float64)).astype(np.int64)
        mean = _mean_micro(times, micro, window.from_ps, window.to_ps)
        columns[f"price.{name}"] = mean / MICRO
    return {"price": next(iter(columns.values())), **columns} if len(columns) == 1 else columns


def _mean_micro(t_ps: Integers, micro: Integers, from_ps: int, to_ps: int) -> float:
    """Return the time average of a stepwise price; for an empty window, the price at that time."""
    if to_ps <= from_ps:
        return float(micro[max(int(np.searchsorted(t_ps, from_ps, side="right")) - 1, 0)])
    spans = np.diff(np.clip(np.append(t_ps, to_ps), from_ps, to_ps))
    total = sum(int(span) * int(price) for span, price in zip(spans, micro, strict=True))
    return total / (to_ps - from_ps)
