# SPDX-License-Identifier: Apache-2.0
"""`ecnomy doctor`: a healthy installation, and each possible fault of one."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ecnomy.markets.cli.main import app
from ecnomy.markets.doctor import Finding, examine
from ecnomy.markets.engines.registry import find_engine

REAL_VERSION = importlib.metadata.version


def verdicts(findings: list[Finding]) -> dict[str, Finding]:
    """The findings by the part examined, each once."""
    named = {finding.what: finding for finding in findings}
    assert len(named) == len(findings)
    return named


def doctor(*arguments: str, **environment: str) -> Result:
    """The command, run here, in an environment without OMNeT++."""
    hidden = {"OMNETPP_ROOT": None, "INET_ROOT": None}
    done = CliRunner().invoke(app, ["doctor", *arguments], env=hidden | environment)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def script(folder: Path, text: str, name: str = "ecnomy-engine") -> str:
    """An executable shell script."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def test_a_healthy_installation_can_work(tmp_path: Path) -> None:
    """Exit 0, every required part is ok, and the test run returns events."""
    done = doctor("--out", str(tmp_path / "results"))
    assert done.exit_code == 0, done.stdout + done.stderr
    assert "FAULT" not in done.stdout and done.stdout.endswith("ecnomy can work\n")
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith(" ok")]
    assert {"Python", "mesa", "engine", "laws", "round", "results"} <= {row[1] for row in rows}
    assert not (tmp_path / "results").exists()


def test_every_extra_says_what_it_is_for(tmp_path: Path) -> None:
    """A new extra in pyproject.toml needs a description in the doctor."""
    extras = [finding for finding in examine(tmp_path) if finding.what.startswith("extra ")]
    known = importlib.metadata.metadata("ecnomy").get_all("Provides-Extra") or []
    assert len(extras) == len([extra for extra in known if extra != "all"])
    assert not [finding.what for finding in extras if "for optional" in finding.found]


def test_the_round_trip_counts_events(tmp_path: Path) -> None:
    """One second of the doctor's scenario has thousands of events."""
    row = verdicts(examine(tmp_path))["round trip"]
    assert row.well
    assert int(row.found.split(": ")[1].split(" events")[0].replace(",", "")) > 1000


