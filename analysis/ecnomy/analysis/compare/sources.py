# SPDX-License-Identifier: Apache-2.0
"""Digests of the C++ sources that a comparison's figures come from.

    digest = sha256 over (relative path, NUL, sha256 of the code), paths in sorted order, of all
             source files below omnet/laws, omnet/bridge, omnet/host and omnet/inet of a checkout

Source files are C++, NED, message and ini files; what a build leaves beside them (objects,
generated `*_m.cc` and `*_m.h`) and documents do not count, nor do comments and layout.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.engines import find_engine

__all__ = ["FOLDERS", "code_of", "engine_digest", "find_checkout", "source_digest"]

FOLDERS: Final = ("omnet/laws", "omnet/bridge", "omnet/host", "omnet/inet")
_SUFFIXES: Final = (".h", ".cc", ".cpp", ".ned", ".msg", ".ini")
_GENERATED: Final = ("_m.h", "_m.cc")
_BUILT_IN: Final = "builtin"
_TOKENS: Final = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<kept>^[ \t]*\#[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_LAYOUT: Final = re.compile(r"(?<=\w)(\s)\s*(?=\w)|\s+")


def find_checkout(start: Path | None = None) -> Path | None:
    """The nearest folder from `start` (default: the current one) upwards that holds the sources."""
    here = (start or Path()).resolve()
    folders = (here, *here.parents)
    return next((folder for folder in folders if (folder / FOLDERS[0]).is_dir()), None)


def source_digest(checkout: Path, folders: Sequence[str] = FOLDERS) -> str:
    """The digest of the sources in these folders of a checkout.

    Raises:
        InputError: it lacks one of the first two (omnet/inet may be missing).
    """
    for name in folders[:2]:
        if not (checkout / name).is_dir():
            raise InputError(f"{checkout}: no checkout of ecnomy, it has no {name}")
    files = [p for name in folders for p in (checkout / name).rglob("*") if _counts(p)]
    digest = hashlib.sha256()
    for name, file in sorted((p.relative_to(checkout).as_posix(), p) for p in files):
        code = file.read_bytes() if file.suffix == ".ini" else code_of(file.read_text()).encode()
        digest.update(f"{name}\0{hashlib.sha256(code).hexdigest()}\n".encode())
    return digest.hexdigest()


def code_of(text: str) -> str:
    """C++, NED or messages without comments and layout; literals and `#` lines as they are."""
    code, at = [], 0
    for token in _TOKENS.finditer(text):
        code += [text[at : token.start()], f"\0{token['kept']}\0" if token["kept"] else " "]
        at = token.end()
    parts = "".join([*code, text[at:]]).split("\0")
    return "\0".join(
        part if i % 2 else _LAYOUT.sub(lambda gap: " " if gap[1] else "", part)
        for i, part in enumerate(parts)
    )


def _counts(file: Path) -> bool:
    return file.suffix in _SUFFIXES and not file.name.endswith(_GENERATED) and file.is_file()


def engine_digest(engine: str) -> str:
    """What an engine's runs depend on: the built-in one's executable, else the sources.

    Raises:
        EngineError: there is no built-in engine.
    """
    checkout = None if engine == _BUILT_IN else find_checkout()
    if checkout is None:
        return f"{engine} {hashlib.sha256(find_engine().read_bytes()).hexdigest()}"
    return f"{engine} {source_digest(checkout)}"
