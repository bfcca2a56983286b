# SPDX-License-Identifier: Apache-2.0
"""`ecnomy new`: each template works unchanged, and its test passes."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from command_line import ecnomy
from ecnomy.markets.omnet.installation import project_folder
from ecnomy.markets.reference.templates import TEMPLATES
from tiers import rare

OLD = re.compile(
    r"\.\./|own_law|OwnLaw\b|\bRamp|\bramp|risk[-_]broker|RiskBroker|patient|frugal|Frugal"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, from which Python imports."""
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    return folder


def files_of(folder: Path) -> dict[str, str]:
    """Every file below a folder, with its text."""
    files = (file for file in sorted(folder.rglob("*")) if file.suffix != ".pyc")
    files = (file for file in files if file.is_file())
    return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in files}


def module_at(file: Path) -> ModuleType:
    """A file of tests, imported as pytest does."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def passes(file: Path, scratch: Path) -> int:
    """Run all tests of a file; return their number."""
    tests = [test for name, test in vars(module_at(file)).items() if name.startswith("test_")]
    for number, test in enumerate(tests):
        own = scratch / str(number)
        own.mkdir()
        test(**({"tmp_path": own} if inspect.signature(test).parameters else {}))
    return len(tests)


@pytest.mark.parametrize("kind", [rare(k) if k == "handler" else k for k in sorted(TEMPLATES)])
def test_a_beginning_works(
    kind: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new project has only new names, marks what to change, and passes its test."""
    assert ecnomy("new", kind, f"my-{kind}") == 0
    out = capsys.readouterr().out
    written, _, commands = out.partition("\n\nNext:\n")
    files = files_of(folder)
    assert sorted(written.splitlines()) == sorted(files)
    first = files[written.splitlines()[0]].splitlines()
    assert first[0].endswith("Apache-2.0") or kind == "law"
    assert "Change first: " in first[1]
    assert not {name: OLD.findall(text) for name, text in files.items() if OLD.search(text)}
    for command in (line.strip() for line in commands.splitlines()):
        verb, *words = command.removeprefix("ecnomy ").split()
        if verb in ("check", "test-strategy"):
            assert ecnomy(verb, *words) == 0
    assert passes(next(folder.rglob(f"test_my_{kind}.py")), tmp_path) >= 1
    capsys.readouterr()
    before = files_of(folder)
    assert ecnomy("new", kind, f"my-{kind}") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "already exists; choose another NAME" in line
    assert files_of(folder) == before


def test_without_pytest_the_next_commands_say_what_to_install(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the command that needs pytest names the install command."""
    original = importlib.util.find_spec
    hidden = {"pytest"}
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *of: None if name in hidden else original(name, *of),
    )
    assert ecnomy("new", "scenario", "lab", "--into", "sub") == 0
    commands = capsys.readouterr().out.partition("\n\nNext:\n")[2].splitlines()
    hint = "  # after: pip install pytest"
    shown = [line for line in commands if line.endswith(hint)]
    assert shown == [f"  cd sub && pytest test_lab.py{hint}"]
    assert len(commands) == 3


def test_a_law_registers_with_the_names_of_its_project(folder: Path) -> None:
    """A build for OMNeT++ reads these names; the new project's test compiles the headers."""
    assert ecnomy("new", "law", "steep") == 0
    files = files_of(folder / "steep")
    assert "ECNOMY_MARKING_LAW(steep::Steep);" in files["src/laws.cc"]
    assert '#include "Steep.h"' in files["src/laws.cc"]
    assert f"ECNOMY ?= {project_folder()}\n" in files["Makefile"]
    assert "-o steep " in files["Makefile"]
    assert 'law = "steep"' in files["SteepNetwork.ned"]
    assert "network = steep.SteepNetwork" in files["omnetpp.ini"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["scenaro", "mine"],
            "no such kind, expected 'scenario', or one of strategy, handler, role, law, study",
        ),
        (["scenario", "My Market"], "expected lowercase letters, digits and hyphens"),
        (["strategy", "json"], "json is a Python keyword or an installed module"),
        (["role", "lambda"], "lambda is a Python keyword or an installed module"),
        (["law", "red"], "another law or file has this name"),
        (["law", "gentle"], "another law or file has this name"),
        (["study", "gold-silver"], "another law or file has this name"),
        (["scenario", "mine", "--into", "/dev/null/x"], "/dev/null/x: cannot be written"),
    ],
)
def test_bad_names_are_refused(
    words: list[str], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bad name gives one line and exit status 2, and no file is written."""
    assert ecnomy("new", *words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line
    assert not files_of(folder)


def test_two_beginnings_share_their_base(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The scenario that both extend exists once. A changed one is refused."""
    assert ecnomy("new", "strategy", "eager", "--into", "lab") == 0
    assert "  cd lab && ecnomy check eager.yaml\n" in capsys.readouterr().out
    assert ecnomy("new", "study", "prices", "--into", "lab", "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert made["files"] == ["lab/prices.yaml", "lab/gold-silver.yaml", "lab/test_prices.py"]
    (folder / "lab/gold-silver.yaml").write_text("mine")
    assert ecnomy("new", "study", "rates", "--into", "lab") == 2
    assert (folder / "lab/gold-silver.yaml").read_text() == "mine"
