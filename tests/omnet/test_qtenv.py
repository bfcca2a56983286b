# SPDX-License-Identifier: Apache-2.0
"""Qtenv on a display of its own: it survives the death of the market, and Rebuild + Run works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ecnomy.markets import load, make_plan
from ecnomy.markets.omnet.export import project, write_new
from ecnomy.markets.omnet.installation import Installation
from omnet_world import CONFIGS

GOLD_SILVER = CONFIGS / "examples/gold-silver.yaml"
DURATION = "duration=61 s"


class Desk:
    """A display with one Qtenv on it, and keys to press."""

    def __init__(self, display: str) -> None:
        self.environ = os.environ | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}

    def press(self, key: str) -> None:
        """A key to Qtenv's main window, or to the dialogue in front of it."""
        self._xdotool("key", key)

    def window(self) -> bool:
        """Whether the main window is there; it gets the keys from now on."""
        found = self._xdotool("search", "--onlyvisible", "--name", "Qtenv").split()
        if found:
            self._xdotool("windowfocus", "--sync", found[0])
        return bool(found)

    def _xdotool(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=self.environ, capture_output=True, text=True, check=False
        )
        return done.stdout


@pytest.fixture
def desk() -> Iterator[Desk]:
    """An X server without a screen."""
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: Qtenv needs it to be tested")
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1200x800x24", "-nolisten", "tcp"]
    with subprocess.Popen(words, pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as told:
            yield Desk(f":{told.readline().strip()}")
        server.terminate()


def _wait(condition: Callable[[], object], what: str, limit_s: float = 60.0) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.1)


def _serve(stack: ExitStack, out: Path, address: str) -> tuple[subprocess.Popen[str], str]:
    words = [sys.executable, "-m", "ecnomy.markets.cli", "serve", str(GOLD_SILVER), "--once"]
    words += ["--set", DURATION, "--out", str(out), "--listen", address]
    market = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
    stack.callback(market.kill)
    assert market.stdout is not None
    return market, market.stdout.readline().split()[2].rstrip(",")


def _qtenv(stack: ExitStack, folder: Path, address: str, desk: Desk, log: Path) -> subprocess.Popen:
    """The command of the project's README, with -c Serve."""
    text = (folder / "README.txt").read_text()
    command = re.search(r"^  opp_run -u Qtenv (.*?omnetpp\.ini)$", text, re.MULTILINE | re.DOTALL)
    setting = re.search(r"^  (export OMNETPP_NED.*)$", text, re.MULTILINE)
    assert command is not None and setting is not None
    program = "opp_run"
    if "OMNETPP_ROOT" in os.environ:
        program = f"{os.environ['OMNETPP_ROOT']}/bin/opp_run"
    connect = f"'--Scenario.market.connect=\"{address}\"'"
    words = f"{setting[1]}; exec {program} -u Qtenv {command[1]} -c Serve {connect}"
    output = stack.enter_context(log.open("w"))
    qtenv = stack.enter_context(
        subprocess.Popen(
            ["bash", "-c", words],
            cwd=folder,
            env=desk.environ,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    )
    stack.callback(qtenv.kill)
    return qtenv


def test_qtenv_survives_its_market(tmp_path: Path, omnet: Installation, desk: Desk) -> None:
    """kill -9 of the market: an error and no end; with a new one, Rebuild + Run works."""
    folder = tmp_path / "project"
    plan = make_plan(load(GOLD_SILVER, overrides=[DURATION]))
    write_new(folder, project(plan, str(omnet.modules)))
    first, second = tmp_path / "first", tmp_path / "second"
    with ExitStack() as stack:
        market, address = _serve(stack, first, "tcp://127.0.0.1:0")
        qtenv = _qtenv(stack, folder, address, desk, tmp_path / "log.txt")
        _wait(desk.window, "Qtenv's window")
        time.sleep(2.0)
        desk.press("F6")  # fast
        _wait(lambda: list(first.glob("*/*.partial")) or list(first.glob("*")), "a run")
        time.sleep(2.0)
        market.kill()
        market.wait()
        time.sleep(2.0)
        assert qtenv.poll() is None, "Qtenv ended with its market"
        desk.press("Return")  # the error is read
        again, _ = _serve(stack, second, address)
        _wait(desk.window, "Qtenv's window")
        desk.press("ctrl+shift+r")  # Rebuild Network
        time.sleep(2.0)
        desk.press("F7")  # express
        assert again.wait(120) == 0
        assert qtenv.poll() is None
    manifest = json.loads(next(second.glob("*/manifest.json")).read_text())
    assert manifest["complete"] is True
