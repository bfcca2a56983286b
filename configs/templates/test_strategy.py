# SPDX-License-Identifier: Apache-2.0
"""Test the strategy in hostile situations and in a short run of its scenario."""

from pathlib import Path

from ecnomy.markets import load, run
from ecnomy.markets.conformance import examine

SCENARIO = Path(__file__).parent / "patient.yaml"


def test_the_strategy_has_no_defects() -> None:
    """The strategy has no defects such as exceptions, impossible decisions or hidden state."""
    assert not examine("patient:Patient", {"ceiling": 2.0}).defects


def test_gold_pays_at_most_about_the_ceiling(tmp_path: Path) -> None:
    """Gold's fee is 4 money/s and the ceiling is 2 money/s, so its marks cost about 2 money/s."""
    scenario = load(SCENARIO, overrides=["duration=90 s", "warmup=70 s"])
    groups = run(scenario, seed=1, out=tmp_path / "run").summary
    assert 1 < groups.charge_per_s["gold"] < 3
