# SPDX-License-Identifier: Apache-2.0
"""Finds short and distinct names for the values of a swept parameter.

A mapping such as a strategy or a marking law is named by its kind or law. If several mappings have
the same kind or law, the name also has the fewest keys that distinguish them, as in `red
(min_threshold 7 kB)`. If three keys do not suffice, it has all keys that differ.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

__all__ = ["short_path", "words_of"]

_NAMES = ("kind", "law")
_MOST = 3  # longest combination of keys that is tried


def short_path(path: str) -> str:
    """Return a short name of a parameter, e.g. `gold.count` or `price_per_mark`."""
    parts = path.split(".")
    kept = [part for part in parts[1:] if part not in ("agents", "links")] or parts
    return ".".join(kept)


def words_of(values: Sequence[Any]) -> dict[Any, str]:
    """Return each value in words; mappings (as JSON text) are named as the module describes."""
    read = {value: _read(value) for value in values}
    named: dict[str, list[Any]] = {}
    for value, mapping in read.items():
        if mapping is not None:
            named.setdefault(str(_name(mapping)), []).append(value)
    words = {v: f"{v:g}" if isinstance(v, float) else str(v) for v in values}
    for name, alike in named.items():
        keys = _telling([read[value] or {} for value in alike])
        for value in alike:
            mapping = read[value] or {}
            details = ", ".join(f"{key} {_plain(mapping[key])}" for key in keys if key in mapping)
            words[value] = f"{name} ({details})" if details else name
    return words


def _read(value: Any) -> dict[str, Any] | None:
    try:
        content = json.loads(value) if isinstance(value, str) and value.startswith("{") else None
    except ValueError:
        return None
    return content if isinstance(content, dict) and _name(content) else None


def _name(mapping: dict[str, Any]) -> Any:
    return next((mapping[key] for key in _NAMES if key in mapping), None)


def _telling(mappings: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return the fewest keys, up to three, that distinguish all mappings, or all that differ."""
    if len(mappings) < 2:
        return ()
    keys = list(dict.fromkeys(key for mapping in mappings for key in mapping))
    differ = [k for k in keys if len({_plain(m.get(k)) for m in mappings}) > 1]
    for count in range(1, _MOST + 1):
        for some in itertools.combinations(differ, count):
            if len({tuple(_plain(m.get(k)) for k in some) for m in mappings}) == len(mappings):
                return some
    return tuple(differ)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
