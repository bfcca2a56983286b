# SPDX-License-Identifier: Apache-2.0
"""Money between carriers against an independent count from packet traces, on random networks."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecnomy.markets import run
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import scenario_from_text
from settlement_world import owed, text_of
from tiers import examples

EXAMPLES = int(os.environ.get("ECNOMY_RANDOM_MARKETS", examples(25)))


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(st.integers(0, 10**6))
def test_every_mark_is_paid_for_as_agreed(number: int) -> None:
    """The ledger agrees with the trace for each epoch and pair, and its accounts balance."""
    scenario = scenario_from_text(text_of(number))
    plan = make_plan(scenario)
    with tempfile.TemporaryDirectory() as folder:
        made = run(scenario, out=Path(folder) / "r")
        expected = owed(made, plan, scenario.resolved()["market"])
        ledger = made.raw.ledger
        balances = json.loads((made.folder / "manifest.json").read_text())["balances_micro"]
    found: Counter[tuple[int, str, str, str]] = Counter()
    names = ("t_ps", "kind", "debit", "credit", "amount_micro")
    for t_ps, kind, debit, credit, amount in zip(*(ledger[n] for n in names), strict=True):
        if kind in ("marks", "settlement"):
            found[int(t_ps), kind, debit, credit] += int(amount)
    assert found == expected
    assert sum(balances.values()) == 0
