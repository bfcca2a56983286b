# SPDX-License-Identifier: Apache-2.0
"""The scenario of a point: the base scenario of a sweep with the point's values applied."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Final

import msgspec

from ecnomy.markets.inputs.overrides import apply
from ecnomy.markets.inputs.yamlfile import Node, parse
from ecnomy.markets.scenario import Scenario, scenario_from_text
from ecnomy.markets.sweep.space import Assignment, Value
from ecnomy.markets.sweep.ties import Ties, paths_under

__all__ = ["laid_over", "override_text", "overrides_of", "parsed", "scenario_at"]

_NO_TIES: Final[Ties] = {}


@functools.lru_cache(maxsize=8)
def parsed(base: str, name: str) -> Node:
    """Return a base scenario as a tree. Messages use `name` as the name of its file."""
    return parse(base, name, lines=False)


def laid_over(tree: Node, changes: Iterable[str]) -> Node:
    """Return a tree with overrides (`path=value`) applied in order."""
    for change in changes:
        tree = apply(tree, change)
    return tree


def overrides_of(params: Assignment, ties: Ties) -> list[str]:
    """Return the values of a point as overrides, one for each path that a parameter sets."""
    return [
        f"{path}={override_text(value)}"
        for name, value in params.items()
        for path in paths_under([name], ties)
    ]


def scenario_at(
    base: str,
    name: str,
    params: Assignment,
    seed: int,
    variant: tuple[str, ...] = (),
    ties: Ties = _NO_TIES,
) -> Scenario:
    """Return the scenario of a point. Messages use `name` as the name of its file.

    Raises:
        ScenarioError: these values do not make a valid scenario.
    """
    overrides = [*overrides_of(params, ties), *variant]
    return scenario_from_text(base, name, overrides=overrides, seed=seed)


def override_text(value: Value) -> str:
    """Return a value as the text of an override."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
