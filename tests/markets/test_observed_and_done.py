# SPDX-License-Identifier: Apache-2.0
"""Observations of strategies besides rates and marks, and actions besides paying."""

from __future__ import annotations

from pathlib import Path

import mesa
import pytest

import market_world as world
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import FlowView, PriceObservation
from ecnomy.agents.spec import AgentSpec, ContractSpec, MarketSpec
from ecnomy.markets import open_market, run
from ecnomy.markets.model.market import Market
from ecnomy.markets.results.results import Results
from ecnomy.markets.scenario import scenario_from_text
from ecnomy.markets.terms.tariffs import TwoPart
from ecnomy.markets.terms.unit_price import Price
from market_world import PS
from recording_strategies import LOG

TEXT = """\
version: 1
duration: 12 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 4 Mbps, delay: 5 ms, buffer: 60 packets,
       marking: {law: fixed, probability: 0.02}}
sources:
  - {name: day, count: 2, from: a, to: b, transport: {law: wtp, mss: 960 bytes}}
  - {name: night, count: 2, from: a, to: b, transport: {law: wtp, mss: 960 bytes}}
market:
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider, strategy: {kind: 'recording_strategies:Curious'}}
    - name: shop
      role: application-provider
      classes: {gold: {fee: 0.01 money/s, sources: [day, night]}}
    - {name: ann, role: customer, sources: [day, night], decision_interval: 1 s,
       strategy: {kind: 'recording_strategies:KIND'}}
"""


def made(folder: Path, kind: str) -> Results:
    """A run with this customer."""
    LOG.clear()
    return run(scenario_from_text(TEXT.replace("KIND", kind)), out=folder)


