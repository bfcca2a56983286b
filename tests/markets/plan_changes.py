# SPDX-License-Identifier: Apache-2.0
"""Plans that differ from another in one value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ecnomy.markets.plan import Plan

__all__ = ["changed", "leaves"]

# Other values for keys that accept only certain values.
OTHER: dict[str, dict[Any, Any]] = {
    "not_ect": {"drop": "pass", "pass": "drop"},
    "rows": {"each": "together", "together": "each"},
    "send": {"paced": "ack-clocked", "ack-clocked": "paced"},
    "of": {"delay": "queue", "queue": "delay"},
    "echo": {"accurate": "accecn", "accecn": "off", "rfc3168": "off"},
    "ect": {"data": "all", True: False, False: True},
}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Places of all numbers, texts and laws' names in a plan as plain values."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


def changed(plan: Plan, path: tuple[Any, ...], value: Any) -> Plan:
    """The plan with another value at a place and the old digest, so that only the value differs."""
    tree = msgspec.to_builtins(plan)
    inner = tree
    for key in path[:-1]:
        inner = inner[key]
    name = path[-1]
    if name in OTHER:
        inner[name] = OTHER[name][value]
    elif name in ("source", "target") or path[-2:-1] in (("path",), ("ack_path",)):
        inner[name] = (value + 1) % len(plan.nodes)
    elif "params" in path:
        inner[name] = {0.0: 1.0, 1.0: 0.0, 2.0: 1.0, 3.0: 2.0}.get(value, value + 0.25)
    elif isinstance(value, bool):
        inner[name] = not value
    else:
        inner[name] = value + "x" if isinstance(value, str) else value + 1
    return msgspec.convert(tree, Plan)
