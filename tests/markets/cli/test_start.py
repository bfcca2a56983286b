# SPDX-License-Identifier: Apache-2.0
"""The start of the command line: the modules it loads, and the completion of its words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from command_line import ecnomy
from processes import LIMIT_S

CONFIGS = Path(__file__).parents[3] / "configs"
HEAVY = "dask duckdb matplotlib mesa networkx numpy pandas pint pyarrow rich.progress scipy"


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["check", f"{CONFIGS}/examples/gold-silver.yaml"], []),
        (["export", f"{CONFIGS}/examples/gold-silver.yaml", "project"], ["networkx", "numpy"]),
        (["--help"], []),
    ],
    ids=["check", "export", "help"],
)
def test_a_short_command_loads_no_heavy_package(
    words: list[str], needed: list[str], tmp_path: Path
) -> None:
    """`ecnomy check` takes a fraction of a second, and each of these packages would double that.

    Help imports the verbs of all packages, as tab completion does.
    """
    code = (
        "import sys; from ecnomy.markets.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        f"finally: print(sorted(set({HEAVY!r}.split()) & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=LIMIT_S, cwd=tmp_path
    )
    assert done.stdout.splitlines()[-1] == str(needed)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ecnomy exa", ["example"]),
        ("ecnomy dif", ["diff"]),
        ("ecnomy new sc", ["scenario"]),
        ("ecnomy check --s", ["--set", "--seed"]),
        ("ecnomy example gold", ["gold-silver"]),
        ("ecnomy report gs", ["gsp"]),
        ("ecnomy check configs/exa", []),
    ],
)
def test_bash_completes_words(
    line: str,
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Verbs of all packages, options and examples are completed. Bash itself completes files."""
    monkeypatch.setenv("_ECNOMY_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    assert ecnomy() == 0
    assert capsys.readouterr().out.split() == expected


def test_the_script_of_bash_leaves_files_to_bash(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty answer falls back to names of files. The shell is that of the parent process."""
    monkeypatch.setattr("shellingham.detect_shell", lambda *_: ("bash", "bash"))
    assert ecnomy("--show-completion") == 0
    assert "complete -o default -F _ecnomy_completion ecnomy" in capsys.readouterr().out
