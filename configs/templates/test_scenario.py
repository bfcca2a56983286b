# SPDX-License-Identifier: Apache-2.0
"""Test a short run of the scenario."""

from pathlib import Path

from ecnomy.markets import load, run

SCENARIO = Path(__file__).parent / "../examples/gold-silver.yaml"


def test_gold_is_faster_and_pays_more(tmp_path: Path) -> None:
    """The link is congested from 60 s on. Gold buys more marks than silver, so it sends faster."""
    scenario = load(SCENARIO, overrides=["duration=90 s", "warmup=70 s"])
    groups = run(scenario, seed=1, out=tmp_path / "run").summary
    assert groups.goodput_mbps["gold"] > groups.goodput_mbps["silver"]
    assert groups.charge_per_s["gold"] > groups.charge_per_s["silver"] > 0
