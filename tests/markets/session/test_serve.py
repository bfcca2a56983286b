# SPDX-License-Identifier: Apache-2.0
"""`ecnomy serve`: engines started by hand, one after another; the built-in one is the guest."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from command_line import ecnomy
from ecnomy.markets import load, make_plan, run
from ecnomy.markets.bridge import codec, listen
from ecnomy.markets.bridge.lobby import Lobby
from ecnomy.markets.bridge.messages import Hello, Refuse, Welcome
from ecnomy.markets.bridge.wire import Wire
from ecnomy.markets.engines.registry import find_engine
from ecnomy.markets.results.manifest import read_manifest
from ecnomy.markets.scenario import scenario_from_text
from ecnomy.markets.session import serve
from processes import LIMIT_S, Ended, ended, line_of, started, wait_for
from tiers import full

SCENARIO = """
version: 1
duration: 4 s
warmup: 1 s
network:
  links:
    - {name: l, from: a, to: b, rate: 10 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: gold, count: 2, from: a, to: b, traffic: {kind: greedy}, transport: {law: wtp}}
market:
  price_per_mark: 0.25 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: shop, role: application-provider, classes: {gold: {fee: 2 money/s, sources: gold}}}
"""


class Serving:
    """A market in its own process, with its plan; it and its clients end with the stack."""

    def __init__(self, stack: ExitStack, folder: Path, *words: str) -> None:
        self._stack = stack
        self.scene, self.folder = folder / "scene.yaml", folder / "out"
        self.scene.write_text(SCENARIO)
        self.plan = make_plan(load(self.scene))
        self.plan_file = folder / "plan.json"
        self.plan_file.write_bytes(self.plan.to_json())
        command = [sys.executable, "-m", "ecnomy.markets.cli", "serve", self.scene]
        self._errors = folder / "errors"
        pipes = {"stdout": subprocess.PIPE, "stderr": stack.enter_context(self._errors.open("w"))}
        serve = started([*command, "--out", self.folder, *words], **pipes)
        self.process = stack.enter_context(serve)
        self.runs = 0
        self.first = line_of(self.process)
        self.address = self.first.split()[2].rstrip(",")

    @property
    def errors(self) -> str:
        """The server's standard error so far."""
        return self._errors.read_text()

    def next_run(self) -> tuple[Path, str]:
        """The folder of the next run, and its line of output; folders are numbered from 001."""
        self.runs += 1
        folder, _, said = line_of(self.process).partition(": ")
        assert folder == f"{self.folder}/{self.runs:03d}"
        return Path(folder), said

    def guest(self, *words: object, plan: Path | None = None) -> Ended:
        """The built-in engine started by hand, until it ends."""
        command = [find_engine(), "run", "--plan", plan or self.plan_file]
        command += ["--connect", self.address, *words]
        return ended(self._stack.enter_context(started(command, stderr=subprocess.PIPE)))

    def end(self) -> tuple[int, str]:
        """Send Ctrl-C if it still runs; return its status and its standard error."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return ended(self.process).status, self.errors


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """The processes that a test starts; they end with the test."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[ExitStack, list[Serving]]]:
    """The market that the tests of this file share; its processes end with them."""
    with ExitStack() as opened:
        yield opened, []


@pytest.fixture
def serving(shared: tuple[ExitStack, list[Serving]], tmp_path: Path) -> Serving:
    """A market at the socket next to its scenario: the previous test's, if it still runs."""
    stack, there = shared
    if not there or there[-1].process.poll() is not None:
        there.append(Serving(stack, tmp_path))
    return there[-1]


on_one = pytest.mark.xdist_group("serve")


@on_one
def test_runs_come_one_after_another(serving: Serving, tmp_path: Path) -> None:
    """Each run has its own folder, and tables equal to `ecnomy run`'s, byte for byte."""
    assert serving.first.endswith(f"plan {serving.plan.digest}")
    folders = []
    for _ in range(2):
        assert serving.guest().status == 0
        folder, said = serving.next_run()
        assert said == "complete"
        folders.append(folder)
    run(serving.scene, out=tmp_path / "own")
    for name in ("flow_epochs.parquet", "ledger.parquet", "manifest.json"):
        wanted = (tmp_path / "own" / name).read_bytes()
        assert {(folder / name).read_bytes() for folder in folders} == {wanted}


