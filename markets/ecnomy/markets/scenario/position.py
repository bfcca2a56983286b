# SPDX-License-Identifier: Apache-2.0
"""The position of a node: [x, y], or [longitude, latitude] in degrees for a real place."""

from __future__ import annotations

from typing import Any

import msgspec

from ecnomy.markets.inputs.yamlfile import Node, show

__all__ = ["PositionReader"]


class PositionReader(msgspec.Struct, frozen=True):
    """Reads and writes a position of two numbers."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "two numbers such as [-87.6, 41.8]"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        return {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}

    def read(self, node: Node, path: str) -> tuple[float, float]:
        """See Reader."""
        values = [item.value for item in node.items()]
        numbers = [
            float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)
        ]
        if len(numbers) != 2 or len(values) != 2:
            raise node.place.error(path, show(node), self.expected)
        return numbers[0], numbers[1]

    def write(self, value: tuple[float, float]) -> list[float]:
        """See Reader."""
        return list(value)
