# SPDX-License-Identifier: Apache-2.0
"""Digests of Python code without comments, docstrings, blank lines and module locations.

Imported names count, but their modules do not, so a moved module leaves the digest unchanged.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

__all__ = ["ECONOMY", "digest", "economy_codes", "python_codes"]

_ROOMS: Final = ("economy", "model", "terms")
ECONOMY: Final = ("agents/ecnomy/agents", *(f"markets/ecnomy/markets/{room}" for room in _ROOMS))
_LENGTH: Final = 16  # hexadecimal digits of a digest


def economy_codes(checkout: Path) -> list[str]:
    """Return the digests of the agents' and the economy's code, on which all market runs depend."""
    return python_codes(file for name in ECONOMY for file in (checkout / name).rglob("*.py"))


def python_codes(files: Iterable[Path]) -> list[str]:
    """Return the sorted digests of the code in the given files; other paths are ignored."""
    return sorted(_code_of(file) for file in files if file.is_file())


def _code_of(file: Path) -> str:
    state = file.stat()
    return _digest_of(file, (state.st_mtime_ns, state.st_size))


@functools.lru_cache(maxsize=1024)
def _digest_of(file: Path, state: tuple[int, int]) -> str:
    """Return the digest of a file, cached by `state`, which changes with the file."""
    lines = file.read_text().splitlines()
    brought: list[str] = []
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            brought += [f"{name.name.rpartition('.')[2]} as {name.asname}" for name in node.names]
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = ""
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(text := body[0], ast.Expr):
            if isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
                for line in range(text.lineno - 1, text.end_lineno or text.lineno):
                    lines[line] = ""
    code = "\n".join(lines) + "\n"
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return digest([*sorted(brought), *(line.rstrip() for line in lines if line.strip())])


def digest(what: Any) -> str:
    """Return the digest of the JSON form of a value."""
    return hashlib.sha256(msgspec.json.encode(what, order="sorted")).hexdigest()[:_LENGTH]
