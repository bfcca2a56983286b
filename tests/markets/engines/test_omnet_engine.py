# SPDX-License-Identifier: Apache-2.0
"""`--engine omnet` with an opp_run that simulates nothing: start, environment, ends, refusals."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest

from command_line import ecnomy
from ecnomy.agents.errors import EngineError, InputError
from ecnomy.markets import load, make_plan, run
from ecnomy.markets.engines.registry import engine_kind
from ecnomy.markets.omnet.installation import find_installation, find_modules
from ecnomy.markets.sweep import driver
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.fingerprint import code_now
from ecnomy.markets.sweep.outcome import execute

SCENARIO = """
version: 1
title: TITLE
duration: 6 s
warmup: 2 s
network:
  links:
    - {name: l, from: a, to: b, rate: 10 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: gold, count: 2, from: a, to: b, traffic: {kind: greedy}, transport: {law: wtp}}
record: {series: [cwnd], every: 100 ms}
"""


@pytest.fixture
def scene(stand_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes the scenario with a title that controls the stand-in."""

    def write(title: str = "plain") -> Path:
        file = tmp_path / "scene.yaml"
        file.write_text(SCENARIO.replace("TITLE", title))
        plan = tmp_path / "plan.json"
        plan.write_bytes(make_plan(load(file)).to_json())
        monkeypatch.setenv("FAKE_PLAN", str(plan))
        return file

    return write


def manifest(folder: Path) -> dict:
    """The manifest of a results folder."""
    return json.loads((folder / "manifest.json").read_text())


def test_run_on_omnet_ends_in_the_same_tables(scene, tmp_path: Path) -> None:
    """The tables of any run, and OMNeT++'s own files in a separate folder."""
    result = run(scene(), out=tmp_path / "r", engine="omnet")
    assert result.complete and result.raw.flows["ce"].tolist() == [40, 40]
    assert manifest(result.folder)["versions"]["engine"] == "fake 1.0"
    there = {file.name for file in (tmp_path / "r/omnet").iterdir()}
    assert there == {"network.ned", "omnetpp.ini", "log.txt", "opp.json"}
    assert "OMNeT++ Discrete Event Simulation" in (tmp_path / "r/omnet/log.txt").read_text()


def test_opp_run_gets_every_option(scene, stand_in: Path, tmp_path: Path, monkeypatch) -> None:
    """opp_run gets NED folders, exclusions and the library, regardless of the shell's settings."""
    monkeypatch.setenv("OMNETPP_NED_PATH", "/elsewhere")
    run(scene(), out=tmp_path / "r", engine="omnet")
    call = json.loads((tmp_path / "r/omnet/opp.json").read_text())
    words = call["words"]
    options = dict(zip(words, words[1:], strict=False))
    inet = stand_in / "inet"
    assert options["-n"].split(":") == [".", f"{stand_in}/modules/inet", f"{inet}/src"]
    assert options["-l"] == f"{stand_in}/modules/inet/ecnomy"
    assert options["-x"] == "inet.aaa;inet.bbb" and options["-u"] == "Cmdenv"
    assert call["OMNETPP_NED_PATH"] == ""
    assert call["PATH"].startswith(f"{stand_in}/omnetpp/bin:")
    assert call["LD_LIBRARY_PATH"].split(":")[:2] == [f"{stand_in}/omnetpp/lib", f"{inet}/src"]


@pytest.mark.parametrize(
    ("title", "message"),
    [
        (
            "opp 2",
            r"status 1: Error: A queue is lost -- in module \(Q\) Scenario\.a \(id=7\), at t=2s",
        ),
        ("status 2", r"status 3: fake-engine: out of memory at simulated time 2 s"),
        ("die 3", r"opp_run .*SIGKILL.* at simulated time 3 s"),
        ("fail 2", "flux capacitor"),
    ],
)
def test_death_is_named(scene, tmp_path: Path, title: str, message: str) -> None:
    """The message contains OMNeT++'s error or the signal, with the time. Results are partial."""
    began = time.monotonic()
    with pytest.raises(EngineError, match=message):
        run(scene(title), out=tmp_path / "r", engine="omnet")
    assert time.monotonic() - began < 15
    document = manifest(tmp_path / "r")
    assert document["complete"] is False and document["measured"]["to_ps"] in (
        2 * 10**12,
        3 * 10**12,
    )


