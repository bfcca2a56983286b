# SPDX-License-Identifier: Apache-2.0
"""The tools of a strategy's author: names in ecnomy.agents, fields with units, working READMEs."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ecnomy.agents
from ecnomy.markets import load, run
from processes import LIMIT_S

ROOT = Path(__file__).parents[2]
TOLD = (
    "Call",
    "CallAsk",
    "CallOffer",
    "ClassColumns",
    "ClassObservation",
    "ClassRequest",
    "Decision",
    "EndedCalls",
    "FlowColumns",
    "FlowDecision",
    "FlowView",
    "LinkColumns",
    "MarkingLaw",
    "MenuView",
    "Observation",
    "Offer",
    "PriceObservation",
    "StreamObservation",
)


def test_the_names_of_the_package() -> None:
    """The list has exactly the public names, and each can be imported."""
    assert ecnomy.agents.__all__ == [
        "BEST_EFFORT",
        "LEAVE",
        "NO_BUDGET",
        "NO_CAP",
        "NO_OFFER",
        "AgentView",
        "ByTime",
        "Call",
        "CallAsk",
        "CallOffer",
        "CallTariff",
        "ClassColumns",
        "ClassObservation",
        "ClassRequest",
        "Decision",
        "EndedCalls",
        "FlowColumns",
        "FlowDecision",
        "FlowView",
        "LinkColumns",
        "MarkingLaw",
        "MenuView",
        "Observation",
        "Offer",
        "OneOf",
        "PriceObservation",
        "Refused",
        "StrategyError",
        "StreamObservation",
        "Unit",
    ]
    for name in ecnomy.agents.__all__:
        assert getattr(ecnomy.agents, name) is not None
        assert name in dir(ecnomy.agents)
    with pytest.raises(AttributeError, match="no attribute 'Flow'"):
        _ = ecnomy.agents.Flow


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Units and errors load without numpy, and views with it. Mesa and pandas are never loaded."""
    code = (
        "import sys, ecnomy.agents\n"
        "heavy = {'numpy', 'msgspec', 'mesa', 'pandas', 'pyarrow', 'networkx'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "from ecnomy.agents import Unit, Refused, StrategyError\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "from ecnomy.agents import FlowView, FlowDecision, Call\n"
        "assert heavy & set(sys.modules) == {'numpy', 'msgspec'}, heavy & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", TOLD)
def test_every_field_has_a_line_with_its_unit(name: str) -> None:
    """Every field has a line `field: what it is [unit]` under Attributes, in order."""
    struct = getattr(ecnomy.agents, name)
    text = str(struct.__doc__).partition("Attributes:")[2]
    entries = re.findall(r"^ {8}(\w+): (.+?)(?=^ {8}\w|\Z)", text, re.MULTILINE | re.DOTALL)
    assert [field for field, _ in entries] == list(struct.__struct_fields__)
    for field, words in entries:
        assert re.search(r"\[[^\]]+\]", words), f"{name}.{field} has no unit"


def blocks(text: str) -> dict[str, str]:
    """The indented blocks of a README that begin with the comment `# <file>`, by that file."""
    matches = re.findall(r"^    # (\S+\.(?:py|yaml))\n((?:(?:    .*)?\n)+)", text, re.MULTILINE)
    named: dict[str, str] = {}
    for first, rest in matches:
        file = first
        for line in textwrap.dedent(rest).splitlines(keepends=True):
            if again := re.fullmatch(r"# (\S+\.(?:py|yaml))\n", line):
                file = again[1]
            else:
                named[file] = named.get(file, "") + line
    return named


def test_the_strategy_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The printed strategy is found by its path, and gold is paid for only up to the ceiling."""
    files = blocks((ROOT / "agents" / "README.md").read_text(encoding="utf-8"))
    assert set(files) >= {"my_lab/strategies.py", "patient.yaml"}
    (tmp_path / "my_lab").mkdir()
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    for file, text in files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    shortened = ["duration=3 s", "warmup=1 s", "record=null"]
    result = run(load(tmp_path / "patient.yaml", overrides=shortened), out=tmp_path / "run")
    payments = result.raw.agents[result.raw.agents["name"] == "willingness_micro_per_s"]
    assert payments["value"].tolist() == [2e6, 2e6, 1e6, 1e6]
