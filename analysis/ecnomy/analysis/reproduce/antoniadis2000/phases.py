# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of scenarios 1 and 2: rates and charges in the phases of a run.

calm         20 s to 60 s
crowd        70 s to 120 s; its parts before (70 s to 80 s), up (82 s to 100 s), down (102 s on)
after        130 s to the end
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.reproduce.antoniadis2000.steps import grown

if TYPE_CHECKING:
    import pandas as pd

    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["PHASES", "classes", "handlers"]

PHASES: Final = {  # seconds
    "calm": (20, 60),
    "crowd": (70, 120),
    "before": (70, 80),
    "up": (82, 100),
    "down": (102, 120),
    "after": (130, 150),
}
_WINDOW: Final = 10  # seconds over which charges are averaged
Columns = Mapping[str, float | Sequence[float] | None]


def _over(steps: Floats, phase: str) -> Floats:
    begin, end = PHASES[phase]
    return np.asarray(steps[:, begin:end].mean(axis=1), dtype=np.float64)


def _windows(steps: Floats, phase: str) -> Floats:
    """Return the means over the whole 10 s windows of a phase, [flow, window]."""
    begin, end = PHASES[phase]
    own = steps[:, begin:end]
    count = own.shape[1] // _WINDOW
    return np.asarray(own[:, : count * _WINDOW].reshape(len(own), count, _WINDOW).mean(axis=2))


def _pages(run: RawRun, source: str, phase: str) -> Floats:
    """Return the transfer times [s] of a source's pages that began in a phase and are complete."""
    begin, end = (PS_PER_S * at for at in PHASES[phase])
    flows = run.table("flows")
    own = set(flows.loc[flows["source"] == source, "flow"])
    pages: pd.DataFrame = run.table("transfers")
    pages = pages[pages["flow"].isin(own) & (pages["complete"] == 1)]
    pages = pages[(pages["start_ps"] >= begin) & (pages["start_ps"] < end)]
    return np.asarray(pages["end_ps"] - pages["start_ps"], dtype=np.float64) / PS_PER_S


def _common(run: RawRun) -> tuple[dict[str, Floats], dict[str, Floats], dict[str, Any]]:
    """Return rates [bit/s] and charges [money/s] in each second, and their means in each phase."""
    rates = {name: 8 * steps for name, steps in grown(run, "acked_bytes", 1.0).items()}
    paid = grown(run, "mark_charge_micro", 1.0)
    charges = {name: steps / MICRO for name, steps in paid.items()}
    columns: dict[str, Any] = {}
    for name, steps in rates.items():
        for phase in PHASES:
            columns[f"{name}.{phase}_bps"] = float(_over(steps, phase).mean())
            columns[f"{name}.{phase}_charge"] = float(_over(charges[name], phase).mean())
        if name != "background":
            columns[f"{name}.course_mbps"] = (steps.mean(axis=0)[::2] / 1e6).tolist()
    return rates, charges, columns


def classes(results: Path) -> Columns:
    """Return scenario 1's rates and charges by phase, the largest charges, and mean page times."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    _, charges, columns = _common(run)
    for name in ("gold", "silver"):
        most = max(float(_windows(charges[name], p).max()) for p in ("calm", "crowd", "after"))
        columns[f"{name}.most_charge"] = most
        for phase in ("calm", "crowd"):
            columns[f"{name}.page_{phase}_s"] = _mean(_pages(run, f"{name}-pages", phase))
    return columns


def handlers(results: Path) -> Columns:
    """Return scenario 2's rates and charges by phase, extremes, and the variation of page times."""
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    rates, charges, columns = _common(run)
    for phase in ("calm", "crowd", "after"):
        own = _windows(rates["constant"], phase)
        columns[f"constant.least_{phase}_bps"] = float(own.min())
        columns[f"constant.most_{phase}_bps"] = float(own.max())
        columns[f"constant.most_{phase}_charge"] = float(_windows(charges["constant"], phase).max())
    times = _pages(run, "pages", "calm")
    columns["pages.cv"] = float(times.std(ddof=1) / times.mean()) if len(times) > 1 else None
    return columns


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None
