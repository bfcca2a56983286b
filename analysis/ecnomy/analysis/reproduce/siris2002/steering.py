# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of an operator that sets the price of a mark to reach a target utilisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S

__all__ = ["CHANGE_S", "phases", "settled_after"]

CHANGE_S: Final = 400.0  # twenty flows become forty
_LAST_S: Final = 100.0
_INTERVAL_S: Final = 10.0
_WITHIN: Final = 0.02
_TARGET: Final = 0.9


def settled_after(used: Floats, target: float, within: float) -> int:
    """Return the number of intervals before all later ones are near the target (all if never)."""
    off = np.flatnonzero(np.abs(used - target) > within)
    return int(off[-1]) + 1 if len(off) else 0


def phases(results: Path) -> Mapping[str, float | Sequence[float] | None]:
    """Return utilisation and price before and after the change of load.

    Returns:
        For each phase (`before` and `after`): utilization_<phase>, over the last 100 s;
        settled_s_<phase>, the time until all later intervals of 10 s are within 0.02 of 0.9;
        price_<phase>, the last price [money], or None if the operator has not posted a price. Also
        course, the utilisation in each interval.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    links = run.table("links").set_index("name")["link"]
    table: Any = run.table("link_epochs")
    table = table[table["link"] == links["bottleneck"]].sort_values("t_ps")
    times_s = table["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    busy_s = table["busy_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    edges = np.arange(0.0, times_s[-1] + 1, _INTERVAL_S)
    used = np.diff(np.interp(edges, times_s, busy_s)) / _INTERVAL_S
    prices = _prices(run, edges[1:])
    change = round(CHANGE_S / _INTERVAL_S)
    measures: dict[str, float | Sequence[float] | None] = {"course": used.tolist()}
    for name, own in (("before", slice(0, change)), ("after", slice(change, None))):
        last = round(_LAST_S / _INTERVAL_S)
        measures[f"utilization_{name}"] = float(used[own][-last:].mean())
        measures[f"settled_s_{name}"] = _INTERVAL_S * settled_after(used[own], _TARGET, _WITHIN)
        price = float(prices[own][-1])
        measures[f"price_{name}"] = None if np.isnan(price) else price
    return measures


def _prices(run: Any, times_s: Floats) -> Floats:
    """Return the price of a mark [money] just before each time."""
    table = run.table("agents")
    said = table[table["name"] == "price_micro_per_mark"].sort_values("t_ps")
    at_s = said["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    values = np.append(np.nan, said["value"].to_numpy(dtype=np.float64) / 1e6)
    return np.asarray(values[np.searchsorted(at_s, times_s, side="left")])
