# SPDX-License-Identifier: Apache-2.0
"""The command line: its output, its exit status, and no tracebacks."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from command_line import ecnomy
from ecnomy.markets.cli.ending import stoppable
from ecnomy.markets.cli.main import GROUP, commands
from ecnomy.markets.session.session import Session
from processes import LIMIT_S, ended, started, wait_for
from tiers import full

SCENARIO = """
version: 1
title: TITLE
duration: 6 s
warmup: 2 s
network:
  links:
    - {name: l, from: a, to: b, rate: 10 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: au, count: 2, from: a, to: b, traffic: {kind: greedy}, transport: {law: wtp}}
  - {name: web, from: a, to: b, traffic: {kind: greedy}, transport: {law: reno}}
market:
  epoch: 1 s
  price_per_mark: 0.25 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: shop, role: application-provider, classes: {gold: {fee: 2 money/s, sources: au}}}
"""

pytestmark = pytest.mark.usefixtures("fake_engine")


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario file in the working directory."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "scene.yaml"
    file.write_text(SCENARIO.replace("TITLE", "plain"), encoding="utf-8")
    return file


def test_run_prints_what_each_class_paid(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output names classes and other sources, the price of a mark, and finally the folder."""
    assert ecnomy("run", scene) == 0
    out, err = capsys.readouterr()
    cells = {row[0]: row[1:] for row in map(str.split, out.splitlines()) if len(row) == 8}
    assert cells["gold"] == ["2", "0.8", "10", "2", "2.5", "0.25", "5"]
    assert cells["web"] == ["1", "0.8", "10", "0", "2.5", "0.25", "2.5"]
    assert out.startswith("Whole measured window, 2 s to 6 s, all phases together\n")
    assert (
        "total paid for marks: 7.5 money/s, of which 2.5 (33.3 %) by sources without an "
        "agent or a class" in out
    )
    assert "results of each phase: ecnomy show results/scene-1\n" in out
    assert out.splitlines()[-1] == "results: results/scene-1"
    assert all(line.startswith("ecnomy: warning: ") for line in err.splitlines())
    assert json.loads(Path("results/scene-1/manifest.json").read_text())["complete"] is True


def test_options_reach_the_run(scene: Path) -> None:
    """The options for changes, seed, folder and market have an effect."""
    assert (
        ecnomy(
            "run",
            scene,
            "--set",
            "duration=4 s",
            "--set",
            "title=other",
            "--seed",
            9,
            "--out",
            "here",
            "--no-market",
        )
        == 0
    )
    manifest = json.loads(Path("here/manifest.json").read_text())
    assert manifest["seed"] == 9 and manifest["title"] == "other"
    assert manifest["measured"]["to_ps"] == 4 * 10**12
    assert manifest["classes"] == []


