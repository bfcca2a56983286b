# SPDX-License-Identifier: Apache-2.0
"""Users who would not gain leave: above the choke price they pay only for probes.

A user with U = a log(1 + x/x0) buys a/p - 1 times x0 at a price p of x0, nothing from p = a on.
Packets are 1000 bytes, so x0 = 1 Mbps is 125 packets/s. The link marks a tenth of them, and a mark
costs q: p = 12.5 q. A contract of m money/MB is p = m / 8, and its user pays for 0.125 MB/s of x0.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ecnomy.markets import run
from ecnomy.markets.scenario import scenario_from_text
from tiers import full, rare, seeds

SEEDS = seeds(10)
PS = 10**12
A, X0 = 2.0, 1e6
DURATION = 300
LONG = 900

TEXT = """\
version: 1
duration: {duration} s
network:
  links:
    - {{name: line, from: a, to: b, rate: 50 Mbps, delay: 20 ms, buffer: 200 packets,
       marking: {{law: fixed, probability: 0.1}}}}
sources:
  - {{name: users, count: 6, from: a, to: b, transport: {{law: wtp, gain: 0.5, mss: 960 bytes}}}}
market:
  epoch: 1 s
  price_per_mark: {q} money
  agents:
    - {{name: isp, role: connectivity-provider, contracts: [{contract}]}}
    - name: people
      role: price-handler
      sources: users
      strategy: {{kind: elastic-utility, utility: {{kind: log, a: 2 money/s, x0: 1 Mbps}}}}
