# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin against tests that hang or leave processes behind.

- A process that still runs after the last test of a file fails that file, with its command.
- A guardian (guardian.py) ends all processes of a pytest process that is killed, or that
  pytest-timeout ends. Each worker has one, and so does the process that leads the workers.
- A worker that pytest-timeout ends writes the stacks of its threads to a visible place:
  pytest-timeout itself writes to a standard output that is not read.
- pytest-timeout needs the interpreter to end a test. A test that hangs in compiled code is ended by
  faulthandler, with its stack, some time later.
- Signals that the suite inherited as ignored (`nohup make test &`) act as usual in tests.
- A command that a test runs in this process handles signals. After the test they act as before.
- Such a command consumes a signal, so that the suite would continue after Ctrl-C. Therefore a
signal during a test ends the suite after that test, unless the test is marked `signals`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import guardian

GRACE_S: Final = 5.0  # an engine whose market has ended is gone by then
LATER_S: Final = 30.0  # from pytest-timeout to faulthandler
TOOLS: Final = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")  # Python's own
_ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MARK: Final = pytest.StashKey[str]()
_STDERR: Final = pytest.StashKey[int]()
_SEEN: Final = pytest.StashKey[tuple[int, int]]()  # a pipe with the numbers of signals
_ENDING: Final = pytest.StashKey[frozenset[int]]()  # signals that end the suite


def pytest_configure(config: pytest.Config) -> None:
    """Mark the processes started from now on, and start their guardian."""
    config.stash[_STDERR] = os.dup(2)  # capturing has not begun
    if _has_workers(config):
        guardian.guarded()
        return
    config.stash[_MARK] = guardian.guarded()
    hangs_up = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
    config.stash[_ENDING] = frozenset(_ENDS if hangs_up else _ENDS[:2])
    config.stash[_SEEN] = os.pipe()
    for end in config.stash[_SEEN]:
        os.set_blocking(end, False)
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # nohup: only this process ignores it
        signal.signal(signal.SIGHUP, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


def _has_workers(config: pytest.Config) -> bool:
    """Return whether other processes run the tests for this one (pytest-xdist)."""
    return bool(config.getoption("numprocesses", None)) and not hasattr(config, "workerinput")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Also ends a test that holds the interpreter; pytest-timeout has ended all others before."""
    heeded = {number: signal.getsignal(number) for number in _ENDS}
    limit_s = _limit_s(item)
    if limit_s and not item.config.getoption("usepdb"):
        stderr = item.config.stash[_STDERR]
        faulthandler.dump_traceback_later(limit_s + LATER_S, exit=True, file=stderr)
    reads, writes = item.config.stash[_SEEN]
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    try:
        return (yield)
    finally:
        signal.set_wakeup_fd(-1)
        faulthandler.cancel_dump_traceback_later()
        for number, handler in heeded.items():
            if handler is not None and signal.getsignal(number) != handler:
                signal.signal(number, handler)
        ending = item.config.stash[_ENDING]
        came = _came(reads) & ending
        if came and not item.get_closest_marker("signals"):
            names = ", ".join(signal.Signals(number).name for number in sorted(came))
            raise KeyboardInterrupt(f"{names} in {item.nodeid}")


def _came(reads: int) -> set[int]:
    """Numbers of the signals that have come since the last call."""
    with contextlib.suppress(BlockingIOError):
        return set(os.read(reads, 4096))
    return set()


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool | None:
    """With the method `thread`, set a timer that names the test, in a fixture too."""
    if settings.method != "thread":
        return None
    end = _give_up if hasattr(item.config, "workerinput") else _name_and_end
    timer = threading.Timer(settings.timeout, end, (item, settings))
    timer.daemon = True
    item.cancel_timeout = timer.cancel  # type: ignore[attr-defined]  # as pytest-timeout keeps it
    timer.start()
    return True


def _name_and_end(item: pytest.Item, settings: Any) -> None:
    """Like pytest-timeout, respect debuggers. In addition, name the test."""
    from pytest_timeout import timeout_timer

    _say(item, _named(item, settings))
    timeout_timer(item, settings)


def _named(item: pytest.Item, settings: Any) -> str:
    return f"\n+++ Timeout: {item.nodeid} has not ended within {settings.timeout:g} s\n"


def _say(item: pytest.Item, text: str) -> None:
    with contextlib.suppress(OSError):
        os.write(item.config.stash[_STDERR], text.encode())


def _give_up(item: pytest.Item, settings: Any) -> None:
    lines = [_named(item, settings)]
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for number, frame in sys._current_frames().items():
        if number != threading.get_ident():
            lines.append(f"+++ Stack of {names.get(number, number)}\n")
            lines += traceback.format_stack(frame)
    _say(item, "".join(lines))
    os._exit(1)


def pytest_enter_pdb() -> None:
    """Lifts the limit for a debugger."""
    faulthandler.cancel_dump_traceback_later()


def _limit_s(item: pytest.Item) -> float:
    """The limit as in pytest-timeout: from the test, command line or pyproject.toml; 0: none."""
    if own := item.get_closest_marker("timeout"):
        return float(own.args[0])
    given = item.config.getoption("timeout", None)
    return float(item.config.getini("timeout") or 0 if given is None else given)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Checks processes after the last test of a file and the end of its fixtures."""
    result = yield
    if nextitem is None or nextitem.path != item.path:
        if left := _left(item.config.stash[_MARK]):
            pytest.fail(f"left behind by {item.path.name}: {'; '.join(left)}", pytrace=False)
    return result


def _left(mark: str) -> list[str]:
    """Marked processes that still run after some time; they are ended."""
    if not Path("/proc/self/environ").exists():
        return []
    limit, quiet, left = time.monotonic() + GRACE_S, 0, dict[int, str]()
    while quiet < guardian.QUIET and time.monotonic() < limit:
        left = {pid: name for pid in guardian.marked(mark) if (name := _command(pid))}
        quiet = 0 if left else quiet + 1
        time.sleep(0.05 if left else 0.01)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return [f"process {pid} ({name[:300]})" for pid, name in left.items()]


def _command(pid: int) -> str:
    """A process's command; "" if it has ended, or is a tool that Python ends itself."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return ""
    return "" if any(tool in words for tool in TOOLS) else words
