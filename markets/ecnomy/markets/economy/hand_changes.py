# SPDX-License-Identifier: Apache-2.0
"""Record the values that a user sets in a running market, for the manifest."""

from __future__ import annotations

from typing import Any

__all__ = ["HandChanges"]


class HandChanges:
    """Counts the values that a user set, and records the time of the first, by kind and name."""

    def __init__(self) -> None:
        self._latest: dict[tuple[str, str], object] = {}
        self._changes: dict[tuple[str, str], dict[str, Any]] = {}

    @property
    def listed(self) -> list[dict[str, Any]]:
        """Return the changes as HandChange entries for the manifest."""
        return list(self._changes.values())

    def note(self, t_ps: int, what: str, of: str, value: object) -> None:
        """Record a value, unless it equals the previous value."""
        if self._latest.get((what, of)) == value:
            return
        self._latest[what, of] = value
        start = {"what": what, "of": of, "from_ps": t_ps, "values": 0}
        self._changes.setdefault((what, of), start)["values"] += 1