@on_one
def test_another_network_is_refused_by_what_differs(serving: Serving, tmp_path: Path) -> None:
    """The engine prints the reason and exits; no folder is made, so no number is skipped."""
    changes = ["network.links.l.rate=7 Mbps", "network.links.l.marking.probability=0.25"]
    other = make_plan(load(serving.scene, overrides=changes))
    file = tmp_path / "other.json"
    file.write_bytes(other.to_json())
    status, _, said = serving.guest(plan=file)
    assert status == 1
    wanted = "links.l.marking.probability is 0.25 in the network and 0.1 in the scenario; "
    wanted += "links.l.rate_bps is 7000000 in the network and 10000000 in the scenario"
    assert wanted in said and "--any" in said
    assert not (serving.folder / f"{serving.runs + 1:03d}").exists()
    assert serving.guest().status == 0
    assert serving.next_run()[1] == "complete"
    line = rf"ecnomy: process \d+: refused: wrong-plan: {re.escape(wanted)}"
    assert re.search(line, serving.errors)


@on_one
def test_a_repetition_gets_the_market_of_its_seed(serving: Serving) -> None:
    """If OMNeT++ reports the scenario's network with another seed, the run has that seed."""
    answer = _hello(serving, lambda wire: None, seed=serving.plan.seed + 4)
    assert isinstance(answer, Welcome)
    folder, said = serving.next_run()
    assert said.startswith("engine test 1 disconnected")
    manifest = json.loads((folder / "manifest.json").read_text())
    again = make_plan(load(serving.scene, seed=serving.plan.seed + 4))
    assert (manifest["seed"], manifest["plan_digest"]) == (again.seed, again.digest)
    assert manifest["scenario"]["seed"] == again.seed and "network_differs" not in manifest


def test_any_plan_is_taken_on_demand(tmp_path: Path, stack: ExitStack) -> None:
    """One warning comes first; the manifest contains the network's plan and the differences."""
    there = Serving(stack, tmp_path, "--any")
    other = tmp_path / "other.json"
    changes = ["network.links.l.marking.probability=0.25"]
    changed = make_plan(load(there.scene, overrides=changes))
    other.write_bytes(changed.to_json())
    for file in (other, there.plan_file):
        assert there.guest(plan=file).status == 0
        assert there.next_run()[1] == "complete"
    status, errors = there.end()
    assert status == 130 and errors.splitlines()[-1] == "ecnomy: interrupted"
    assert "Traceback" not in errors
    assert errors.count("--any accepts networks") == 1
    assert errors.startswith("ecnomy: warning: --any")
    played, same = (read_manifest(there.folder / name) for name in ("001", "002"))
    differs = "links.l.marking.probability is 0.25 in the network and 0.1 in the scenario"
    assert played.network_differs == (differs,) and same.network_differs == ()
    assert played.plan == changed
    assert same.plan == there.plan
    assert f"warning: {differs}" in (there.folder / "001/log.txt").read_text()


@on_one
def test_death_of_a_guest_ends_its_run_only(serving: Serving) -> None:
    """Results of the guest's run are marked as partial, and the next run is complete."""
    _hello(serving, lambda wire: None)
    folder, said = serving.next_run()
    assert said.startswith("engine test 1 disconnected at simulated time 0 s")
    assert json.loads((folder / "manifest.json").read_text())["complete"] is False
    assert serving.guest().status == 0
    folder, said = serving.next_run()
    assert said == "complete"
    assert json.loads((folder / "manifest.json").read_text())["complete"] is True


@on_one
def test_interrupt_in_mid_run_keeps_what_there_is(serving: Serving) -> None:
    """An interrupt gives one line and status 130, and the run in progress is partial."""
    file = serving.folder / f"{serving.runs + 1:03d}/manifest.json"

    def interrupt(_: Wire) -> None:
        wait_for(file.exists, "a run", while_runs=serving.process)
        serving.process.send_signal(signal.SIGINT)
        serving.process.wait(LIMIT_S)

    _hello(serving, interrupt)
    status, errors = serving.end()
    assert status == 130 and errors.splitlines()[-1] == "ecnomy: interrupted"
    manifest = json.loads(file.read_text())
    assert (manifest["complete"], manifest["reason"]) == (False, "interrupted")


def _hello(
    serving: Serving, then, token: str = "", seed: int | None = None, network: str | None = None
) -> object:
    """Connect, send a hello, read the answer, call `then` with the wire, and hang up."""
    kind, _, place = serving.address.partition(":")
    if kind == "unix":
        wire = Wire(_unix(place), 30.0)
    else:
        port = int(place.rpartition(":")[2])
        wire = Wire(socket.create_connection(("127.0.0.1", port)), 30.0)
    plan = serving.plan
    wire.write(
        codec.encode(
            Hello(
                (codec.MAJOR, codec.MINOR),
                "test",
                "1",
                "",
                plan.seed if seed is None else seed,
                token,
                network=plan.to_json().decode() if network is None else network,
            )
        )
    )
    answer = codec.decode_body(wire.read())
    then(wire)
    wire.close()
    return answer


