# SPDX-License-Identifier: Apache-2.0
"""Bills of calls priced by packet rate, or by peak and mean rate, recomputed from the tables.

Andreassen et al. 2002, 4.4, list bases of tariffs; Kelly 1996 has the tariff by two rates.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ecnomy.agents.errors import LedgerError
from ecnomy.markets import load, run
from ecnomy.markets.economy import call_desk
from ecnomy.markets.results.results import Results
from ecnomy.markets.scenario import scenario_from_text

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "call-rates.yaml"
PS = 10**12
CALL, PACKET = 2_000, 60  # micro-units, as in the example
PEAK, MEAN, SPACE = 10.0, 3.875, 0.2

DEAR = """\
version: 1
duration: 3 h
network: {links: [{name: wire, from: a, to: b, rate: 1 Mbps}]}
sources:
  - name: x
    from: a
    to: b
    traffic: {kind: voip, idle: 1 s, call: 50 h, interval: 100 s}
    transport: {law: udp}
market:
  epoch: 1 h
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: gsp
      role: guaranteed-stream-provider
      sources: x
      strategy: {kind: accept-all}
      tariff: {price: 1000000 money/min}
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(load(EXAMPLE), out=tmp_path_factory.mktemp("rates") / "run")


def calls_of(result: Results, source: str) -> pd.DataFrame:
    """The accepted calls of a source."""
    flows = result.raw.flows
    own = result.calls.flow.isin(flows.flow[flows.source == source])
    return result.calls[own & (result.calls.accepted == 1)]


def bandwidth_pps(mean_pps: float) -> float:
    """log E e^(s X) / s of a source that is at its peak h with probability m / h."""
    on = mean_pps / PEAK
    return float(np.log(np.dot([1 - on, on], np.exp([0.0, SPACE * PEAK]))) / SPACE)


def line(mean_pps: float) -> tuple[float, float]:
    """The tangent at m, by a central difference."""
    step = 1e-5
    slope = (bandwidth_pps(mean_pps + step) - bandwidth_pps(mean_pps - step)) / (2 * step)
    return bandwidth_pps(mean_pps) - slope * mean_pps, slope


def test_a_call_costs_by_its_packets(result: Results) -> None:
    """Each call costs exactly its price plus that of its packets, at 10 and at 30 packets/s."""
    for source, rate_pps in (("slow", 10), ("fast", 30)):
        calls = calls_of(result, source)
        assert len(calls) > 100
        assert (calls.charge_micro == CALL + PACKET * calls.sent).all()
        time_s = (calls.end_ps - calls.start_ps).sum() / PS
        assert calls.sent.sum() / time_s == pytest.approx(rate_pps, rel=0.01)


def test_a_bursty_call_costs_by_peak_and_mean(result: Results) -> None:
    """A call costs a T + b V of the tangent, rounded down, with integers a and b."""
    per_s, per_packet = line(MEAN)
    per_min, per_mega = round(60 * PACKET * per_s), round(1e6 * PACKET * per_packet)
    calls = calls_of(result, "spurts")
    assert len(calls) > 200
    for row in calls.itertuples():
        time_min = Fraction(int(row.end_ps) - int(row.start_ps), 60 * PS)
        owed = per_min * time_min + Fraction(per_mega * int(row.sent), 10**6)
        assert row.charge_micro == owed.numerator // owed.denominator


def test_the_ledger_has_what_calls_cost(result: Results) -> None:
    """The kind `call` has all payments of callers for calls."""
    ledger = result.raw.ledger
    paid = ledger[ledger.kind == "call"].amount_micro.sum()
    assert paid == result.calls.charge_micro.sum() > 0


def test_who_declares_its_mean_rate_pays_least(result: Results) -> None:
    """Over the tariffs of all declarations, the charge of a call is lowest at V / T.

    The charge is then the effective bandwidth of the mean, between mean rate and peak rate.
    """
    calls = calls_of(result, "spurts")
    time_ps, sent = int((calls.end_ps - calls.start_ps).sum()), int(calls.sent.sum())
    true_pps = sent / (time_ps / PS)
    assert true_pps == pytest.approx(MEAN, rel=0.1)

    def charge(mean_pps: float) -> int:
        path = "market.agents.gsp.tariffs.spurts.mean_rate"
        market = load(EXAMPLE, overrides=(f"{path}={mean_pps!r} packets/s",)).market
        assert market is not None
        (gsp,) = (agent for agent in market.agents if agent.name == "gsp")
        (tariff,) = (row.tariff for row in gsp.lines if row.tariff.name == "spurts")
        return tariff.use_charge_micro(time_ps, sent)

    least = charge(true_pps)
    others = [charge(factor * true_pps) for factor in (0.25, 0.5, 0.8, 1.25, 2.0, 2.5)]
    assert least < min(others)
    assert others[:3] == sorted(others[:3])[::-1] and others[3:] == sorted(others[3:])
    assert least == pytest.approx(PACKET * bandwidth_pps(true_pps) * time_ps / PS, rel=1e-4)
    assert true_pps < bandwidth_pps(true_pps) < PEAK


def test_a_call_that_costs_too_much_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three hours at a million money per minute exceed the ledger's limit of 10^14 micro-units."""
    monkeypatch.setattr(call_desk, "LARGEST_MICRO", 10**14)
    with pytest.raises(LedgerError, match="^overflow: a call of flow 0 costs "):
        run(scenario_from_text(DEAR), out=tmp_path / "run")
