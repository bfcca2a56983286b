# SPDX-License-Identifier: Apache-2.0
"""All runs in a sweep's folder are of one engine, by the option, the file or the folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.analysis.sweeps.open_sweep import load
from ecnomy.markets.cli.main import main
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.sweep import pool
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.engine_choice import engine_in, with_engine
from ecnomy.markets.sweep.fingerprint import code_now
from sweep_world import SCENARIO, Here, write

SWEEP = "version: 1\nscenario: scenario.yaml\nreplicates: 1\nseed: 1\n"


@pytest.fixture
def sweep(stand_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A sweep of one run, a stand-in for OMNeT++, and workers in this process."""
    file = write(tmp_path, SWEEP, SCENARIO)
    (point,) = (config := load_sweep(file)).points()
    plan = tmp_path / "plan.json"
    plan.write_bytes(make_plan(config.scenario_at(point.params, point.seed)).to_json())
    monkeypatch.setenv("FAKE_PLAN", str(plan))
    monkeypatch.setattr(pool, "DaskPool", lambda *_: Here())
    code_now.cache_clear()
    yield file
    code_now.cache_clear()


def test_a_folder_keeps_its_engine(sweep: Path, tmp_path: Path, capsys) -> None:
    """Without --engine, a repeated sweep uses the folder's engine and says so; tables name it."""
    out = tmp_path / "out"
    main_ok("sweep", sweep, "--out", out, "--engine", "omnet")
    assert load(out)[["engine", "status"]].to_numpy().tolist() == [["omnet", "done"]]
    assert "going on" not in capsys.readouterr().err
    main_ok("sweep", sweep, "--out", out)
    said = capsys.readouterr()
    assert f"ecnomy: {out} holds runs of omnet; continuing with this engine" in said.err
    assert "1 run: 0 new, 1 reused" in said.out
    main_ok("sweep", sweep, "--out", tmp_path / "own")
    assert load(tmp_path / "own").engine.tolist() == ["builtin"]


def test_another_engine_is_refused_in_its_folder(sweep: Path, tmp_path: Path, capsys) -> None:
    """The refusal is one line that names both engines; existing files stay."""
    out = tmp_path / "out"
    main_ok("sweep", sweep, "--out", out)
    before = (out / "sweep.json").read_bytes()
    assert status("sweep", sweep, "--out", out, "--engine", "omnet") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "found runs of the engine builtin, expected runs of omnet" in line
    sweep.write_text(SWEEP + "engine: omnet\n")
    assert status("sweep", sweep, "--out", out) == 2
    assert (out / "sweep.json").read_bytes() == before
    assert load(out).engine.tolist() == ["builtin"]


def test_the_file_may_name_the_engine(sweep: Path, tmp_path: Path) -> None:
    """The option takes precedence; a name without an engine is refused with its line."""
    sweep.write_text(SWEEP + "engine: omnet\n")
    config = load_sweep(sweep)
    assert with_engine(config, None, tmp_path / "new").engine == "omnet"
    assert with_engine(config, "builtin", tmp_path / "new").engine == "builtin"
    sweep.write_text(SWEEP + "engine: ns3\n")
    with pytest.raises(ScenarioError, match=r"sweep.yaml:5: engine: found 'ns3', expected one of"):
        load_sweep(sweep)


def test_an_engine_that_is_not_there_leaves_no_folder(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing engine is refused before a folder is made."""
    monkeypatch.delenv("INET_ROOT")
    assert status("sweep", sweep, "--out", tmp_path / "out", "--engine", "omnet") == 2
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="ns3"):
        with_engine(load_sweep(sweep), "ns3", tmp_path / "out")


def test_a_folder_from_before_names_no_engine(sweep: Path, tmp_path: Path) -> None:
    """A sweep in a folder without an engine's name continues as before."""
    out = tmp_path / "out"
    main_ok("sweep", sweep, "--out", out)
    head = msgspec.json.decode((out / "sweep.json").read_bytes())
    del head["digest"]  # nor did it have one
    assert engine_in(out) == head.pop("engine") == "builtin"
    (out / "sweep.json").write_bytes(msgspec.json.encode(head))
    assert load(out).engine.isna().all()
    main_ok("sweep", sweep, "--out", out)
    assert engine_in(out) == "builtin"


def main_ok(*words: object) -> None:
    """The command line, which has to succeed."""
    assert status(*words) == 0


def status(*words: object) -> int:
    """The exit status of the command line."""
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)
