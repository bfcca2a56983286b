# SPDX-License-Identifier: Apache-2.0
"""Whole runs with sources reported in one row: the same money and means as with a row per flow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.analysis.run.guarantees import guarantees_of
from ecnomy.analysis.run.summary import summarize
from ecnomy.markets import run
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.engines.registry import Engine, find_engine
from ecnomy.markets.model.market import Market
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.results.results import Results
from ecnomy.markets.results.run_summary import groups
from ecnomy.markets.scenario import load, scenario_from_text
from ecnomy.markets.session.runner import Quiet, simulate
from ecnomy.markets.sweep.gathered import Gathered

TEXT = """\
version: 1
duration: 40 s
warmup: 10 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 10 Mbps, delay: 5 ms, buffer: 60 packets,
       marking: {law: fixed, probability: 0.02}}
sources:
  - {name: gold, count: 3, from: a, to: b, spread: 1 s, transport: {law: wtp}, rows: EACH}
  - {name: silver, count: 4, from: a, to: b, spread: 1 s, transport: {law: wtp}, rows: EACH}
  - {name: hold, count: 2, from: a, to: b, traffic: {kind: rate-capped, rate: 1 Mbps},
     transport: {law: wtp}, rows: EACH}
  - {name: feel, count: 2, from: a, to: b, transport: {law: wtp}, rows: EACH}
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes:
        gold: {fee: 0.04 money/s, sources: gold}
        silver: {fee: 0.01 money/s, sources: silver}
    - {name: steady, role: price-handler, sources: hold,
       strategy: {kind: constant-throughput, threshold: 0.02 money/s}, decision_interval: 5 s}
    - {name: keen, role: price-handler, sources: feel, decision_interval: 1000 s,
       strategy: {kind: elastic-utility, utility: {kind: log, a: 0.02 money/s, x0: 1 Mbps}}}
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Results]:
    """The run with a row per flow, and the one with a row per source."""
    folder = tmp_path_factory.mktemp("rows")
    texts = (TEXT.replace("EACH", rows) for rows in ("each", "together"))
    each, together = (
        run(scenario_from_text(text), seed=3, out=folder / str(i)) for i, text in enumerate(texts)
    )
    return each, together


def test_rows_are_called_by_their_source(both: tuple[Results, Results]) -> None:
    """Each source has one row with its name and its number of flows."""
    each, together = both
    assert together.raw.flows["name"].tolist() == ["gold", "silver", "hold", "feel"]
    assert together.raw.flows["members"].tolist() == [3, 4, 2, 2]
    assert each.raw.flows["members"].tolist() == [1] * 11
    assert len(together.flow_epochs) * 11 == len(each.flow_epochs) * 4


def test_the_same_is_sent_and_paid(both: tuple[Results, Results]) -> None:
    """Packets, marks and money of a row are the sums over its flows."""
    each, together = both
    sums = each.raw.flows.groupby("source", sort=False).sum(numeric_only=True)
    for name in ("sent", "acked_bytes", "ce", "fee_micro", "mark_charge_micro", "delay_sum_ps"):
        assert sums[name].tolist() == together.raw.flows[name].tolist(), name
    assert sums["ce"].min() > 20 and sums.loc["gold", "fee_micro"] == 3 * 40_000 * 30
    for result in both:
        assert (result.raw.flows["provider"] == "shop").sum() == (7 if result is each else 2)
    books = [r.raw.ledger.groupby(["debit", "credit", "kind"])["amount_micro"].sum() for r in both]
    assert books[0].to_dict() == books[1].to_dict()


def test_agents_decide_for_one_flow(both: tuple[Results, Results]) -> None:
    """Agents' decisions per flow are the same in both, and so is the market's mark rate."""
    each, together = both
    first = {"gold": 0, "silver": 3, "hold": 7, "feel": 9}
    for row, source in enumerate(first):
        wanted = [
            table[table["flow"] == flow].groupby("name")["value"].apply(list).to_dict()
            for table, flow in ((each.raw.agents, first[source]), (together.raw.agents, row))
        ]
        assert wanted[0] == wanted[1] and "mark_rate" in wanted[1], source


def test_willingness_is_summed_over_flows(both: tuple[Results, Results]) -> None:
    """Three flows pay 0.04 money/s each, four 0.01 and two up to 0.02."""
    for result in both:
        pays = result.timeseries("willingness", by="source")
        for source, total in (("gold", 0.12), ("silver", 0.04), ("hold", 0.04)):
            assert pays[source].tolist() == pytest.approx([total] * 40), source
        each = result.timeseries("willingness", by="source", per_flow=True)
        assert each["silver"].tolist() == pytest.approx([0.01] * 40)


def test_round_trips_are_means_over_flows(both: tuple[Results, Results]) -> None:
    """Round trips are means over the flows of rows, and over those of classes."""
    each = both[0]
    table = each.flow_epochs[each.flow_epochs["t_ps"] >= 3 * 10**12]
    for by, column, flows in ((None, "rtt", 11), ("provider", "shop", 7)):
        own = table[table["flow"] < flows].groupby("t_ps")["srtt_s"].mean()
        for result in both:
            series = result.timeseries("rtt", by=by)[column].iloc[2:]
            assert series.to_numpy() == pytest.approx(own.to_numpy(), rel=1e-9), column


