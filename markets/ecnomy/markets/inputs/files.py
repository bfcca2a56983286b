# SPDX-License-Identifier: Apache-2.0
"""Read a file that a user names, and refuse devices and files that are too large.

Pipes are read so that `<(...)` and /dev/stdin work. An empty pipe is refused.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["Unreadable", "read_bytes"]


class Unreadable(Exception):
    """A file that cannot be read. The message states what the path holds instead."""


def read_bytes(path: Path, most_mib: int) -> bytes:
    """Return the content of a file or a pipe.

    Args:
        path: the file.
        most_mib: largest size [MiB].

    Raises:
        Unreadable: the path is a device or a socket, the file is too large, or a pipe is empty.
        OSError: the file cannot be opened, or is a folder.
        ValueError: the name is not valid for a file.
    """
    # without O_NONBLOCK, opening a pipe would wait for a writer
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError
        pipe = stat.S_ISFIFO(mode)
        if not (pipe or stat.S_ISREG(mode)):
            raise Unreadable("a device")
        os.set_blocking(descriptor, True)
        with open(descriptor, "rb", closefd=False) as opened:
            data = opened.read(most_mib * 2**20 + 1)
    finally:
        os.close(descriptor)
    if len(data) > most_mib * 2**20:
        raise Unreadable(f"more than {most_mib} MiB")
    if pipe and not data:
        raise Unreadable("a pipe without a writer")
    return data
