# SPDX-License-Identifier: Apache-2.0
"""Columns of guaranteed stream providers: only runs with such providers have them."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.spec import AgentSpec, CallLine, MarketSpec
from ecnomy.analysis import open_sweep
from ecnomy.analysis.show.command import show_command
from ecnomy.analysis.sweep_report.printed import mark_of
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.sweep.measure import added_measures, measures_of
from sweep_world import SWEEP, go, write
from tiers import full

PHONES = """
version: 1
title: phones on one link
duration: 20 s
warmup: 1 s
network:
  links:
    - name: wire
      from: a
      to: b
      rate: 2 Mbps
      delay: 5 ms
      marking: {law: fixed, probability: 0.05}
sources:
  - name: phones
    count: 20
    from: a
    to: b
    traffic: {kind: voip, idle: 4 s, call: 2 s}
    transport: {law: udp}
  - {name: test, from: a, to: b, traffic: {kind: cbr, interval: 20 ms}, transport: {law: udp}}
market:
  epoch: 0.5 s
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: gsp
      role: guaranteed-stream-provider
      sources: phones
      test_streams: test
      tariff: {price: 0.01 money, max_delay: 6 ms, max_delay_rate: 0.01}
      strategy: {kind: marking-quantile, quantile: 0.5, sample: 1 s, learning: 3}
"""
PRICES = """
version: 1
scenario: scenario.yaml
parameters:
  grid: {market.agents.gsp.tariff.price: [0.0001 money, 0.5 money]}
replicates: 4
"""
NAMES = ("calls_asked", "calls_sold", "calls_blocked", "calls_broken", "revenue")
NAMES += ("reimbursed", "cost", "profit", "hours")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two prices, four seeds; results are kept."""
    home = tmp_path_factory.mktemp("phones")
    _, _, watcher = go(write(home, PRICES + "keep: results\n", PHONES), home / "out")
    assert not watcher.failures
    return home / "out"


def _recounted(folder: Path) -> list[float]:
    """The columns, recomputed from the tables."""
    one = open_raw(folder)
    ledger, calls = one.ledger, one.calls
    got, paid = (ledger[ledger[side] == "gsp"] for side in ("credit", "debit"))
    ended = calls[(calls["accepted"] == 1) & (calls["complete"] == 1)]
    broken = (ended["late"] + ended["lost"] > 0.01 * ended["sent"]).sum()
    back = paid[paid["kind"] == "reimbursement"]["amount_micro"].sum()
    counts = [len(calls), calls["accepted"].sum(), (calls["accepted"] == 0).sum(), broken]
    revenue, cost = got["amount_micro"].sum() / 1e6, paid["amount_micro"].sum() / 1e6
    return [*counts, revenue, back / 1e6, cost, revenue - cost, 20 / 3600]


def test_columns_are_those_of_the_tables(swept: Path) -> None:
    """Each run's figures agree with its ledger and calls; profit is its balance."""
    frame = open_sweep(swept)
    rows = frame[[f"gsp.{name}" for name in NAMES]]
    figures = sorted(rows.itertuples(index=False, name=None))
    wanted = sorted(_recounted(folder) for folder in (swept / "runs").iterdir())
    assert len(wanted) == 8
    for row, other in zip(figures, wanted, strict=True):
        assert row == pytest.approx(other)
    assert frame["gsp.profit"].tolist() == pytest.approx(frame["balance.gsp"].tolist())
    assert (frame["gsp.calls_blocked"] > 0).all() and (frame["gsp.calls_sold"] > 20).all()


@full
def test_columns_do_not_hang_on_what_is_kept(swept: Path, tmp_path: Path) -> None:
    """A sweep without kept results has the same columns, and leaves nothing on the disk."""
    go(write(tmp_path, PRICES, PHONES), tmp_path / "out")
    names = [f"gsp.{name}" for name in NAMES]
    assert open_sweep(tmp_path / "out")[names].equals(open_sweep(swept)[names])
    assert not (tmp_path / "out" / "runs").exists()


def test_sweeps_without_a_provider_are_as_they_were(tmp_path: Path) -> None:
    """Such sweeps have no columns and no digest of the measuring code; old records stay valid."""
    _, _, watcher = go(write(tmp_path, SWEEP), tmp_path / "out")
    frame = open_sweep(tmp_path / "out")
    assert not watcher.failures and not [n for n in frame.columns if n.endswith(".calls_sold")]
    shard = pd.concat(pd.read_parquet(f) for f in (tmp_path / "out/shards").glob("*.parquet"))
    assert set(shard["strategies"]) == {"{}"}
    agents = (AgentSpec("isp", "connectivity-provider"),)
    assert measures_of("a:b", MarketSpec(100_000, agents)) == ("a:b",)
    line = CallLine(CallTariff(1, 1, 0.01, 1), ("callers",))
    sells = AgentSpec("gsp", "guaranteed-stream-provider", lines=(line,))
    assert measures_of("a:b", MarketSpec(100_000, (*agents, sells))) == (
        "a:b",
        *added_measures("guarantees"),
    )


def test_show_marks_what_earns(swept: Path) -> None:
    """One row per point; prices far below and far above the cost of marks are loss and profit."""
    app = typer.Typer()
    app.command()(show_command)
    done = CliRunner().invoke(app, [str(swept)])
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    lines = [line for line in lines if line and line[-1] in ("profit", "loss", "open")]
    cheap = next(line for line in lines if line[0] == "0.0001")
    dear = next(line for line in lines if line[0] == "0.5")
    assert cheap[1] == dear[1] == "4"
    assert dear[-1] == "profit" and cheap[-1] == "loss"
    frame = open_sweep(swept)
    own = frame[frame["market.agents.gsp.tariff.price"] == 0.5]
    assert float(dear[-3]) == pytest.approx(own["gsp.profit"].mean(), abs=0.006)
    assert "ecnomy report gsp" in done.output


def test_marks_go_by_the_interval() -> None:
    """The whole interval is above 0, below, or neither; a single run decides nothing."""
    assert mark_of([1.0, 1.1, 0.9])[0] == "profit"
    assert mark_of([-1.0, -1.1, -0.9])[0] == "loss"
    assert mark_of([-1.0, 1.1, 0.9])[0] == "open"
    word, half = mark_of([5.0])
    assert word == "open" and math.isnan(half)
