# SPDX-License-Identifier: Apache-2.0
"""Starting the built-in packet engine, and saying how it died.

The engine inherits one end of a socketpair: no path, no token, nothing left behind. It is looked
for in the environment variable ECNOMY_ENGINE, beside the running Python, and on the PATH.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import IO, Final

from ecnomy.agents.errors import EngineError
from ecnomy.markets.plan import Plan

__all__ = ["BINARY", "VARIABLE", "Engine", "find_engine"]

BINARY: Final = "ecnomy-engine"
VARIABLE: Final = "ECNOMY_ENGINE"
_DYING_S: Final = 2.0  # an engine whose socket closed is gone by then
_LAST_LINES: Final = 4096  # bytes of its standard error worth reading


def find_engine() -> Path:
    """The engine's executable.

    Raises:
        EngineError: there is none; the message names the places looked at.
    """
    given = os.environ.get(VARIABLE)
    if given:
        if not os.access(given, os.X_OK) or not Path(given).is_file():
            raise EngineError(f"{VARIABLE}={given}: no such executable")
        return Path(given)
    beside = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    for folder in (*dict.fromkeys(beside), None):
        found = shutil.which(BINARY, path=folder)
        if found:
            return Path(found)
    places = ", ".join([VARIABLE, *dict.fromkeys(beside), "PATH"])
    raise EngineError(f"{BINARY} not found (looked at {places}); is ecnomy installed?")


class Engine:
    """A running engine process.

    Attributes:
        sock: the market's end of the bridge.
        pid: its process id.
    """

    def __init__(self, plan: Plan, binary: Path | None = None) -> None:
        """Starts it on a sealed plan.

        Raises:
            EngineError: it cannot be found or started.
        """
        binary = binary or find_engine()
        self._name = binary.name
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._folder = tempfile.TemporaryDirectory(prefix="ecnomy-")
        file = Path(self._folder.name) / "plan.json"
        file.write_bytes(plan.to_json())
        self.sock, theirs = socket.socketpair()
        number = str(theirs.fileno())
        try:
            self._process = subprocess.Popen(
                [str(binary), "run", "--plan", str(file), "--bridge-fd", number],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=(theirs.fileno(),),
            )
        except OSError as error:
            self.sock.close()
            self._folder.cleanup()
            self._errors.close()
            raise EngineError(f"{binary}: cannot be started ({error.strerror})") from error
        finally:
            theirs.close()
        self.pid = self._process.pid

    def fate(self) -> str:
        """What became of it, in words: for after its end of the bridge has closed."""
        try:
            status = self._process.wait(_DYING_S)
        except subprocess.TimeoutExpired:
            return f"{self._name} (process {self.pid}) is still there"
        said = self._said()
        if status < 0:
            return f"{self._name} (process {self.pid}) was killed by {_signal(-status)}{said}"
        return f"{self._name} (process {self.pid}) ended with status {status}{said}"

    def kill(self) -> None:
        """End it at once; its end of the bridge closes."""
        self._process.kill()

    def finished(self) -> None:
        """Wait for the end of an engine that has said goodbye.

        Raises:
            EngineError: it does not end, or not with status 0.
        """
        fate = self.fate()
        if self._process.returncode != 0:
            raise EngineError(f"after the run {fate}")

    def close(self) -> None:
        """End it if it has not ended by itself, and remove its plan."""
        self.sock.close()
        if self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_DYING_S)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()
        self._errors.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _said(self) -> str:
        """The last line it wrote to its standard error, after ": "."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _LAST_LINES))
        lines = self._errors.read().decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f": {last}" if last else ""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
