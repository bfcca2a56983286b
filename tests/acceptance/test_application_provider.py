# SPDX-License-Identifier: Apache-2.0
"""Application providers on the engine: payments, admission, and adaptive fees."""

from __future__ import annotations

import functools
import math
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ecnomy.markets import load, run
from ecnomy.markets.scenario import scenario_from_text

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
PS = 10**12
PRICE_MICRO = 125_000  # price of a mark in gold-silver.yaml
SHORT = "duration=140 s"
GOLD, SILVER = (0, 1), (2, 3)  # rows of its flows


@functools.cache
def example(name: str, *overrides: str) -> Any:
    """The tables of a run of an example."""
    made = load(EXAMPLES / f"{name}.yaml", overrides=list(overrides))
    with tempfile.TemporaryDirectory() as folder:
        result = run(made, out=Path(folder) / "run")
        tables = ("ledger", "agents", "flow_epochs")
        return SimpleNamespace(**{table: result.table(table) for table in tables})


def paid(result: Any) -> dict[tuple[str, str, str], int]:
    """(kind, payer, payee) -> amount, micro-units."""
    keys = [result.ledger[name].astype(str) for name in ("kind", "debit", "credit")]
    return result.ledger.groupby(keys)["amount_micro"].sum().to_dict()


def marks(result: Any, flows: tuple[int, ...]) -> int:
    """Marks delivered to these flows, whole run."""
    last = result.flow_epochs[result.flow_epochs["t_ps"] == result.flow_epochs["t_ps"].max()]
    return int(last.set_index("flow").loc[list(flows), "ce"].sum())


def course(result: Any, name: str) -> pd.Series:
    """A figure of the shop over time."""
    rows = result.agents.query("agent == 'shop' and name == @name")
    return rows.set_index("t_ps")["value"]


@pytest.mark.parametrize(
    ("name", "payer", "fees_micro"),
    [("resold", "shop", 12_000_000), ("carrier-charges", "readers", 800_000)],
)
def test_money_goes_as_the_business_model_says(name: str, payer: str, fees_micro: int) -> None:
    """For 140 s fees go to the provider, and payments for marks go from debtor to carrier."""
    result = example(name, SHORT)
    moved = paid(result)
    background = ("marks", "source:background", "isp")
    assert moved.pop(background) > 0
    assert moved == {
        ("class-fee", "readers", "shop"): 140 * fees_micro,
        ("marks", payer, "isp"): PRICE_MICRO * marks(result, GOLD + SILVER),
    }


def test_the_charging_rate_is_the_classes_under_both() -> None:
    """The cost of marks follows the charge at any fee, and the payer does not affect packets."""
    epochs = example("resold", SHORT).flow_epochs.set_index(["t_ps", "flow"])["mark_charge_micro"]
    spent = (epochs[140 * PS] - epochs[70 * PS]) / 70e6
    assert spent[list(GOLD)].to_numpy() == pytest.approx(4.0, rel=0.1)
    assert spent[list(SILVER)].to_numpy() == pytest.approx(1.0, rel=0.1)
    other = example("carrier-charges", SHORT).flow_epochs
    pd.testing.assert_series_equal(other["ce"], example("resold", SHORT).flow_epochs["ce"])


def test_cost_plus_brings_in_the_cost_and_the_margin() -> None:
    """In each class, calm or crowded, fees are 1.1 times the cost of its marks, within D."""
    result = example("cost-plus")
    ledger = result.ledger
    for name, flows in (("gold", GOLD), ("silver", SILVER)):
        fees = course(result, f"fee:{name}")
        assert fees[fees.index < 50 * PS].iloc[-1] < 0.1 * fees[fees.index > 120 * PS].mean()
        own = ledger[ledger["flow"].isin(flows)]
        sums = own.groupby(own["kind"].astype(str))["amount_micro"].sum() / 1e6
        short = 1.1 * sums["marks"] - sums["class-fee"]
        rate = 2 * 4.0 if name == "gold" else 2 * 1.0  # money/s of both flows
        assert abs(short) <= 30 * 1.1 * rate  # D is at most `over` times the largest change
        at = own["t_ps"] > 120 * PS
        late = own[at].groupby(own["kind"][at].astype(str))["amount_micro"].sum()
        assert late["class-fee"] / late["marks"] == pytest.approx(1.1, rel=0.1)


