# SPDX-License-Identifier: Apache-2.0
"""Providers that compete for the same callers: every call, mark and posting is recomputed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ecnomy.markets import load, run

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "two-gsps.yaml"
PS = 10**12
MIN = 60 * PS
SHORT = (
    "duration=240 s", "warmup=20 s", "sources.callers.traffic.idle=40 s",
    "sources.callers.traffic.call=6 s", "sources.rush.start=100 s", "sources.rush.stop=160 s",
    "market.agents.gsp.strategy.sample=10 s", "market.agents.gsp.strategy.learning=4",
    "market.agents.gsp.tariffs.voice.price=0.004001 money",
    "market.agents.handy.tariffs.voice.price={call: 0.001 money, time: 0.020001 money/min}",
    "market.agents.people.strategy.worth=0.02 money",
)  # fmt: skip
GSP, HANDY, BEST_EFFORT = 0, 1, -1
SELLER = {GSP: "gsp", HANDY: "handy", BEST_EFFORT: "people"}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """Four minutes."""
    return run(load(CONFIG, overrides=SHORT, seed=4), out=tmp_path_factory.mktemp("two") / "run")


def charges(call) -> list[tuple[int, int, int, str]]:
    """(time, flow, amount, seller) of a call's charges, from the tariffs in the scenario."""
    if call.tariff == GSP:
        return [(call.start_ps, call.flow, 4001, "gsp")]
    if call.tariff == HANDY:
        time = 20_001 * (call.end_ps - call.start_ps) // MIN
        owed = [(call.start_ps, call.flow, 1000, "handy")]
        return [*owed, (call.end_ps, call.flow, time, "handy")] if time else owed
    return []


def broken(call) -> bool:
    """Whether an ended call has more bad packets than the promise allows."""
    most = {GSP: 0.005, HANDY: 0.02}.get(call.tariff)
    return bool(most is not None and call.complete and call.late + call.lost > most * call.sent)


def test_every_call_has_one_carrier_and_its_charges(result) -> None:
    """A call is sold by one provider, at best effort, or not made; only that one charges it."""
    calls, ledger = result.calls, result.raw.ledger
    assert calls.id.is_unique
    kinds = calls.groupby(["tariff", "accepted"]).size()
    assert all(kinds[key] > 20 for key in ((GSP, 1), (HANDY, 1), (BEST_EFFORT, 0)))
    assert (calls.accepted[calls.tariff >= 0] == 1).all()
    owed = Counter(c for call in calls.itertuples() for c in charges(call))
    rows = ledger[ledger.kind == "call"]
    assert set(rows.debit) == {"people"}
    booked = zip(rows.t_ps, rows.flow, rows.amount_micro, rows.credit, strict=True)
    assert Counter(booked) == owed
    by_call = [sum(c[2] for c in charges(call)) for call in calls.itertuples()]
    assert by_call == calls.charge_micro.tolist()


def test_each_promise_is_judged_by_its_own_tariff(result) -> None:
    """Each promise is judged by its own tariff, with a refund of the price or of 0.03 money."""
    calls, ledger = result.calls, result.raw.ledger
    owed = Counter(
        (c.end_ps, c.flow, 4001 if c.tariff == GSP else 30_000, SELLER[c.tariff])
        for c in calls.itertuples()
        if broken(c)
    )
    rows = ledger[ledger.kind == "reimbursement"]
    assert set(rows.credit) == {"people"} and len({key[3] for key in owed}) == 2
    assert Counter(zip(rows.t_ps, rows.flow, rows.amount_micro, rows.debit, strict=True)) == owed


def test_marks_are_paid_by_who_carried_the_last_call(result) -> None:
    """The payer for each flow and report follows from the calls that began until then."""
    calls, ledger, epochs = result.calls, result.raw.ledger, result.flow_epochs
    people = result.raw.flows[result.raw.flows.source == "callers"].flow
    began = calls[calls.accepted == 1].sort_values("start_ps")
    counted: Counter[tuple[int, int, str]] = Counter()
    for flow, rows in epochs[epochs.flow.isin(people)].groupby("flow"):
        own = began[began.flow == flow]
        at = np.searchsorted(own.start_ps.to_numpy(), rows.t_ps.to_numpy(), side="right") - 1
        marks = np.diff(rows.ce.to_numpy(), prepend=0)
        for t, last, count in zip(rows.t_ps, at, marks, strict=True):
            if count:
                counted[(t, flow, SELLER[int(own.tariff.iloc[last])])] += 1000 * int(count)
    rows = ledger[(ledger.kind == "marks") & ledger.flow.isin(people)]
    booked: Counter[tuple[int, int, str]] = Counter()
    for row in rows.itertuples():
        booked[(row.t_ps, row.flow, row.debit)] += row.amount_micro
    assert booked == counted
    assert {key[2] for key in counted} == set(SELLER.values())


def test_who_refused_a_call_is_kept(result) -> None:
    """Only the first provider refuses calls; some go to the second one or to best effort."""
    refused = result.calls[result.calls.refused_by > 0]
    assert set(refused.refused_by) == {1 << GSP}
    assert len(refused) > 10 and not (refused.tariff == GSP).any()


def test_money_is_conserved(result) -> None:
    """Balances add up to 0 and equal the postings; fixed costs are 0.5 money per hour."""
    ledger = result.raw.ledger
    balances = json.loads((result.folder / "manifest.json").read_text())["balances_micro"]
    assert sum(balances.values()) == 0
    change = pd.Series(0, index=list(balances))
    change = change.add(ledger.groupby("credit", observed=True).amount_micro.sum(), fill_value=0)
    change = change.sub(ledger.groupby("debit", observed=True).amount_micro.sum(), fill_value=0)
    assert change.astype(int).to_dict() == balances
    assert balances["outside:costs"] == 500_000 * 240 // 3600
