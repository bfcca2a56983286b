# SPDX-License-Identifier: Apache-2.0
"""configs/examples/risk-broker.yaml: a custom role, with its money counted independently."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets import load, run
from ecnomy.markets.results.results import Results
from ecnomy.markets.scenario import scenario_from_text
from processes import LIMIT_S

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "risk-broker.yaml"
PS, CAP, PERIOD_S = 10**12, 5_000_000, 60


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The example as it is shipped."""
    return run(load(EXAMPLE), out=tmp_path_factory.mktemp("broker") / "r")


def test_what_exceeds_the_cap_is_paid_back(result: Results) -> None:
    """The refund of each flow and minute follows exactly from the rows of marks."""
    ledger = result.raw.ledger
    charged: Counter[tuple[int, int]] = Counter()
    back: Counter[tuple[int, int]] = Counter()
    columns = (ledger[name] for name in ("t_ps", "kind", "debit", "flow", "amount_micro"))
    for t_ps, kind, debit, flow, amount in zip(*columns, strict=True):
        minute = (int(t_ps) // PS - 1) // PERIOD_S
        if kind == "marks" and debit == "ann":
            charged[int(flow), minute] += int(amount)
        elif kind == "pay-back":
            assert debit == "broker"
            back[int(flow), minute] += int(amount)
    expected = {at: paid - CAP for at, paid in charged.items() if paid > CAP}
    assert dict(+back) == expected and len(expected) >= 4


def test_premiums_are_paid_for_the_time(result: Results) -> None:
    """Premiums are 0.5 money per minute and flow for five minutes, and only ann is covered."""
    rows = result.raw.ledger[result.raw.ledger["kind"] == "premium"]
    assert rows.groupby("flow")["amount_micro"].sum().to_dict() == {0: 2_500_000, 1: 2_500_000}
    assert set(rows["debit"]) == {"ann"} and set(rows["credit"]) == {"broker"}


def test_terms_are_read_and_written_back() -> None:
    """Terms have units; missing, wrong and unknown terms are refused with their place."""
    text = EXAMPLE.read_text()
    broker = load(EXAMPLE).resolved()["market"]["agents"][3]["role"]
    assert broker["cap"] == "5.0 money" and broker["kind"] == "risk_broker:RiskBroker"
    for old, new, message in (
        ("cap: 5 money, ", "", "role.cap: found no 'cap'"),
        ("cap: 5 money", "cap: 5 Mbps", "role.cap: found '5 Mbps'"),
        ("cap: 5 money", "cap: 0 money", "role.cap: found 0 money"),
        ("cap: 5 money", "cup: 5 money", "role.cup"),
        ("risk_broker:RiskBroker", "risk_broker:Nobody", "role.kind: found 'risk_broker:Nobody'"),
    ):
        with pytest.raises(ScenarioError, match=message) as caught:
            scenario_from_text(text.replace(old, new), "s.yaml")
        assert "\n" not in str(caught.value)


def test_the_role_is_found_beside_the_scenario(tmp_path: Path) -> None:
    """The role is found from any working directory, without changes of Python's path."""
    code = f"from ecnomy.markets import load; print(load({str(EXAMPLE)!r}).market.agents[3].role)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.stdout.strip() == "risk_broker:RiskBroker", done.stderr
