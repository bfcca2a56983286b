# SPDX-License-Identifier: Apache-2.0
"""Resolve `extends: other.yaml`, which makes a scenario a variant of another.

The variant changes its base. Mappings merge key by key. Lists whose items all have a `name` merge
by name, and new names are appended. null removes a value, and any other value replaces the base's.
A mapping with another `law` or `kind` replaces the base's, because the parameters of one law have
no meaning for another. Each value keeps its original file and line.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.find import nearest
from ecnomy.markets.inputs.yamlfile import Node, parse, read, show

__all__ = ["SELECTORS", "load_text", "load_tree", "merged"]

_DEEPEST: Final = 16
SELECTORS: Final = ("law", "kind")  # the keys that name the kind of a mapping
_MOST_COMPARED: Final = 2000  # largest number of compared pairs of names


def load_tree(path: str | os.PathLike[str]) -> Node:
    """Return the document in a file, merged with the bases that it extends.

    Raises:
        ScenarioError: a file cannot be read, or the chain of `extends` has a loop or is too long.
    """
    shown = os.fspath(path)
    return _with_bases(read(Path(path), shown), shown, (_identity(Path(path)),))


def load_text(text: str, name: str) -> Node:
    """Return the document in a string; `extends` is relative to the current folder.

    Raises:
        ScenarioError: as for load_tree.
    """
    return _with_bases(parse(text, name), name, ())


def _with_bases(node: Node, shown: str, above: tuple[str, ...]) -> Node:
    if "extends" not in node.mapping():
        return node
    entry = node.mapping()["extends"]
    if not isinstance(entry.value, str) or "\0" in entry.value:
        raise entry.place.error("extends", show(entry), "the path of another scenario")
    base_shown = os.path.join(os.path.dirname(shown), entry.value)
    identity = _identity(Path(base_shown))
    if identity in above:
        raise entry.place.error(
            "extends", f"{show(entry)} twice", "a chain of files without a loop"
        )
    if len(above) >= _DEEPEST:
        raise entry.place.error("extends", show(entry), f"a chain of at most {_DEEPEST} files")
    if not os.path.isfile(base_shown):
        raise entry.place.error(
            "extends", f"{show(entry)}, no such file", "the path of another scenario"
        )
    base = _with_bases(read(Path(base_shown), base_shown), base_shown, (*above, identity))
    own = {key: value for key, value in node.mapping().items() if key != "extends"}
    return merged(base, Node(own, node.place, keys=node.keys))


def _identity(path: Path) -> str:
    return os.path.realpath(path)


def merged(base: Node, over: Node) -> Node:
    """Return `base` with the changes of `over`."""
    if isinstance(base.value, dict) and isinstance(over.value, dict):
        return over if _other_choice(base, over) else _merged_mappings(base, over)
    if _named(base) and _named(over):
        return _merged_lists(base, over)
    return over


def _other_choice(base: Node, over: Node) -> bool:
    pairs = [(base.mapping().get(key), over.mapping().get(key)) for key in SELECTORS]
    return any(old and new and old.value != new.value for old, new in pairs)


def _merged_mappings(base: Node, over: Node) -> Node:
    values = dict(base.mapping())
    for key, value in over.mapping().items():
        values[key] = merged(values[key], value) if key in values else value
    return Node(values, over.place, keys={**base.keys, **over.keys})


def _name(node: Node) -> str | None:
    name = node.mapping().get("name")
    return name.value if name and isinstance(name.value, str) else None


def _named(node: Node) -> bool:
    return bool(node.items()) and all(_name(item) is not None for item in node.items())


def _merged_lists(base: Node, over: Node) -> Node:
    fresh = {_name(item): item for item in reversed(over.items())}
    known = dict.fromkeys(str(_name(item)) for item in base.items())
    result = [merged(i, fresh[_name(i)]) if _name(i) in fresh else i for i in base.items()]
    # A name that the variant repeats is kept twice, so that validation refuses it.
    first = set(map(id, fresh.values()))
    few = len(known) * len(fresh) <= _MOST_COMPARED
    for item in over.items():
        if _name(item) not in known:
            near = nearest(str(_name(item)), list(known)) if few else ""
            result.append(msgspec.structs.replace(item, meant=near))
        elif id(item) not in first:
            result.append(item)
    return Node(result, over.place)
