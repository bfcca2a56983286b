# SPDX-License-Identifier: Apache-2.0
"""Weights that money buys, and what strategies are told of files."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import LedgerError
from ecnomy.markets import run
from ecnomy.markets.economy.metered import weighed
from ecnomy.markets.scenario import scenario_from_text
from told_strategies import LOG

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
       strategy: {kind: 'told_strategies:Weighty'}}
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory):
    LOG.clear()
    return run(scenario_from_text(TEXT), out=tmp_path_factory.mktemp("weights") / "r")


def test_weight_is_paid_for_by_time(result) -> None:
    """0.01 money/s a unit: 2 until 4 s, 3 until 8 s, then 1, the least; NewReno has none."""
    bought = result.ledger[result.ledger["kind"] == "weight-charge"]
    paid = bought.groupby("flow")["amount_micro"].sum().to_dict()
    assert paid == {flow: 10_000 * (2 * 4 + 3 * 4 + 1 * 4) for flow in (0, 1)}
    assert bought.groupby("flow")["quantity"].sum().to_dict() == {f: 24 * 10**12 for f in (0, 1)}
    said = result.agents[result.agents["name"] == "weight"]
    told = list(zip(said["t_ps"] // 10**12, said["flow"], said["value"], strict=True))
    assert told == [(4, 0, 3.0), (4, 1, 3.0), (8, 0, 1.0), (8, 1, 1.0)]


def test_views_tell_weight_and_cap(result) -> None:
    """As decided before, the plan's at first; a law without a weight has 0."""
    views = {view.t_ps // 10**12: view for view in LOG["heavy.0"]}
    assert [views[t].weight for t in (1, 4, 5, 8, 9, 11)] == [2.0, 2.0, 3.0, 3.0, 1.0, 1.0]
    assert [views[t].rate_cap_bps for t in (1, 6, 7, 11)] == [-1.0, -1.0, 1e6, 1e6]
    assert {view.weight for name in ("plain.0", "files.0") for view in LOG[name]} == {0.0}


def test_views_tell_of_files(result) -> None:
    """Finished, asked for and left, as the table of transfers has them."""
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


def test_time_by_weight_is_exact_to_a_thousandth() -> None:
    """Against Python's integers, with times that are no multiple of a thousand; 2^62 is refused."""
    draw = np.random.default_rng(5)
    active_ps = draw.integers(0, 10**13, 500)
    weight = draw.integers(0, 10**8, 500) / 1000
    pairs = zip(active_ps.tolist(), weight.tolist(), strict=True)
    expected = [ps * round(of * 1000) // 1000 for ps, of in pairs]
    assert weighed(active_ps, weight).tolist() == expected
    with pytest.raises(LedgerError, match="overflow"):
        weighed(np.array([10**13]), np.array([1e6]))
