# SPDX-License-Identifier: Apache-2.0
"""The guaranteed stream provider's books against its calls, one by one, to the micro-unit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import load, run
from ecnomy.markets.scenario import scenario_from_text
from tiers import full

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "gsp.yaml"
PS = 10**12
# Four minutes with short calls, a rush in the middle and a promise that is hard to keep.
SHORT = (
    "duration=240 s", "warmup=20 s", "sources.callers.traffic.idle=40 s",
    "sources.callers.traffic.call=6 s", "sources.rush.start=100 s", "sources.rush.stop=160 s",
    "market.agents.gsp.strategy.sample=10 s", "market.agents.gsp.strategy.learning=4",
    "market.agents.gsp.tariff.reimbursement=0.2 money",
    "market.agents.gsp.tariff.price=0.123457 money",
)  # fmt: skip
PRICE, BACK = 123_457, 200_000


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return run(load(CONFIG, overrides=SHORT, seed=4), out=tmp_path_factory.mktemp("gsp") / "run")


def postings(ledger, kind: str) -> Counter:
    """(time, flow, amount) of all postings of a kind, with their numbers."""
    rows = ledger[ledger.kind == kind]
    return Counter(zip(rows.t_ps, rows.flow, rows.amount_micro, strict=True))


def test_every_accepted_call_is_charged_once_and_no_other(result) -> None:
    """Each accepted call has one posting of the price at its time, and a blocked call has none."""
    calls, ledger = result.calls, result.raw.ledger
    accepted, blocked = calls[calls.accepted == 1], calls[calls.accepted == 0]
    assert len(accepted) > 500 and len(blocked) > 50
    charged = Counter(
        (t, flow, PRICE) for t, flow in zip(accepted.start_ps, accepted.flow, strict=True)
    )
    assert postings(ledger, "call") == charged
    assert (accepted.charge_micro == PRICE).all() and (blocked.charge_micro == 0).all()
    assert (blocked.sent == 0).all() and (blocked.reimbursement_micro == 0).all()


def test_every_broken_promise_is_paid_back_once(result) -> None:
    """A finished call with over 1 % lost or late packets has one reimbursement, at its end."""
    calls, ledger = result.calls, result.raw.ledger
    judged = calls[(calls.accepted == 1) & (calls.complete == 1)]
    broken = judged[judged.late + judged.lost > 0.01 * judged.sent]
    assert 20 < len(broken) < len(judged) - 20
    owed = Counter((t, flow, BACK) for t, flow in zip(broken.end_ps, broken.flow, strict=True))
    assert postings(ledger, "reimbursement") == owed
    assert calls.reimbursement_micro.sum() == BACK * len(broken)
    unfinished = calls[calls.complete == 0]
    assert len(unfinished) > 0 and (unfinished.reimbursement_micro == 0).all()


def test_profit_and_loss_are_the_ledger(result) -> None:
    """The balance is price x accepted - refund x broken - price x marks of calls and streams."""
    calls, ledger, flows = result.calls, result.raw.ledger, result.flow_epochs
    last = flows[flows.t_ps == 240 * PS].set_index("flow")
    own = result.raw.flows.source.isin(["callers", "test-10", "test-20", "test-30", "probe"])
    marks = int(last.ce[result.raw.flows.flow[own]].sum())
    paid = ledger[(ledger.debit == "gsp") & (ledger.kind == "marks")]
    assert paid.amount_micro.sum() == 1000 * marks > 0
    profit = (
        PRICE * int(calls.accepted.sum())
        - BACK * int((calls.reimbursement_micro > 0).sum())
        - 1000 * marks
    )
    received = ledger[ledger.credit == "gsp"].amount_micro.sum()
    spent = ledger[ledger.debit == "gsp"].amount_micro.sum()
    assert received - spent == profit
    callers = ledger[ledger.debit == "source:callers"]
    assert set(callers.kind) == {"call"}, "callers pay for calls only, never for marks"


def test_calls_are_blocked_while_the_streams_are_marked_more(result) -> None:
    """Admission of each call follows M and the threshold, as in the table `agents` at the time."""
    rows = result.raw.agents[result.raw.agents.agent == "gsp"]
    rate = rows[rows.name == "marking_rate"]
    level = rows[rows.name == "blocking_threshold"]

    def at(table, none: float) -> np.ndarray:
        last = np.searchsorted(table.t_ps, calls.start_ps, side="right")
        return np.array([none, *table.value])[last]

    calls = result.calls
    accepted = at(rate, 0.0) <= at(level, np.inf)
    assert calls[accepted != (calls.accepted == 1)].empty
    assert min(accepted.sum(), (~accepted).sum()) > 50


THOUSAND = """
version: 1
duration: DURATION s
seed: 3
network:
  links:
    - name: wire
      from: a
      to: b
      rate: 200 Mbps
      delay: 2 ms
      marking: {law: fixed, probability: 0.05}
sources:
  - name: callers
    count: 1000
    from: a
    to: b
    traffic: {kind: voip, idle: 0.8 s, call: 0.2 s}
    transport: {law: udp}
  - {name: test, from: a, to: b, traffic: {kind: cbr, interval: 5 ms}, transport: {law: udp}}
market:
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: ann, role: customer, sources: callers}
    - name: gsp
      role: guaranteed-stream-provider
      sources: callers
      test_streams: test
      tariff: {price: 0.000003 money}
      strategy: {kind: marking-quantile, quantile: 0.5, sample: 1 s, learning: 5}
"""


@full
def test_a_thousand_calls_a_second(tmp_path) -> None:
    """At a thousand requests per second, half of the later ones blocked, the books are exact."""
    seconds = 30
    text = THOUSAND.replace("DURATION", str(seconds))
    result = run(scenario_from_text(text), out=tmp_path / "run")
    calls, ledger = result.calls, result.raw.ledger
    # Renewal: a user asks every 1 s when accepted, every 0.8 s when blocked.
    assert 1000 * seconds < len(calls) < 1250 * seconds
    later = calls[calls.start_ps > 10 * PS]
    assert 0.3 < later.accepted.mean() < 0.7
    paid = ledger[ledger.kind == "call"]
    assert set(paid.debit) == {"ann"} and set(paid.credit) == {"gsp"}
    accepted = calls[calls.accepted == 1]
    assert postings(ledger, "call") == Counter(
        (t, flow, 3) for t, flow in zip(accepted.start_ps, accepted.flow, strict=True)
    )


@full
def test_same_seed_same_calls(tmp_path) -> None:
    """Two runs give the same calls and ledger, byte for byte; another seed gives others."""
    short = (*SHORT, "duration=60 s", "warmup=0 s")
    first, again, other = (
        run(load(CONFIG, overrides=short, seed=seed), out=tmp_path / str(i))
        for i, seed in enumerate((4, 4, 5))
    )
    for name in ("calls", "ledger", "agents"):
        blobs = [(r.folder / f"{name}.parquet").read_bytes() for r in (first, again, other)]
        assert blobs[0] == blobs[1] != blobs[2], name
