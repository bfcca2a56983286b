# SPDX-License-Identifier: Apache-2.0
"""Runs a plan on the built-in engine without a market: all reports and records, as numpy arrays."""

from __future__ import annotations

import functools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets.bridge.messages import Bye, Decide, Finish, Record, Report, Request, Verdict
from ecnomy.markets.bridge.server import EngineLink
from ecnomy.markets.plan import Plan
from ecnomy.markets.session.conversation import fault


@dataclass
class EngineOutput:
    """All output of an engine; counters are cumulative."""

    plan: Plan
    reports: list[Report] = field(default_factory=list)
    records: dict[str, list[dict[str, np.ndarray]]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    ended_before: list[int] = field(default_factory=list)  # calls recorded before each request
    finish: Finish | None = None
    said: str = ""  # on standard error

    def table(self, name: str) -> dict[str, np.ndarray]:
        """Return all rows of a record table, or {} if it has none."""
        parts = self.records.get(name, [])
        return {k: np.concatenate([p[k] for p in parts]) for k in parts[0]} if parts else {}

    def at(self, t_s: float) -> Report:
        """Return the report at a time."""
        return next(r for r in self.reports if r.t_ps == round(t_s * 1e12))

    def over(self, from_s: float, to_s: float, part: str = "flows") -> dict[str, np.ndarray]:
        """Changes of all columns between two reports."""
        first, last = getattr(self.at(from_s), part), getattr(self.at(to_s), part)
        return {k: last[k] - first[k] for k in last}


@functools.cache
def engine() -> str:
    """The engine's path: from ECNOMY_ENGINE, beside this Python, or on PATH."""
    beside = Path(sys.executable).with_name("ecnomy-engine")
    binary = os.environ.get("ECNOMY_ENGINE") or (beside if beside.exists() else None)
    binary = binary or shutil.which("ecnomy-engine")
    assert binary, "ecnomy-engine is not installed"
    return str(binary)


def run(
    plan: Plan,
    decide: Callable[[Report], Decide] | None = None,
    admit: Callable[[Request, socket.socket], bool] = lambda request, sock: False,
    env: Mapping[str, str] | None = None,
) -> EngineOutput:
    """Runs the plan, with `env` added to the environment.

    `decide` answers each report, by default with nothing; `admit` each call, by default with False.
    `admit` also gets the connection, so that it can observe the engine.
    """
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        path.write_bytes(plan.to_json())
        command = [engine(), "run", "--plan", str(path), "--bridge-fd", str(theirs.fileno())]
        process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            stderr=subprocess.PIPE,
            env=os.environ | dict(env or {}),
        )
        theirs.close()
        try:
            outcome = talk(plan, ours, decide or (lambda report: Decide(report.epoch)), admit)
        finally:
            ours.close()
            try:
                _, error = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                pytest.fail("the engine goes on 60 s after the market closed the connection")
            finally:
                process.kill()  # an engine that does not end with its market
    assert process.returncode == 0, error.decode()
    outcome.said = error.decode()
    return outcome


def talk(
    plan: Plan,
    sock: socket.socket,
    decide: Callable[[Report], Decide],
    admit: Callable[[Request, socket.socket], bool],
) -> EngineOutput:
    """The market's side of a run over a connected socket; see run."""
    link = EngineLink(
        sock,
        n_flows=plan.row_count,
        n_links=len(plan.links),
        n_pairs=sum(len(s.path) + len(s.ack_path) for s in plan.sources),
        plan_digest=plan.digest,
        seed=plan.seed,
        late=len(plan.record.delay_thresholds_ps),
    )
    outcome = EngineOutput(plan)
    link.handshake(lambda hello: fault(link, plan, hello))
    while outcome.finish is None:
        match link.receive():
            case Report() as report:
                outcome.reports.append(report)
                link.send(decide(report))
            case Request() as request:
                outcome.requests.append(request)
                ended = sum(len(part["id"]) for part in outcome.records.get("calls", []))
                outcome.ended_before.append(ended)
                link.send(Verdict(request.id, admit(request, sock)))
            case Record() as record:
                outcome.records.setdefault(record.table, []).append(dict(record.columns))
            case Finish() as finish:
                outcome.finish = finish
                link.send(Bye())
    return outcome
