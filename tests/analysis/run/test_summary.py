# SPDX-License-Identifier: Apache-2.0
"""Phases, windows, summaries and the sentence, against the numbers of an artificial run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis import phases_of, summarize
from ecnomy.analysis.run.summary import CHANGING, GroupRow, PhaseSummary
from ecnomy.analysis.run.windows import Epochs, fees_by_flow, marks_by_flow
from ecnomy.analysis.show.sentence import sentence
from ecnomy.markets.plan import Law
from ecnomy.markets.results.rawrun import open_raw

MakeRun = Callable[..., Path]
S = 1_000_000_000_000


def _row(phase: PhaseSummary, label: str) -> GroupRow:
    return next(row for row in phase.groups if row.group.label == label)


def test_phases_come_from_the_plan(gold_silver: Path) -> None:
    """The end of the cap and the start of the background at 60 s are one boundary; 10 s settle."""
    first, second = phases_of(open_raw(gold_silver).plan)
    assert (first.from_ps, first.to_ps, first.settling_s) == (10 * S, 60 * S, 0)
    assert (second.from_ps, second.to_ps, second.settling_s) == (60 * S, 180 * S, 10)
    assert first.label == "gold and silver capped at 0.5 Mbps"
    assert second.label == "gold and silver no longer capped, background on"


@pytest.mark.parametrize(("until_s", "holds"), [(-1, True), (5, False), (10, False), (60, True)])
def test_a_cap_is_named_while_it_holds(gold_silver: Path, until_s: float, holds: bool) -> None:
    """The first phase names a cap that is lifted after the warm-up of 10 s, or never."""
    plan = open_raw(gold_silver).plan
    sources = [
        msgspec.structs.replace(
            source,
            traffic=msgspec.structs.replace(
                source.traffic, params=source.traffic.params | {"until_s": until_s}
            ),
        )
        if source.traffic.law == "rate-capped"
        else source
        for source in plan.sources
    ]
    first, second = phases_of(msgspec.structs.replace(plan, sources=sources))
    assert first.label == "gold and silver " + ("capped at 0.5 Mbps" if holds else "on")
    assert second.label.startswith("gold and silver no longer capped") == (until_s == 60)


def test_the_first_phase_does_not_name_a_source_that_has_stopped(gold_silver: Path) -> None:
    """Gold stops at 5 s, before the end of the warm-up at 10 s."""
    plan = open_raw(gold_silver).plan
    early = [
        msgspec.structs.replace(
            source,
            stop_ps=5 * S if source.name == "gold" else source.stop_ps,
            traffic=Law("greedy", {}),
        )
        for source in plan.sources
    ]
    assert phases_of(msgspec.structs.replace(plan, sources=early))[0].label == "silver on"


def test_settling_is_a_fifth_of_a_short_phase(gold_silver: Path) -> None:
    """A second phase cut at 80 s leaves 4 s out; a phase that is not reached does not appear."""
    plan = open_raw(gold_silver).plan
    assert phases_of(plan, 80 * S)[1].settling_s == 4
    assert len(phases_of(plan, 50 * S)) == 1


def test_near_boundaries_count_as_one(gold_silver: Path) -> None:
    """Starts at 60, 61 and 90 s make two boundaries, at 61 and 90 s, and a stop makes one."""
    plan = open_raw(gold_silver).plan
    source = plan.sources[2]
    moved = [
        msgspec.structs.replace(
            source,
            name=f"s{t}",
            start=msgspec.structs.replace(source.start, at_ps=t * S),
            stop_ps=150 * S if t == 90 else -1,
        )
        for t in (0, 60, 61, 90)
    ]
    phases = phases_of(msgspec.structs.replace(plan, sources=moved))
    assert [p.from_ps // S for p in phases] == [10, 61, 90, 150]
    assert [p.label for p in phases] == ["s0 on", "s60 and s61 on", "s90 on", "s90 off"]


def test_summary_gives_back_what_was_put_in(gold_silver: Path) -> None:
    """Rates, marks and money per flow in both phases agree with the fixture's means."""
    calm, busy = summarize(open_raw(gold_silver)).phases
    for label in ("gold", "silver"):
        assert _row(calm, label).goodput_bps == pytest.approx(0.48e6, rel=0.01)
        assert _row(calm, label).charge_per_s == 0
        assert np.isnan(_row(calm, label).price_per_mark)
    gold, silver = _row(busy, "gold"), _row(busy, "silver")
    assert gold.goodput_bps == pytest.approx(2.9e6, rel=0.03)
    assert silver.goodput_bps == pytest.approx(0.73e6, rel=0.03)
    assert gold.fee_per_s == pytest.approx(4.0)
    assert gold.charge_per_s == pytest.approx(0.11 * gold.marks_per_s)
    assert gold.price_per_mark == pytest.approx(0.11)
    assert gold.marking_probability == pytest.approx(0.1, rel=0.05)
    assert (gold.delay_s, gold.rtt_s) == pytest.approx((0.031, 0.052))
    assert sum(row.share for row in busy.groups) == pytest.approx(1)
    assert gold.goodput_low_bps <= gold.goodput_bps <= gold.goodput_high_bps


