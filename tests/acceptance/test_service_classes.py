# SPDX-License-Identifier: Apache-2.0
"""Four classes under regulation: the statements of the example of christin2003's Table 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import load, run
from tiers import seeds

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "service-classes.yaml"
FROM_PS = 10 * 10**12
SUMS = ["arrivals", "drops", "marks", "departures", "delay_sum_ps", "late"]


def by_class(folder: Path, seed: int, *overrides: str) -> dict[str, np.ndarray]:
    """Sums of each class from 10 s to 40 s."""
    scenario = load(CONFIG, overrides=("duration=40 s", *overrides), seed=seed)
    table = run(scenario, out=folder / f"{seed}-{len(overrides)}").classes
    sums = table[table["t_ps"] >= FROM_PS].groupby("class")[SUMS].sum()
    return {name: sums[name].to_numpy(float) for name in SUMS}


@pytest.mark.parametrize("seed", seeds(10))
def test_classes_lose_little_and_keep_their_ratios(tmp_path: Path, seed: int) -> None:
    """Each class loses under 1 %, gold meets its delay, delays and losses are near their ratios."""
    got = by_class(tmp_path, seed)
    loss = got["drops"] / got["arrivals"]
    delay_s = got["delay_sum_ps"] / got["departures"] / 1e12
    assert (loss < 0.01).all(), loss
    assert (got["marks"] > 0).all()
    assert got["late"][0] / got["departures"][0] < 0.02
    ratios = delay_s[1:-1] / delay_s[2:]
    assert (ratios >= 0.2).all() and (ratios <= 0.35).all(), ratios


def test_slow_starts_of_new_connections_are_what_loses(tmp_path: Path) -> None:
    """Connections per file lose at least five times as much, but not without slow start."""
    new = "sources.*.traffic[kind=on-off].connection=new"
    steady = "sources.*.transport.slow_start=false"
    lasting, each, without = (
        by_class(tmp_path, 1, *changes)["drops"].sum() for changes in ((), (new,), (new, steady))
    )
    assert each >= 5 * lasting
    assert each >= 5 * without
