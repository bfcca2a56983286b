# SPDX-License-Identifier: Apache-2.0
"""Whole runs against a fake engine, and every way in which such an engine can end."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from command_line import ecnomy
from ecnomy.agents.errors import EngineError, InputError, StrategyError
from ecnomy.markets import load, make_plan, open_market, run
from ecnomy.markets.engines.registry import Engine, find_engine
from ecnomy.markets.session.runner import default_folder
from processes import LIMIT_S, alive, line_of, started, wait_for
from tiers import full

SCENARIO = """
version: 1
title: TITLE
duration: 6 s
warmup: 2 s
seed: 7
network:
  links:
    - {name: l, from: a, to: b, rate: 10 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: gold, count: 2, from: a, to: b, traffic: {kind: greedy}, transport: {law: wtp}}
  - {name: web, from: a, to: b, traffic: {kind: greedy}, transport: {law: reno}}
market:
  epoch: 1 s
  price_per_mark: 0.25 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes: {gold: {fee: 2 money/s, sources: gold}}
record: {series: [cwnd], every: 100 ms}
"""

pytestmark = pytest.mark.usefixtures("fake_engine")


def scenario(folder: Path, title: str = "plain") -> Path:
    """A scenario file; the fake engine reads its orders in the title."""
    file = folder / "scene.yaml"
    file.write_text(SCENARIO.replace("TITLE", title), encoding="utf-8")
    return file


def manifest(folder: Path) -> dict:
    """The manifest of a results folder."""
    return json.loads((folder / "manifest.json").read_text())


def test_run_ends_in_complete_results(tmp_path: Path) -> None:
    """The tables hold the engine's reports and the market's postings."""
    result = run(scenario(tmp_path), out=tmp_path / "r")
    assert result.complete and manifest(result.folder)["complete"] is True
    assert result.raw.flows["ce"].tolist() == [40, 40, 40]
    assert result.raw.flows["fee_micro"].tolist() == [8_000_000, 8_000_000, 0]
    marks = result.raw.ledger.query("kind == 'marks'")
    assert marks["amount_micro"].sum() == 3 * 60 * 250_000
    assert len(result.series) == 7 and len(result.link_epochs) == 14
    assert manifest(result.folder)["versions"]["engine"] == "fake 1.0"
    assert json.loads((result.folder / "machine.json").read_text())["engine"]["events"] == 1


def test_equal_runs_write_equal_bytes(tmp_path: Path) -> None:
    """Equal seeds give equal Parquet files and manifests; another seed gives another plan."""
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        run(scenario(tmp_path), out=tmp_path / name, seed=seed)
    files = [*sorted(p.name for p in (tmp_path / "a").glob("*.parquet")), "manifest.json"]
    assert len(files) == 10
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    digests = {manifest(tmp_path / n)["plan_digest"] for n in "abc"}
    assert len(digests) == 2


def test_loaded_scenario_takes_another_seed(tmp_path: Path) -> None:
    """A Scenario object runs like its file."""
    loaded = load(scenario(tmp_path))
    run(loaded, seed=11, out=tmp_path / "a")
    run(scenario(tmp_path), seed=11, out=tmp_path / "b")
    assert manifest(tmp_path / "a")["plan_digest"] == manifest(tmp_path / "b")["plan_digest"]
    assert manifest(tmp_path / "a")["seed"] == 11
    assert default_folder(loaded) == Path("results/scene-7")


def test_run_without_market_books_nothing(tmp_path: Path) -> None:
    """Without a market there are no fees, charges or classes. The packets are the same."""
    result = run(scenario(tmp_path), out=tmp_path / "r", market=False)
    assert result.raw.flows["ce"].tolist() == [40, 40, 40]
    assert result.raw.flows["class"].tolist() == ["", "", ""]
    assert len(result.raw.ledger) == 0


def test_killed_engine_is_named_and_results_are_partial(tmp_path: Path) -> None:
    """After kill -9 at 3 s, the error names process, signal and time within 5 s."""
    began = time.monotonic()
    with pytest.raises(EngineError, match=r"fake-engine .*SIGKILL at simulated time 3 s"):
        run(scenario(tmp_path, "die 3"), out=tmp_path / "r")
    assert time.monotonic() - began < 5
    document = manifest(tmp_path / "r")
    assert document["complete"] is False and "SIGKILL" in document["reason"]
    assert document["measured"]["to_ps"] == 3 * 10**12


def test_failed_engines_last_line_is_passed_on(tmp_path: Path) -> None:
    """The message has status 3 and the line on standard error."""
    with pytest.raises(EngineError, match=r"status 3: fake-engine: out of memory at simulated"):
        run(scenario(tmp_path, "status 2"), out=tmp_path / "r")


@pytest.mark.parametrize(("at", "due"), [(0, 1), (3, 4)])
def test_engine_that_finishes_early_leaves_partial_results(
    tmp_path: Path, at: int, due: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run without its last reports gives one line and status 1, and partial results."""
    assert ecnomy("run", scenario(tmp_path, f"finish {at}"), "--out", str(tmp_path / "r")) == 1
    said = capsys.readouterr().err
    assert f"found finish, expected the report at {due} s" in said and "Traceback" not in said
    document = manifest(tmp_path / "r")
    assert document["complete"] is False and document["reason"].startswith(
        "wrong-order: found finish"
    )
    assert document["measured"]["to_ps"] == at * 10**12


def test_error_of_the_engine_is_its_own_words(tmp_path: Path) -> None:
    """An `error` message ends the run with its reason, and the engine with it."""
    with pytest.raises(EngineError, match="flux capacitor"):
        run(scenario(tmp_path, "fail 2"), out=tmp_path / "r")
    assert "flux capacitor" in manifest(tmp_path / "r")["reason"]


