# SPDX-License-Identifier: Apache-2.0
"""Random scenarios are refused in one line, or run with books that balance."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets import run
from ecnomy.markets.bridge.messages import Report
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan.law_table import law_table
from ecnomy.markets.results.writer import ResultsWriter
from ecnomy.markets.scenario import Scenario, scenario_from_text
from random_scenarios import MARKING, TRAFFIC, TRANSPORTS, scenarios
from tiers import in_full


def test_no_law_is_left_out() -> None:
    """A new law must be among the drawn ones."""
    laws = law_table()
    drawn = {"marking": MARKING, "traffic": TRAFFIC, "window": TRANSPORTS}
    for kind, forms in drawn.items():
        missing = sorted(laws[kind].keys() - forms.keys())
        assert not missing, f"{kind} laws without a line in random_scenarios.py: {missing}"
        assert forms.keys() - {"udp"} <= laws[kind].keys()


@settings(
    max_examples=400 if in_full() else 10,
    suppress_health_check=[HealthCheck.too_slow],
    phases=list(Phase) if in_full() else [Phase.generate],  # shrinking takes minutes
)
@given(scenarios())
def test_from_scenario_to_books(values: dict[str, Any]) -> None:
    """Marks and money are conserved, and the same seed gives the same bytes."""
    try:
        scenario = scenario_from_text(json.dumps(values))
        plan = make_plan(scenario)
    except ScenarioError as error:
        assert len(str(error).splitlines()) == 1 and error.found and error.expected
        return
    with TemporaryDirectory() as name:
        first, second = Path(name, "1"), Path(name, "2")
        report = last_report(scenario, first)
        run(scenario, out=second)
        tables = sorted(file.name for file in first.glob("*.parquet"))
        for file in ("manifest.json", *tables):
            assert (first / file).read_bytes() == (second / file).read_bytes(), file
        check_money(first)
    check_marks(report, [1 if s.rows == "together" else s.count for s in plan.sources])


def last_report(scenario: Scenario, folder: Path) -> Report:
    """Makes the run and returns its final totals."""
    reports: list[Report] = []
    plain = ResultsWriter.report

    def noted(writer: ResultsWriter, report: Report, market: Any) -> None:
        reports[:] = [report]
        plain(writer, report, market)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ResultsWriter, "report", noted)
        assert run(scenario, out=folder).complete
    return reports[0]


def check_money(folder: Path) -> None:
    """Balances equal the sums of postings, and add up to 0."""
    manifest = json.loads((folder / "manifest.json").read_text())
    balances = manifest["balances_micro"]
    assert manifest["complete"] and sum(balances.values()) == 0
    summed = dict.fromkeys(balances, 0)
    for row in pq.read_table(folder / "ledger.parquet").to_pylist():
        summed[row["debit"]] -= row["amount_micro"]
        summed[row["credit"]] += row["amount_micro"]
    assert summed == balances


def check_marks(report: Report, rows: list[int]) -> None:
    """Per source: set by links = delivered (data or control) + dropped downstream + in flight."""
    pairs, flows = report.pairs, report.flows
    first = 0
    for index, count in enumerate(rows):
        mine, own = pairs["source"] == index, slice(first, first + count)
        delivered = int(flows["ce"][own].sum() + flows["control_ce"][own].sum())
        gone = int((pairs["ce_dropped"][mine] + pairs["ce_in_flight"][mine]).sum())
        assert int(pairs["marks"][mine].sum()) == delivered + gone, index
        first += count
    counted = [column for column in (*flows.values(), *pairs.values()) if column.dtype.kind == "i"]
    assert all((column >= 0).all() for column in counted)
