# SPDX-License-Identifier: Apache-2.0
"""Atomic writing of files, and an early check of a file's path."""

from __future__ import annotations

from pathlib import Path

from ecnomy.agents.errors import InputError

__all__ = ["place_for", "write_whole"]


def place_for(file: Path, option: str) -> Path:
    """Return the path of a file, after a check that its folder exists and that it is no folder.

    Call this before any work on the file's content.

    Raises:
        InputError: the parent folder does not exist, or the path is a folder.
    """
    if not file.parent.is_dir():
        fault = f"found no folder {file.parent}"
        raise InputError(f"{option} {file}: {fault}, expected an existing folder")
    if file.is_dir():
        raise InputError(f"{option} {file}: found a folder, expected the name of a file")
    return file


def write_whole(file: Path, data: bytes) -> None:
    """Write a file atomically: if the process is killed, the old or the new content remains."""
    temporary = file.with_name(file.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(file)
