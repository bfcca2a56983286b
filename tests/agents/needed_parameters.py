# SPDX-License-Identifier: Apache-2.0
"""The parameters without a default of each built-in strategy, with values that it accepts."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["NEEDED"]

NEEDED: Final[dict[str, dict[str, Any]]] = {
    "aggressiveness-knob": {"most": 8.0, "utility": {"kind": "log", "a": 1.0, "x0": 1e6}},
    "all-or-nothing": {"threshold": 1.0, "rate": 1e6},
    "average-rate": {"threshold": 1.0, "rate": 1e6},
    "best-choice": {"utility": {"kind": "log", "a": 1.0, "x0": 1e6}},
    "menu": {"choices": {"one": {"kind": "constant-charge"}}},
    "best-offer": {"utility": {"kind": "log", "a": 1.0, "x0": 1e6}},
    "fee-limit": {"low": 0.5, "high": 2.0},
    "constant-throughput": {"threshold": 1.0, "rate": 1e6},
    "elastic-utility": {"utility": {"kind": "log", "a": 1.0, "x0": 1e6}},
    "file-budget": {"budget": 1.0},
    "hill-climbing": {"step": 0.01},
    "price-memory": {"rate": 1e6},
    "price-demand": {"demand": {"kind": "linear", "choke": 1.0}},
    "lines": {"lines": 3},
    "price-schedule": {"prices": {0.0: 0.1}},
    "probe-threshold": {"threshold": 0.1},
    "revenue-bandit": {"floor": 0.01, "ceiling": 0.1},
    "target-utilization": {"target": 0.85},
    "tuned-marking": {"target": 0.85},
}
