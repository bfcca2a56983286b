# SPDX-License-Identifier: Apache-2.0
"""Parameters that set several paths to one value.

    grid: {price: {paths: [market.agents.north.price_per_mark, market.agents.south.price_per_mark],
                   values: [0.1 money, 0.2 money]}}
    over: {price: {paths: [...], from: 0.1 money, to: 0.2 money}}       random samples, plans, tune

Points, columns and tables use the name of such a parameter. Its paths replace the name when a point
is applied to the scenario (point_scenario.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from ecnomy.markets.inputs.yamlfile import Node, show

__all__ = ["PATHS", "Ties", "is_tie", "paths_under", "read_tie"]

PATHS: Final = "paths"
Ties: TypeAlias = Mapping[str, Sequence[str]]  # name of a parameter -> the paths that it sets
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def is_tie(node: Node) -> bool:
    """Return whether a parameter is written with a list of the paths that it sets."""
    return isinstance(node.value, dict) and PATHS in node.value


def read_tie(name: str, node: Node, path: str) -> tuple[str, ...]:
    """Return the paths that the parameter `name` sets.

    Raises:
        ScenarioError: `paths` is not a list of paths, or the name is invalid.
    """
    if not _NAME.fullmatch(name):
        expected = "a name of letters, digits, - and _; only paths have dots"
        raise node.place.error(path, repr(name), expected)
    given = node.mapping()[PATHS]
    paths = [item.value for item in given.items() if isinstance(item.value, str) and item.value]
    if not paths or len(paths) < len(given.items()):
        raise given.place.error(f"{path}.{PATHS}", show(given), "a list of paths of the scenario")
    return tuple(paths)


def paths_under(names: Iterable[str], ties: Ties) -> list[str]:
    """Return the paths that parameters set, in order. A name that is not in `ties` is a path."""
    return [path for name in names for path in ties.get(name, (name,))]
