# SPDX-License-Identifier: Apache-2.0
"""Ends the processes that a suite leaves behind, however it ends: `guardian.py PARENT MARK`.

Every process that tests start, directly or not, inherits the mark in its environment. After the
parent (a pytest process) has ended, even by SIGKILL, all processes with the mark are killed, until
none is left. A guardian runs in its own session and keeps only /dev/null open. Without /proc it
guards nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import uuid

__all__ = ["QUIET", "VARIABLE", "guarded", "marked"]

VARIABLE = "ECNOMY_TESTS"  # the marks of a process, outermost first
_LOOK_S = 0.3
QUIET = 3  # consecutive searches without a find: one search may miss a process that is starting


def guarded() -> str:
    """Start a guardian, which ends all processes started from now on. Return the mark."""
    mark, before = uuid.uuid4().hex, dict(os.environ)
    os.environ[VARIABLE] = f"{before.get(VARIABLE, '')} {mark}".strip()
    if os.path.exists("/proc/self/environ"):
        words = [sys.executable, "-IS", __file__, str(os.getpid()), mark]
        null = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in range(3)]
        every = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
        os.posix_spawn(
            words[0], words, before, file_actions=null, setsid=True, setsigmask=(), setsigdef=every
        )
    return mark


def marked(mark: str) -> list[int]:
    """Processes with the mark in their initial environment, without zombies."""
    pids = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError):
                with open(f"/proc/{name}/environ", "rb") as file:
                    if mark.encode() in file.read():
                        pids.append(int(name))
    return pids


def _main(parent: int, mark: str) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    quiet = 0
    while quiet < QUIET:
        left = marked(mark)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        quiet = 0 if left else quiet + 1
        time.sleep(_LOOK_S / 3)


if __name__ == "__main__":
    _main(int(sys.argv[1]), sys.argv[2])