def test_folder_is_cleaned_for_the_next_engine(scene, tmp_path: Path) -> None:
    """A run that replaces one on OMNeT++ removes its files, but no others."""
    run(scene(), out=tmp_path / "r", engine="omnet")
    (tmp_path / "r/omnet/run.sca").write_text("old")
    (tmp_path / "r/omnet/notes.txt").write_text("mine")
    with pytest.raises(EngineError):
        run(scene("opp 1"), out=tmp_path / "r", engine="omnet", force=True)
    there = {file.name for file in (tmp_path / "r/omnet").iterdir()}
    assert there == {"network.ned", "omnetpp.ini", "log.txt", "opp.json", "notes.txt"}


def test_nothing_is_kept_without_a_folder(scene, tmp_path: Path, monkeypatch) -> None:
    """Sweeps run without a folder, and the engine's own folder is removed with the run."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    plan = make_plan(load(scene()))
    with engine_kind("omnet").start(plan) as engine:
        assert len(list(scratch.glob("*/runs/*"))) == 1
        engine.sock.recv(1)
    assert not list(scratch.glob("*/runs/*"))


def test_other_modules_are_another_engine(scene, stand_in: Path) -> None:
    """Sweeps tell engines apart by a digest, which covers library, NED files and versions."""
    scene()
    digests = [engine_kind("omnet").digest()]
    for name, text in (
        ("modules/inet/libecnomy.so", "other"),
        ("modules/inet/package.ned", "package ecnomy; // other\n"),
        ("omnetpp/Makefile.inc", "OMNETPP_VERSION = 6.2\n"),
    ):
        (stand_in / name).write_text(text)
        digests.append(engine_kind("omnet").digest())
    assert len(set(digests)) == 4


def test_sweeps_can_run_on_omnet(scene, tmp_path: Path, monkeypatch) -> None:
    """A worker makes a point's run, with a digest unlike the built-in engine's."""
    scene()
    sweep = tmp_path / "sweep.yaml"
    sweep.write_text("version: 1\nscenario: scene.yaml\nreplicates: 1\nseed: 1\n")
    config = msgspec.structs.replace(load_sweep(sweep), engine="omnet", keep=True)
    (point,) = config.points()
    monkeypatch.setenv("FAKE_PLAN", str(tmp_path / "point.json"))
    plan = make_plan(config.scenario_at(point.params, point.seed))
    (tmp_path / "point.json").write_bytes(plan.to_json())
    code_now.cache_clear()
    try:
        task = driver.task_of(config, point, "p", str(tmp_path / "r"))
        done = execute(task)
        assert (done.status, done.reason) == ("done", "")
        assert done.code == task.code != code_now()
        assert (tmp_path / "r/omnet/omnetpp.ini").exists()
        other = execute(msgspec.structs.replace(task, engine="omnet", folder=""))
        assert other.values == done.values
    finally:
        code_now.cache_clear()


MISSING = {
    "no OMNeT++": ("OMNETPP_ROOT", None, "OMNETPP_ROOT is not set and opp_run is not on the PATH"),
    "no such OMNeT++": ("OMNETPP_ROOT", "/nowhere", "OMNETPP_ROOT=/nowhere; set OMNETPP_ROOT"),
    "no INET": ("INET_ROOT", None, "INET_ROOT is not set; set it to the folder of INET 4.5"),
    "no such INET": ("INET_ROOT", "/nowhere", "INET_ROOT=/nowhere is not the folder of INET 4.5"),
    "no modules": ("ECNOMY_OMNET", "/nowhere", "ECNOMY_OMNET=/nowhere; set it to their folder"),
}


@pytest.mark.parametrize("case", MISSING)
def test_what_is_missing_is_one_line_and_exit_2(
    case: str,
    scene,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The line names the variable to set, before anything is written."""
    variable, value, message = MISSING[case]
    file = scene()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    if value is None:
        monkeypatch.delenv(variable)
    else:
        monkeypatch.setenv(variable, value)
    status = ecnomy("run", file, "--engine", "omnet", "--out", tmp_path / "r")
    said = capsys.readouterr().err
    assert status == 2, said
    assert said.startswith("ecnomy: ") and said.count("\n") == 1
    assert message in said
    assert not (tmp_path / "r").exists()


