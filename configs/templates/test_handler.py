# SPDX-License-Identifier: Apache-2.0
"""The strategy in hostile situations, and in a run of its scenario."""

from pathlib import Path

from ecnomy.markets import load, run
from ecnomy.markets.conformance import examine

SCENARIO = Path(__file__).parent / "frugal.yaml"


def test_the_strategy_has_no_defects() -> None:
    """No exception, impossible answer or hidden state (`ecnomy test-strategy` lists them all)."""
    assert not examine("frugal:Frugal", {"most": 6.0}).defects


def test_ben_pays_less_than_anna(tmp_path: Path) -> None:
    """He pays as much as she does at most, and a quarter of it while many packets are marked."""
    groups = run(load(SCENARIO), seed=1, out=tmp_path / "run").summary
    assert groups.charge_per_s["own"] < 0.9 * groups.charge_per_s["steady"]
