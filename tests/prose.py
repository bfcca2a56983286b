# SPDX-License-Identifier: Apache-2.0
"""Turns of phrase that readers stumbled over, with what to write: `prose.py FILE...`.

Markdown is searched whole, Python in its docstrings, C++ and NED in comments. The tests also search
the help of each verb. Exit status 1 if a turn is found.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from outline import outline

__all__ = ["SUFFIXES", "TURNS", "turns", "words_of"]

TURNS: Final = {  # pattern: what to write
    r"\b(is|are|was|were|be) (told|asked)\b": "shown, printed, listed, reported, queried",
    r"\bto be had\b": "available, or active voice",
    r"\bof (its|one's|their|your|his|our) own\b(?! \w)": "its own X, your own X, or a custom X",
    r"\bwhat is no\b": "a noun: other durations",
    r"\bnone of (ours|its)\b": "a plain negative",
    r"\bwhoever\b": "a noun: the caller, users who",
    r"\banew\b": "again, or re-: rewrite, rebuild",
    r"\bheld to\b": "compared with",
    r"\bhangs? on\b": "depends on",
    r"\bbut for\b": "except",
    r"\blets? out\b": "omits, leaves out",
    r"\breckons? with\b": "expects, considers",
}
SUFFIXES: Final = (".md", ".py", ".h", ".cc", ".ned")
_FOUND: Final = {re.compile(pattern, re.IGNORECASE): use for pattern, use in TURNS.items()}


def turns(text: str) -> Iterator[tuple[str, str]]:
    """Yield each turn found in a text, with what to write."""
    for pattern, use in _FOUND.items():
        yield from ((found[0], use) for found in pattern.finditer(text))


def words_of(path: Path) -> str:
    """The prose of a file: all, its docstrings or its comments, by its suffix."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    if path.suffix == ".py":
        return "\n".join(outline(path).docstrings)
    return "\n".join(re.findall(r"//(.*)", text))


def main(files: Iterable[str]) -> int:
    """Print the turns found in files, one a line."""
    paths = [Path(name) for name in files]
    found = [(p, *turn) for p in paths if p.suffix in SUFFIXES for turn in turns(words_of(p))]
    for path, turn, use in found:
        print(f"{path}: found '{turn}', expected {use}")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
