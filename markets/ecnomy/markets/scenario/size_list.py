# SPDX-License-Identifier: Apache-2.0
"""The YAML under `sizes:`: file sizes to draw from, or the name of a file with sizes.

    sizes: [10 kB, 20 kB, {size: 1 MB, weight: 0.5}]
    sizes: sizes.csv  # beside the scenario

Each line of the file has a size, in bytes or with a unit (compare andreassen2002 section 2.2.2). A
weight may follow after a comma; its default is 1. `#` begins a comment.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.markets.inputs.amounts import Amount
from ecnomy.markets.inputs.files import Unreadable, read_bytes
from ecnomy.markets.inputs.yamlfile import Node, Place, child_path, show

__all__ = ["MOST_SIZES", "SizeRow", "SizesReader", "with_sizes_inside"]

MOST_SIZES: Final = 10_000  # omnet/laws/traffic/sizes.h
_MOST_WEIGHT: Final = 10**12
_MOST_MIB: Final = 1  # size of the file
_SIZE: Final = Amount(
    what="a size", example="10 kB", units=("byte",), least=1, most=10**12, plain=False
)


class SizeRow(msgspec.Struct, frozen=True):
    """A file size, with its weight relative to the other sizes."""

    bytes: int
    weight: float = 1.0


class SizesReader(msgspec.Struct, frozen=True):
    """Reads sizes, with or without weights, or the name of a file with sizes."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return "sizes such as [10 kB, {size: 1 MB, weight: 0.5}], or the name of a file with sizes"

    @property
    def schema(self) -> dict[str, Any]:
        """See Reader."""
        weight = {"type": "number", "exclusiveMinimum": 0, "maximum": _MOST_WEIGHT}
        row = {
            "type": "object",
            "properties": {"size": _SIZE.schema, "weight": weight},
            "required": ["size"],
            "additionalProperties": False,
        }
        items = {"anyOf": [_SIZE.schema, row]}
        rows = {"type": "array", "items": items, "minItems": 1, "maxItems": MOST_SIZES}
        return {"anyOf": [{"type": "string"}, rows]}

    def read(self, node: Node, path: str) -> tuple[SizeRow, ...]:
        """See Reader."""
        if isinstance(node.value, str):
            node = _from_file(node, path)
        if not node.items():
            raise node.place.error(path, show(node), self.expected)
        if len(node.items()) > MOST_SIZES:
            raise node.place.error(path, show(node), f"at most {MOST_SIZES:,} sizes")
        return tuple(_row(item, child_path(path, index)) for index, item in enumerate(node.items()))

    def write(self, value: tuple[SizeRow, ...]) -> list[dict[str, Any]]:
        """See Reader."""
        return [{"size": f"{row.bytes} byte", "weight": row.weight} for row in value]


def with_sizes_inside(tree: Node) -> Node:
    """Return a scenario's tree, with the names of size files replaced by the sizes in them.

    Raises:
        ScenarioError: a size file cannot be read.
    """
    sources = tree.mapping().get("sources")
    if sources is None or not sources.items():
        return tree
    inside = [_inside(item, f"sources[{index}]") for index, item in enumerate(sources.items())]
    values = {**tree.mapping(), "sources": Node(inside, sources.place)}
    return Node(values, tree.place, keys=tree.keys)


def _inside(source: Node, path: str) -> Node:
    traffic = source.mapping().get("traffic")
    sizes = traffic.mapping().get("sizes") if traffic is not None else None
    if traffic is None or sizes is None or not isinstance(sizes.value, str):
        return source
    rows = _from_file(sizes, f"{path}.traffic.sizes")
    filled = Node({**traffic.mapping(), "sizes": rows}, traffic.place, keys=traffic.keys)
    return Node({**source.mapping(), "traffic": filled}, source.place, keys=source.keys)


def _from_file(node: Node, path: str) -> Node:
    """Return the sizes in a file beside the scenario file, or else in the current folder."""
    named = str(node.value)
    beside = os.path.join(os.path.dirname(node.place.file), named)
    shown = beside if os.path.isfile(node.place.file) else named
    try:
        text = read_bytes(Path(shown), _MOST_MIB).decode("utf-8-sig")
    except Unreadable as fault:
        found = f"{show(node)} ({fault})"
        raise node.place.error(path, found, f"a text file of at most {_MOST_MIB} MiB") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no text"
        found = f"{show(node)} ({reason.lower()})"
        raise node.place.error(path, found, "a text file with one size per line") from None
    rows = [
        _line(words, Place(shown, number))
        for number, line in enumerate(text.splitlines(), 1)
        if (words := line.partition("#")[0].strip())
    ]
    return Node(rows, node.place)


def _line(text: str, place: Place) -> Node:
    size, comma, weight = (word.strip() for word in text.partition(","))
    if size.replace(".", "", 1).isdigit():
        size = f"{size} bytes"
    rows = {"size": Node(size, place, size)}
    if comma:
        rows["weight"] = Node(_number(weight), place, weight)
    return Node(rows, place)


def _number(text: str) -> float | str:
    """Return the number as YAML reads it, or the text itself if it is not numeric, for messages."""
    try:
        return float(text)
    except ValueError:
        return text


def _row(node: Node, path: str) -> SizeRow:
    if not isinstance(node.value, dict):
        return SizeRow(_SIZE.read(node, path))
    given = node.mapping()
    for key in given:
        if key not in ("size", "weight"):
            place = node.keys.get(key, node.place)
            raise place.error(
                child_path(path, key), f"the unknown key {key[:60]!r}", "size, weight"
            )
    if "size" not in given:
        raise node.place.error(child_path(path, "size"), "no 'size'", _SIZE.expected)
    size = _SIZE.read(given["size"], child_path(path, "size"))
    return SizeRow(size, _weight(given["weight"], path) if "weight" in given else 1.0)


def _weight(node: Node, path: str) -> float:
    value = node.value
    if type(value) in (int, float) and 0 < float(value) <= _MOST_WEIGHT:  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    raise node.place.error(
        child_path(path, "weight"), show(node), f"a number above 0 and at most {_MOST_WEIGHT:g}"
    )