UNFIT = {
    "an old OMNeT++": (
        "omnetpp/Makefile.inc",
        "OMNETPP_VERSION = 6.0.3\n",
        r"found OMNeT\+\+ 6.0.3, expected 6.1",
    ),
    "a new INET": (
        "inet/src/inet/common/INETDefs.h",
        "#define INET_VERSION 0x0406\n#define INET_PATCH_LEVEL 0x00\n",
        "found INET 4.6.0, expected 4.5",
    ),
    "an INET that is not built": ("inet/src/libINET.so", None, "build it: make -C .*MODE=rel"),
    "modules that are not built": ("modules/inet/libecnomy.so", None, "build them: make -C .*"),
    "an OMNeT++ that is not built": ("omnetpp/bin/opp_run", None, "opp_run: not found; build"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_does_not_fit_is_said(case: str, stand_in: Path) -> None:
    """The message gives the found and expected versions, or the command to build."""
    name, text, message = UNFIT[case]
    if text is None:
        (stand_in / name).unlink()
    else:
        (stand_in / name).write_text(text)
    with pytest.raises(InputError, match=message):
        find_installation()


def test_debug_modules_are_taken_where_there_are_no_others(stand_in: Path) -> None:
    """All libraries of a run have the same mode."""
    for name in ("modules/inet/libecnomy{}.so", "inet/src/libINET{}.so", "omnetpp/bin/opp_run{}"):
        (stand_in / name.format("")).rename(stand_in / name.format("_dbg"))
    chosen = find_installation()
    assert chosen.suffix == "_dbg" and chosen.opp_run.name == "opp_run_dbg"
    assert chosen.modules_library.name == "libecnomy_dbg.so"
    (stand_in / "modules/inet/libecnomy.so").write_text("")
    assert find_modules()[1] == ""


def test_opp_run_on_the_path_names_omnetpp(stand_in: Path, monkeypatch) -> None:
    """Without OMNETPP_ROOT, OMNeT++ is the folder that contains opp_run."""
    monkeypatch.delenv("OMNETPP_ROOT")
    monkeypatch.setenv("PATH", f"{stand_in}/omnetpp/bin:/usr/bin:/bin")
    assert find_installation().omnetpp.folder == (stand_in / "omnetpp").resolve()


def test_folders_may_be_named_from_here(scene, stand_in: Path, tmp_path: Path, monkeypatch) -> None:
    """Folders are relative to ecnomy's working directory; opp_run runs in another folder."""
    file = scene()
    monkeypatch.chdir(stand_in)
    monkeypatch.setenv("OMNETPP_ROOT", "omnetpp")
    monkeypatch.setenv("INET_ROOT", "inet")
    monkeypatch.setenv("ECNOMY_OMNET", "modules")
    assert run(file, out=Path("here"), engine="omnet").complete
    words = json.loads((stand_in / "here/omnet/opp.json").read_text())["words"]
    assert f".:{stand_in}/modules/inet:{stand_in}/inet/src" in words


def test_unknown_engine_is_refused(tmp_path: Path) -> None:
    """The error lists the known names."""
    with pytest.raises(InputError, match="'ns3': expected one of builtin, omnet, linux"):
        engine_kind("ns3")
