# SPDX-License-Identifier: Apache-2.0
"""From the name of a strategy to its class, and from its parameters to an object."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import traceback
from collections.abc import Mapping
from typing import Final

from ecnomy.agents.errors import StrategyError

__all__ = ["BUILT_IN", "GROUP", "METHODS", "blame", "find", "make"]

GROUP: Final = "ecnomy.strategies"
METHODS: Final = ("decide", "decide_many", "post_price", "admit")
BUILT_IN: Final[dict[str, str]] = {
    "accept-all": "ecnomy.agents.strategies.accept_all:AcceptAll",
    "constant-charge": "ecnomy.agents.strategies.constant_charge:ConstantCharge",
    "constant-throughput": "ecnomy.agents.strategies.constant_throughput:ConstantThroughput",
    "elastic-utility": "ecnomy.agents.strategies.elastic_utility:ElasticUtility",
    "marking-quantile": "ecnomy.agents.strategies.marking_quantile:MarkingQuantile",
    "qos-knob": "ecnomy.agents.strategies.qos_knob:QosKnob",
    "stay": "ecnomy.agents.strategies.stay:Stay",
}


@functools.cache
def find(kind: str) -> type:
    """The strategy class named `kind`: built-in name, `module:Class` or entry point.

    Raises:
        StrategyError: there is none, it cannot be imported, or it is no strategy; the message
            names what was tried.
    """
    if kind in BUILT_IN:
        return _load(kind, BUILT_IN[kind])
    if ":" in kind:
        return _load(kind, kind)
    entries = {entry.name: entry.value for entry in importlib.metadata.entry_points(group=GROUP)}
    if kind in entries:
        return _load(kind, entries[kind])
    raise StrategyError(
        f"no strategy {kind!r}: built in are {', '.join(BUILT_IN)}; entry points in {GROUP}: "
        f"{', '.join(sorted(entries)) or 'none'}; a class of your own is named module:Class"
    )


def make(kind: str, params: Mapping[str, object]) -> object:
    """A new strategy object with these parameters, in the units its annotations state.

    Raises:
        StrategyError: as `find`, or the class does not take these parameters.
    """
    strategy = find(kind)
    try:
        made: object = strategy(**params)
    except Exception as error:
        raise StrategyError(f"strategy {kind!r}: {error}") from error
    return made


def blame(who: str, error: Exception) -> StrategyError:
    """What to raise in place of an exception in a strategy's own code: who, what and where."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return StrategyError(f"{who} failed: {type(error).__name__}: {error}{where}")


def _load(kind: str, path: str) -> type:
    module_name, _, attribute = path.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:  # anything can go wrong in a module of the user's
        raise StrategyError(f"strategy {kind!r}: tried {path}: {error}") from error
    if not isinstance(found, type):
        raise StrategyError(f"strategy {kind!r}: {path} is no class")
    if not any(callable(getattr(found, method, None)) for method in METHODS):
        raise StrategyError(f"strategy {kind!r}: {path} has none of {', '.join(METHODS)}")
    return found
