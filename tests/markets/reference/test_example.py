# SPDX-License-Identifier: Apache-2.0
"""`ecnomy example`: the packaged scenarios, copied to where a user works."""

from __future__ import annotations

import json
import re
import resource
from pathlib import Path

import pytest

from command_line import ecnomy
from ecnomy.agents.errors import InputError
from ecnomy.markets import load
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.reference.examples import copy_all, copy_example, packaged, titles
from ecnomy.markets.sweep.config import load_sweep

EXAMPLES = Path(__file__).parents[3] / "configs" / "examples"


def test_all_examples_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each example has one line with name and title; JSON contains the same."""
    assert ecnomy("example") == 0
    said = capsys.readouterr().out
    names = sorted(file.stem for file in EXAMPLES.glob("*.yaml"))
    assert [line.split()[0] for line in said.split("\n\n")[0].splitlines()] == names
    assert "Gold and silver customers on one link" in said
    assert ecnomy("example", "--json") == 0
    assert list(json.loads(capsys.readouterr().out)) == names


@pytest.mark.parametrize("name", sorted(titles()))
def test_a_copy_has_all_that_it_needs(name: str, tmp_path: Path) -> None:
    """The copy of each example in an empty folder is the same scenario."""
    copied = copy_example(name, tmp_path / "new")
    here, there = load(copied[0]), load(EXAMPLES / f"{name}.yaml")
    assert make_plan(here).digest == make_plan(there).digest
    assert here.resolved() == there.resolved()


def test_nothing_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An equal file may exist. A different one is refused before anything is copied."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold-silver.yaml").write_text("mine")
    assert ecnomy("example", "qos-knob") == 2
    assert "gold-silver.yaml already exists with different contents" in capsys.readouterr().err
    assert not (tmp_path / "qos-knob.yaml").exists()
    (tmp_path / "gold-silver.yaml").unlink()
    for _ in range(2):
        assert ecnomy("example", "qos-knob") == 0
        assert capsys.readouterr().out.splitlines()[-1] == "Run it with: ecnomy run qos-knob.yaml"


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    """A full disk leaves no truncated copy, which the next command would refuse."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(InputError, match="cannot be written"):
            copy_example("gold-silver", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
    assert copy_example("gold-silver", tmp_path)


def test_the_command_to_run_a_copy_is_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The printed command is quoted for folders with spaces and with long names."""
    for words, file in (("gold-silver",), ""), (("--all",), "configs/examples/"):
        assert ecnomy("example", *words, "--into", tmp_path / "my work") == 0
        command = f"ecnomy run '{tmp_path}/my work/{file}gold-silver.yaml'"
        assert command in capsys.readouterr().out
    assert ecnomy("example", "--all", "--into", tmp_path / ("x" * 300)) == 2
    assert "cannot be written (File name too long)" in capsys.readouterr().err


def test_an_unknown_example_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The error gives the nearest name."""
    assert ecnomy("example", "gold-silvr") == 2
    assert "'gold-silver'" in capsys.readouterr().err
    assert ecnomy("example", "sample", "--into", "/dev/null/x") == 2
    assert "/dev/null/x: cannot be written" in capsys.readouterr().err


def test_all_files_of_readme_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each file of configs/ that README runs is copied, and finds the files that it extends."""
    text = (EXAMPLES.parents[1] / "README.md").read_text(encoding="utf-8")
    wanted = set(re.findall(r"configs/[\w/.-]+\.yaml", text))
    assert len(wanted) > 8 and wanted <= {*packaged()}
    monkeypatch.chdir(tmp_path)
    assert ecnomy("check", "configs/sweeps/morris.yaml") == 2
    assert "; `ecnomy example --all` copies configs/ here" in capsys.readouterr().err
    for _ in range(2):
        assert ecnomy("example", "--all") == 0
    assert f"{len(packaged())} files in configs" in capsys.readouterr().out
    for name in wanted:
        load(name) if "examples/" in name else load_sweep(name, beside=("tournament", "tune"))
    Path("configs/sweeps/morris.yaml").write_text("mine", encoding="utf-8")
    assert ecnomy("example", "--all") == 2
    assert "morris.yaml already exists with different contents" in capsys.readouterr().err
    assert ecnomy("example", "rem", "--all") == 2
    assert "--all and the example rem exclude each other: use only one" in capsys.readouterr().err
    assert len(copy_all(tmp_path / "elsewhere")) == len(packaged())
