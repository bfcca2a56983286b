# SPDX-License-Identifier: Apache-2.0
"""Examples of strategies and of their parameters."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from ecnomy.markets.reference.samples import in_yaml
from ecnomy.markets.scenario.parameters import Field, declared

__all__ = ["parameters_example", "strategy_sample", "strategy_with"]

_BY_UNIT: Final = {"s": "10 s", "bit/s": "1 Mbps", "money": "0.1 money", "byte": "1 MB"}
_OF_PARAMETER: Final = {  # values that must fit other parameters
    "ceiling": "1 money",
    "high": "4 money/s",
    "most": "8",
    "link": "bottleneck",
    "arms": "20",
    "peak": "3",
    "shape": "2.5",
    "period": "600 s",
    "spread": "uniform",
    "estimator": "beta",
}
_PAIRED: Final = {"stay": "away", "away": "stay", "offset": "period"}


# Optional parameters that examples include, because some cases need them.
_WANTED: Final = ("x0", "deadline", "quantile")


def strategy_sample(name: str, field: Field) -> str:
    """Return an example of a strategy's parameter, which differs from the default if possible."""
    plain = not field.unit and not field.forms and not field.strategies
    if name in _OF_PARAMETER and (plain or _OF_PARAMETER[name].endswith(f" {field.unit}")):
        return _OF_PARAMETER[name]
    if field.strategies:
        return "{steady: {kind: constant-charge, charge: 1 money/s}}"
    if field.by_time:
        return f"{{60 s: 0.1 {field.unit}}}"
    if field.forms:
        form = next(iter(field.forms))
        return in_yaml({"kind": form, **parameters_example(field.forms[form])})
    if field.kind is bool:
        return in_yaml(not field.default)
    return _number_or_word(field)


def _number_or_word(field: Field) -> str:
    usual = _BY_UNIT.get(field.unit, f"1 {field.unit}") if field.unit else ""
    if isinstance(field.default, int | float) and math.isfinite(field.default):
        other = field.default / 2 if field.kind is float and not field.unit else 2 * field.default
        text = in_yaml(field.kind(other)) if other else "0.1"
        same = usual and Fraction(usual.partition(" ")[0]) == field.default
        return usual if usual and not same else f"{text} {field.unit}".strip()
    if usual or field.default is None:
        return usual or {float: "0.5", int: "10"}.get(field.kind, "text")
    return in_yaml(field.default)


def strategy_with(cls: type, kind: str, name: str) -> str:
    """Return an example of a strategy with one parameter, and any parameter that this one needs."""
    fields = declared(cls)
    shown = [one for one in (_PAIRED.get(name, ""), name) if one in fields]
    own = {one: strategy_sample(one, fields[one]) for one in shown}
    return in_yaml({"kind": kind, **parameters_example(cls), **own})


def parameters_example(cls: type) -> dict[str, str]:
    """Return examples of required parameters and a few optional ones, by parameter."""
    fields = declared(cls).items()
    return {
        key: strategy_sample(key, field)
        for key, field in fields
        if field.required or key in _WANTED
    }
