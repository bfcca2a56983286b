# SPDX-License-Identifier: Apache-2.0
"""Test the strategy in hostile situations and in a run of its scenario."""

from pathlib import Path

from ecnomy.markets import load, run
from ecnomy.markets.conformance import examine

SCENARIO = Path(__file__).parent / "frugal.yaml"


def test_the_strategy_has_no_defects() -> None:
    """The strategy has no defects such as exceptions, impossible decisions or hidden state."""
    assert not examine("frugal:Frugal", {"most": 6.0}).defects


def test_ben_pays_less_than_anna(tmp_path: Path) -> None:
    """Ben pays at most as much as Anna, and a quarter as much while many packets are marked."""
    groups = run(load(SCENARIO), seed=1, out=tmp_path / "run").summary
    assert groups.charge_per_s["own"] < 0.9 * groups.charge_per_s["steady"]
