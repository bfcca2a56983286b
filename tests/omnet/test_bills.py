# SPDX-License-Identifier: Apache-2.0
"""Both engines give the same bills, posting by posting, under all four settlements."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.markets import run
from ecnomy.markets.omnet.installation import Installation
from omnet_world import CONFIGS

EXAMPLES = CONFIGS / "examples"
# Example, its changes, and the kinds of postings that it must have.
BILLS = {
    "cascade": ("two-carriers", ["market.settlement=cascade"], {"marks", "settlement"}),
    "retail": ("two-carriers", ["market.settlement=retail"], {"marks", "settlement"}),
    "direct": ("parking-lot", [], {"marks"}),
    "peering": ("switching", ["market.settlement=peering"], {"marks"}),
    "insured": ("risk-broker", [], {"marks"}),
}


@pytest.mark.parametrize("name", BILLS)
def test_both_engines_send_the_same_bills(name: str, tmp_path: Path, omnet: Installation) -> None:
    """All columns of every posting agree, and so do all balances."""
    example, changes, kinds = BILLS[name]
    scenario, changes = EXAMPLES / f"{example}.yaml", [*changes, "duration=90 s", "warmup=30 s"]
    ours = run(scenario, overrides=changes, out=tmp_path / "builtin")
    theirs = run(scenario, overrides=changes, out=tmp_path / "omnet", engine="omnet")
    assert set(ours.raw.ledger["kind"]) >= kinds and len(ours.raw.ledger) > 200
    assert theirs.raw.ledger.equals(ours.raw.ledger)
    assert theirs.table("agents").equals(ours.table("agents"))
