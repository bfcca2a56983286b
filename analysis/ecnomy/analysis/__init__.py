# SPDX-License-Identifier: Apache-2.0
"""Statistics, plots and summaries of finished runs, and theoretical predictions for runs.

The modules read the tables of results folders. Only `calibrate`, `tune`, `tournament`, `evaluate`,
`compare`, `reproduce` and `dashboard` start simulations. Names are loaded on first use, so `import
ecnomy.analysis` does not load pandas or matplotlib.

    from ecnomy.analysis import open_run, open_sweep
    results = open_run("results/first")     # a run: Results, as from `ecnomy.markets.run`
    runs = open_sweep("results/price")      # a sweep: a DataFrame with a row per run
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecnomy.analysis import theory
    from ecnomy.analysis.run.guarantees import Guarantee, guarantees_of
    from ecnomy.analysis.run.phases import Phase, phases_of
    from ecnomy.analysis.run.summary import Summary, summarize
    from ecnomy.analysis.run_pictures.overview import overview
    from ecnomy.analysis.statistics.intervals import (
        Equivalence,
        Interval,
        batch_means,
        dispersion,
        jain,
        ratio_of_means,
        t_interval,
        tost,
    )
    from ecnomy.analysis.sweeps.open_sweep import open_sweep
    from ecnomy.analysis.welfare.welfare import Welfare, welfare_of
    from ecnomy.markets.results.results import Results, open_run

__all__ = [
    "Equivalence",
    "Guarantee",
    "Interval",
    "Phase",
    "Results",
    "Summary",
    "Welfare",
    "batch_means",
    "dispersion",
    "guarantees_of",
    "jain",
    "open_run",
    "open_sweep",
    "overview",
    "phases_of",
    "ratio_of_means",
    "summarize",
    "t_interval",
    "theory",
    "tost",
    "welfare_of",
]

_HOME = {
    "Equivalence": "statistics.intervals",
    "Guarantee": "run.guarantees",
    "Interval": "statistics.intervals",
    "Phase": "run.phases",
    "Summary": "run.summary",
    "Welfare": "welfare.welfare",
    "batch_means": "statistics.intervals",
    "dispersion": "statistics.intervals",
    "guarantees_of": "run.guarantees",
    "jain": "statistics.intervals",
    "open_sweep": "sweeps.open_sweep",
    "overview": "run_pictures.overview",
    "phases_of": "run.phases",
    "ratio_of_means": "statistics.intervals",
    "summarize": "run.summary",
    "t_interval": "statistics.intervals",
    "tost": "statistics.intervals",
    "welfare_of": "welfare.welfare",
}

_OF_MARKETS = ("Results", "open_run")
_BEFORE = {"Run": "Results", "load": "open_sweep"}  # names that the next release removes


def __getattr__(name: str) -> Any:
    if name in _BEFORE:
        words = f"ecnomy.analysis.{name} is now ecnomy.analysis.{_BEFORE[name]}"
        warnings.warn(words, DeprecationWarning, stacklevel=2)
        name = _BEFORE[name]
    if name in _OF_MARKETS:
        return getattr(importlib.import_module("ecnomy.markets.results.results"), name)
    if name == "theory":
        return importlib.import_module("ecnomy.analysis.theory")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"ecnomy.analysis.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
