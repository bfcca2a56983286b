# SPDX-License-Identifier: Apache-2.0
"""The parts of a Python file for test_tidy.py, rooms.py and prose.py, parsed only once."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from waiting_rule import unlimited_waits

__all__ = ["Function", "Outline", "outline"]

_DOCUMENTED: Final = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Function(NamedTuple):
    """A function of a file, at any depth."""

    file: Path
    name: str
    lines: int
    documented: bool


class Outline(NamedTuple):
    """A file: public names, functions, imported names, waits without a limit."""

    documented: bool
    public: bool
    functions: tuple[Function, ...]
    imports: tuple[str, ...]
    waits: tuple[str, ...]


@functools.cache
def outline(path: Path) -> Outline:
    """The outline of a file; imports are dotted names from anywhere in the file."""
    text = path.read_text()
    tree = ast.parse(text)
    defines = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    public = any(not n.name.startswith("_") for n in defines)
    functions, imports = [], []
    documented = []
    for node in _statements(tree):
        if isinstance(node, _DOCUMENTED):
            documented.append(bool(ast.get_docstring(node, clean=False)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            functions.append(Function(path, node.name, lines, documented[-1]))
        elif isinstance(node, ast.ImportFrom):
            imports += [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            imports += [name.name for name in node.names]
    waits = tuple(unlimited_waits(text, tree))
    return Outline(documented[0], public, tuple(functions), tuple(imports), waits)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Statements, handlers and cases at or below it, without expressions (most of a file)."""
    yield tree
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(tree, field, [])
        for node in inner if isinstance(inner, list) else []:
            yield from _statements(node)
