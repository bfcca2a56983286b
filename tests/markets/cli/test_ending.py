# SPDX-License-Identifier: Apache-2.0
"""A command that ends on a signal passes the default signal handlers to the processes it starts."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from ecnomy.markets.cli.ending import stoppable
from processes import LIMIT_S, Ended, wait_for


def test_what_starts_after_a_termination_can_be_ended() -> None:
    """A worker started by an ending driver does not ignore SIGTERM, although the driver does."""
    code = """
import os, signal, subprocess, sys
from ecnomy.markets.cli.ending import stoppable
child = "from signal import *; print(*(getsignal(s) is SIG_DFL for s in (SIGTERM, SIGHUP)))"
with stoppable():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        subprocess.run([sys.executable, "-c", child], timeout=60)
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, timeout=LIMIT_S, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + signal.SIGTERM
    assert done.stdout.split() == ["True", "True"] and "terminated" in done.stderr


def interrupted(number: signal.Signals, module: str, *words: str) -> Ended:
    """`ecnomy WORDS` that receives a signal when it imports a module.

    It prints `cleaned` at exit, and crashes if Python destroys all objects at its end.
    """
    code = f"""
import atexit, os, runpy, signal, sys
class Fragile:
    def __del__(self, abort=os.abort):
        abort()
sys.fragile = Fragile()
atexit.register(print, "cleaned")
class Impatient:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), {int(number)})
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Impatient())
sys.argv[1:] = {words!r}
runpy.run_module("ecnomy.markets.cli", run_name="__main__")
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, timeout=LIMIT_S, capture_output=True, text=True, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("number", "line"),
    [(signal.SIGINT, "ecnomy: interrupted\n"), (signal.SIGTERM, "ecnomy: terminated\n")],
)
def test_a_signal_while_modules_are_imported(number: signal.Signals, line: str) -> None:
    """The process ends by the signal itself, with one line."""
    assert interrupted(number, "typer", "--version") == (-number, "", line)


def test_sigterm_ends_a_verb_that_only_reads() -> None:
    """The verb prints one line, and ends with the usual exit status."""
    ending = interrupted(signal.SIGTERM, "ecnomy.analysis.sweeps.query", "query", "results/none")
    assert ending == (143, "cleaned\n", "ecnomy: terminated\n")


@pytest.fixture
def heeded() -> Iterator[None]:
    """The handlers of signals are as before at the end of the test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.signals
@pytest.mark.usefixtures("heeded")
def test_the_inner_end_has_the_only_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A verb that states what it kept is within the command line, which does not repeat it."""
    with pytest.raises(SystemExit), stoppable(""), stoppable("all runs are kept"):
        signal.raise_signal(signal.SIGTERM)
    assert capsys.readouterr().err == "ecnomy: terminated; all runs are kept\n"


@pytest.mark.signals
@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_in_a_callback_is_not_lost(
    number: signal.Signals, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python ignores exceptions in callbacks of weak references, so the signal is repeated."""

    class Thing:
        """An object that can have weak references."""

    thing = Thing()
    callback = weakref.finalize(thing, signal.raise_signal, number)
    with pytest.raises(SystemExit) as ended, stoppable(""):
        del thing
        assert not callback.alive
        wait_for(lambda: False, "the signal", limit_s=20)
    assert ended.value.code == status
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.signals
@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_a_signal_that_a_library_hides_is_not_lost(
    number: signal.Signals, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """DuckDB 2 ends an interrupted query with its own error, which must not cause a traceback."""
    with pytest.raises(SystemExit) as ended, stoppable("all runs are kept"):
        with contextlib.suppress(BaseException):
            signal.raise_signal(number)
        raise RuntimeError("Query interrupted")
    assert ended.value.code == status
    word = "interrupted" if number == signal.SIGINT else "terminated"
    assert capsys.readouterr().err == f"ecnomy: {word}; all runs are kept\n"
    with pytest.raises(RuntimeError, match="something else"), stoppable():
        raise RuntimeError("something else")
