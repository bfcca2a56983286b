# SPDX-License-Identifier: Apache-2.0
"""Digests of the C++ sources that a comparison's figures come from.

    digest = sha256 over (relative path, NUL, sha256 of the contents), paths in sorted order,
             of all source files below omnet/laws, omnet/bridge, omnet/host and omnet/inet of a
             checkout

Source files are C++, NED, message and ini files; what a build leaves beside them (objects,
generated `*_m.cc` and `*_m.h`) and documents do not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.engines import find_engine

__all__ = ["FOLDERS", "engine_digest", "find_checkout", "source_digest"]

FOLDERS: Final = ("omnet/laws", "omnet/bridge", "omnet/host", "omnet/inet")
_SUFFIXES: Final = (".h", ".cc", ".cpp", ".ned", ".msg", ".ini")
_GENERATED: Final = ("_m.h", "_m.cc")
_BUILT_IN: Final = "builtin"


def find_checkout(start: Path | None = None) -> Path | None:
    """The nearest folder from `start` (default: the current one) upwards that holds the sources."""
    here = (start or Path()).resolve()
    folders = (here, *here.parents)
    return next((folder for folder in folders if (folder / FOLDERS[0]).is_dir()), None)


def source_digest(checkout: Path, folders: Sequence[str] = FOLDERS) -> str:
    """The digest of the sources in these folders of a checkout.

    Raises:
        InputError: it holds no laws or no bridge (omnet/inet may be missing).
    """
    for name in FOLDERS[:2]:
        if not (checkout / name).is_dir():
            raise InputError(f"{checkout}: no checkout of ecnomy, it has no {name}")
    files = [p for name in folders for p in (checkout / name).rglob("*") if _counts(p)]
    digest = hashlib.sha256()
    for name, file in sorted((p.relative_to(checkout).as_posix(), p) for p in files):
        digest.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


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