def test_links_are_those_that_carry_data(gold_silver: Path) -> None:
    """Return links without marks or drops are left out; the queue is 9.5 packets."""
    busy = summarize(open_raw(gold_silver)).phases[1]
    assert [link.name for link in busy.links] == ["access", "bottleneck"]
    assert busy.links[1].queue_packets == pytest.approx(9.5)
    assert busy.links[1].marking_probability == pytest.approx(0.1, rel=0.05)
    goodput = sum(row.goodput_bps * len(row.group.flows) for row in busy.groups)
    assert busy.links[1].utilization == pytest.approx(goodput / 10e6)


def test_balances_add_up_to_nothing(gold_silver: Path) -> None:
    """Receipts less payments of all accounts sum to 0, and the ISP receives all paid marks."""
    run = open_raw(gold_silver)
    balances = summarize(run).balances
    assert sum(b.net for b in balances) == pytest.approx(0, abs=1e-6)
    marks = run.ledger[run.ledger["kind"] == "marks"]["quantity"].sum()
    isp = next(b for b in balances if b.account == "isp")
    assert isp.received == pytest.approx(0.11 * marks)


def test_sentence_of_both_phases(gold_silver: Path) -> None:
    """The plain sentence has the numbers of the tables."""
    summary = summarize(open_raw(gold_silver))
    busy = summary.phases[1]
    rate = _row(busy, "gold").goodput_bps / _row(busy, "silver").goodput_bps
    money = _row(busy, "gold").charge_per_s / _row(busy, "silver").charge_per_s
    assert sentence(summary) == (
        "Uncongested, gold and silver get the same 0.48 Mbps, and neither pays for a mark. "
        f"Under congestion gold gets {rate:.1f} times silver's rate and pays {money:.1f} times "
        "as much for marks, each about its fee."
    )


def test_sentence_does_not_flatter(gold_silver: Path) -> None:
    """Charges other than the fee are given as shares, unequal calm rates unchanged."""
    summary = summarize(open_raw(gold_silver))
    calm, busy = summary.phases
    gold = _row(busy, "gold")
    poor = msgspec.structs.replace(gold, charge_per_s=0.5 * gold.fee_per_s)
    rest = tuple(poor if row is gold else row for row in busy.groups)
    fast = msgspec.structs.replace(_row(calm, "gold"), goodput_bps=0.6e6)
    calm_rows = tuple(fast if row.group.label == "gold" else row for row in calm.groups)
    changed = msgspec.structs.replace(
        summary,
        phases=(
            msgspec.structs.replace(calm, groups=calm_rows),
            msgspec.structs.replace(busy, groups=rest),
        ),
    )
    text = sentence(changed)
    assert "gold gets 0.60 Mbps and silver 0.48 Mbps" in text
    assert "50% of gold's fee" in text
    assert "about its fee" not in text


def test_drops_without_marks_are_congestion_too(gold_silver: Path) -> None:
    """A calm phase with 1 % drops on its link is not called uncongested."""
    summary = summarize(open_raw(gold_silver))
    calm = summary.phases[0]
    link = msgspec.structs.replace(calm.links[1], drop_probability=0.01)
    changed = msgspec.structs.replace(calm, links=(calm.links[0], link))
    text = sentence(msgspec.structs.replace(summary, phases=(changed,)))
    assert text == "Under congestion gold gets 1.0 times silver's rate."


