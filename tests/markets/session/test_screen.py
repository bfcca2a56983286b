# SPDX-License-Identifier: Apache-2.0
"""The data of a market on a screen, against the run's own tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import market_world as world
from ecnomy.markets import Results, load, make_plan, run
from ecnomy.markets.bridge.messages import Decide
from ecnomy.markets.economy.market_like import NoMarket
from ecnomy.markets.model.market import Market
from ecnomy.markets.session.qtenv_screen import Screen

EXAMPLES = Path(__file__).parents[3] / "configs/examples"
SHORT = ["duration=12 s", "warmup=0 s"]
CROWDED = "sources.background.start=0 s"
MICRO = 1e-6


@pytest.fixture
def screens_shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The data that a screen would get at each report of the runs of a test."""
    shown: list[dict[str, Any]] = []
    screens: dict[int, Screen] = {}
    orders = Market.orders

    def watched(market: Market) -> Decide:
        decided = orders(market)
        screen = screens.setdefault(id(market), Screen(market.plan))
        shown.append(json.loads(screen.json(market)))
        return decided

    monkeypatch.setattr(Market, "orders", watched)
    return shown


def play(name: str, tmp_path: Path, *more: str) -> Results:
    """A short run of an example."""
    return run(EXAMPLES / name, overrides=[*SHORT, *more], out=tmp_path / "run")


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("gold-silver.yaml", [CROWDED]),
        ("gsp.yaml", []),
        ("gsp-files.yaml", []),
        ("two-carriers.yaml", []),
    ],
)
def test_money_is_the_ledgers(
    screens_shown: list[dict[str, Any]], tmp_path: Path, name: str, more: list[str]
) -> None:
    """Payments of sources and balances of agents are the sums of the ledger."""
    ledger = play(name, tmp_path, *more).ledger
    last = screens_shown[-1]
    for source in last["sources"]:
        of = ledger[ledger.source == source["name"]]
        back = of[of.kind == "reimbursement"].amount.sum()
        marks = of[of.kind == "marks"].amount.sum()
        assert source["marks"] == pytest.approx(marks, abs=MICRO / 2)
        fees = of[of.kind.isin(["class-fee", "call", "transfer"])].amount.sum() - back
        assert source["fees"] == pytest.approx(fees, abs=MICRO / 2)
    for agent in last["agents"]:
        got = ledger[ledger.payee == agent["name"]].amount.sum()
        gave = ledger[ledger.payer == agent["name"]].amount.sum()
        assert agent["balance"] == pytest.approx(got - gave, abs=MICRO / 2)
    assert any(source["marks"] for source in last["sources"])


@pytest.mark.parametrize(
    ("name", "more"),
    [("gold-silver.yaml", [CROWDED]), ("gsp.yaml", []), ("two-carriers.yaml", [])],
)
def test_payments_are_the_ledgers_by_payer_and_payee(
    screens_shown: list[dict[str, Any]], tmp_path: Path, name: str, more: list[str]
) -> None:
    """Each payer, payee, kind and source has the sum of its rows, and there are no others."""
    ledger = play(name, tmp_path, *more).ledger
    ledger["payer"] = ledger.payer.str.removeprefix("source:")
    columns = ["payer", "payee", "kind", "source"]
    ledger["source"] = ledger.source.fillna("")
    sums = ledger.groupby(columns, observed=True).amount.sum()
    shown = {
        (one["from"], one["to"], one["for"], one["source"]): one["money"]
        for one in screens_shown[-1]["payments"]
    }
    assert shown == pytest.approx(sums.to_dict(), abs=MICRO / 2)
    if name == "two-carriers.yaml":
        payees = [payee for _, payee, kind, source in shown if kind == "marks" and source]
        assert len(set(payees)) == 2


def test_willingness_and_prices_are_those_in_force(
    screens_shown: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Gold's two flows pay 4 money/s each, silver's 1, and a mark costs 0.125."""
    play("gold-silver.yaml", tmp_path)
    last = screens_shown[-1]
    shown = {one["name"]: (one["class"], one["willing"]) for one in last["sources"]}
    assert shown == {"gold": ("gold", 8), "silver": ("silver", 2), "background": ("", None)}
    assert all(link["price"] == 0.125 and link["owner"] == "isp" for link in last["links"])


def test_news_is_what_was_decided_at_that_report(
    screens_shown: list[dict[str, Any]], tmp_path: Path
) -> None:
    """A changed price is reported once, when it is posted."""
    agents = play("price-handler.yaml", tmp_path).agents
    posted = agents[agents.what == "price"]
    said = [line for one in screens_shown for line in one["news"] if ": price " in line]
    assert len(said) == len(posted.groupby(["t_s", "agent"]))
    assert f"{posted.iloc[-1].agent}: price {posted.iloc[-1].value:.4g} per mark" == said[-1]


def test_news_of_many_sources_fits_a_line(
    screens_shown: list[dict[str, Any]], tmp_path: Path
) -> None:
    """News of many sources fit a line of Qtenv with 70 letters."""
    play("abilene.yaml", tmp_path)
    said = [line for one in screens_shown for line in one["news"]]
    assert any(" for 143 sources: aims at " in line for line in said), said[:5]
    assert max(len(line) for line in said) < 59


def test_the_latest_news_are_shown() -> None:
    """If a report has more than twelve lines, the last twelve are shown."""
    scenario = load(EXAMPLES / "gold-silver.yaml")
    plan = make_plan(scenario)
    assert scenario.market is not None
    market, screen = Market(plan, scenario.market), Screen(plan)
    market.meet(world.report(plan, 0, 0))
    for pay in range(1, 31):
        market.set_willingness("gold", pay)
    market.orders()
    shown = json.loads(screen.json(market))["news"]
    pays = [line for line in shown if line.startswith("by hand for gold: pays ")]
    assert len(shown) == 12 and pays[-1] == "by hand for gold: pays 30/s for marks"


def test_a_held_value_is_news_once_and_again_at_its_release() -> None:
    """The held value overrides the provider's decision at each report, until its release."""
    scenario = load(EXAMPLES / "gold-silver.yaml")
    plan = make_plan(scenario)
    assert scenario.market is not None
    market, screen = Market(plan, scenario.market), Screen(plan)
    pays = []
    for epoch in range(6):
        market.meet(world.report(plan, epoch * world.PS, epoch))
        if epoch in (2, 3, 4):
            market.set_willingness("gold", 3)
        market.orders()
        news = json.loads(screen.json(market))["news"]
        pays.append([line for line in news if "gold: pays" in line])
        market.journal.take()
    assert pays[2] == ["by hand for gold: pays 3/s for marks"]
    assert pays[3:] == [[], [], ["shop for gold: pays 4/s for marks"]]


def test_without_a_market_there_are_names_only() -> None:
    """Without a market, sources have names, and links have no owner."""
    scenario = load(EXAMPLES / "gold-silver.yaml")
    plan = make_plan(scenario)
    shown = json.loads(Screen(plan).json(NoMarket(plan)))
    assert [one["willing"] for one in shown["sources"]] == [None] * len(shown["sources"])
    assert {link["price"] for link in shown["links"]} == {None}
    assert shown["agents"] == shown["news"] == []
