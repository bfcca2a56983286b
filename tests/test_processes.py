# SPDX-License-Identifier: Apache-2.0
"""Processes of tests are awaited within a limit with a named event, and always ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import chromium
import processes
from processes import alive, ended, line_of, started, wait_for

PIPE = subprocess.PIPE
FAMILY = """
import subprocess, sys, time
child = subprocess.Popen(["sleep", "1000"], process_group=0)
print(child.pid, flush=True)
print("twice", flush=True)
time.sleep(1000)
"""


def test_all_that_a_process_started_ends_with_it() -> None:
    """All processes end, even if the test fails, or a child has its own process group."""
    with pytest.raises(RuntimeError, match="mine"):
        with started([sys.executable, "-c", FAMILY], stdout=PIPE) as process:
            pids = [process.pid, int(line_of(process))]
            assert line_of(process) == "twice" and all(map(alive, pids))
            raise RuntimeError("mine")
    assert not any(map(alive, pids)) and process.returncode == -signal.SIGTERM


def test_a_process_that_ignores_sigterm_or_is_dead_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """SIGKILL ends such a process, and the children of an ended process are also found."""
    monkeypatch.setattr(processes, "_GRACE_S", 0.2)
    with started(
        ["sh", "-c", 'trap "" TERM; echo here; while :; do sleep 1; done'], stdout=PIPE
    ) as one:
        assert line_of(one) == "here"
    assert one.returncode == -signal.SIGKILL
    with started(["sh", "-c", "sleep 1000 >/dev/null & echo $!"], stdout=PIPE) as dead:
        child = int(ended(dead).out)
        assert alive(child)
    wait_for(lambda: not alive(child), "the child's end")


def test_a_browser_that_never_answers_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser's start fails within a limit, although no `with` has begun yet."""
    (tmp_path / "chromium").write_text("#!/bin/sh\nexec sleep 1000\n")
    (tmp_path / "chromium").chmod(0o755)
    begun = []

    @contextlib.contextmanager
    def noted(*arguments: Any, **words: Any) -> Iterator[subprocess.Popen[str]]:
        with started(*arguments, **words) as process:
            begun.append(process)
            yield process

    monkeypatch.setattr(chromium, "CHROMIUM", str(tmp_path / "chromium"))
    monkeypatch.setattr(chromium, "started", noted)
    with pytest.raises(AssertionError, match="waited 0.3 s in vain for an answer") as failure:
        chromium.Tab(tmp_path / "profile", 0.3)
    assert begun[0].poll() is not None
    assert failure.traceback, "which would keep the browser, as in a test that has failed"


def test_what_is_awaited_in_vain_is_named() -> None:
    """A line, an end or a condition: each wait has a limit, and the process is ended."""
    sleeper = ["sh", "-c", "echo first; echo so >&2; sleep 1000"]
    with started(sleeper, stdout=PIPE, stderr=PIPE) as process:
        assert line_of(process) == "first"
        with pytest.raises(AssertionError, match="no line within 0.3 s from process .*sleep 1000"):
            line_of(process, 0.3)
        assert process.poll() is not None
    with started(sleeper, stdout=PIPE, stderr=PIPE) as process:
        with pytest.raises(AssertionError, match=r"did not end within 0.3 s; it wrote: '.*so"):
            ended(process, 0.3)
    with pytest.raises(AssertionError, match="waited 0.1 s in vain for rain"):
        wait_for(lambda: False, "rain", 0.1)


def test_an_end_that_comes_first_is_named() -> None:
    """A wait ends at once if the process that would cause the event has ended."""
    began = time.monotonic()
    with started(["sh", "-c", "echo why >&2; exit 7"], stdout=PIPE, stderr=PIPE) as process:
        with pytest.raises(AssertionError, match="ended before its next line: why"):
            line_of(process)
        with pytest.raises(AssertionError, match="waited for rain, but .* ended with status 7"):
            wait_for(lambda: False, "rain", while_runs=process)
    assert time.monotonic() - began < processes.LIMIT_S / 2


def test_a_zombie_is_not_alive() -> None:
    """A zombie counts as ended, although its status was not read."""
    with started(["true"]) as process:
        wait_for(lambda: not alive(process.pid), "its end")
        assert Path(f"/proc/{process.pid}").exists() or os.name != "posix"
    assert wait_for(lambda: "found", "it") == "found"