"""
BYTES = "{{meter: bytes, sources: users, tariff: {{kind: per-unit, price: {} money/MB}}}}".format
DAY = (
    "{meter: bytes, sources: users, tariff: {kind: time-of-day, day: 1000 s, price: 8 money/MB,"
    " periods: [{from: 0 s, to: 150 s, price: 32 money/MB}]}}"
)
FLAT = "{{meter: time, sources: users, tariff: {{kind: flat, price: {} money/s}}}}".format


@functools.cache
def paid(q: float, contract: str, seed: int, duration: int = DURATION) -> pd.DataFrame:
    """Totals of each flow [row: s, column: flow]: data that arrived and money paid."""
    text = TEXT.format(q=f"{q:f}", contract=contract, duration=duration)
    with tempfile.TemporaryDirectory() as folder:
        table = run(scenario_from_text(text), seed=seed, out=Path(folder) / "run").flow_epochs
    money = (table.mark_charge_micro + table.fee_micro).astype(float) / 1e6
    table = table.assign(
        s=table.t_ps // PS, money=money, mbit=8e-6 * table.delivered_bytes.astype(float)
    )
    return table.pivot(index="s", columns="flow", values=["mbit", "money"])


def means(
    q: float, contract: str, seed: int, first: int, last: int, duration: int = DURATION
) -> tuple[np.ndarray, ...]:
    """Rate [Mbit/s] and money/s of each flow."""
    table = paid(q, contract, seed, duration)
    grown = (table.loc[last] - table.loc[first]) / (last - first)
    return grown["mbit"].to_numpy(), grown["money"].to_numpy()


@functools.cache
def switches(q: float, seed: int) -> pd.DataFrame:
    """The times at which flows were switched on (1) and off (0)."""
    text = TEXT.format(q=f"{q:f}", contract="", duration=LONG)
    with tempfile.TemporaryDirectory() as folder:
        table = run(scenario_from_text(text), seed=seed, out=Path(folder) / "run").raw.agents
    table = table[table.name == "active"]
    return table.assign(s=table.t_ps / PS)


def share_on(turns: pd.DataFrame, first_s: float, last_s: float) -> float:
    """The share of a period during which a flow was on."""
    times = [0.0, *turns.s.clip(upper=last_s), last_s]
    states = [1.0, *turns.value]
    spans = zip(states, times[:-1], times[1:], strict=True)
    return sum(on * max(0.0, b - max(a, first_s)) for on, a, b in spans) / (last_s - first_s)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("q", "contract"),
    [rare(0.32, ""), (0.64, ""), rare(1e-4, BYTES(32)), (0.08, BYTES(16))],
)
def test_above_the_choke_price_nobody_pays_more_than_a_probe(
    q: float, contract: str, seed: int
) -> None:
    """Users pay for probes only, also if marks and contracts add up to twice the choke price.

    A probe begins at w = a / 101, and w only falls.
    """
    rate, money = means(q, contract, seed, 100, DURATION)
    print(rate.round(4), money.round(4))
    assert money.mean() <= A / 101 and money.max() <= 3 * A / 101
    assert rate.max() < 0.03


@pytest.mark.parametrize("q", [pytest.param(0.32, marks=full), 0.64])
def test_where_marks_alone_are_too_dear_flows_are_switched_off(q: float) -> None:
    """At p = 4 or 8, at least twice the choke price, users are off half of the time from 300 s on.

    Five marks suffice to know that p (1 - 1/sqrt(n)) > a = 2, and at most ten end a trial: 100
    packets on average. Waits are up to 240 s by then, so there are 600 / 240 trials, and one in
    progress at the start.
    """
    on, packets = [], []
    for seed in SEEDS:
        table = switches(q, seed)
        on += [np.mean([share_on(table[table.flow == flow], 300, LONG) for flow in range(6)])]
        rate, _ = means(q, "", seed, 300, LONG, LONG)
        packets += [rate.mean() * 1e6 / 8 / 960 * (LONG - 300)]
    print(np.round(on, 3), np.round(packets, 1))
    assert np.mean(on) < 0.6 and max(on) < 0.75
    assert max(packets) < 100 * (600 / 240 + 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_below_it_they_come_back(seed: int) -> None:
    """At 32 money/MB (p = 4) nobody buys; from 150 s on at 8 (p = 1) all users buy x0.

    A probe comes within about 120 s of the change, because waits are 30, 60 and 120 s.
    """
    table = paid(1e-4, DAY, seed, 600)
    away = (table.loc[150] - table.loc[100])["mbit"].to_numpy() / 50
    assert away.mean() < 0.05
    back = (table.loc[600] - table.loc[400])["mbit"].to_numpy() / 200
    print(away, back)
    assert back == pytest.approx(np.ones(6), rel=0.03)


@pytest.mark.parametrize("seed", [2, *(pytest.param(s, marks=full) for s in (1, 3, 4, 5, 6))])
def test_nobody_stays_at_a_trickle(seed: int) -> None:
    """At the choke price demand is 0; at half of it, from 120 s on, it is x0, 20 packets/s.

    A packet per ten seconds means none in most intervals of 2 s. In four of six seeds a user stayed
    at 0.5 % of its demand for the whole run. Nobody pays more than 1.25 times its demand.
    """
    change = "{kind: price-schedule, prices: {0 s: 1 money, 120 s: 0.5 money}}"
    text = TEXT.replace("contracts: [{contract}]", "links: line, strategy: {contract}")
    text = text.replace("x0: 1 Mbps", "x0: 160 kbps")
    text = text.replace("sources: users\n", "sources: users\n      decision_interval: 2 s\n")
    with tempfile.TemporaryDirectory() as folder:
        scenario = scenario_from_text(text.format(q=1, contract=change, duration=540))
        table = run(scenario, seed=seed, out=Path(folder) / "run").flow_epochs
    table = table.assign(s=table.t_ps // PS).pivot(
        index="s", columns="flow", values=["acked_bytes", "mark_charge_micro"]
    )
    late = (table.loc[540] - table.loc[360]) / 180
    back = 8 * late["acked_bytes"].to_numpy(float) / 160e3
    print(back.round(2), late["mark_charge_micro"].to_numpy(float) / 1e6)
    assert back.min() > 0.5 and back.mean() > 0.75
    whole = table.loc[540] - table.loc[120]
    assert whole["mark_charge_micro"].max() / 1e6 < 1.25 * A / 2 * 420


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("q", "per_mb"), [rare(0.08, 0), rare(1e-4, 8), (0.04, 4), (0.02, 10)])
def test_elastic_users_buy_their_demand_at_the_whole_price(
    q: float, per_mb: float, seed: int
) -> None:
    """Six users buy a/p - 1 times x0 at p = 12.5 q + m/8 on average, within a tenth of x0."""
    rate, _ = means(q, BYTES(per_mb) if per_mb else "", seed, 150, DURATION)
    print(rate.mean(), A / (12.5 * q + per_mb / 8) - 1)
    assert rate.mean() == pytest.approx(A / (12.5 * q + per_mb / 8) - 1, abs=0.1)


def test_a_fee_decides_whether_not_how_much() -> None:
    """At p = 1 users buy x0 and gain 2 log 2 - 1 = 0.386 money/s: worth a fee of 0.34, not 0.6.

    At 0.34 an error of 5 % in p leaves no gain: by chance one of six users may be away for two
    minutes, which is 6 % of the rate of a run, and 4 % on average over ten seeds.
    """
    worth = np.array([means(0.08, FLAT(0.34), seed, 150, 500, 500) for seed in SEEDS])
    rates, money = worth.mean(axis=2).T
    print(rates.round(3), money.round(3))
    assert rates.mean() == pytest.approx(1, rel=0.08) and rates.min() > 0.8
    assert money.mean() == pytest.approx(1.34, rel=0.08)
    dear = np.array([means(0.08, FLAT(0.6), seed, 100, DURATION) for seed in SEEDS])
    rates, money = dear.mean(axis=2).T
    print(rates.round(3), money.round(3))
    assert rates.max() < 0.1 and money.max() < 0.3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fee", [3.9, rare(39)])
def test_trials_lose_a_share_of_the_worth_to_fees(fee: float, seed: int) -> None:
    """At 10 or 100 times the gain of x0, fees cost 10 % of its worth, 2 log 2, on average.

    The tolerance is one trial in 800 s, which lasts at most 20 s.
    """
    _, money = means(0.08, FLAT(fee), seed, 100, LONG, LONG)
    print(money.round(3))
    assert money.mean() < 0.1 * A * np.log(2) + 20 * fee / 800


@full
@pytest.mark.parametrize(("fee", "length"), [(3.9, 8000), (39, 20000)])
def test_over_hours_trials_lose_no_more(fee: float, length: int) -> None:
    """The loss never exceeds that share, and is at least four fifths of it."""
    _, money = means(0.08, FLAT(fee), 1, 1000, length, length)
    assert 0.8 < money.mean() / (0.1 * A * np.log(2)) < 1


def test_inelastic_users_with_a_contract_are_at_their_demand_within_six_decisions() -> None:
    """For alpha 4 demand is (a/p)^(1/4) x0. The first w is 0.46 below its logarithm.

    Each decision goes halfway, so 1 % is left after six decisions of 20 s. An eighth of the way
    (the halfway point, then 1 / alpha of it) leaves 20 %.
    """
    text = TEXT.replace("kind: log,", "kind: alpha-fair, alpha: 4,")
    text = text.replace("sources: users\n", "sources: users\n      decision_interval: 20 s\n")
    with tempfile.TemporaryDirectory() as folder:
        scenario = scenario_from_text(text.format(q=0.32, contract=BYTES(8), duration=220))
        flows = run(scenario, seed=1, out=Path(folder) / "run").flow_epochs
    totals = flows.assign(s=flows.t_ps // PS).groupby("s")["acked_bytes"].sum()
    rate = 8e-6 * float(totals.loc[220] - totals.loc[140]) / 80 / 6
    print(rate, (A / 5) ** 0.25)
    assert rate == pytest.approx((A / 5) ** 0.25, rel=0.04)