def test_second_run_is_refused_without_force(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit status is 2, with advice; --force replaces the results."""
    assert ecnomy("run", scene, "--out", "r") == 0
    capsys.readouterr()
    assert ecnomy("run", scene, "--out", "r") == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "ecnomy: r already exists; replace it with --force, or choose another folder with --out"
    )
    assert ecnomy("run", scene, "--out", "r", "--force") == 0


def test_check_says_what_would_run(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check` prints a summary, and writes no results."""
    assert ecnomy("check", scene, "--set", "title=checked") == 0
    printed = capsys.readouterr().out
    assert "checked" in printed and "\nplan " not in printed
    assert re.fullmatch(r"no warnings|warning: .*", printed.splitlines()[-1])
    assert ecnomy("check", scene, "--digest") == 0
    assert re.search(r"^plan [0-9a-f]{64}$", capsys.readouterr().out, re.MULTILINE)
    assert not Path("results").exists()


@pytest.mark.parametrize("verb", ["run", "check"])
@pytest.mark.parametrize(
    ("extra", "message"),
    [(["--set", "sources[0].count=-1"], "count"), (["--set", "nowhere=1"], "nowhere")],
)
def test_bad_input_is_one_line_and_exit_2(
    scene: Path, verb: str, extra: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no traceback; the line names the fault, and the command that explains a key."""
    assert ecnomy(verb, scene, *extra) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("ecnomy: ") and message in line
    assert line.endswith("; ecnomy explain sources.count") == (message == "count")


def test_missing_file_is_one_line_and_exit_2(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line names the missing file."""
    assert ecnomy("run", "absent.yaml") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "absent.yaml" in line


def test_dead_engine_is_one_line_and_exit_1(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the dead process and the time."""
    assert ecnomy("run", scene, "--set", "title=die 3") == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("ecnomy: fake-engine") and "SIGKILL at simulated time 3 s" in line


def test_folder_that_cannot_be_written_is_one_line(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line contains the system's reason and the path, and the exit status is 1."""
    assert ecnomy("run", scene, "--out", "/proc/nowhere/r") == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("ecnomy: /proc/nowhere")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shhow"], "ecnomy: unknown command 'shhow', expected 'show', or one of "),
        (["run"], "ecnomy: run: Missing argument 'config'; see `ecnomy run --help`"),
        (
            ["run", "x.yaml", "--seed", "many"],
            "ecnomy: run: --seed: found 'many', expected a whole number; see `ecnomy run --help`",
        ),
        (
            ["sweep", "x.yaml", "-j", "-3"],
            "ecnomy: sweep: --jobs: found '-3', expected at least 0; ",
        ),
        (["run", "--sed", "1"], "ecnomy: run: No such option: --sed "),
        (
            ["sweep", "x.yaml", "--set", "seed=1"],
            "ecnomy: sweep: No such option: --set (Possible options: --emit, --out); write values "
            "for all runs in the file, such as `set: {duration: 60 s}`; see `ecnomy sweep --help`",
        ),
        (["explain", "game"], "ecnomy: 'game' is a command; see `ecnomy game --help`"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unknown verbs and options, missing arguments and bad seeds give one line and status 2."""
    assert ecnomy(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith(said) and printed.err.count("\n") == 1
    assert ("'show'" in printed.err) == (arguments == ["shhow"])


@pytest.mark.parametrize(
    ("sent", "status", "reason"),
    [
        (signal.SIGINT, 130, "interrupted"),
        pytest.param(signal.SIGTERM, 143, "terminated", marks=full),
        pytest.param(signal.SIGHUP, 129, "terminated", marks=full),
    ],
)
def test_signals_end_a_run_with_partial_results(
    scene: Path, sent: signal.Signals, status: int, reason: str
) -> None:
    """After Ctrl-C, SIGTERM or SIGHUP while the engine hangs, the folder has the reason."""
    command = [
        sys.executable,
        "-m",
        "ecnomy.markets.cli",
        "run",
        scene,
        "--set",
        "title=hang 3",
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environ = os.environ | {"PYTHONUNBUFFERED": "1"}
    with started([*command, "--out", "r"], env=environ, **pipes) as process:
        wait_for(Path("r/flow_epochs.parquet.tmp").exists, "a table", while_runs=process)
        time.sleep(1.0)
        process.send_signal(sent)
        code, out, err = ended(process)
    assert code == status, err
    assert "Traceback" not in err and out == ""
    assert err.splitlines()[-1] == f"ecnomy: {reason}; results up to here are saved as partial"
    manifest = json.loads(Path("r/manifest.json").read_text())
    assert manifest["complete"] is False and manifest["reason"] == reason
    assert Path("r/flow_epochs.parquet").exists()


@pytest.mark.signals
def test_a_hang_up_ends_a_run_with_partial_results(
    scene: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After SIGHUP in mid-run, the folder has partial results."""
    heeded, step, steps = signal.getsignal(signal.SIGHUP), Session.step, []

    def stepped(self: Session, *arguments: Any) -> Any:
        if len(steps) == 2:
            signal.raise_signal(signal.SIGHUP)
        steps.append(step(self, *arguments))
        return steps[-1]

    monkeypatch.setattr(Session, "step", stepped)
    signal.signal(signal.SIGHUP, lambda *_: None)  # an unhandled SIGHUP would end pytest
    try:
        assert ecnomy("run", scene, "--out", "r") == 129
    finally:
        signal.signal(signal.SIGHUP, heeded)
    notice = "ecnomy: terminated; results up to here are saved as partial"
    assert capsys.readouterr().err.splitlines()[-1] == notice
    manifest = json.loads(Path("r/manifest.json").read_text())
    assert manifest["complete"] is False and manifest["reason"] == "terminated"
    assert manifest["measured"]["to_ps"] == 2 * 10**12


def test_no_progress_where_nobody_watches(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal on standard error, no progress is drawn."""
    assert ecnomy("run", scene, "--out", "r") == 0
    err = capsys.readouterr().err
    assert "\x1b" not in err and all(line.startswith("ecnomy: ") for line in err.splitlines())


def test_verbs_of_other_packages_are_found(
    scene: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An entry point in ecnomy.commands is a verb, with its options and help."""
    (scene.parent / "lab_verbs.py").write_text(
        "def greet(name: str) -> None:\n    '''Say hello.'''\n    print('hello', name)\n"
    )
    monkeypatch.syspath_prepend(str(scene.parent))
    monkeypatch.setattr("ecnomy.markets.cli.main.commands", commands.__wrapped__)  # read again
    entry = importlib.metadata.EntryPoint("greet", "lab_verbs:greet", GROUP)
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: [entry] if group == GROUP else []
    )
    assert ecnomy("greet", "you") == 0
    assert capsys.readouterr().out == "hello you\n"
    assert ecnomy("--help") == 0
    assert "Say hello." in capsys.readouterr().out


def test_a_verb_with_sub_commands_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of verbs includes a verb with sub-commands."""
    from ecnomy.markets.cli import main as cli

    verbs = commands() | {"account": f"{__name__}:_grouped"}
    monkeypatch.setattr(cli, "commands", lambda: verbs)
    shown = CliRunner().invoke(cli.app, ["--help"]).output
    assert any("account" in line and "Books." in line for line in shown.splitlines()), shown


_grouped = typer.Typer(help="Books.")


@_grouped.callback()
def _about() -> None:
    """Books."""


@_grouped.command("show")
def _show() -> None:
    """A command of the group."""


def test_too_little_memory_is_one_line(scene: Path) -> None:
    """Under `ulimit -v` libraries hang or die; the command line stops before that."""
    limit = 400_000 * 1024
    process = subprocess.run(
        [sys.executable, "-m", "ecnomy.markets.cli", "run", str(scene)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert process.returncode == 1
    assert re.fullmatch(
        r"ecnomy: not enough memory: found a limit of 400,000 kB \(ulimit -v\), "
        r"expected at least [\d,]+ kB\n",
        process.stderr,
    )


def test_memory_that_runs_out_is_one_line(
    scene: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If memory runs out during a run, the message names the failed allocation."""

    def fail(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 3 GiB")

    monkeypatch.setattr("ecnomy.markets.session.runner.run", fail)
    assert ecnomy("run", scene) == 1
    assert capsys.readouterr().err == "ecnomy: out of memory: Unable to allocate 3 GiB\n"


def test_ctrl_c_before_a_verb_begins_its_work_is_one_line(
    scene: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C before a verb begins gives one line, which typer would omit."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ecnomy.markets.scenario.load", interrupt)
    assert ecnomy("check", scene) == 130
    assert capsys.readouterr().err == "ecnomy: interrupted\n"


def test_ctrl_c_while_the_memory_is_checked_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The check is the first step of a command; Ctrl-C there used to give a traceback."""

    def interrupt() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("ecnomy.markets.cli.main.shortage", interrupt)
    assert ecnomy("--version") == 130
    assert capsys.readouterr().err == "ecnomy: interrupted\n"


@pytest.mark.signals
def test_more_signals_do_not_interrupt_the_closing() -> None:
    """A second SIGTERM or SIGHUP does not leave a traceback or a half-closed run."""
    heeded = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    closed = []
    try:
        with pytest.raises(SystemExit) as ended, stoppable():
            try:
                signal.raise_signal(signal.SIGTERM)
            finally:
                for number in heeded:
                    signal.raise_signal(number)
                closed.append(True)
    finally:
        for number, handler in heeded.items():
            signal.signal(number, handler)
    assert closed and ended.value.code == 143
