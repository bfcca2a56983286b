# SPDX-License-Identifier: Apache-2.0
"""Runs a plan or a custom network on OMNeT++ without a market, if OMNeT++ is installed."""

from __future__ import annotations

import functools
import os
import shlex
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import drive
from ecnomy.agents.errors import InputError, ProtocolError
from ecnomy.markets.bridge.messages import Decide, Report, Request
from ecnomy.markets.engines.omnet import Omnet
from ecnomy.markets.omnet.installation import Installation, find_installation
from ecnomy.markets.plan import Plan

__all__ = ["environment", "missing", "run", "run_by_hand", "run_network"]


@functools.cache
def missing() -> str:
    """What is missing for runs on OMNeT++, and which variable to set; "" if nothing is missing."""
    try:
        find_installation()
    except InputError as error:
        return str(error)
    return ""


def run(
    plan: Plan,
    decide: Callable[[Report], Decide] | None = None,
    admit: Callable[[Request, socket.socket], bool] = lambda request, sock: False,
) -> drive.EngineOutput:
    """Runs the plan; `decide` answers each report, by default with nothing, `admit` each call."""
    engine = Omnet(find_installation()).start(plan)
    try:
        answer = decide or (lambda report: Decide(report.epoch))
        outcome = drive.talk(plan, engine.sock, answer, admit)
    except ProtocolError as error:
        raise AssertionError(f"{error}; {engine.fate()}") from error
    else:
        assert "ended with status 0" in engine.fate(), engine.fate()
    finally:
        engine.close()
    return outcome


def run_network(folder: Path, ned: str, ini: str) -> dict[tuple[str, str], float]:
    """Runs the network of a NED and an ini text, written to `folder`.

    Returns:
        {(module, scalar): value} of the recorded scalars.
    """
    here = find_installation()
    (folder / "network.ned").write_text(ned)
    (folder / "omnetpp.ini").write_text(ini)
    folders = [folder, here.modules / "inet", here.inet.folder / "src"]
    excluded = (here.inet.folder / ".nedexclusions").read_text().split()
    words: list[str | Path] = [
        here.opp_run,
        "-u",
        "Cmdenv",
        "-m",
        "-l",
        here.modules / "inet" / "ecnomy",
    ]
    words += ["-n", ":".join(map(str, folders)), "-x", ";".join(excluded)]
    words += ["--output-scalar-file=run.sca", "omnetpp.ini"]
    done = subprocess.run(
        words, cwd=folder, env=environment(here), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    rows = [shlex.split(line) for line in (folder / "run.sca").read_text().splitlines()]
    return {(row[1], row[2]): float(row[3]) for row in rows if row and row[0] == "scalar"}


def run_by_hand(folder: Path, *more: str) -> None:
    """Runs a network of omnet/simulations, or a copy of it, as its page says, in Cmdenv."""
    here = find_installation()
    folders = [here.modules / "inet", folder.parent, here.inet.folder / "src"]
    excluded = (here.inet.folder / ".nedexclusions").read_text().split()
    words: list[str | Path] = [
        here.opp_run,
        "-u",
        "Cmdenv",
        "-c",
        "General",
        "-l",
        here.modules / "inet" / "ecnomy",
    ]
    words += ["-n", ":".join(map(str, folders)), "-x", ";".join(excluded), "omnetpp.ini", *more]
    done = subprocess.run(
        words, cwd=folder, env=environment(here), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def environment(here: Installation) -> dict[str, str]:
    """The environment of a program of OMNeT++."""
    folders = [here.omnetpp.folder / "lib", here.inet.folder / "src"]
    path = f"{here.omnetpp.folder / 'bin'}:{os.environ['PATH']}"
    return dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, folders)), PATH=path)
