# SPDX-License-Identifier: Apache-2.0
"""Test the payments of the role in a short run of its scenario."""

from pathlib import Path

from ecnomy.markets import load, run

SCENARIO = Path(__file__).parent / "../examples/risk-broker.yaml"


def test_the_broker_sells_its_cover(tmp_path: Path) -> None:
    """Two flows pay 0.5 money/min for two minutes. The broker pays back the cost above the cap."""
    scenario = load(SCENARIO, overrides=["duration=120 s"])
    ledger = run(scenario, seed=1, out=tmp_path / "run").ledger
    paid = ledger.groupby("kind").amount.sum()
    assert abs(paid["premium"] - 2 * 0.5 * 2) < 0.01
    backs = ledger[ledger.kind == "pay-back"]
    assert set(backs.payer) <= {"broker"} and set(backs.payee) <= {"ann"}
