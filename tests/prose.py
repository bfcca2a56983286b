# SPDX-License-Identifier: Apache-2.0
"""Finds phrases that readers stumbled over, with replacements: `prose.py FILE...`.

Markdown and Python are searched whole, with messages and comments, C++ and NED in comments and
strings. The tests also search the help of each verb. The exit status is 1 if a phrase is found.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

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
_SAMPLES: Final = ("prose.py", "test_tidy.py")  # their patterns and samples are such phrases
SUFFIXES: Final = (".md", ".py", ".h", ".cc", ".ned")
_FOUND: Final = {re.compile(pattern, re.IGNORECASE): use for pattern, use in TURNS.items()}


def turns(text: str) -> Iterator[tuple[str, str]]:
    """Yield each phrase found in a text, with its replacement."""
    for pattern, use in _FOUND.items():
        yield from ((match[0], use) for match in pattern.finditer(text))


def words_of(path: Path) -> str:
    """Return the prose of a file: all of it, or the comments and strings of C++ and NED."""
    if path.name in _SAMPLES:
        return ""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".md", ".py"):
        return text
    return "\n".join("".join(parts) for parts in re.findall(r"//(.*)|\"([^\"\n]*)\"", text))


def main(files: Iterable[str]) -> int:
    """Print the phrases found in files, one per line."""
    paths = [Path(name) for name in files]
    phrases = [(p, *turn) for p in paths if p.suffix in SUFFIXES for turn in turns(words_of(p))]
    for path, turn, use in phrases:
        print(f"{path}: found '{turn}', expected {use}")
    return int(bool(phrases))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
