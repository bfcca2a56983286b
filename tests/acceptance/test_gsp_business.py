# SPDX-License-Identifier: Apache-2.0
"""Business models of a guaranteed stream provider, recomputed from calls, files and marks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import load, open_market, run

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
PS = 10**12
SHORT = (
    "duration=240 s", "warmup=20 s", "sources.callers.traffic.idle=40 s",
    "sources.callers.traffic.call=6 s", "sources.rush.start=100 s", "sources.rush.stop=160 s",
    "market.agents.gsp.strategy.sample=10 s", "market.agents.gsp.strategy.learning=4",
)  # fmt: skip


def ran(tmp_path_factory, name: str, *more: str):
    """A short run of an example."""
    folder = tmp_path_factory.mktemp(name) / "run"
    return run(load(EXAMPLES / f"{name}.yaml", overrides=(*SHORT, *more), seed=4), out=folder)


def booked(ledger, kind: str) -> Counter:
    """(time, flow, amount, payer, payee) of all postings of a kind."""
    rows = ledger[ledger.kind == kind]
    columns = (rows.t_ps, rows.flow, rows.amount_micro, rows.debit, rows.credit)
    return Counter(zip(*columns, strict=True))


def moved(ledger, payer: str, kind: str) -> int:
    """The payments of an account under a kind."""
    return int(ledger[(ledger.debit == payer) & (ledger.kind == kind)].amount_micro.sum())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files and pages sold with deadlines, which are sometimes missed."""
    more = (
        "sources.kiosk.traffic.reading=4 s", "sources.laboratory.traffic.pause=5 s",
        "sources.laboratory.traffic.packets=1000 packets",
        "market.agents.gsp.elastic.files.deadline=9 s",
        "market.agents.gsp.elastic.pages.deadline=1 s",
        "market.agents.gsp.elastic.files.strategy.deadline=10 s",
    )  # fmt: skip
    return ran(tmp_path_factory, "gsp-files", *more)


def test_each_row_of_files_sees_its_own_flows_since_its_last_decision() -> None:
    """Each row of files observes its flows by epoch, since its own last decision."""
    overrides = ("duration=6 s", "warmup=0 s", "market.agents.gsp.strategy.sample=2 s")
    scenario = load(EXAMPLES / "gsp-files.yaml", overrides=overrides, seed=4)
    with open_market(scenario, tables=False) as market:
        (gsp,) = (role for role in market.roles if role.name == "gsp")
        intervals: list[list[float]] = [[] for _ in gsp.elastic]
        for row, times in zip(gsp.elastic, intervals, strict=True):
            decide = row.decide

            def recorded(found, decide=decide, times=times):
                times.append(found.dt_s)
                return decide(found)

            row.decide = recorded
        market.run_until(6)
    assert len(intervals) == 2 and intervals[0] == intervals[1]
    assert intervals[0][1:] == [1.0] * (len(intervals[0]) - 1) and len(intervals[0]) > 4


def test_every_complete_file_is_charged_and_judged(files) -> None:
    """Each file is charged the price of its type at its end, and refunded if it took too long."""
    source = files.raw.flows.set_index("flow").source
    terms = {"laboratory": (600_000, 9 * PS), "kiosk": (30_000, PS)}
    charged, back = Counter(), Counter()
    for one in files.transfers.itertuples():
        name = source[one.flow]
        if name not in terms or not one.complete:
            continue
        price, deadline = terms[name]
        user = f"source:{name}"
        charged[(one.end_ps, one.flow, price, user, "gsp")] += 1
        if one.end_ps - one.start_ps > deadline:
            back[(one.end_ps, one.flow, price, "gsp", user)] += 1
    assert sum(charged.values()) > 100 and 3 < sum(back.values()) < sum(charged.values()) / 2
    assert booked(files.raw.ledger, "transfer") == charged
    rows = files.raw.ledger[files.raw.ledger.kind == "reimbursement"]
    all_back = booked(files.raw.ledger, "reimbursement")
    of_files = Counter({k: n for k, n in all_back.items() if k[4] != "source:callers"})
    assert of_files == back and (rows.credit == "source:callers").any()


def test_the_provider_pays_for_the_marks_of_files(files) -> None:
    """The provider pays for the marks of all its sales, separated by type through flows."""
    own = ["laboratory", "kiosk", "callers", "test-10", "test-20", "test-30", "probe"]
    last = files.flow_epochs[files.flow_epochs.t_ps == 240 * PS].set_index("flow").ce
    flows = files.raw.flows[files.raw.flows.source.isin(own)].flow
    assert moved(files.raw.ledger, "gsp", "marks") == 1000 * int(last[flows].sum()) > 0
    assert last[files.raw.flows[files.raw.flows.source == "laboratory"].flow].sum() > 0


def test_one_firm_sees_its_callers_and_loses_revenue(tmp_path_factory) -> None:
    """Without test streams the firm learns a threshold and blocks. It pays its own carrier."""
    result = ran(tmp_path_factory, "gsp-integrated")
    agents, calls, ledger = result.raw.agents, result.calls, result.raw.ledger
    assert "blocking_threshold" in set(agents.name[agents.agent == "gsp"])
    assert (calls.accepted == 0).sum() > 20
    streams = result.raw.flows[result.raw.flows.source.str.startswith(("test", "probe"))].flow
    paid = ledger[(ledger.debit == "gsp") & (ledger.kind == "marks")]
    assert not paid.flow.isin(streams).any() and set(paid.credit) == {"isp"}
    last = result.flow_epochs[result.flow_epochs.t_ps == 240 * PS].set_index("flow").ce
    callers = result.raw.flows[result.raw.flows.source == "callers"].flow
    assert paid.amount_micro.sum() == 1000 * int(last[callers].sum())


def test_an_insurer_pays_back_what_is_beyond_the_cap(tmp_path_factory) -> None:
    """An insurer repays by period, and the premium is exactly proportional to time."""
    terms = "market.agents.broker.role={kind: gsp_insurer:GspInsurer, insured: gsp, "
    terms += "premium: 3.000001 money/h, cap: 0.3 money, period: 60 s}"
    result = ran(tmp_path_factory, "gsp-insured", terms)
    ledger = result.raw.ledger
    marks = ledger[(ledger.debit == "gsp") & (ledger.kind == "marks")]
    period = (marks.t_ps - 1) // (60 * PS)
    cost = marks.groupby(period).amount_micro.sum()
    beyond = np.maximum(cost - 300_000, 0)
    assert (beyond > 0).any()
    back = ledger[ledger.kind == "pay-back"]
    by_period = back.groupby((back.t_ps - 1) // (60 * PS)).amount_micro.sum()
    assert by_period.to_dict() == beyond[beyond > 0].to_dict()
    assert set(back.debit) == {"broker"} and set(back.credit) == {"gsp"}
    assert moved(ledger, "gsp", "premium") == 3_000_001 * 240 // 3600