def test_a_flow_switched_off_is_silent_and_pays_no_fee(tmp_path: Path) -> None:
    """`night` pays for 1 s, until ann's first decision, and for the last 6 s; `day` for 6 s."""
    result = made(tmp_path / "r", "Switch")
    fees = (
        result.raw.ledger[result.raw.ledger["kind"] == "class-fee"]
        .groupby("flow")["amount_micro"]
        .sum()
    )
    assert fees.to_dict() == {0: 60_000, 1: 60_000, 2: 70_000, 3: 70_000}
    epochs = result.flow_epochs
    sent = {(row.flow, row.t_ps // 10**12): row.sent for row in epochs.itertuples()}
    for day, night in ((0, 2), (1, 3)):
        assert sent[day, 12] == sent[day, 7] and sent[day, 6] > 1000
        assert sent[night, 6] == sent[night, 2] and sent[night, 12] - sent[night, 6] > 1000
    changes = result.raw.agents[result.raw.agents["name"] == "active"]
    switches = list(zip(changes["t_ps"] // 10**12, changes["flow"], changes["value"], strict=True))
    assert switches == [
        (1, 2, 0.0),
        (1, 3, 0.0),
        (6, 0, 0.0),
        (6, 1, 0.0),
        (6, 2, 1.0),
        (6, 3, 1.0),
    ]


def test_views_name_their_source_and_leave_headers_out(tmp_path: Path) -> None:
    """Views have names, members, switches and payload, which is 960 of every 1000 bytes."""
    made(tmp_path / "r", "Switch")
    assert sorted(LOG.keys() - {"isp"}) == ["day.0", "day.1", "night.0", "night.1"]
    views = [view for view in LOG["day.0"] if isinstance(view, FlowView)]
    busy = [view for view in views if view.goodput_bps > 1e5]
    assert len(busy) >= 5
    for view in busy:
        assert view.payload_bps == pytest.approx(0.96 * view.goodput_bps, rel=1e-9)
    assert [view.switched_on for view in views] == [view.t_ps <= 6 * 10**12 for view in views]


def test_a_carrier_observes_its_links_by_name_and_use(tmp_path: Path) -> None:
    """A carrier sees both directions of links, their busy shares of time, and times in s and ps."""
    result = made(tmp_path / "r", "Switch")
    views = [view for view in LOG["isp"] if isinstance(view, PriceObservation)]
    assert {view.names for view in views} == {("wire", "wire.reverse")}
    assert views[0].dt_s == 0 and views[0].utilization.tolist() == [0, 0]
    assert [view.t_s for view in views] == list(range(12)) and views[5].dt_s == 1.0
    epochs = result.link_epochs
    for view in views[1:]:
        now, then = (epochs[epochs["t_ps"] == t] for t in (view.t_ps, view.t_ps - view.dt_ps))
        busy = now["busy_ps"].to_numpy() - then["busy_ps"].to_numpy()
        sent = now["departed_bytes"].to_numpy() - then["departed_bytes"].to_numpy()
        assert view.utilization.tolist() == (busy / 1e12).tolist()
        assert view.links.departed_bytes.tolist() == sent.tolist()
    assert max(view.utilization[0] for view in views) > 0.9


def test_a_data_collector_reads_notes_and_prices() -> None:
    """A strategy's notes belong to its agent; prices are listed under their carriers' names."""
    LOG.clear()
    collector = mesa.DataCollector(
        model_reporters={"prices": "prices_micro"},
        agent_reporters={"income": lambda agent: agent.notes.get("income")},
    )
    scenario = scenario_from_text(TEXT.replace("KIND", "Rich"))
    with open_market(scenario, tables=False) as market:
        while market.running:
            market.step()
            collector.collect(market)
    assert collector.model_vars["prices"] == [{"isp": 1000}] * 12
    income = collector.get_agent_vars_dataframe().groupby("AgentID")["income"].agg(list)[1]
    assert sum(income[:-1]) > 0 and income[-1] == income[-2]  # nobody decides at the end


def test_an_agent_reads_its_account_and_has_its_own_numbers(tmp_path: Path) -> None:
    """Fees since its last query add up to its balance; equal seeds draw equal numbers."""
    first = made(tmp_path / "a", "Rich")
    entries = list(LOG["rich"])
    assert len(entries) == 11  # one a second, from the first report after t = 0 to the last but one
    balances = [entry[1] for entry in entries]
    paid = [entry[2].get("class-fee", 0) for entry in entries]
    for i, balance in enumerate(balances):
        assert balance == -sum(paid[: i + 1])
    assert paid == [40_000] * 11
    made(tmp_path / "b", "Rich")
    assert LOG["rich"] == entries and len({entry[3] for entry in entries}) == len(entries)
    income = first.raw.agents[first.raw.agents["name"] == "income"]["value"].sum()
    ledger = first.raw.ledger
    earned = ledger[(ledger["credit"] == "isp") & (ledger["t_ps"] < 12 * 10**12)]
    assert income == earned["amount_micro"].sum() > 0


def test_a_bill_of_nothing_has_no_standing_part() -> None:
    """A fee of 3 micro-units per 5 s plus 1 per byte makes 0.6, 11.2, 11.8 and 12.4."""
    fee, price = Price(3, 5 * PS, "ps"), Price(1, 1, "byte")
    line = ContractSpec("line", "bytes", TwoPart(fee=fee, price=price), ("day",))
    isp = AgentSpec("isp", "connectivity-provider", contracts=(line,))
    ann = world.customer("ann", "day", kind="recording_strategies:Switch")
    plan = world.plan([world.source("day")])
    market = Market(plan, MarketSpec(1000, (isp, ann)))
    LOG.clear()
    for t, delivered in enumerate([0, 0, 10, 10, 10]):
        market.decide(world.report(plan, t * PS, t, delivered_bytes=[delivered]))
    views = [view for view in LOG["day.0"] if isinstance(view, FlowView)]
    bills = [(view.bill_micro, view.standing_micro) for view in views]
    assert bills == [(0, 0), (0, 0), (11, 1), (0, 0), (1, 1)]


def test_what_is_no_truth_value_is_refused(tmp_path: Path) -> None:
    """The refusal is one line."""
    with pytest.raises(
        StrategyError, match=r"ann .*returned .* as `active`, expected True or False"
    ):
        made(tmp_path / "r", "Vague")
