# SPDX-License-Identifier: Apache-2.0
"""The end of a command on Ctrl-C, SIGTERM and SIGHUP: one line, and closed results."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from typing import Final, NoReturn

__all__ = ["end_in_peace", "stoppable", "terminated"]

_INTERRUPTED: Final = 130  # exit status


class _Terminated(SystemExit):
    """SIGTERM has arrived, or the terminal is gone.

    Attributes:
        reported: whether a line about it was printed.
    """

    reported = False


def terminated(number: int = signal.SIGTERM, *_: object) -> NoReturn:
    """Unwind the run on a signal, so that its results are closed as partial; ignore others."""
    for ignored in (signal.SIGTERM, signal.SIGHUP):  # otherwise one would interrupt the closing
        if signal.getsignal(ignored) is not signal.SIG_IGN:
            signal.signal(ignored, _ignore)
    raise _Terminated(128 + number)


def _ignore(*_: object) -> None:
    """Do nothing: a process that inherits SIG_IGN, such as a new worker, could not be ended."""


def _heed_ends() -> None:
    """End in good order on SIGTERM and, unless nohup ignores it, on SIGHUP."""
    signal.signal(signal.SIGTERM, terminated)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, terminated)


def end_in_peace() -> None:
    """Ignore further signals, so that libraries can clean up while Python ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is terminated:
            signal.signal(number, _ignore)


@contextlib.contextmanager
def stoppable(kept: str = "run the same command again to resume") -> Iterator[None]:
    """End a command on Ctrl-C, SIGTERM and SIGHUP with one line, which states what is `kept`.

    If one `stoppable` is within another, only the inner one prints its line.
    """
    _heed_ends()
    try:
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
