# SPDX-License-Identifier: Apache-2.0
"""Close results and print one line when Ctrl-C, SIGTERM or SIGHUP ends a command."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Final, NoReturn

__all__ = ["ending_process", "stoppable", "terminated"]

_INTERRUPTED: Final = 130  # exit status
_LATER_S: Final = 0.05
_HIDDEN: Final = "Query interrupted"  # DuckDB 2 raises this instead of the exception of a signal


class _Terminated(SystemExit):
    """Raised on SIGTERM or SIGHUP (a closed terminal).

    Attributes:
        reported: whether a line about the signal was printed.
    """

    reported = False


def terminated(number: int = signal.SIGTERM, *_: object) -> NoReturn:
    """Raise an exception, which closes results as incomplete, and ignore later signals."""
    for ignored in (signal.SIGTERM, signal.SIGHUP):  # a second signal would interrupt the closing
        if signal.getsignal(ignored) is not signal.SIG_IGN:
            signal.signal(ignored, _Ignored(number))
    raise _Terminated(128 + number)


class _Ignored:
    """A handler that ignores signals. Child processes inherit SIG_IGN, but not this handler.

    Attributes:
        after: number of the signal that arrived first.
    """

    def __init__(self, after: int) -> None:
        self.after = after

    def __call__(self, *_: object) -> None:
        """Do nothing."""


def _heed_ends() -> None:
    """Raise an exception on SIGTERM, and on SIGHUP unless the process ignores it (nohup)."""
    signal.signal(signal.SIGTERM, terminated)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, terminated)


@contextlib.contextmanager
def ending_process() -> Iterator[None]:
    """Run the command of this process, and ignore further signals when the command ends.

    After a signal, the process ends without destroying objects, because a library may crash if a
    call of its code was interrupted.
    """
    try:
        with stoppable(""):
            yield
    except SystemExit as end:
        _ignore_ends()
        if isinstance(end, _Terminated) or end.code == _INTERRUPTED:
            _exit_now(int(str(end.code)))
        raise
    finally:
        _ignore_ends()


def _ignore_ends() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # Python handles it until it exits


def _exit_now(status: int) -> NoReturn:
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # output is closed or unread
            stream.flush()
    os._exit(status)


@contextlib.contextmanager
def _kept_ends() -> Iterator[None]:
    """Send a signal again if Python ignored its exception, as in callbacks of weak references."""
    earlier = sys.unraisablehook

    def unraisable(what: Any) -> None:
        ended = what.exc_value
        if isinstance(ended, _Terminated):
            _heed_ends()
            _send_later(int(str(ended.code)) - 128)
        elif isinstance(ended, KeyboardInterrupt):
            _send_later(signal.SIGINT)
        else:
            earlier(what)

    sys.unraisablehook = unraisable
    try:
        yield
    finally:
        sys.unraisablehook = earlier


@contextlib.contextmanager
def _shown_ends() -> Iterator[None]:
    """Raise the exception of a signal again if a library replaced it with an error."""
    try:
        yield
    except RuntimeError as error:
        if str(error) != _HIDDEN:
            raise
        handler = signal.getsignal(signal.SIGTERM)
        if isinstance(handler, _Ignored):
            raise _Terminated(128 + handler.after) from None
        raise KeyboardInterrupt from None


def _send_later(number: int) -> None:
    """Send a signal to this process after the current callback."""

    def send() -> None:
        time.sleep(_LATER_S)
        os.kill(os.getpid(), number)

    threading.Thread(target=send, daemon=True).start()


@contextlib.contextmanager
def stoppable(kept: str = "run the same command again to resume") -> Iterator[None]:
    """End a command on Ctrl-C, SIGTERM or SIGHUP with one line, which contains the text `kept`.

    If one `stoppable` encloses another, only the inner one prints a line.
    """
    _heed_ends()
    try:
        with _kept_ends(), _shown_ends():
            yield
    except KeyboardInterrupt:
        _last_words("interrupted", kept)
        raise SystemExit(_INTERRUPTED) from None
    except _Terminated as end:
        if not end.reported:
            _last_words("terminated", kept)
        end.reported = True
        raise


def _last_words(*parts: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(f"ecnomy: {'; '.join(filter(None, parts))}", file=sys.stderr)
