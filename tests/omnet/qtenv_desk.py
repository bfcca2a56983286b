# SPDX-License-Identifier: Apache-2.0
"""A display of its own with one Qtenv on it: keys, pictures, and the market beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from processes import LIMIT_S

__all__ = ["MISSING", "Desk", "opp_run", "open_desk", "serve", "wait"]

_PROGRAMS: Final = ("Xvfb", "xdotool", "import")
MISSING: Final = ", ".join(name for name in _PROGRAMS if shutil.which(name) is None)
AROUND: Final = (160, 224, 160)  # Qtenv's colour around a network


class Desk:
    """A display with one Qtenv on it, and keys to press."""

    def __init__(self, display: str, size: tuple[int, int]) -> None:
        self.environ = os.environ | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self._size = size

    def press(self, key: str) -> None:
        """A key to Qtenv's main window, or to the dialogue in front of it."""
        self._xdotool("key", key)

    def click(self, column: int, row: int) -> None:
        """The left button, there."""
        self._xdotool("mousemove", str(column), str(row), "click", "1")

    def window(self) -> bool:
        """Whether the main window is there; it fills the display and gets the keys from now on."""
        found = self._xdotool("search", "--onlyvisible", "--name", "Qtenv").split()
        if found:
            self._xdotool("windowmove", found[0], "0", "0")
            self._xdotool("windowsize", found[0], *map(str, self._size))
            self._xdotool("windowfocus", "--sync", found[0])
        return bool(found)

    def picture(self, file: Path) -> npt.NDArray[np.uint8]:
        """The display as a PNG file, and as rows x columns x (red, green, blue)."""
        from PIL import Image

        words = ["import", "-window", "root", str(file)]
        subprocess.run(words, env=self.environ, check=True, timeout=60)
        with Image.open(file) as image:
            return np.asarray(image.convert("RGB"))

    def _xdotool(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words],
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        return done.stdout


@contextmanager
def open_desk(width: int = 1200, height: int = 800) -> Iterator[Desk]:
    """An X server without a screen."""
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24"]
    words += ["-nolisten", "tcp"]
    with subprocess.Popen(words, pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as told:
            yield Desk(f":{told.readline().strip()}", (width, height))
        server.terminate()


def wait(condition: Callable[[], object], what: str, limit_s: float = 60.0) -> None:
    """Until it holds.

    Raises:
        AssertionError: it does not within the limit.
    """
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.1)


def serve(
    stack: ExitStack, scenario: Path, out: Path, address: str, *overrides: str
) -> tuple[subprocess.Popen[str], str]:
    """A market for one network, and the address where it listens."""
    words = [sys.executable, "-m", "ecnomy.markets.cli", "serve", str(scenario), "--once"]
    words += [word for override in overrides for word in ("--set", override)]
    words += ["--out", str(out), "--listen", address]
    market = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
    stack.callback(market.kill)
    assert market.stdout is not None
    return market, market.stdout.readline().split()[2].rstrip(",")


def opp_run() -> str:
    """OMNeT++'s program."""
    root = os.environ.get("OMNETPP_ROOT")
    return f"{root}/bin/opp_run" if root else "opp_run"
