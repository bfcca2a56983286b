# SPDX-License-Identifier: Apache-2.0
"""The ledger against a packet trace of the same run, to the micro-unit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import load, run

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "gold-silver.yaml"
DELIVER, MARK, DROP = 4, 2, 3
PRICE_MICRO = 125_000
SHORT = (
    "duration=40 s", "warmup=5 s", "record.trace=true", "sources.background.start=10 s",
    "sources.gold.traffic.until=10 s", "sources.silver.traffic.until=10 s",
    # A second congested hop behind the first: marks set upstream are lost there.
    "network.links.bottleneck.buffer=20 packets",
    "network.links.access.rate=11 Mbps",
    "network.links.access.marking={law: fixed, probability: 0.05}",
)  # fmt: skip


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("money") / "run"
    return run(load(CONFIG, overrides=SHORT, seed=11), out=folder)


def test_mark_revenue_is_price_times_traced_ce(result) -> None:
    """ISP revenue = price x CE data packets delivered, counted from the trace, per flow."""
    trace, ledger = result.trace, result.raw.ledger
    ce = trace[(trace.event == DELIVER) & (trace.ce == 1) & (trace.bytes > 40)]
    counted = ce.groupby("flow").size()
    marks = ledger[(ledger.kind == "marks") & (ledger.credit == "isp")]
    assert marks.amount_micro.sum() == PRICE_MICRO * len(ce) > 100 * PRICE_MICRO
    booked = marks.groupby("flow").amount_micro.sum()
    booked = booked[booked > 0]
    assert booked.to_dict() == (counted * PRICE_MICRO).to_dict()
    assert (marks.amount_micro == marks.price_micro * marks.quantity).all()


def test_ce_set_is_delivered_dropped_or_in_flight(result) -> None:
    """CE set by links = delivered + dropped downstream + in flight, as in the trace."""
    pairs, trace = result.pairs, result.trace
    delivered = int(((trace.event == DELIVER) & (trace.ce == 1) & (trace.bytes > 40)).sum())
    marks = int(pairs.marks.sum())
    assert marks == int((trace.event == MARK).sum())
    assert pairs.ce_dropped.sum() == ((trace.event == DROP) & (trace.ce == 1)).sum() > 0
    assert marks == delivered + pairs.ce_dropped.sum() + pairs.ce_in_flight.sum()


def test_fees_are_exact(result) -> None:
    """Each class's fees over 40 s are fee x time x flows, to the micro-unit."""
    ledger = result.raw.ledger
    fees = ledger[ledger.kind == "class-fee"].groupby("flow").amount_micro.sum()
    assert fees.to_dict() == {0: 160_000_000, 1: 160_000_000, 2: 40_000_000, 3: 40_000_000}


def test_debits_equal_credits_after_every_epoch(result) -> None:
    """Balances over all accounts sum to zero at every time."""
    ledger = result.raw.ledger
    for t_ps in np.unique(ledger.t_ps):
        entries = ledger[ledger.t_ps <= t_ps]
        out = entries.groupby("debit").amount_micro.sum()
        into = entries.groupby("credit").amount_micro.sum()
        assert into.sub(out, fill_value=0).sum() == 0
