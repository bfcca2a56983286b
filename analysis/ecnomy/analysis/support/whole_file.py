# SPDX-License-Identifier: Apache-2.0
"""Files that are never half written, where they can be written at all."""

from __future__ import annotations

from pathlib import Path

from ecnomy.agents.errors import InputError

__all__ = ["place_for", "write_whole"]


def place_for(file: Path, option: str) -> Path:
    """The file, where one may be written; asked before any work is done for it.

    Raises:
        InputError: its folder is not there, or it is a folder itself.
    """
    if not file.parent.is_dir():
        found = f"found no folder {file.parent}"
        raise InputError(f"{option} {file}: {found}, expected one that is there")
    if file.is_dir():
        raise InputError(f"{option} {file}: found a folder, expected the name of a file")
    return file


def write_whole(file: Path, data: bytes) -> None:
    """Write a file so that it is the old or the new one whenever the process ends."""
    temporary = file.with_name(file.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(file)
