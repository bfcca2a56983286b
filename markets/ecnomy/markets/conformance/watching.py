# SPDX-License-Identifier: Apache-2.0
"""Detect calls of clocks and global random generators while a strategy decides.

A profile hook (sys.setprofile) observes calls of C functions, so the strategy's code stays
unchanged. The hook detects the clocks of `time` and `datetime`, Python's global generator, and
os.urandom, which seeds numpy's unseeded generators. Some seeded generators also call os.urandom, so
such a call counts only if answers differ. Draws from numpy's global generator change its state,
which is compared. The clock of `logging` is ignored, as are perf_counter and process_time, with
which programs measure their speed. Answers that depend on these clocks differ between repetitions.
The watch cannot detect a strategy's own generator with a fixed seed, because the strategy's answers
are always the same.
"""

from __future__ import annotations

import sys
import sysconfig
from types import FrameType, TracebackType
from typing import Any, Final, Self

import numpy as np

__all__ = ["CLOCKS", "ENTROPY", "GENERATORS", "CallWatch"]

CLOCKS: Final = "reads the clock"
GENERATORS: Final = "uses a random generator other than seen.agent.random"
ENTROPY: Final = "reads random bytes from the system"
_TIMES: Final = (
    *("time", "time_ns", "monotonic", "monotonic_ns", "clock_gettime", "clock_gettime_ns"),
    *("localtime", "ctime"),  # always in the machine's time zone
)
_DATES: Final = ("now", "utcnow", "today")
_LIBRARY: Final = sysconfig.get_paths()["stdlib"]


class CallWatch:
    """A context that records calls of clocks and generators.

    Attributes:
        calls: (kind, call) in the order of first calls. The kind is CLOCKS, GENERATORS or ENTROPY;
            the call is the name of the function and the place of its call.
    """

    def __init__(self) -> None:
        self.calls: dict[tuple[str, str], None] = {}
        self._before: Any = None
        self._state = ""

    def __enter__(self) -> Self:
        self._before, self._state = sys.getprofile(), _numpys_state()
        sys.setprofile(self._look)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        sys.setprofile(self._before)
        if _numpys_state() != self._state:
            self.calls[GENERATORS, "numpy's global generator"] = None

    def _look(self, frame: FrameType, event: str, called: Any) -> None:
        if event != "c_call":
            return
        caught = _what(called)
        if caught is None or frame.f_globals.get("__name__") == "logging":
            return
        what, name = caught
        self.calls[what, f"{name} at {_place(frame)}"] = None


def _numpys_state() -> str:
    """Return the state of NumPy's global generator; profiling hooks do not see its methods."""
    kind, keys, *rest = np.random.get_state()
    return f"{kind} {np.asarray(keys).tobytes().hex()} {rest}"


def _what(called: Any) -> tuple[str, str] | None:
    """Return the kind and name of a clock or generator, or None for other functions."""
    name, owner = getattr(called, "__name__", ""), getattr(called, "__self__", None)
    module = getattr(owner, "__name__", "")
    if module == "time" and name in _TIMES:
        return CLOCKS, f"time.{name}"
    if isinstance(owner, type) and owner.__module__ == "datetime" and name in _DATES:
        return CLOCKS, f"{owner.__name__}.{name}"
    if module in ("posix", "nt") and name in ("urandom", "getrandom"):
        return ENTROPY, f"os.{name}"
    python = getattr(sys.modules.get("random"), "_inst", None)
    if owner is not None and owner is python:
        return GENERATORS, "Python's global generator"
    return None


def _place(frame: FrameType) -> str:
    """Return the file and line of the innermost code outside Python's standard library."""
    at: FrameType | None = frame
    while at is not None:
        file = at.f_code.co_filename
        own = file.startswith(_LIBRARY) and "site-packages" not in file
        if not own and not file.startswith("<"):
            return f"{file}:{at.f_lineno}"
        at = at.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