@pytest.mark.signals
def test_interrupt_ends_engine_and_run(tmp_path: Path) -> None:
    """Ctrl-C while the engine hangs leaves partial results and no process."""
    pids: list[int] = []
    start = Engine.__init__

    def noted(self: Engine, *args: object) -> None:
        start(self, *args)  # type: ignore[arg-type]
        pids.append(self.pid)

    def interrupt() -> None:
        wait_for(lambda: (tmp_path / "r" / "manifest.json").exists() and pids, "a run")
        time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGINT)

    gc.collect()  # Python ignores an interrupt in a finalizer, as of a market of another test
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "__init__", noted)
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            run(scenario(tmp_path, "hang 3"), out=tmp_path / "r")
        thread.join(LIMIT_S)
    assert manifest(tmp_path / "r")["reason"] == "interrupted"
    assert not alive(pids[0])


def test_killed_market_takes_the_engine_with_it(tmp_path: Path) -> None:
    """kill -9 of ecnomy closes its end of the bridge, even if other processes inherited it."""
    code = (
        "import sys; from ecnomy.markets.engines.registry import Engine;"
        "from ecnomy.markets import load, make_plan;"
        "engine = Engine(make_plan(load(sys.argv[1])));"
        "print(engine.pid, flush=True); engine.sock.recv(1); import time; time.sleep(60)"
    )
    words = [sys.executable, "-c", code, scenario(tmp_path)]
    with started(words, stdout=subprocess.PIPE) as parent:
        pid = int(line_of(parent))
        parent.kill()
        wait_for(lambda: not alive(pid), "the engine's end")


def test_plan_file_does_not_outlive_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left in the folder for temporary files."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    run(scenario(tmp_path), out=tmp_path / "r")
    assert list(scratch.iterdir()) == []


def test_missing_engine_says_where_it_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong ECNOMY_ENGINE is named; nothing is written."""
    monkeypatch.setenv("ECNOMY_ENGINE", str(tmp_path / "nowhere"))
    with pytest.raises(EngineError, match="ECNOMY_ENGINE=.*nowhere"):
        run(scenario(tmp_path), out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_engine_of_the_environment_comes_first(fake_engine: Path) -> None:
    """ECNOMY_ENGINE takes precedence over an installed engine."""
    assert find_engine() == fake_engine


def test_file_that_is_no_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that cannot be executed is an EngineError with the system's reason."""
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELFnot really")
    broken.chmod(0o755)
    monkeypatch.setenv("ECNOMY_ENGINE", str(broken))
    with pytest.raises(EngineError, match="broken: cannot be started"):
        run(scenario(tmp_path), out=tmp_path / "r")
    assert manifest(tmp_path / "r")["complete"] is False


def test_taken_folder_is_refused_before_the_engine_starts(tmp_path: Path) -> None:
    """A folder with complete results is refused before the engine starts."""
    run(scenario(tmp_path), out=tmp_path / "r")
    with pytest.raises(InputError, match="already exists"):
        run(scenario(tmp_path), out=tmp_path / "r")
    assert run(scenario(tmp_path), out=tmp_path / "r", force=True).complete


@pytest.mark.parametrize("force", [pytest.param([], marks=full), ["--force"]])
def test_folder_of_a_live_run_is_refused(
    tmp_path: Path, force: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Results of a live run are partial: one line, status 2, and no file changes."""
    there = ["--out", str(tmp_path / "r")]
    with open_market(scenario(tmp_path), out=tmp_path / "r") as live:
        live.step()
        before = {file.name for file in (tmp_path / "r").iterdir()}
        text = (tmp_path / "r" / "manifest.json").read_bytes()
        assert manifest(tmp_path / "r")["complete"] is False
        assert ecnomy("run", scenario(tmp_path, "another"), *there, *force) == 2
        said = capsys.readouterr().err
        busy = "another run is writing to it; close that run, or choose another folder"
        assert said == f"ecnomy: {tmp_path / 'r'}: {busy}\n"
        assert (tmp_path / "r" / "manifest.json").read_bytes() == text
        assert before <= {file.name for file in (tmp_path / "r").iterdir()}
        live.step()
    assert manifest(tmp_path / "r")["reason"] == "closed at 2 s"
    assert run(scenario(tmp_path), out=tmp_path / "r").complete


def test_strategy_that_fails_in_mid_run_ends_it(tmp_path: Path) -> None:
    """An unusable decision names the strategy, and results are partial."""
    (tmp_path / "bad_lab.py").write_text(
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Late:\n"
        "    def post_price(self, observation):\n"
        "        return 250000 if observation.t_ps < 3 * 10**12 else -1\n",
        encoding="utf-8",
    )
    file = scenario(tmp_path)
    role = "role: connectivity-provider"
    file.write_text(file.read_text().replace(role, f"{role}, strategy: {{kind: 'bad_lab:Late'}}"))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        with pytest.raises(StrategyError, match=r"isp \(bad_lab:Late\): the price must .*, got -1"):
            run(file, out=tmp_path / "r")
    assert "bad_lab" in manifest(tmp_path / "r")["reason"]
    assert manifest(tmp_path / "r")["measured"]["to_ps"] == 2 * 10**12


def test_python_api_loads_and_plans(tmp_path: Path) -> None:
    """A script needs only `from ecnomy.markets import load, make_plan, run`."""
    assert make_plan(load(scenario(tmp_path), seed=5)).seed == 5
