# SPDX-License-Identifier: Apache-2.0
"""Users of the examples gain from their purchases, or the example says why they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ecnomy.analysis.welfare.welfare import welfare_of
from ecnomy.markets import load, run
from tiers import full

EXAMPLES = Path(__file__).parents[2] / "configs/examples"
SAID = "surplus"  # the word of an example's first lines about users who lose


def _has_utility(value: Any) -> bool:
    """Return whether a strategy of the scenario has a utility."""
    if isinstance(value, dict):
        return "utility" in value or any(map(_has_utility, value.values()))
    return isinstance(value, list) and any(map(_has_utility, value))


@full
@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.yaml")), ids=lambda file: file.stem)
def test_no_user_of_an_example_loses_without_a_word(file: Path, tmp_path: Path) -> None:
    """Utility less payments over the whole run, for each agent with a utility that has a zero."""
    scenario = load(file, overrides=["warmup=0 s"])
    if not _has_utility(scenario.resolved().get("market")):
        return
    welfare = welfare_of(run(scenario, out=tmp_path / "r").raw)
    assert welfare is not None and welfare.consumers
    lost = [one.account.name for one in welfare.consumers if one.has_zero and one.surplus_micro < 0]
    head = file.read_text(encoding="utf-8").partition("version:")[0]
    assert not lost or SAID in head, lost


@pytest.mark.parametrize("name", ["abilene", "all-or-nothing", "strategy-menu", "two-carriers"])
def test_the_examples_with_a_utility_are_found(name: str) -> None:
    """The examples with a utility are found. Otherwise the test above would always pass."""
    assert _has_utility(load(EXAMPLES / f"{name}.yaml").resolved().get("market"))
