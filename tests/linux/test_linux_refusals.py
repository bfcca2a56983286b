# SPDX-License-Identifier: Apache-2.0
"""Plans that the Linux engine cannot run are refused in one line, before anything starts."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets.cli.__main__ import start
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.doctor.linux import linux_findings
from ecnomy.markets.engines.linux import Linux, find_linux, refusal
from ecnomy.markets.engines.registry import ENGINES, SIMULATORS, engine_kind
from ecnomy.markets.scenario import scenario_from_text
from ecnomy.markets.session.runner import run
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.engine_choice import with_engine
from linux_world import LINK, program_lacks
from processes import LIMIT_S

needs_program = pytest.mark.skipif(bool(program_lacks()), reason=program_lacks())
TCP = "transport: {law: reno, mss: 960 bytes}"
REFUSED = {
    "transport: {law: vegas}": ("window law vegas", "bbr, bbr1, wtp and multcp"),
    "transport: {law: wtp, ecn: accecn}": ("ecn: accecn is", "accurate for wtp"),
    "transport: {law: wtp, delayed_acks: 2}": ("delayed_acks above 1", "an ACK per packet"),
    "transport: {law: multcp, flows: 4, ecn: accurate}": ("ecn: accurate is", "rfc3168 for multcp"),
    "transport: {law: reno, ecn: accurate}": ("ecn: accurate is", "off and rfc3168"),
    "transport: {law: reno, decrease: 0.7}": ("decrease of reno", "default parameters"),
    "transport: {law: reno, slow_start: false}": ("slow_start: false", "slow start"),
    "transport: {law: cubic, receiver_window: 20 packets}": ("a receiver window", "no limit"),
    "transport: {law: bbr}": ("ecn: accurate is", "off and rfc3168 for bbr"),
    "transport: {law: reno, cwnd_min: 3 packets}": ("a cwnd_min", "least window"),
    "transport: {law: reno, delayed_acks: 2, delayed_ack_time: 9 ms}": ("a delayed_ack_time", "de"),
    "transport: {law: reno, max_rto: 9 s}": ("a max_rto", "largest timeout"),
    "transport: {law: reno, initial_rto: 3 s}": ("an initial_rto", "first timeout"),
    "traffic: {kind: voip}, transport: {law: udp, header: 48 bytes}": (
        "header: 48 bytes is",
        "headers of 28 bytes",
    ),
}


@needs_program
@pytest.mark.parametrize("source", REFUSED)
def test_refusals_name_the_source(source: str) -> None:
    """The line names the source, its setting and the possible settings."""
    plan = make_plan(scenario_from_text(LINK.replace(TCP, source), "a test"))
    if "without BPF" in refusal(find_linux(), plan):
        pytest.skip("built without BPF; install clang and libbpf-dev, and run make linux")
    line = refusal(find_linux(), plan)
    assert line.startswith("source 'flows': ") and "\n" not in line
    assert all(part in line for part in REFUSED[source])
    with pytest.raises(InputError, match="flows"):
        Linux(find_linux()).check(plan)


def refused(words: list[str | Path], **options: Any) -> str:
    """The one line with which a command ends with status 2."""
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=LIMIT_S, **options
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    return done.stderr


@needs_program
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_other_users_get_one_line(tmp_path: Path) -> None:
    """A user other than root gets one sentence and exit status 2."""
    program = tmp_path / "ecnomy-linux"
    shutil.copy(find_linux(), program)
    with program.open("rb") as file:  # the folder is root's
        path = f"/proc/self/fd/{file.fileno()}"
        line = refused([path, "check"], user=65534, pass_fds=(file.fileno(),))
    assert "engine linux needs root" in line


@needs_program
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up privileges")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv (util-linux) is missing")
def test_root_without_privileges_gets_one_line() -> None:
    """`check` tells root in a container without CAP_SYS_ADMIN, before a run fails."""
    without = ["setpriv", "--bounding-set", "-sys_admin,-net_admin"]
    assert "CAP_SYS_ADMIN" in refused([*without, find_linux(), "check"])


@needs_program
@pytest.mark.parametrize(
    "command", ["run flows.yaml --engine linux", "compare flows.yaml --engines builtin,linux"]
)
def test_commands_end_with_status_2(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On such a plan, `run` and `compare` write one line and no results, even of other engines."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flows.yaml").write_text(LINK.replace("law: reno", "law: vegas"))
    monkeypatch.setattr("sys.argv", ["ecnomy", *command.split()])
    with pytest.raises(SystemExit) as ended:
        start()
    error = capsys.readouterr().err
    assert ended.value.code == 2 and error.count("\n") == 1
    assert error.startswith("ecnomy: flows.yaml:") and "sources[0]: found window law vegas" in error
    assert not (tmp_path / "results").exists()


@needs_program
def test_a_refused_run_does_not_replace_another(tmp_path: Path) -> None:
    """Even with `force`, a refused run leaves the folder of a complete run unchanged."""
    text = LINK.replace("duration: ", "duration: 1 s  # ")
    run(scenario_from_text(text), out=tmp_path / "run")
    before = {file: file.read_bytes() for file in (tmp_path / "run").iterdir()}
    vegas = scenario_from_text(text.replace("law: reno", "law: vegas"))
    with pytest.raises(InputError, match="window law vegas"):
        run(vegas, engine="linux", out=tmp_path / "run", force=True)
    assert {file: file.read_bytes() for file in (tmp_path / "run").iterdir()} == before


def test_missing_program_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a source tree without the program, the line names the command that builds it.

    An installed package has no sources of this engine: the line says where they are.
    """
    (tmp_path / "inet").mkdir()
    (tmp_path / "inet" / "package.ned").touch()
    monkeypatch.setenv("ECNOMY_OMNET", str(tmp_path))
    with pytest.raises(InputError, match="make linux in a checkout of ecnomy"):
        engine_kind("linux")
    (tmp_path / "linux").mkdir()
    with pytest.raises(InputError, match=f"make -C {tmp_path}/linux"):
        engine_kind("linux")


