# SPDX-License-Identifier: Apache-2.0
"""Locked folders: one process at a time writes to a folder of results.

A lock is an flock of a file in the folder. It ends with the process, however that ends.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from ecnomy.agents.errors import InputError

__all__ = ["locked"]


def locked(file: Path, judge: Callable[[], None], busy: str) -> TextIO:
    """Lock a file of a folder that is ours to write; whoever closes the file unlocks it.

    The folder is judged twice. The first time nothing has been made yet, so nothing is left in a
    folder that is refused. The second time the lock is held, so the verdict stays true: between the
    two another process may have begun and ended there.

    Args:
        file: is made if it is not there, with the folders above it.
        judge: raises if the folder is not ours to write, whether or not the empty file is there.
        busy: what to say if another process holds the lock.

    Raises:
        InputError: another process holds the lock.
    """
    judge()
    file.parent.mkdir(parents=True, exist_ok=True)
    new = not file.exists()
    lock = file.open("a", encoding="utf-8")
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(busy) from None
        try:
            judge()
        except BaseException:
            if new:
                file.unlink(missing_ok=True)
            raise
    except BaseException:
        lock.close()
        raise
    return lock
