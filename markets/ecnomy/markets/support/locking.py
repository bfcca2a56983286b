# SPDX-License-Identifier: Apache-2.0
"""Locks folders, so that only one process at a time writes to a results folder.

A lock is an flock on a file in the folder. The lock ends with the process, even if the process is
killed.

While another thread starts a process, the new process holds copies of all open files until its
program begins. If the lock file were closed without unlocking, the folder would stay locked until
then.
"""

from __future__ import annotations

import fcntl
import io
import os
from collections.abc import Callable
from pathlib import Path

from ecnomy.agents.errors import InputError

__all__ = ["Busy", "LockedFile", "locked"]


class Busy(InputError):
    """Another process holds a lock."""


class LockedFile(io.TextIOWrapper):
    """A text file for appending.

    When the process that opened the file closes it, the lock ends even if copies of the descriptor
    exist.
    """

    def __init__(self, file: Path) -> None:
        """Open the file, and create it if missing."""
        super().__init__(file.open("ab"), encoding="utf-8")
        self._owner = os.getpid()

    def close(self) -> None:
        """Flush, unlock and close the file."""
        ours = not self.closed and os.getpid() == self._owner  # a forked child must not unlock
        try:
            if ours:
                self.flush()
        finally:
            if ours:
                fcntl.flock(self, fcntl.LOCK_UN)
            super().close()


def locked(file: Path, judge: Callable[[], None], busy: str) -> LockedFile:
    """Lock a folder by a file in it, and return the file. Closing the file unlocks the folder.

    The folder is checked twice. The first check precedes the creation of any file, so a refused
    folder stays unchanged. The second check is made under the lock, because another process may
    have used the folder between the checks.

    Args:
        file: the lock file; created if missing, with its parent folders.
        judge: function that raises if this process may not write to the folder. It must ignore an
            empty lock file.
        busy: message if another process holds the lock.

    Raises:
        Busy: another process holds the lock.
    """
    judge()
    file.parent.mkdir(parents=True, exist_ok=True)
    new = not file.exists()
    lock = LockedFile(file)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Busy(busy) from None
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
