# SPDX-License-Identifier: Apache-2.0
"""Faults of arguments, in Python and on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from command_line import ecnomy
from ecnomy.agents.errors import ScenarioError
from ecnomy.markets import load

SCENE = Path(__file__).parents[2] / "configs/examples/gold-silver.yaml"


@pytest.mark.parametrize(
    ("words", "arguments", "in_python", "on_command_line"),
    [
        (
            ["--set", "duraton=3 s"],
            {"overrides": ["duraton=3 s"]},
            "overrides: duraton: found the unknown key",
            "--set duraton: duraton: found the unknown key",
        ),
        (["--set", "x"], {"overrides": ["x"]}, "overrides: found 'x'", "--set: found 'x'"),
        (["--seed", "-1"], {"seed": -1}, "seed: found -1", "--seed: seed: found -1"),
        (
            ["--set", "sources.gold={}"],
            {"overrides": ["sources.gold={}"]},
            "overrides: sources.gold: sources[0]: found no ",
            "--set sources.gold: sources[0]: found no ",
        ),
    ],
)
def test_faults_of_arguments_name_the_keyword_in_python(
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    arguments: dict[str, Any],
    in_python: str,
    on_command_line: str,
) -> None:
    """A Python user reads `overrides` and `seed`, a user of the command line --set and --seed."""
    with pytest.raises(ScenarioError) as refused:
        load(SCENE, **arguments)
    assert str(refused.value).startswith(in_python)
    assert ecnomy("check", SCENE, *words) == 2
    assert capsys.readouterr().err.startswith(f"ecnomy: {on_command_line}")
