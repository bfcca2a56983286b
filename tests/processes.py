# SPDX-License-Identifier: Apache-2.0
"""Processes of tests: they start in their own session, have time limits, and always end.

    with started([sys.executable, "-m", "ecnomy.markets.cli", "serve", ...]) as process:
        address = line_of(process).split()[2]
        wait_for(lambda: file.exists(), "a results folder", while_runs=process)
        status, out, err = ended(process)

Every wait of a test has a limit below pytest's own (`timeout` in pyproject.toml), so the
failure names the awaited event. A process that a test cannot end, because its worker was killed, is
ended by the guardian (guard.py).
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

__all__ = [
    "LIMIT_S",
    "Ended",
    "alive",
    "end",
    "ended",
    "line_of",
    "session_of",
    "started",
    "wait_for",
]

LIMIT_S: Final = 120.0  # for a busy machine
_GRACE_S: Final = 5.0  # from SIGTERM to SIGKILL
_Found = TypeVar("_Found")


class Ended(NamedTuple):
    """How a process ended, with its unread output in pipes ("" without a pipe)."""

    status: int
    out: str
    err: str


@contextlib.contextmanager
def started(command: Sequence[object], **words: Any) -> Iterator[subprocess.Popen[str]]:
    """Starts a process in its own session; on exit, ends it and everything it started.

    Args:
        command: words of the command.
        words: arguments of Popen; by default text, and empty input.
    """
    words = {"text": True, "stdin": subprocess.DEVNULL} | words
    process = subprocess.Popen([str(word) for word in command], start_new_session=True, **words)
    try:
        yield process
    finally:
        end(process)


def line_of(process: subprocess.Popen[str], limit_s: float = LIMIT_S) -> str:
    """Return the next line of a process's standard output, which is a pipe.

    Raises:
        AssertionError: there is no line within the limit, or the process ended before.
    """
    lines: list[str] = []
    stream = process.stdout
    assert stream is not None

    def read() -> None:
        lines.append(stream.readline())  # no limit: the caller waits for this thread with one

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(limit_s)
    if reader.is_alive():
        _end_session(process)  # this ends the reader
        reader.join(LIMIT_S)
        raise AssertionError(f"no line within {limit_s:g} s from {_name(process)}")
    if not lines or not lines[0]:
        _, _, err = ended(process)
        raise AssertionError(f"{_name(process)} ended before its next line: {err[-2000:]}")
    return lines[0].rstrip("\n")


def wait_for(
    condition: Callable[[], _Found],
    what: str,
    limit_s: float = LIMIT_S,
    *,
    while_runs: subprocess.Popen[str] | None = None,
    every_s: float = 0.02,
) -> _Found:
    """The condition's value as soon as it is true.

    Args:
        condition: evaluated repeatedly.
        what: the awaited event, for the failure.
        limit_s: the longest wait.
        while_runs: a process without which the event cannot come.
        every_s: time between evaluations.

    Raises:
        AssertionError: the condition is not true within the limit, or the process has ended.
    """
    limit = time.monotonic() + limit_s
    while True:
        over = while_runs is not None and while_runs.poll() is not None
        if outcome := condition():
            return outcome
        if over and while_runs is not None:
            name = f"{_name(while_runs)} ended with status {while_runs.returncode}"
            raise AssertionError(f"waited for {what}, but {name}")
        assert time.monotonic() < limit, f"waited {limit_s:g} s in vain for {what}"
        time.sleep(every_s)


def ended(process: subprocess.Popen[str], limit_s: float = LIMIT_S) -> Ended:
    """Return the status and output of a process, once it has ended by itself.

    Raises:
        AssertionError: the process still runs after the limit, and is ended.
    """
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as late:
        _end_session(process)
        wrote = b"".join(part for part in (late.stdout, late.stderr) if part)
        late_end = f"{_name(process)} did not end within {limit_s:g} s"
        raise AssertionError(f"{late_end}; it wrote: {wrote.decode()[-2000:]!r}") from None
    return Ended(process.returncode, out or "", err or "")


def end(process: subprocess.Popen[str]) -> None:
    """Ends a process from `started`, and its session; its pipes close."""
    _end_session(process)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()


def alive(pid: int) -> bool:
    """Whether a process exists and has not ended (a zombie has ended)."""
    return _fields(pid)[:1] not in ([], ["Z"], ["X"])


def _end_session(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    limit = time.monotonic() + LIMIT_S
    while True:
        left = session_of(process.pid)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if process.poll() is not None and not left:
            return
        assert time.monotonic() < limit, f"{_name(process)}: processes {left} cannot be ended"
        time.sleep(0.01)


def session_of(leader: int) -> list[int]:
    """Processes of a session, including those in other process groups (as engines are)."""
    if not Path("/proc/self/stat").exists():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)
        return []
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if _fields(pid)[3:4] == [str(leader)] and alive(pid)]


def _fields(pid: int) -> list[str]:
    """State, parent, process group, session, ... of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _name(process: subprocess.Popen[str]) -> str:
    words = process.args if isinstance(process.args, list) else [str(process.args)]
    return f"process {process.pid} ({shlex.join(map(str, words))[:300]})"
