# SPDX-License-Identifier: Apache-2.0
"""`ecnomy explain --schema sweep` and `environment`: valid files, and faults that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator  # comes with altair, of the extra `dashboard`

from command_line import ecnomy
from ecnomy.markets.inputs.yamlfile import parse, read
from ecnomy.markets.reference.sweep_schema import environment_schema, sweep_schema
from ecnomy.markets.sweep.blocks import plain_tree

CONFIGS = Path(__file__).parents[3] / "configs"
GOOD = """\
version: 1
scenario: scenario.yaml
parameters:
  grid:
    market.price_per_mark: [0.1 money, 0.2 money]
    both: {paths: [sources.gold.count, sources.silver.count], values: [1, 2]}
replicates: 3
limits: {time: 5 min}
until: half-width 2 %
quick: {replicates: 1, set: {duration: 5 s}}
"""
RANDOM = "  random: {samples: 5, over: {duration: {from: 5 s, to: 9 s, scale: log}}}"


def faults(schema: dict[str, Any], text: str) -> list[str]:
    """The faults that a schema finds in a file."""
    Draft7Validator.check_schema(schema)
    document = plain_tree(parse(text, "file.yaml"))
    return [error.message[:200] for error in Draft7Validator(schema).iter_errors(document)]


def test_shipped_sweeps_are_valid() -> None:
    """Tournaments, variants by `extends` and the papers' studies are valid too."""
    sweep, sweeps = Draft7Validator(sweep_schema()), 0
    for path in sorted(CONFIGS.rglob("*.yaml")):
        document = plain_tree(read(path, str(path)))
        if not {"network", "learners"} & set(document) and "scenario" in document:
            sweeps += 1
            assert not [error.message for error in sweep.iter_errors(document)], path
    assert sweeps > 50


def test_the_shipped_environment_is_valid() -> None:
    """With a misspelt key, or without learners, the environment is invalid."""
    text = (CONFIGS / "rl/monopolist.yaml").read_text(encoding="utf-8")
    assert faults(environment_schema(), text) == []
    for old, new in (("learners:", "learner:"), ("actions:", "action:"), ("step:", "stride:")):
        assert faults(environment_schema(), text.replace(old, new, 1)), new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version: 1", "version: 2"),
        ("scenario: scenario.yaml\n", ""),
        ("replicates: 3", "replicate: 3"),
        ("replicates: 3", "replicates: 0"),
        ("replicates: 3", "replicates: three"),
        ("  grid:", "  grit:"),
        ("[0.1 money, 0.2 money]", "0.1 money"),
        ("[0.1 money, 0.2 money]", "[]"),
        ("{time: 5 min}", "{time: 5}"),
        ("{time: 5 min}", "{space: 5 m}"),
        ("{time: 5 min}", "[5 min]"),
        ("until: half-width 2 %", "until: {half-width: 2 %, level: 95 %, more: 3}"),
        ("until: half-width 2 %", "keep: all"),
        ("replicates: 3", f"{RANDOM[:-2].replace('to', 'upto')}}}}}"),
        ("replicates: 3", RANDOM.replace("samples: 5, ", "")),
    ],
)
def test_faults_of_a_sweep_are_refused(old: str, new: str) -> None:
    """Unknown keys and words, missing keys, wrong types and numbers out of range are refused."""
    assert faults(sweep_schema(), GOOD) == []
    assert faults(sweep_schema(), GOOD.replace("replicates: 3", f"{RANDOM}\nreplicates: 3")) == []
    assert old in GOOD
    assert faults(sweep_schema(), GOOD.replace(old, new, 1)), new


def test_tuning_has_one_aim() -> None:
    """Two aims are refused, and so is tuning without one."""
    over = "over: {market.price_per_mark: {from: 0.1 money, to: 0.2 money}}"
    text = f"version: 1\nscenario: s.yaml\ntune: {{{over}, AIM}}\n"
    aims = ("maximise: profit.isp", "minimise: flows.gold.loss")
    target = "target: {outcome: profit.isp, value: 3}"
    for aim in (*aims, target):
        assert faults(sweep_schema(), text.replace("AIM", aim)) == [], aim
    for aim in (", ".join(aims), f"{target}, {aims[0]}", "trials: 9"):
        assert faults(sweep_schema(), text.replace("AIM", aim)), aim


def test_a_variant_may_leave_out_keys() -> None:
    """A file that extends another has only the differing keys, which are also checked."""
    assert faults(sweep_schema(), "extends: base.yaml\nreplicates: 5\n") == []
    assert faults(sweep_schema(), "extends: base.yaml\nreplicate: 5\n")


def test_the_command_prints_each(capsys: pytest.CaptureFixture[str]) -> None:
    """The argument names the kind of file; an unknown kind gives one line."""
    for word, title in (("sweep", "sweep"), ("environment", "environment"), ("", "scenario")):
        assert ecnomy("explain", "--schema", *([word] if word else [])) == 0
        assert json.loads(capsys.readouterr().out)["title"] == f"ecnomy {title}"
    assert ecnomy("explain", "--schema", "sweeep") == 2
    assert "'sweep'" in capsys.readouterr().err
