# SPDX-License-Identifier: Apache-2.0
"""The places of a scenario's values in its files, for errors found after reading."""

from __future__ import annotations

import msgspec

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.inputs.yamlfile import Place

__all__ = ["Places"]


class Places(msgspec.Struct, frozen=True):
    """The place of each written value by dotted path, and the `file` for values without a place.

    `written` maps the path of each derived value, such as a source of a demand matrix, to the path
    of the written value from which it derives. Messages name the written value.
    """

    by_path: dict[str, Place]
    file: str
    written: dict[str, str] = {}

    def place(self, path: str) -> Place:
        """Return the place of a value, or of the nearest written value that encloses it."""
        path = self._as_written(path)
        while path not in self.by_path and path:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.by_path.get(path, Place(self.file, None))

    def fault(self, path: str, found: str, expected: str) -> ScenarioError:
        """Return an error at a value; its path lacks the index of an item written without a list.

        A list with one item may be written as the item alone.
        """
        path = self._as_written(path)
        if path not in self.by_path and path.endswith("]"):
            path = path[: path.rfind("[")]
        return self.place(path).error(path, found, expected)

    def _as_written(self, path: str) -> str:
        head = path
        while head and head not in self.written:
            head = head[: max(head.rfind("."), head.rfind("["), 0)]
        return self.written[head] + path[len(head) :] if head else path
