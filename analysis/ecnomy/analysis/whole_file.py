# SPDX-License-Identifier: Apache-2.0
"""Files that are never half written."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_whole"]


def write_whole(file: Path, data: bytes) -> None:
    """Write a file so that it is the old or the new one whenever the process ends."""
    temporary = file.with_name(file.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(file)