def test_flows_that_change_class_are_shown_by_source(gold_silver: Path, tmp_path: Path) -> None:
    """If a silver flow becomes gold at 90 s, there is one silver row and no closing sentence."""
    folder = Path(shutil.copytree(gold_silver, tmp_path / "run"))
    epochs = pd.read_parquet(folder / "flow_epochs.parquet")
    first = np.where(epochs["flow"] < 2, 0, np.where(epochs["flow"] < 4, 1, -1))
    later = (epochs["flow"] == 2) & (epochs["t_ps"] > 90 * S)
    epochs.assign(class_index=np.where(later, 0, first)).to_parquet(folder / "flow_epochs.parquet")
    flows = pd.read_parquet(folder / "flows.parquet")
    flows.loc[2, "class"] = "gold"
    flows.to_parquet(folder / "flows.parquet")
    summary = summarize(open_raw(folder))
    groups = [row.group for row in summary.phases[1].groups]
    assert [group.label for group in groups] == ["gold", "silver", "background"]
    assert groups[1].service_class == CHANGING
    assert groups[1].flows == (2, 3)
    assert sentence(summary) == ""


def test_no_sentence_without_two_payers(make_run: MakeRun) -> None:
    """Without a market there is no sentence and no price, and groups are sources."""
    summary = summarize(open_raw(make_run(market=False, phased=False)))
    assert sentence(summary) == ""
    assert not summary.priced
    assert [row.group.service_class for row in summary.phases[0].groups] == ["", "", ""]


def test_partial_run_ends_where_its_reports_end(make_run: MakeRun) -> None:
    """A run that died at 100 s is measured from 68 s (a fifth of 40 s settling) to 100 s."""
    summary = summarize(open_raw(make_run(until_s=100)))
    assert summary.note is not None
    window = summary.phases[1].window
    assert (window.from_ps // S, window.to_ps // S) == (68, 100)


def test_a_run_without_reports_has_no_phases(make_run: MakeRun) -> None:
    """A run that died before its second report gives an empty summary without an error."""
    assert summarize(open_raw(make_run(until_s=0))).phases == ()


def test_money_belongs_to_the_epoch_that_ended() -> None:
    """Postings at an interval's start do not belong to it, those at its end do."""
    ledger = pd.DataFrame(
        {
            "t_ps": [10, 20, 30, 30, 40],
            "kind": ["marks", "marks", "marks", "bytes-charge", "marks"],
            "flow": [0, 0, 1, 0, 0],
            "amount_micro": [1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000],
        }
    )
    got = marks_by_flow(ledger, 2, np.array([10, 20, 30], dtype=np.int64))
    assert got.tolist() == [[2, 0], [0, 4]]
    fees = fees_by_flow(ledger, 2, np.array([10, 20, 30], dtype=np.int64))
    assert fees.tolist() == [[0, 0], [8, 0]]  # charges of contracts count among fees


def test_the_report_at_the_start_of_a_window_belongs_to_the_time_before() -> None:
    """The mean over (5 s, 20 s] excludes the report at 5 s."""
    times = [t for t in (0, 5, 10, 15, 20) for _ in range(2)]
    rtts = [9.0, 9.0, 7.0, 7.0, 0.0, 1.0, 0.5, 2.0, 0.5, 5.0]
    acked = [0, 0, 3, 3, 4, 4, 5, 5, 6, 5]
    table = pd.DataFrame({"t_ps": times, "flow": [0, 1] * 5, "srtt_s": rtts, "acked": acked})
    epochs = Epochs(table, "flow", 2)
    window = epochs.window(5, 20)
    assert window is not None
    assert epochs.mean_while("srtt_s", "acked", window).tolist() == [0.5, 1.5]


def test_a_torn_last_report_is_left_out() -> None:
    """Rows of an incomplete last report are not read."""
    table = pd.DataFrame({"t_ps": [0, 0, 5, 5, 9], "flow": [0, 1, 0, 1, 0], "ce": [0, 0, 3, 4, 9]})
    epochs = Epochs(table, "flow", 2)
    assert epochs.t_ps.tolist() == [0, 5]
    window = epochs.window(0, 100)
    assert window is not None
    assert epochs.difference("ce", window).tolist() == [3, 4]
