# SPDX-License-Identifier: Apache-2.0
"""JSON Schema rules for keys that exclude or need each other.

A struct may have `schema_rules`, those rules of its `__post_init__` that a schema can express (see
ecnomy.markets.reference.schema). A key whose value is null or empty counts as not given.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["EMPTY", "Rules", "at_least_one", "at_most_one", "exactly_one", "given"]

Rules = tuple[dict[str, Any], ...]
EMPTY: Final[dict[str, Any]] = {"enum": [None, [], {}]}


def given(key: str) -> dict[str, Any]:
    """Return the schema of mappings that have a value for this key."""
    return {"required": [key], "properties": {key: {"not": EMPTY}}}


def at_least_one(*keys: str) -> dict[str, Any]:
    """Return the schema of mappings with at least one of these keys."""
    return {"anyOf": [given(key) for key in keys]}


def exactly_one(*keys: str) -> dict[str, Any]:
    """Return the schema of mappings with exactly one of these keys."""
    return {"oneOf": [given(key) for key in keys]}


def at_most_one(*keys: str) -> dict[str, Any]:
    """Return the schema of mappings with at most one of these keys."""
    return {"oneOf": [*(given(key) for key in keys), {"not": at_least_one(*keys)}]}