def test_doctor_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a program the part is absent, not a fault, and the remedy builds it."""
    (tmp_path / "inet").mkdir()
    (tmp_path / "inet" / "package.ned").touch()
    monkeypatch.setenv("ECNOMY_OMNET", str(tmp_path))
    (finding,) = linux_findings()
    assert "make linux in a checkout" in finding.remedy
    (tmp_path / "linux").mkdir()
    (finding,) = linux_findings()
    assert (finding.what, finding.verdict) == ("engine linux", "absent")
    assert f"make -C {tmp_path}/linux" in finding.remedy


@needs_program
def test_doctor_agrees_with_the_engine() -> None:
    """The part is absent exactly if the engine refuses this machine or lacks window laws."""
    (finding,) = linux_findings()
    if reason := refusal(find_linux()):
        assert reason in finding.found and not finding.well
    else:
        assert finding.well is ("with wtp" in finding.found)


def test_old_program_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is older than its sources is refused."""
    for name in ("inet/package.ned", "linux/ecnomy-linux", "host/plan.cc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch(mode=0o755)
    os.utime(tmp_path / "linux" / "ecnomy-linux", (1, 1))
    monkeypatch.setenv("ECNOMY_OMNET", str(tmp_path))
    with pytest.raises(InputError, match=r"older than host/plan\.cc"):
        find_linux()


def test_sweeps_need_a_simulator(tmp_path: Path) -> None:
    """Sweeps refuse this engine, because its runs are not repeatable."""
    (tmp_path / "scenario.yaml").write_text(LINK)
    file = tmp_path / "sweep.yaml"
    file.write_text("version: 1\nscenario: scenario.yaml\nreplicates: 1\n")
    sweep = load_sweep(file)
    assert ENGINES == (*SIMULATORS, "linux")
    with pytest.raises(InputError, match="expected builtin or omnet"):
        with_engine(sweep, "linux", tmp_path)


@needs_program
def test_studies_of_papers_refuse_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`reproduce` refuses this engine, because its runs are in real time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "sys.argv", ["ecnomy", "reproduce", "siris2002.fig3", "--engine", "linux", "--out", "r"]
    )
    with pytest.raises(SystemExit) as ended:
        start()
    error = capsys.readouterr().err
    assert ended.value.code == 2 and "expected builtin or omnet" in error
    assert not (tmp_path / "r").exists()
