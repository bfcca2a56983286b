# SPDX-License-Identifier: Apache-2.0
"""Qtenv on a separate display: it survives its market, shows it, and does not change the run."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ecnomy.markets import load, make_plan, run
from ecnomy.markets.omnet.export import project, write_new
from ecnomy.markets.omnet.installation import Installation
from omnet_world import CONFIGS
from processes import ended, started, wait_for
from qtenv_desk import AROUND, Desk, missing, open_desk, opp_run, serve

GOLD_SILVER = CONFIGS / "examples/gold-silver.yaml"
DURATION = "duration=61 s"


@pytest.fixture
def desk(omnet: Installation) -> Iterator[Desk]:
    """An X server without a screen."""
    if lacking := missing():
        pytest.skip(f"not installed: {lacking}; Qtenv needs them to be tested")
    with open_desk() as opened:
        yield opened


def _qtenv(
    stack: ExitStack, folder: Path, address: str, desk: Desk, log: Path
) -> subprocess.Popen[str]:
    """The command of the project's README, with -c Serve."""
    text = (folder / "README.txt").read_text()
    command = re.search(r"^  opp_run -u Qtenv (.*?omnetpp\.ini)$", text, re.MULTILINE | re.DOTALL)
    setting = re.search(r"^  (export OMNETPP_NED.*)$", text, re.MULTILINE)
    assert command is not None and setting is not None
    connect = f"'--Scenario.market.connect=\"{address}\"'"
    words = f"{setting[1]}; exec {opp_run()} -u Qtenv {command[1]} -c Serve {connect}"
    output = stack.enter_context(log.open("w"))
    qtenv = stack.enter_context(
        started(
            ["bash", "-c", words],
            cwd=folder,
            env=desk.environ,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    )
    return qtenv


def test_qtenv_survives_its_market(tmp_path: Path, omnet: Installation, desk: Desk) -> None:
    """After kill -9 of the market, Qtenv shows an error and stays open for a new market.

    Figures move, and the run shown in Qtenv has the tables of a run without a display.
    """
    folder = tmp_path / "project"
    plan = make_plan(load(GOLD_SILVER, overrides=[DURATION]))
    write_new(folder, project(plan, str(omnet.modules)))
    first, second = tmp_path / "first", tmp_path / "second"
    with ExitStack() as stack:
        market, address = serve(stack, GOLD_SILVER, first, f"unix:{tmp_path}/market", DURATION)
        qtenv = _qtenv(stack, folder, address, desk, tmp_path / "log.txt")
        wait_for(desk.window, "Qtenv's window")
        time.sleep(2.0)
        desk.press("F6")  # fast
        wait_for(lambda: list(first.glob("*/*.partial")) or list(first.glob("*")), "a run")
        time.sleep(2.0)
        market.kill()
        ended(market)
        time.sleep(2.0)
        assert qtenv.poll() is None, "Qtenv ended with its market"
        desk.press("Return")  # the error is read
        again, _ = serve(stack, GOLD_SILVER, second, address, DURATION)
        wait_for(desk.window, "Qtenv's window")
        desk.press("ctrl+shift+r")  # Rebuild Network
        time.sleep(2.0)
        before = desk.picture(tmp_path / "before.png")
        desk.press("F7")  # express
        assert ended(again).status == 0
        time.sleep(2.0)
        after = desk.picture(tmp_path / "after.png")
        assert qtenv.poll() is None
    network = (before == AROUND).all(axis=2) | (after == AROUND).all(axis=2)
    moved = (before != after).any(axis=2) & ~network
    assert moved.sum() > 2000, "figures do not move"
    folder = next(second.glob("*/manifest.json")).parent
    assert json.loads((folder / "manifest.json").read_text())["complete"] is True
    unseen = run(GOLD_SILVER, overrides=[DURATION], engine="omnet", out=tmp_path / "unseen")
    for table in ("flow_epochs", "link_epochs", "ledger", "agents"):
        name = f"{table}.parquet"
        assert (folder / name).read_bytes() == (unseen.folder / name).read_bytes(), table
