# SPDX-License-Identifier: Apache-2.0
"""What the headers under omnet/laws say of each law: formula, source, and every parameter.

A header opens with the formula and its source. Above each row of a table stands what it means:

    static constexpr const char* kName = "load-based";
    static constexpr Parameter kParameters[] = {
        // Over which the load is measured: t_avg (siris2002 section 4.3).
        {"interval_s", "s", 0.5, 1e-6, 1e6, ""},
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["LawHeader", "law_headers"]

OMNET: Final = Path(__file__).resolve().parents[2] / "omnet"
_CLASS: Final = re.compile(
    r"^(?:class|struct) (\w+)(?: : public (\w+))? \{\n(.*?)^\};", re.MULTILINE | re.DOTALL
)
_NAME: Final = re.compile(r'constexpr const char\* kName = "([\w-]+)";')
_TABLE: Final = re.compile(r"constexpr Parameter kParameters\[\] = \{\n(.*?)^  \};", re.M | re.S)
_ROW: Final = re.compile(r'((?: *//.*\n)*) *\{"(\w+)",')
# A law without a class: it has no parameters and no state.
_WITHOUT: Final = {("traffic", "greedy"): "laws/traffic/traffic.h"}


@dataclass(frozen=True)
class LawHeader:
    """A law's header, relative to omnet/; the lines it opens with; {parameter: what it means}."""

    file: str
    head: tuple[str, ...]
    meanings: dict[str, str]


@functools.cache
def law_headers() -> dict[tuple[str, str], LawHeader]:
    """{(family, law): its header}; the family is the header's folder."""
    found: dict[tuple[str, str], LawHeader] = {}
    bases: dict[str, dict[str, str]] = {}
    waiting: list[tuple[tuple[str, str], Path, str]] = []
    for file in sorted((OMNET / "laws").glob("*/*.h")):
        for name, base, body in _CLASS.findall(file.read_text()):
            law, table = _NAME.search(body), _TABLE.search(body)
            if table is not None:
                bases[name] = _meanings(table[1])
            if law is not None:
                waiting.append(((file.parent.name, law[1]), file, name if table else base))
    for key, file, table_of in waiting:
        found[key] = _header(file, bases.get(table_of, {}))
    for key, name in _WITHOUT.items():
        found[key] = _header(OMNET / name, {})
    return found


def _header(file: Path, meanings: dict[str, str]) -> LawHeader:
    lines = file.read_text().splitlines()[1:]
    count = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    head = tuple(line[2:].removeprefix(" ").rstrip() for line in lines[:count])
    return LawHeader(file.relative_to(OMNET).as_posix(), head, meanings)


def _meanings(table: str) -> dict[str, str]:
    return {
        name: " ".join(line.strip().removeprefix("//").strip() for line in comment.splitlines())
        for comment, name in _ROW.findall(table)
    }
