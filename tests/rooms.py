# SPDX-License-Identifier: Apache-2.0
"""The rooms of each package, the imports between them, and cycles of modules and of rooms.

    python tests/rooms.py

A room is a subpackage or a module beside the subpackages. Imports within functions and for types
count too. An arrow is an import of one room by another. It points upward unless the imported room
is in a lower layer of pyproject.toml. The package itself (`__init__.py`) is above all its rooms.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import networkx

from outline import outline

__all__ = ["PACKAGES", "arrows", "circles", "heights", "imports", "main", "room", "upward"]

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("agents", "markets", "analysis")
Graph = Mapping[str, set[str]]


def imports(package: str) -> Graph:
    """Module -> modules of the same package that it imports, by dotted names within it."""
    folder = ROOT / package / "ecnomy" / package
    modules = {_name(file, folder): file for file in folder.rglob("*.py")}
    return {name: _imported(file, package, modules) - {name} for name, file in modules.items()}


def arrows(graph: Graph, of: Callable[[str], str] = str) -> list[tuple[str, str]]:
    """The imports between different modules or rooms, sorted."""
    pairs = ((of(a), of(b)) for a, others in graph.items() for b in others)
    return sorted({(a, b) for a, b in pairs if a != b})


def circles(graph: Graph, of: Callable[[str], str] = str) -> list[list[str]]:
    """Modules or rooms that import each other in a cycle, sorted."""
    groups = networkx.strongly_connected_components(networkx.DiGraph(arrows(graph, of)))
    return sorted(sorted(circle) for circle in groups if len(circle) > 1)


def upward(graph: Graph, heights: Mapping[str, int]) -> list[tuple[str, str]]:
    """The arrows that point upward; KeyError for a room without a layer."""
    return [(a, b) for a, b in arrows(graph, room) if heights[a] >= heights[b]]


def heights(package: str) -> dict[str, int]:
    """Room -> its layer in pyproject.toml, counted from the top, and -1 for the package itself."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(
        contract["layers"]
        for contract in settings["contracts"]
        if f"ecnomy.{package}" in contract.get("containers", ())
    )
    levels = {name.strip(): i for i, layer in enumerate(layers) for name in layer.split("|")}
    return {"": -1, **levels}


def main() -> None:
    """Print the counts of each package, its upward arrows and its cycles."""
    for package in PACKAGES:
        graph = imports(package)
        rooms = {room(name) for name in graph} - {""}
        inner = [(a, b) for a, b in arrows(graph, room) if a]
        against = upward(graph, heights(package))
        print(f"{package}: {len(rooms)} rooms, {len(inner)} arrows, {len(against)} upward")
        for a, b in against:
            print(f"  upward: {a} -> {b}")
        for circle in circles(graph) + circles(graph, room):
            print(f"  circle: {', '.join(circle)}")


def room(module: str) -> str:
    """The room of a module; "" for the package itself."""
    return module.partition(".")[0]


def _name(file: Path, folder: Path) -> str:
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(file: Path, package: str, modules: Mapping[str, Path]) -> set[str]:
    start = f"ecnomy.{package}"
    targets = set()
    for name in outline(file).imports:
        if name.startswith(f"{start}."):
            inner = name.removeprefix(f"{start}.")
            while inner not in modules:
                inner = inner.rpartition(".")[0]
            targets.add(inner)
    return targets


if __name__ == "__main__":
    main()
