# SPDX-License-Identifier: Apache-2.0
"""Digests of the C++ sources on which outcomes depend.

If a digest has changed, a record requires a probe run.

    digest = sha256 over the sorted sha256 digests of all source files in some folders

Source files are C++, NED, message and ini files. Documents and build products (objects, generated
`*_m.cc` and `*_m.h`) do not count. Names of source files do not count either, nor do comments and
layout, except those of ini files.
The parameters in the NED type of a law are also ignored, because omnet/tools/law_tables.py writes
them from the law's header, which counts.

Runs whose plans name only some laws do not depend on the other laws. The header of a law defines
kName. If only the host's list of the law's family and headers of other laws include this header, it
counts only for runs that name the law, or a law whose header includes it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.markets.engines.registry import find_engine
from ecnomy.markets.plan import Plan

__all__ = [
    "FOLDERS",
    "INET",
    "SHARED",
    "code_of",
    "engine_digest",
    "find_checkout",
    "laws_named",
    "source_digest",
]

SHARED: Final = ("omnet/laws", "omnet/bridge", "omnet/host")
INET: Final = "omnet/inet"
VIEW: Final = "omnet/inet/view"  # draws in Qtenv without effect on runs
FOLDERS: Final = (*SHARED, INET)
LINUX_SOURCES: Final = (*SHARED, "omnet/engine", "omnet/linux")
_SUFFIXES: Final = (".h", ".cc", ".c", ".cpp", ".ned", ".msg", ".ini")
_GENERATED: Final = ("_m.h", "_m.cc")
_BUILT_IN: Final = "builtin"
_LINUX: Final = "linux"
_FAMILIES: Final = ("omnet/laws/marking", "omnet/laws/window")
_SOURCES: Final = (*SHARED, "omnet/engine")
_LAW: Final = re.compile(r'constexpr const char\* kName = "([\w-]+)";')
_WORD: Final = re.compile(rb'"([\w-]+)"')
_INCLUDE: Final = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
_TOKENS: Final = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<kept>^[ \t]*\#[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_NED_OF_LAW: Final = re.compile(r"^// The \w+ law `[\w-]+`, from laws/", re.MULTILINE)
_PARAMETER: Final = re.compile(r"^ *(?:double|int|bool|string) (?!law\b)[^;\n]*;", re.MULTILINE)
_LAYOUT: Final = re.compile(r"(?<=\w)(\s)\s*(?=\w)|\s+")


def find_checkout(start: Path | None = None) -> Path | None:
    """Return the nearest folder with the sources, from `start` or the current folder upwards."""
    here = (start or Path()).resolve()
    folders = (here, *here.parents)
    return next((folder for folder in folders if (folder / FOLDERS[0]).is_dir()), None)


def source_digest(
    checkout: Path, folders: Sequence[str] = FOLDERS, laws: Collection[str] | None = None
) -> str:
    """Return the digest of the sources in some folders of a checkout.

    Args:
        checkout: the checkout that contains the folders.
        folders: folders in the checkout.
        laws: the laws whose headers count; None for all laws.

    Raises:
        InputError: the checkout lacks a folder other than omnet/inet.
    """
    for name in folders:
        if name != INET and not (checkout / name).is_dir():
            raise InputError(f"{checkout}: not a checkout of ecnomy, because {name} is missing")
    own = _law_headers(checkout) if laws is not None else {}
    left = {file for file, of in own.items() if laws is not None and of.isdisjoint(laws)}
    eyes = checkout / VIEW
    files = [p for p in _sources(checkout, folders) if eyes not in p.parents]
    codes = sorted(_code_digest(p, _state(p)) for p in files if p not in left)
    return hashlib.sha256("\n".join(codes).encode()).hexdigest()


def laws_named(plans: Iterable[Plan], checkout: Path) -> tuple[str, ...]:
    """Return the laws that have headers and whose names occur in the plans.

    A law that occurs by chance, e.g. as the name of a source, is harmless.
    """
    text = b"".join(map(msgspec.json.encode, plans))
    words = {word.decode() for word in _WORD.findall(text)}
    laws = frozenset().union(*_law_headers(checkout).values())
    return tuple(sorted(words & laws))


def _law_headers(checkout: Path) -> dict[Path, frozenset[str]]:
    """Return each header that counts only for certain laws, with these laws."""
    families = [checkout / family for family in _FAMILIES]
    headers: dict[Path, str] = {}
    by: dict[str, list[Path]] = {}
    for file in _sources(checkout, _SOURCES):
        law, included = _named(file, _state(file))
        if law and file.suffix == ".h" and file.parent in families:
            headers[file] = law
        for name in included:
            by.setdefault(name, []).append(file)
    users = {
        file: [other for other in by.get(file.name, ()) if other in headers] for file in headers
    }
    listed = {
        file
        for file in headers
        if [other.parent.name for other in by.get(file.name, ()) if other not in headers]
        == ["host"]
    }

    def laws(file: Path) -> frozenset[str]:
        return frozenset({headers[file]}).union(*map(laws, users[file]))

    return {file: laws(file) for file in listed}


@functools.lru_cache(maxsize=1024)
def _named(file: Path, state: tuple[int, int]) -> tuple[str, tuple[str, ...]]:
    """Return the law that a file defines (or "") and the names of the files that it includes."""
    text = file.read_text()
    law = _LAW.search(text)
    return law[1] if law else "", tuple(Path(name).name for name in _INCLUDE.findall(text))


def _sources(checkout: Path, folders: Sequence[str]) -> list[Path]:
    below = (level for name in folders for level in os.walk(checkout / name))
    return [Path(folder, name) for folder, _, names in below for name in names if _counts(name)]


def _state(file: Path) -> tuple[int, int]:
    state = file.stat()
    return state.st_mtime_ns, state.st_size


@functools.lru_cache(maxsize=1024)
def _code_digest(file: Path, state: tuple[int, int]) -> str:
    """Return the digest of a file's code, cached by `state`, which changes with the file."""
    text = file.read_text()
    if file.suffix == ".ned" and _NED_OF_LAW.search(text):
        text = _PARAMETER.sub("", text)
    code = text if file.suffix == ".ini" else code_of(text)
    return hashlib.sha256(code.encode()).hexdigest()


def code_of(text: str) -> str:
    """Return code without comments and layout, but with its literals and `#` lines."""
    code, at = [], 0
    for token in _TOKENS.finditer(text):
        code += [text[at : token.start()], f"\0{token['kept']}\0" if token["kept"] else " "]
        at = token.end()
    parts = "".join([*code, text[at:]]).split("\0")
    return "\0".join(
        part if i % 2 else _LAYOUT.sub(lambda gap: " " if gap[1] else "", part)
        for i, part in enumerate(parts)
    )


def _counts(name: str) -> bool:
    return name.endswith(_SUFFIXES) and not name.endswith(_GENERATED)


def engine_digest(engine: str) -> str:
    """Return the digest of an engine's sources or executable.

    The digest is that of the built-in engine's executable if the engine is built in, or if there is
    no checkout with sources.

    Raises:
        EngineError: the built-in engine is missing.
    """
    checkout = None if engine == _BUILT_IN else find_checkout()
    if checkout is None:
        return f"{engine} {hashlib.sha256(find_engine().read_bytes()).hexdigest()}"
    folders = LINUX_SOURCES if engine == _LINUX else FOLDERS
    return f"{engine} {source_digest(checkout, folders)}"
