# SPDX-License-Identifier: Apache-2.0
"""A separate display with one Qtenv: keys, pictures, and a market for it."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from processes import LIMIT_S, line_of, started, wait_for

__all__ = ["Desk", "missing", "open_desk", "opp_run", "serve"]

_PROGRAMS: Final = ("Xvfb", "xdotool", "import")
AROUND: Final = (160, 224, 160)  # Qtenv's colour around a network


class Desk:
    """A display with one Qtenv, to which keys can be sent."""

    def __init__(self, display: str, size: tuple[int, int]) -> None:
        self.environ = os.environ | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self._size = size

    def press(self, key: str) -> None:
        """Send a key to Qtenv's main window, or to the dialogue in front of it."""
        self._xdotool("key", key)

    def click(self, column: int, row: int) -> None:
        """Click the left button at this point."""
        self._xdotool("mousemove", str(column), str(row), "click", "1")

    def window(self) -> bool:
        """Whether the main window is open; it then fills the display and gets the keys."""
        windows = self._xdotool("search", "--onlyvisible", "--name", "Qtenv").split()
        if windows:
            self._xdotool("windowmove", windows[0], "0", "0")
            self._xdotool("windowsize", windows[0], *map(str, self._size))
            self._xdotool("windowfocus", "--sync", windows[0])
        return bool(windows)

    def picture(self, file: Path) -> npt.NDArray[np.uint8]:
        """Return the display as a PNG file, and as rows x columns x (red, green, blue)."""
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
    with (
        os.fdopen(read, "rb", buffering=0) as display,
        started(words, pass_fds=[write], stderr=subprocess.DEVNULL) as server,
    ):
        os.close(write)
        wait_for(
            lambda: select.select([display], [], [], 0)[0],
            "the number of Xvfb's display",
            while_runs=server,
        )
        yield Desk(f":{display.read(16).decode().strip()}", (width, height))


def serve(
    stack: ExitStack,
    scenario: Path,
    out: Path,
    address: str,
    *overrides: str,
    options: Sequence[str] = (),
) -> tuple[subprocess.Popen[str], str]:
    """A market for one network, and the address where it listens."""
    words = [sys.executable, "-m", "ecnomy.markets.cli", "serve", str(scenario), "--once"]
    words += options
    words += [word for override in overrides for word in ("--set", override)]
    words += ["--out", str(out), "--listen", address]
    market = stack.enter_context(started(words, stdout=subprocess.PIPE))
    return market, line_of(market).split()[2].rstrip(",")


def missing() -> str:
    """A message on missing programs; "" if all are installed."""
    names = [name for name in _PROGRAMS if shutil.which(name) is None]
    words = [opp_run(), "-h", "userinterfaces"]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=60).stdout
    return ", ".join([*names, *(["an OMNeT++ with Qtenv"] if "Qtenv :" not in shown else [])])


def opp_run() -> str:
    """OMNeT++'s program."""
    root = os.environ.get("OMNETPP_ROOT")
    return f"{root}/bin/opp_run" if root else "opp_run"
