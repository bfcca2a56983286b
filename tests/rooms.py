# SPDX-License-Identifier: Apache-2.0
"""The rooms (subpackages) of each package, their imports, and cycles of modules.

    python tests/rooms.py

Imports within functions and for types count too. An arrow is an import of one room by another. It
points upward if the imported room is higher in the layers of pyproject.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import networkx

from outline import outline

__all__ = ["circles", "imports", "main"]

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("agents", "markets", "analysis")
Graph = Mapping[str, set[str]]


def imports(package: str) -> Graph:
    """Module -> modules of the same package that it imports, by dotted names within it."""
    folder = ROOT / package / "ecnomy" / package
    modules = {_name(file, folder): file for file in folder.rglob("*.py")}
    return {name: _imported(file, package, modules) - {name} for name, file in modules.items()}


def circles(graph: Graph, of: Callable[[str], str] = str) -> list[list[str]]:
    """Modules or rooms that import each other in a cycle, sorted."""
    arrows = {(of(a), of(b)) for a, others in graph.items() for b in others if of(a) != of(b)}
    found = networkx.strongly_connected_components(networkx.DiGraph(sorted(arrows)))
    return sorted(sorted(circle) for circle in found if len(circle) > 1)


def main() -> None:
    """Print the counts of each package, its upward arrows and its cycles."""
    for package in PACKAGES:
        graph = imports(package)
        pairs = ((_room(a), _room(b)) for a, others in graph.items() for b in others if a)
        arrows = {(a, b) for a, b in pairs if a != b}
        rooms = {_room(name) for name in graph} - {""}
        above = _heights(package)
        upward = sorted((a, b) for a, b in arrows if above.get(a, 0) > above.get(b, 0))
        print(f"{package}: {len(rooms)} rooms, {len(arrows)} arrows, {len(upward)} upward")
        for a, b in upward:
            print(f"  upward: {a} -> {b}")
        for circle in circles(graph):
            print(f"  circle: {', '.join(circle)}")


def _name(file: Path, folder: Path) -> str:
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(file: Path, package: str, modules: Mapping[str, Path]) -> set[str]:
    start = f"ecnomy.{package}"
    found = set()
    for name in outline(file).imports:
        if name.startswith(f"{start}."):
            inner = name.removeprefix(f"{start}.")
            while inner not in modules:
                inner = inner.rpartition(".")[0]
            found.add(inner)
    return found


def _room(module: str) -> str:
    return module.partition(".")[0]


def _heights(package: str) -> dict[str, int]:
    """Room -> its place in the layers of pyproject.toml, counted from the top."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    for contract in settings["contracts"]:
        if f"ecnomy.{package}" in contract.get("containers", ()):
            layers = enumerate(contract["layers"])
            return {room.strip(): i for i, layer in layers for room in layer.split("|")}
    return {}


if __name__ == "__main__":
    main()
