# SPDX-License-Identifier: Apache-2.0
"""Weights that are paid for, and the files that strategies observe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.agents.errors import LedgerError, StrategyError
from ecnomy.markets import make_plan, run
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.economy.metered import weighed
from ecnomy.markets.scenario import scenario_from_text
from recording_strategies import LOG

TEXT = """\
version: 1
duration: 12 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 4 Mbps, delay: 5 ms, buffer: 60 packets,
       marking: {law: red, min_threshold: 5 packets, max_threshold: 25 packets}}
record: {transfers: true}
sources:
  - {name: heavy, count: 2, from: a, to: b, transport: {law: multcp, flows: 2}}
  - {name: plain, from: a, to: b, transport: {law: newreno}}
  - {name: files, from: a, to: b, transport: {law: newreno},
     traffic: {kind: on-off, packets: 40 packets, pause: 0.3 s}}
market:
  price_per_mark: 0.001 money
  agents:
    - name: isp
      role: connectivity-provider
      contracts:
        - {meter: weight, tariff: {kind: per-unit, price: 0.6 money/min}, sources: [heavy, plain]}
    - {name: ann, role: customer, sources: [heavy, plain, files], decision_interval: 1 s,
       strategy: {kind: 'recording_strategies:Weighty'}}
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory):
    LOG.clear()
    return run(scenario_from_text(TEXT), out=tmp_path_factory.mktemp("weights") / "r")


def test_weight_is_paid_for_by_time(result) -> None:
    """A weight costs 0.01 money/s per unit: 2 until 4 s, 3 until 8 s, then the minimum of 1."""
    bought = result.raw.ledger[result.raw.ledger["kind"] == "weight-charge"]
    paid = bought.groupby("flow")["amount_micro"].sum().to_dict()
    assert paid == dict.fromkeys((0, 1), 10000 * (2 * 4 + 3 * 4 + 1 * 4))
    assert bought.groupby("flow")["quantity"].sum().to_dict() == {0: 24 * 10**12, 1: 24 * 10**12}
    said = result.raw.agents[result.raw.agents["name"] == "weight"]
    weights = list(zip(said["t_ps"] // 10**12, said["flow"], said["value"], strict=True))
    assert weights == [(4, 0, 3.0), (4, 1, 3.0), (8, 0, 1.0), (8, 1, 1.0)]


def test_views_tell_weight_and_cap(result) -> None:
    """Views have the values last decided, at first the plan's; without a weight, they have 0."""
    views = {view.t_ps // 10**12: view for view in LOG["heavy.0"]}
    assert [views[t].weight for t in (1, 4, 5, 8, 9, 11)] == [2.0, 2.0, 3.0, 3.0, 1.0, 1.0]
    assert [views[t].rate_cap_bps for t in (1, 6, 7, 11)] == [-1.0, -1.0, 1e6, 1e6]
    assert {view.weight for name in ("plain.0", "files.0") for view in LOG[name]} == {0.0}


def test_views_tell_of_files(result) -> None:
    """Views count finished, requested and remaining files as the table of transfers does."""
    done = result.transfers
    assert len(done) > 5
    for view in LOG["files.0"]:
        ended = done[done["end_ps"] < view.t_ps]
        assert view.files == len(ended)
        assert view.file_bytes >= ended["bytes"].sum() and view.file_left >= 0
        present = view.file_bytes - int(ended["bytes"].sum())
        assert (view.file_left > 0) == (present > 0) and view.file_left <= present
    assert any(0 < view.file_left < view.file_bytes for view in LOG["files.0"])
    assert {view.file_bytes for view in LOG["heavy.0"]} == {0}


TURNS = """\
version: 1
duration: 12 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 4 Mbps, delay: 5 ms, buffer: 60 packets,
       marking: {law: fixed, probability: 0.05}}
sources:
  - {name: x, from: a, to: b, transport: {law: wtp-sender, weight: 2 marks, mss: 960 bytes}}
  - {name: crowd, count: 400, rows: together, from: a, to: b, start: 11 s,
     transport: {law: multcp, flows: 1000000}}
market:
  price_per_mark: 0.01 money
  agents:
    - name: isp
      role: connectivity-provider
      contracts: [{meter: weight, tariff: {kind: per-unit, price: 1 money/s}, sources: x}]
    - {name: ann, role: price-handler, sources: x, decision_interval: 1 s,
       strategy: {kind: 'recording_strategies:Turns'}}
"""


def test_what_was_said_last_steers_a_flow(tmp_path: Path) -> None:
    """The last decision on payment or weight steers a flow, and only the weight is charged.

    A row that is too heavy to be counted does not affect a contract on another source.
    """
    LOG.clear()
    result = run(scenario_from_text(TURNS), out=tmp_path / "r")
    weight = result.flow_epochs.query("flow == 0").set_index("t_ps")["weight"]
    weight_at = {t // 10**12: w for t, w in weight.items()}
    assert all(weight_at[t] == 2.0 for t in (5, 6, 7, 8))
    assert all(weight_at[t] < 1 for t in (3, 4, 10, 12))
    views = {round(view.t_s): view.weight for view in LOG["x.0"]}
    assert [views[t] for t in (2, 4, 5, 8, 9, 11)] == [0, 0, 2, 2, 0, 0]
    paid = result.raw.ledger[result.raw.ledger["kind"] == "weight-charge"]
    weight_at = dict(zip(paid["t_ps"] // 10**12, paid["amount_micro"], strict=True))
    assert weight_at == dict.fromkeys((5, 6, 7, 8), 2_000_000)  # ann decides at once, at 0 s


def test_check_warns_of_weight_that_nobody_has() -> None:
    """The source's law has no weight. There is no warning that payment cannot steer multcp."""
    scenario = scenario_from_text(TEXT)
    warned = warnings(scenario, make_plan(scenario))
    assert [
        line for line in warned if "sells weight to plain, whose window law has no weight" in line
    ]
    assert not [line for line in warned if "no effect on heavy" in line]


def test_a_weight_for_a_law_that_has_none_ends_the_run(tmp_path: Path) -> None:
    """The message names agent, flow and the laws that have one."""
    text = TURNS.replace("law: wtp-sender, weight: 2 marks", "law: newreno")
    with pytest.raises(
        StrategyError, match="ann chose a weight for flow 0, expected a flow whose law is one of "
    ):
        run(scenario_from_text(text), out=tmp_path / "r")


def test_time_by_weight_is_exact_to_a_millionth() -> None:
    """Charges equal Python's integers at any times, and 2^62 is refused."""
    draw = np.random.default_rng(5)
    active_ps = draw.integers(0, 10**13, 500)
    weight = draw.integers(0, 10**11, 500) / 10**6
    pairs = zip(active_ps.tolist(), weight.tolist(), strict=True)
    expected = [ps * round(of * 10**6) // 10**6 for ps, of in pairs]
    assert weighed(active_ps, weight).tolist() == expected
    with pytest.raises(LedgerError, match="overflow"):
        weighed(np.array([10**13]), np.array([1e6]))