OURS = "ecnomy for OMNeT++"
BROKEN = {
    "it fails at once": ("echo out of order >&2; exit 7", "engine", "status 7, out of order"),
    "another version": ("echo ecnomy-engine 0.0.9", "engine", "prints 'ecnomy-engine 0.0.9'"),
    "no laws": (
        'if [ "$1" = --version ]; then exec REAL --version; fi; echo "{}"',
        "laws",
        "marking law 'drop-tail' is unknown to the engine",
    ),
    "a changed law": (
        'if [ "$1" = describe ]; then REAL describe | sed s/0.95/0.9/; else exec REAL "$@"; fi',
        "laws",
        "marking law 'virtual-queue' has different parameters",
    ),
    "no run": (
        'if [ "$1" = run ]; then echo no memory >&2; exit 3; fi; exec REAL "$@"',
        "round trip",
        "ended with status 3: no memory",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_engine_is_a_fault(case: str, tmp_path: Path) -> None:
    """A broken engine gives status 1, its own message, and advice on the variable that names it."""
    text, what, complaint = BROKEN[case]
    engine = script(tmp_path, text.replace("REAL", str(find_engine())))
    done = doctor("--out", str(tmp_path), ECNOMY_ENGINE=engine)
    assert done.exit_code == 1 and "Traceback" not in done.stderr
    row = " ".join(done.stdout.split())
    assert complaint in row or complaint.replace(" ", "") in row.replace(" ", "")
    (fault,) = [line for line in done.stdout.splitlines() if line.startswith("FAULT")]
    assert fault.startswith(f"FAULT {what}: remedy: unset ECNOMY_ENGINE, or set it to")
    assert done.stdout.endswith("1 fault: ecnomy cannot work\n")


def test_an_engine_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    """If the variable names no file, the round trip is not tried."""
    done = doctor("--out", str(tmp_path), ECNOMY_ENGINE=str(tmp_path / "nothing"))
    assert done.exit_code == 1
    assert "not an executable file" in " ".join(done.stdout.split()).replace("- ", "-")
    assert "round trip" not in done.stdout


def test_a_missing_extra_is_no_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The finding has the extra's purpose and its install command; the other parts can work."""

    def version(name: str) -> str:
        if name == "topohub":
            raise importlib.metadata.PackageNotFoundError(name)
        return REAL_VERSION(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    by_row = verdicts(examine(tmp_path))
    extra = by_row["extra topologies"]
    assert (extra.verdict, extra.remedy) == ("absent", "pip install 'ecnomy[topologies]'")
    assert "topology: topohub" in extra.found and "topohub: not installed" in extra.found
    assert not any(finding.verdict == "FAULT" for finding in by_row.values())


@pytest.mark.parametrize("version", [None, "2.4.1", "4.0"])
def test_a_missing_or_unfit_package_is_a_fault(
    version: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Absent, too old and too new packages are reported with the required range."""

    def pretended(name: str) -> str:
        if name != "mesa":
            return REAL_VERSION(name)
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(importlib.metadata, "version", pretended)
    mesa = verdicts(examine(tmp_path))["mesa"]
    assert mesa.verdict == "FAULT" and (version or "not installed") in mesa.found
    assert mesa.remedy == "pip install 'mesa<4,>=3.3'"


def test_omnetpp_is_found_where_its_variables_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Versions come from files of OMNeT++ and INET, and from opp_run; our library may be stale."""
    files = {
        "omnetpp/Makefile.inc": "OMNETPP_VERSION = 6.1\n",
        "inet/src/inet/common/INETDefs.h": (
            "#define INET_VERSION        0x0405\n#define INET_PATCH_LEVEL    0x04\n"
        ),
        "modules/inet/package.ned": "package ecnomy;\n",
        "modules/host/plan.cc": "",
        "modules/inet/libecnomy.so": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "omnetpp/bin").mkdir()
    said = "echo 'OMNeT++ Discrete Event Simulation'; echo 'Version: 6.1, build: x'"
    script(tmp_path / "omnetpp/bin", said, "opp_run")
    monkeypatch.setenv("OMNETPP_ROOT", str(tmp_path / "omnetpp"))
    monkeypatch.setenv("INET_ROOT", str(tmp_path / "inet"))
    monkeypatch.setenv("ECNOMY_OMNET", str(tmp_path / "modules"))
    rows = verdicts(examine(tmp_path))
    for what, version in (("OMNeT++", "6.1"), ("INET", "4.5.4"), ("opp_run", "6.1")):
        assert rows[what].well and rows[what].found.startswith(f"{version}, {tmp_path}")
    assert rows[OURS].well and rows[OURS].found == str(tmp_path / "modules/inet/libecnomy.so")
    os.utime(tmp_path / "modules/inet/libecnomy.so", (1, 1))
    monkeypatch.setenv("INET_ROOT", str(tmp_path / "moved"))
    monkeypatch.setenv("OMNETPP_ROOT", str(tmp_path / "elsewhere"))
    rows = verdicts(examine(tmp_path))
    assert "is not the folder of INET 4.5" in rows["INET"].found
    assert "INET_ROOT" in rows["INET"].remedy
    assert f"OMNETPP_ROOT={tmp_path}/elsewhere" in rows["OMNeT++"].found
    assert rows[OURS].found.endswith("libecnomy.so: older than host/plan.cc")
    assert rows[OURS].remedy == f"make -C {tmp_path}/modules"
    assert {rows[what].verdict for what in ("OMNeT++", "INET", "opp_run", OURS)} == {"absent"}


def test_a_broken_opp_run_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The finding has opp_run's exit status. The built-in engine does not need it, so no fault."""
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin", "echo libopp is missing >&2; exit 127", "opp_run")
    monkeypatch.setenv("OMNETPP_ROOT", str(tmp_path))
    row = verdicts(examine(tmp_path))["opp_run"]
    assert "status 127" in row.found and row.verdict == "absent"


def test_a_results_folder_that_cannot_be_is_a_fault(tmp_path: Path) -> None:
    """A file that has the folder's name is a fault."""
    (tmp_path / "file").write_text("")
    row = verdicts(examine(tmp_path / "file" / "results"))["results folder"]
    assert row.verdict == "FAULT" and "not writable" in row.found and "--out" in row.remedy
