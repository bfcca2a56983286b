# SPDX-License-Identifier: Apache-2.0
"""Run a packet engine as a child process, and describe how it ended.

The engine inherits one end of a socketpair, which needs neither a path nor a token and leaves no
files.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, Self

from ecnomy.agents.errors import EngineError
from ecnomy.markets.plan import Plan

__all__ = ["EngineProcess", "plan_file"]

_LAST_LINES: Final = 4096  # bytes read from the end of standard error


@contextlib.contextmanager
def plan_file(plan: Plan) -> Iterator[int]:
    """Provide a descriptor of an unnamed file that contains a sealed plan."""
    with tempfile.TemporaryFile() as file:
        file.write(plan.to_json())
        file.seek(0)
        yield file.fileno()


class EngineProcess:
    """A running engine.

    Attributes:
        sock: the market's end of the bridge.
        pid: the engine's process id.
    """

    dying_s = 2.0  # time within which an engine ends after its socket closed
    ending_s = 120.0  # time within which an engine writes its files after its goodbye

    def __init__(
        self,
        binary: Path,
        words: Callable[[str], list[str]],
        errors: IO[bytes],
        *,
        output: IO[bytes] | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        files: tuple[int, ...] = (),
    ) -> None:
        """Start the engine.

        Args:
            binary: the executable.
            words: function that returns the arguments, given the descriptor of the bridge.
            errors: file for standard error, which `close` closes.
            output: file for standard output, or None to discard the output.
            folder: working folder, or None for the working folder of this process.
            environment: environment variables, or None for those of this process.
            files: descriptors that the engine inherits in addition to the bridge.

        Raises:
            EngineError: the engine cannot be started.
        """
        self._name, self._errors = binary.name, errors
        self.sock, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [str(binary), *words(str(theirs.fileno()))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if output is None else output,
                stderr=errors,
                pass_fds=(theirs.fileno(), *files),
                cwd=folder,
                env=environment,
                process_group=0,  # ecnomy handles Ctrl-C, which notebooks send to their group
            )
        except BaseException as error:
            self.sock.close()
            errors.close()
            if isinstance(error, OSError):
                reason = f"{binary}: cannot be started ({error.strerror})"
                raise EngineError(reason) from error
            raise
        finally:
            theirs.close()
        self.pid = self._process.pid

    @property
    def gone(self) -> bool:
        """Return whether the engine has ended."""
        return self._process.poll() is not None

    def fate(self, within_s: float | None = None) -> str:
        """Describe how the engine ended, or that it is still running, after the bridge has closed.

        Args:
            within_s: longest wait for the end of the process [s], or None for `dying_s`.
        """
        try:
            status = self._process.wait(self.dying_s if within_s is None else within_s)
        except subprocess.TimeoutExpired:
            return f"{self._name} (process {self.pid}) is still running"
        last = self.last_words()
        said = f": {last}" if last else ""
        if status < 0:
            return f"{self._name} (process {self.pid}) was killed by {_signal(-status)}{said}"
        return f"{self._name} (process {self.pid}) ended with status {status}{said}"

    def facts(self) -> dict[str, Any]:
        """Return additional entries about a finished run for machine.json, by default none."""
        return {}

    def doubts(self) -> list[str]:
        """Return reasons why the results of a finished run are not valid, by default none."""
        return []

    def last_words(self) -> str:
        """Return the last line that the engine wrote to standard error, or ""."""
        lines = self.tail().split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def tail(self) -> str:
        """Return the end of the engine's standard error output."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _LAST_LINES))
        return self._errors.read().decode(errors="replace")

    def kill(self) -> None:
        """Kill the engine immediately."""
        self._process.kill()

    def finished(self) -> None:
        """Wait for the process to end after the engine's last message.

        Raises:
            EngineError: the process does not end in time, or its exit status is not 0.
        """
        fate = self.fate(self.ending_s)
        if self._process.returncode != 0:
            raise EngineError(f"after the run {fate}")

    def close(self) -> None:
        """Close the bridge and the file for standard error, and end the engine if necessary."""
        self.sock.close()
        if self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(self.dying_s)
            if self._process.poll() is None:
                self._process.kill()
                with contextlib.suppress(subprocess.TimeoutExpired):  # the kernel keeps the process
                    self._process.wait(self.ending_s)
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
