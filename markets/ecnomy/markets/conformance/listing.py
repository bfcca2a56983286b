# SPDX-License-Identifier: Apache-2.0
"""List the installed strategies of ecnomy and of other packages (entry points)."""

from __future__ import annotations

import importlib.metadata
import inspect
import math
from typing import Any, Final

import msgspec

from ecnomy.agents.roles.fitting import roles_of
from ecnomy.agents.strategies import BUILT_IN, GROUP, find
from ecnomy.markets.scenario.parameters import Field, declared

__all__ = ["Listed", "Parameter", "installed"]

# Answers of a strategy's methods, worded as in agents/README.md.
ANSWERS: Final = {
    "decide": "a FlowDecision for each flow",
    "decide_many": "a Decision for all flows",
    "post_price": "a price per mark",
    "post_fees": "a fee for each class",
    "let_in": "for each flow that requests a class, whether it is admitted",
    "admit": "for each call, whether it is admitted",
    "post_call_price": "a price per call",
    "order": "for each call, the provider that carries it",
}


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a strategy.

    Attributes:
        name: key of the parameter in YAML.
        takes: unit, type or form of the value.
        required: whether the parameter is required.
        default: default value in the unit of `takes`, or None if it cannot be printed.
    """

    name: str
    takes: str
    required: bool
    default: float | int | str | bool | None

    def words(self) -> str:
        """Return the parameter on one line."""
        if self.required:
            return f"{self.name} [{self.takes}], required"
        held = self.default
        shown = f"{held:g}" if isinstance(held, float) else "none" if held is None else str(held)
        return f"{self.name} [{self.takes}] = {shown}"


class Listed(msgspec.Struct, frozen=True):
    """An installed strategy.

    Attributes:
        name: name of the strategy in YAML.
        origin: package that provides the strategy.
        roles: roles that the strategy fits.
        answers: descriptions of the answers that the strategy gives.
        parameters: parameters of the strategy.
        does: first line of the docstring of the strategy's class.
        fault: reason why the strategy cannot be used, or "" if it can be used.
    """

    name: str
    origin: str
    roles: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    does: str = ""
    fault: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the strategy as plain values, with None for numbers that JSON lacks (infinity)."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        for parameter in fields["parameters"]:
            held = parameter["default"]
            if isinstance(held, float) and not math.isfinite(held):
                parameter["default"] = None
        return fields


def installed() -> list[Listed]:
    """Return the built-in strategies by name, and then those of other packages."""
    strategies = [_listed(name, "ecnomy") for name in sorted(BUILT_IN)]
    entries = importlib.metadata.entry_points(group=GROUP)
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.name not in BUILT_IN:
            package = entry.dist.name if entry.dist is not None else entry.value
            strategies.append(_listed(entry.name, package))
    return strategies


def _listed(name: str, origin: str) -> Listed:
    try:
        cls = find(name)
        roles = roles_of(cls)
        fields = tuple(_parameter(key, field) for key, field in declared(cls).items())
    except Exception as error:  # other packages may fail in any way
        return Listed(name, origin, fault=" ".join(str(error).split()))
    own = tuple(role for role in getattr(cls, "roles", ()) if role not in roles)
    answers = tuple(
        words for method, words in ANSWERS.items() if callable(getattr(cls, method, None))
    )
    does = (inspect.getdoc(cls) or "").partition("\n")[0]
    return Listed(name, origin, (*roles, *own), answers, fields, does)


def _parameter(name: str, field: Field) -> Parameter:
    if field.strategies:
        takes = "{name: strategy, ...}"
    elif field.forms:
        takes = f"{{kind: {' | '.join(field.forms)}, ...}}"
    elif field.by_time:
        takes = f"{{s: {field.unit}, ...}}"
    else:
        takes = field.unit or getattr(field.kind, "__name__", str(field.kind))
    held = field.default
    plain = held if isinstance(held, float | int | str | bool) else None
    return Parameter(name, takes, field.required, plain)