def _members(result: Any, until_s: int) -> pd.DataFrame:
    """(time, flow) -> class of each reader after that decision."""
    moves = result.agents.query("agent == 'readers-club' and name == 'class'")
    table = moves.pivot(index="t_ps", columns="flow", values="value")
    table = table.reindex(columns=range(24)).ffill().fillna(1)
    return table[table.index < until_s * PS]


def test_a_full_class_lets_nobody_in() -> None:
    """Ten of 22 applicants are admitted, and the others are refused at every decision."""
    result = example("class-room", "duration=40 s", "warmup=5 s")
    assert (_members(result, 40) == 0).sum(axis=1).max() == 10
    refused = result.agents.query("name == 'refused'")
    limits = 0.5 * 8 ** ((np.arange(24) + 0.5) / 24)
    assert set(refused.groupby("t_ps").size()) == {int((limits >= 0.6).sum()) - 10}
    assert set(refused["agent"]) == {"shop"} and set(refused["value"]) == {0.0}
    fees = paid(result)["class-fee", "readers-club", "shop"]
    gold_s = 40 - _members(result, 40).index[0] / PS
    assert fees == pytest.approx(
        1e6 * (0.6 * 10 * gold_s + 0.05 * (24 * 40 - 10 * gold_s)), rel=0.05
    )


def test_marks_that_cost_too_much_let_nobody_in() -> None:
    """With places for all, gold admits members until its marks cost `most_cost`."""
    free = "market.agents.shop.classes.gold.members=24"
    tight = "market.agents.shop.classes.gold.most_cost=5 money/s"
    late = "market.agents.readers-club.strategy.low=0.1 money/s"
    result = example("class-room", free, tight, late, "duration=60 s", "warmup=5 s")
    held = _members(result, 60)
    inside = (held == 0).sum(axis=1)
    assert inside.iloc[0] == 5 and inside.max() < 15  # five at once, at 1 money/s each
    assert len(result.agents.query("name == 'refused'")) > 9
    spent = result.flow_epochs.set_index(["t_ps", "flow"])["mark_charge_micro"].unstack()
    for t_ps, row in held.iterrows():
        gold, until = row.index[row == 0], min(t_ps + 10 * PS, 60 * PS)
        cost = (spent.loc[until, gold] - spent.loc[t_ps, gold]).sum() / 1e6
        assert cost <= 1.15 * 5 * (until - t_ps) / PS


ONE_CLASS = """
version: 1
duration: 300 s
network: {links: [{name: l, from: a, to: b, rate: 2 Mbps, delay: 20 ms,
  marking: {law: load-based, threshold: 0.6, slope: 0.5, interval: 100 ms}}]}
sources: [{name: readers, count: 24, from: a, to: b, transport: {law: wtp}}]
market:
  price_per_mark: 0.1 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      strategy: {kind: fill-classes, share: 0.5, every: 20 s}
      classes:
        gold: {fee: 0.6 money/s, charge: 0.2 money/s, members: 24, sources: readers}
    - name: club
      role: customer
      sources: readers
      decision_interval: 5 s
      strategy: {kind: fee-limit, low: 0.5 money/s, high: 4 money/s, even: true}
"""


def test_the_only_class_is_filled_too(tmp_path: Path) -> None:
    """Members unable to pay stay, switched off; N log(high / F) / log(high / low) = 12 of 24."""
    result = run(scenario_from_text(ONE_CLASS, "one.yaml"), out=tmp_path / "r").raw
    fees = result.agents.query("agent == 'shop' and name == 'fee:gold'")["value"]
    low, high = (4e6 * 8 ** (-n / 24) for n in (13, 11))
    assert low <= fees.iloc[-1] <= high


def test_the_fee_fills_a_class_to_its_share() -> None:
    """The fee fills N log(high / F) / log(high / low) = 8 of 10 places, within one member."""
    result = example("fill-classes", "duration=160 s")
    members = (_members(result, 160) == 0).sum(axis=1)
    assert members.max() <= 10
    assert abs(members.iloc[-1] - 8) <= 1
    fee = course(result, "fee:gold").iloc[-1] / 1e6
    low, high = (4 * 8 ** (-n / 24) for n in (9.5, 6.5))
    assert low <= fee <= high and math.isclose(4 * 8 ** (-8 / 24), 2.0)
