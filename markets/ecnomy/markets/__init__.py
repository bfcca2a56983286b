# SPDX-License-Identifier: Apache-2.0
"""Scenario, plan, bridge, market, ledger, results and the running of a simulation.

    from ecnomy.markets import load, run
    result = run(load("configs/examples/gold-silver.yaml"), out="results/first")

`open_market` is the same run step by step, as a Mesa model.

Names are imported when they are first used: `import ecnomy.markets` itself loads nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ecnomy.markets.plan.make import make_plan
    from ecnomy.markets.runner import RunResult, run
    from ecnomy.markets.scenario import Scenario, load
    from ecnomy.markets.session import open_market

__all__ = ["RunResult", "Scenario", "load", "make_plan", "open_market", "run"]

_HOME: Final = {
    "RunResult": "ecnomy.markets.runner",
    "Scenario": "ecnomy.markets.scenario",
    "load": "ecnomy.markets.scenario",
    "make_plan": "ecnomy.markets.plan.make",
    "open_market": "ecnomy.markets.session",
    "run": "ecnomy.markets.runner",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