def test_summaries_are_means_per_flow(both: tuple[Results, Results]) -> None:
    """The table after a run and the tables of `show` count flows and give means over them."""
    one, two = (groups(result.folder) for result in both)
    for a, b in zip(one, two, strict=True):
        assert (a.name, a.flows) == (b.name, b.flows)
        for name in ("goodput_bps", "marks_per_s", "charge_per_s", "fee_per_s", "paid_per_mark"):
            assert np.isclose(getattr(a, name), getattr(b, name), rtol=1e-12), name
    shown = [summarize(open_raw(result.folder)).phases[-1].groups for result in both]
    for a, b in zip(*shown, strict=True):
        assert (a.group.label, a.group.size) == (b.group.label, b.group.size)
        assert np.isclose(a.goodput_bps, b.goodput_bps, rtol=1e-12)
        assert np.isclose(a.charge_per_s, b.charge_per_s, rtol=1e-12, equal_nan=True)
        assert b.goodput_low_bps == b.goodput_high_bps and a.goodput_low_bps < a.goodput_high_bps


def test_rows_in_the_scenario(tmp_path: Path) -> None:
    """`each` is the default; another word and fees beyond an amount are refused."""
    bare = TEXT.replace(", rows: EACH", "")
    assert {s.rows for s in make_plan(scenario_from_text(bare)).sources} == {"each"}
    with pytest.raises(ScenarioError) as caught:
        scenario_from_text(TEXT.replace("EACH", "one"))
    assert caught.value.path == "sources[0].rows" and "each, together" in caught.value.expected
    dear = TEXT.replace("EACH", "together").replace("0.04 money/s", "400000 money/s")
    with pytest.raises(ScenarioError) as caught:
        scenario_from_text(dear)
    assert "classes.gold.fee" in caught.value.path and "1e+06 money/s" in caught.value.expected


def gathered(text: str) -> dict[str, float]:
    """The row that a sweep keeps of a run."""
    scenario = scenario_from_text(text, seed=3)
    plan = make_plan(scenario)
    assert scenario.market is not None
    market, sink = Market(plan, scenario.market), Gathered(plan)
    with Engine(plan, find_engine()) as engine:
        simulate(engine, plan, market, sink, Quiet())
    return sink.row(market)


def test_run_and_show_say_the_same_of_the_whole_window(both: tuple[Results, Results]) -> None:
    """Means and sums of both tables; all traffic here belongs to a class or an agent."""
    for result in both:
        whole = summarize(open_raw(result.folder)).whole
        assert whole is not None
        rows = groups(result.folder)
        assert [one.group.size for one in whole.groups] == [row.flows for row in rows]
        for one, row in zip(whole.groups, rows, strict=True):
            group_values = [one.goodput_bps, one.marks_per_s, one.fee_per_s, one.charge_per_s]
            also = [row.goodput_bps, row.marks_per_s, row.fee_per_s, row.charge_per_s]
            assert np.allclose(group_values, also, rtol=1e-9)
        assert np.isclose(sum(row.all_charge_per_s for row in rows), whole.charge_per_s)
        assert [row.background_per_s for row in rows] == [0.0] * 4
        assert whole.background_per_s == 0.0


def test_sweep_rows_are_means_per_flow() -> None:
    """The row of a sweep counts flows and has means over them, in either form of reports."""
    rows = [gathered(TEXT.replace("EACH", r)) for r in ("each", "together")]
    for source, flows in (("gold", 3), ("silver", 4), ("hold", 2), ("feel", 2)):
        assert [row[f"{source}.flows"] for row in rows] == [flows, flows]
        for name in ("goodput_bps", "marks_per_s", "mean_cwnd", "charge_per_s", "fee_per_s"):
            assert np.isclose(*(row[f"{source}.{name}"] for row in rows), rtol=1e-9), name


def test_guaranteed_calls_of_one_row(tmp_path: Path) -> None:
    """A GSP's calls are requested, charged and booked equally with all callers in one row."""
    config = Path(__file__).parents[2] / "configs" / "examples" / "gsp.yaml"
    short = ["duration=4 min", "warmup=30 s", "sources.rush.start=2 min", "sources.rush.stop=3 min"]
    accounts, calls = [], []
    for rows in ("each", "together"):
        scenario = load(config, overrides=[*short, f"sources.callers.rows={rows}"])
        results = run(scenario, out=tmp_path / rows)
        (guarantee,) = guarantees_of(open_raw(results.folder))
        accounts.append(guarantee.money)
        calls.append(results.table("calls").drop(columns="flow"))
    assert accounts[0] == accounts[1] and accounts[0].calls.count > 20
    assert accounts[0].call_marks.micro < 0
    assert calls[0].equals(calls[1])
