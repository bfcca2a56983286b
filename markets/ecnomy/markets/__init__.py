# SPDX-License-Identifier: Apache-2.0
"""Load scenarios, and simulate their networks and markets.

    from ecnomy.markets import load, run
    result = run(load("configs/examples/gold-silver.yaml"), out="results/first")

`open_market` makes the same run step by step, as a Mesa model. Names are imported when first used,
so `import ecnomy.markets` itself loads nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ecnomy.markets.compile.make import make_plan
    from ecnomy.markets.results.results import Results, open_run
    from ecnomy.markets.scenario import Scenario, load
    from ecnomy.markets.session.runner import run
    from ecnomy.markets.session.session import open_market
    from ecnomy.markets.sweep.making import run_sweep

__all__ = [
    "Results",
    "Scenario",
    "load",
    "make_plan",
    "open_market",
    "open_run",
    "run",
    "run_sweep",
]

_HOME: Final = {
    "Results": "ecnomy.markets.results.results",
    "Scenario": "ecnomy.markets.scenario",
    "load": "ecnomy.markets.scenario",
    "make_plan": "ecnomy.markets.compile.make",
    "open_market": "ecnomy.markets.session.session",
    "open_run": "ecnomy.markets.results.results",
    "run": "ecnomy.markets.session.runner",
    "run_sweep": "ecnomy.markets.sweep.making",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
