# SPDX-License-Identifier: Apache-2.0
"""Limits of built-in strategies' parameters: the last accepted and the first refused value."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from ecnomy.agents.strategies.demands import DEMANDS, TIMES
from ecnomy.agents.strategies.find import BUILT_IN, find

ABOVE_0 = ((1e-9, 1e9), (0.0, -1.0, math.inf, math.nan))
FROM_0 = ((0.0, 1e9), (-1e-9, math.inf, math.nan))
SHARE = ((0.0, 1.0), (-1e-9, 1 + 1e-9, math.nan))
INSIDE = ((1e-9, 1 - 1e-9), (0.0, 1.0, math.nan))
SOME = ((1e-9, 1.0), (0.0, 1 + 1e-9, math.nan))
COUNT = ((1, 2), (0, -1))
LOG = {"kind": "log", "a": 1.0, "x0": 1e6}
LOGIT = {"kind": "logit", "at": 1.0, "spread": 1.0}

# strategy: parameters that are valid together, and by key the values inside and outside its limits
LIMITS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "aggressiveness-knob": (
        {"utility": LOG, "most": 2.0},
        {"most": ((1e-3, 1e9), (1e-3 - 1e-9, 0.0, math.inf)), "least": ((1e-9, 2.0), (0.0, 2.1))},
    ),
    "all-or-nothing": (
        {"threshold": 1.0},
        {"threshold": ABOVE_0, "rate": ABOVE_0, "retry": ABOVE_0, "satisfied": INSIDE},
    ),
    "average-rate": (
        {"threshold": 1.0},
        {
            "threshold": ABOVE_0,
            "rate": ABOVE_0,
            "over": ABOVE_0,
            "peak": ((1 + 1e-9, 1000.0), (1.0, 1000.1, math.nan)),
        },
    ),
    "best-choice": ({"utility": LOG}, {"loyalty": SHARE, "horizon": ABOVE_0}),
    "best-offer": (
        {"utility": LOG},
        {
            "switching_cost": FROM_0,
            "horizon": ABOVE_0,
            "retry": ABOVE_0,
            "loyalty": SHARE,
            "curiosity": SHARE,
        },
    ),
    "cheapest-call": ({}, {"overclaims": SHARE, "call_time": ABOVE_0}),
    "constant-charge": ({}, {"charge": FROM_0}),
    "constant-throughput": ({"threshold": 1.0}, {"threshold": ABOVE_0, "rate": ABOVE_0}),
    "cost-plus": ({}, {"margin": FROM_0, "every": ABOVE_0, "over": ABOVE_0}),
    "elastic-utility": (
        {"utility": LOG},
        {"budget": ABOVE_0, "retry": ABOVE_0, "anticipates": ((0.0, 1e9), (-1.0, math.inf))},
    ),
    "expected-profit": (
        {},
        {"sample": ABOVE_0, "learning": ((1, 100), (0, 101)), "memory": ((10,), (9, 0))},
    ),
    "fee-limit": (
        {"low": 2.0, "high": 3.0},
        {"low": ((1e-9, 3.0), (0.0, math.inf)), "high": ((2.0, 1e9), (1.9, math.inf, math.nan))},
    ),
    "file-budget": (
        {"budget": 1.0, "deadline": 1.0},
        {
            **dict.fromkeys(("budget", "deadline", "cost", "most", "memory"), ABOVE_0),
            **dict.fromkeys(("promise", "margin"), INSIDE),
            "price_rise": ((1.0, 1e6), (1 - 1e-9, 1e6 + 1, math.nan)),
        },
    ),
    "fill-classes": ({}, {"share": SOME, "gain": SOME, "every": ABOVE_0}),
    "hill-climbing": (
        {"step": 0.1, "floor": 2.0, "ceiling": 3.0},
        {
            "step": ((1e-6, 1e6), (9e-7, 1e6 + 1, math.nan)),
            "floor": ((0.0, 2.999999), (-1e-6, 3.0, math.nan)),
            "ceiling": ((2.000001, 1e6), (2.0, 1e6 + 1)),
        },
    ),
    "lines": ({"lines": 1}, {"lines": COUNT}),
    "marking-quantile": ({}, {"sample": ABOVE_0, "quantile": SOME, "learning": COUNT}),
    "price-demand": ({"demand": LOGIT}, {"looks": SOME, "retry": ABOVE_0}),
    "price-memory": (
        {"rate": 1.0},
        dict.fromkeys(("rate", "memory", "cost", "most"), ABOVE_0),
    ),
    "price-schedule": (
        {"prices": {0.0: 1.0}, "period": 10.0},
        {
            "period": ((1e-9, 1e9), (0.0, -1.0, math.inf)),
            "offset": FROM_0,
            "prices": (({0.0: 0.0}, {0.0: 1e6}), ({0.0: -1e-6}, {0.0: 1e6 + 1}, {0.0: math.nan})),
        },
    ),
    "probe-threshold": ({"threshold": 0.1}, {"threshold": SHARE, "window": ABOVE_0}),
    "qos-knob": (
        {},
        {
            "patience": ABOVE_0,
            "satisfied": SHARE,
            "budget": ((0.0, math.inf), (-1e-9, math.nan)),
        },
    ),
    "revenue-bandit": (
        {"floor": 1.0, "ceiling": 2.0},
        {
            "arms": ((2, 100), (1, 101)),
            "floor": ((1e-6, 1.9), (9e-7, 2.0)),
            "ceiling": ((1e6,), (1.0, 1e6 + 1)),
        },
    ),
    "revenue-gradient": ({}, {"probe": ((0.01, 1.0), (0.0099, 1.01, math.nan))}),
    "target-utilization": ({"target": 0.5}, {"target": INSIDE}),
    "tuned-marking": ({"target": 0.5}, {"target": INSIDE}),
    "worth-of-call": (
        {},
        {
            **dict.fromkeys(("worth", "trust", "memory", "call_time"), ABOVE_0),
            **dict.fromkeys(("spoils", "tolerates", "overclaims"), SHARE),
        },
    ),
}
EACH = [
    pytest.param(kind, key, id=f"{kind}-{key}")
    for kind, (_, keys) in LIMITS.items()
    for key in keys
]


@pytest.mark.parametrize(("kind", "key"), EACH)
def test_a_parameter_is_taken_up_to_its_limits(kind: str, key: str) -> None:
    """Values at the limits are accepted unchanged; values beyond are refused by name."""
    base, keys = LIMITS[kind]
    inside, outside = keys[key]
    for value in inside:
        assert getattr(find(kind)(**{**base, key: value}), key) == value
    for value in outside:
        with pytest.raises(ValueError, match=rf"\b{key}\b"):
            find(kind)(**{**base, key: value})


def test_each_strategy_with_numbers_is_here() -> None:
    """A new strategy with a parameter that is a number has a row above."""
    numbers = {"float", "int", "float | None", "int | None"}
    for kind in BUILT_IN:
        fields = dataclasses.fields(find(kind)) if dataclasses.is_dataclass(find(kind)) else ()
        named = {str(field.type).removeprefix("Annotated[").split(",")[0] for field in fields}
        assert not named & numbers or kind in LIMITS, kind


@pytest.mark.parametrize(
    ("kinds", "kind", "key", "limits"),
    [
        *((DEMANDS, "isoelastic", key, ABOVE_0) for key in ("at", "elasticity")),
        *((DEMANDS, "logit", key, ABOVE_0) for key in ("at", "spread")),
        (DEMANDS, "linear", "choke", ABOVE_0),
        *((TIMES, kind, "mean", FROM_0) for kind in sorted(TIMES)),
        (TIMES, "pareto", "shape", ((1 + 1e-9, 1e9), (1.0, math.inf, math.nan))),
    ],
)
def test_demands_and_times_have_limits_too(
    kinds: dict[str, Any], kind: str, key: str, limits: tuple[tuple[float, ...], ...]
) -> None:
    """Parameters of demands and times are refused by name."""
    given = {"at": 1.0, "spread": 1.0, "elasticity": 2.0, "choke": 1.0, "mean": 1.0}
    own = {one.name for one in dataclasses.fields(kinds[kind])}
    base = {name: value for name, value in given.items() if name in own}
    for value in limits[0]:
        assert getattr(kinds[kind](**{**base, key: value}), key) == value
    for value in limits[1]:
        with pytest.raises(ValueError, match=f"^{key}: "):
            kinds[kind](**{**base, key: value})