def test_silence_of_a_guest_is_no_death(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a pause three times as long as a hello may take, only the end of file ends the run."""
    monkeypatch.setattr(serve, "_HELLO_S", 0.3)
    scenario = scenario_from_text(SCENARIO)
    plan, said = make_plan(scenario), []

    def pause(address: str) -> None:
        wire = Wire(_unix(address), 30.0)
        wire.write(
            codec.encode(Hello((codec.MAJOR, codec.MINOR), "test", "1", plan.digest, plan.seed, ""))
        )
        said.append(codec.decode_body(wire.read()))
        time.sleep(0.9)
        wire.close()

    with listen(f"unix:{tmp_path}/market") as listener:
        guest = threading.Thread(target=pause, args=(f"{tmp_path}/market",))
        guest.start()
        offer = serve.OneScenario(scenario, plan)
        _, _, reason = next(serve.served([listener], offer, tmp_path / "out"))
        guest.join(LIMIT_S)
    assert isinstance(said[0], Welcome)
    assert reason.startswith("engine test 1 disconnected") and "silence" not in reason


@full
def test_once_ends_after_a_run(tmp_path: Path, stack: ExitStack) -> None:
    """`--once` ends with status 0. A guest without the token is refused and does not count."""
    file = tmp_path / "token"
    words = ("--listen", "tcp://127.0.0.1:0", "--once", "--token-file", str(file))
    there = Serving(stack, tmp_path, *words)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    answer = _hello(there, lambda wire: None)
    assert isinstance(answer, Refuse) and "wrong-token" in answer.reason
    assert there.guest("--token-file", file).status == 0
    assert there.process.wait(LIMIT_S) == 0
    assert "refused: wrong-token" in there.end()[1]
    assert json.loads((there.folder / "001/manifest.json").read_text())["complete"] is True


def _attends() -> bool:
    """Return whether the main thread waits for engines in the lobby."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_code is not Lobby._turn.__code__:
        frame = frame.f_back
    return frame is not None


def _served_here(folder: Path, deed: Callable[[str], object], *words: str) -> int:
    """The status of `serve` in this process, at a socket whose path another thread gets."""
    (folder / "scene.yaml").write_text(SCENARIO)
    path = f"{folder}/market"

    def act() -> None:
        wait_for(Path(path).exists, "the socket")
        wait_for(_attends, "the lobby")  # a signal before it would find no `with` around the socket
        deed(path)

    other, before = threading.Thread(target=act), signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.default_int_handler)  # were it not heeded: status 130
    other.start()
    try:
        status = ecnomy("serve", folder / "scene.yaml", "--listen", f"unix:{path}", *words)
    finally:
        signal.signal(signal.SIGHUP, before)
    other.join(LIMIT_S)
    assert not Path(path).exists()
    return status


def test_once_fails_with_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The status is 1 if the only run is incomplete."""
    plan = make_plan(scenario_from_text(SCENARIO))

    def leave(path: str) -> None:
        wire = Wire(_unix(path), 30.0)
        hello = Hello((codec.MAJOR, codec.MINOR), "test", "1", plan.digest, plan.seed, "")
        wire.write(codec.encode(hello))
        wire.read()
        wire.close()

    assert _served_here(tmp_path, leave, "--once", "--out", str(tmp_path / "out")) == 1
    assert "disconnected" in capsys.readouterr().out


@pytest.mark.signals
def test_a_hang_up_leaves_no_socket(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SIGHUP while no engine is connected gives one line."""
    hang_up = lambda _: os.kill(os.getpid(), signal.SIGHUP)  # noqa: E731
    assert _served_here(tmp_path, hang_up, "--out", str(tmp_path / "out")) == 129
    assert capsys.readouterr().err.splitlines()[-1] == "ecnomy: terminated"


def _unix(path: str) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(path)
    return sock


def test_address_that_is_taken_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An address in use gives one line and exit status 2."""
    (tmp_path / "scene.yaml").write_text(SCENARIO)
    with listen(f"unix:{tmp_path}/market") as taken:
        assert ecnomy("serve", tmp_path / "scene.yaml", "--listen", taken.address) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"ecnomy: address '{taken.address}': ")
    assert said.count("\n") == 1
