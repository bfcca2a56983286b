# SPDX-License-Identifier: Apache-2.0
"""Profit and loss, calls and test streams of guaranteed stream providers, also in `show`."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis import Guarantee, guarantees_of
from ecnomy.analysis.run.guaranteed_calls import all_streams, call_rows
from ecnomy.analysis.run.guarantees import Item
from ecnomy.analysis.run.guarantors import providers_of
from ecnomy.analysis.run.scenario_agents import agents_of
from ecnomy.analysis.show.command import show_command
from ecnomy.analysis.show.guarantees_tables import offer_in_words
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import RawRun, open_raw
from ecnomy.markets.scenario import scenario_from_text
from guarantee_world import (
    AGENTS,
    BACK_MICRO,
    CALL_MICRO,
    LEDGER,
    PRICE_MICRO,
    PROFIT_MICRO,
    TWO,
    write_run,
)
from ink import inked


def _only(folder: Path) -> Guarantee:
    (one,) = guarantees_of(open_raw(folder))
    return one


def _show(folder: Path, *options: str) -> str:
    app = typer.Typer()
    app.command()(show_command)
    done = CliRunner().invoke(app, [str(folder), *options])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> RawRun:
    """One minute of two providers on the built-in engine."""
    folder = tmp_path_factory.mktemp("two") / "run"
    run(scenario_from_text(TWO), out=folder)
    return open_raw(folder)


def test_profit_and_loss_is_what_the_ledger_says(tmp_path: Path) -> None:
    """Each line sums its postings to the micro-unit; marks of others are not included."""
    money = _only(write_run(tmp_path)).money
    assert money.calls == Item(4 * CALL_MICRO, 4)
    assert money.reimbursements == Item(-BACK_MICRO, 1)
    assert money.call_marks == Item(-8 * PRICE_MICRO, 8)
    assert money.stream_marks == Item(-6 * PRICE_MICRO, 6)
    assert money.other == Item(0, 0)
    assert money.profit_micro == PROFIT_MICRO
    assert money.per_call(money.calls.micro) == CALL_MICRO / 1e6
    assert money.per_hour(money.profit_micro) == pytest.approx(60 * PROFIT_MICRO / 1e6)


def test_postings_of_another_kind_are_part_of_the_profit(tmp_path: Path) -> None:
    """A grant and a fine appear under "all else" and are part of the profit."""
    more = [(9, "isp", "gsp", 500, "grant", -1, 1), (9, "gsp", "isp", 7, "fine", -1, 1)]
    folder = write_run(tmp_path, ledger=LEDGER + more, balance_micro=PROFIT_MICRO + 493)
    money = _only(folder).money
    assert (money.other, money.profit_micro) == (Item(493, 2), PROFIT_MICRO + 493)
    assert "all else" in _show(folder, "--no-plot")


def test_a_ledger_that_leaves_another_balance_is_refused(tmp_path: Path) -> None:
    """One micro-unit between ledger and manifest is an error that names both."""
    folder = write_run(tmp_path, balance_micro=PROFIT_MICRO + 1)
    with pytest.raises(ResultsError, match=f"{PROFIT_MICRO} micro-units.*{PROFIT_MICRO + 1}"):
        guarantees_of(open_raw(folder))


def test_a_manifest_without_balances_is_shown(tmp_path: Path) -> None:
    """The manifest of a killed run has no balances, so only the ledger is used."""
    assert _only(write_run(tmp_path, balance_micro=None)).money.profit_micro == PROFIT_MICRO


def test_calls_are_counted_and_judged(tmp_path: Path) -> None:
    """Exactly 1 % bad keeps the promise; blocked, silent and unfinished calls do not count."""
    calls = _only(write_run(tmp_path)).calls
    assert calls is not None
    assert (calls.asked, calls.blocked, calls.accepted) == (6, 2, 4)
    assert (calls.under_way, calls.ended, calls.broken) == (1, 3, 1)
    assert (calls.learnt_ps, calls.asked_learnt, calls.blocked_learnt) == (20 * 10**12, 4, 2)
    assert (calls.packets, calls.bad, calls.marked) == (300, 4 / 300, 3 / 300)
    assert calls.mean_bad == pytest.approx((0.01 + 0.02) / 2)
    assert calls.mean_marked == pytest.approx((3 / 200 + 0) / 2)
    assert calls.worst_bad == 0.02


def _with_tariff(folder: Path, **tariff: object) -> Path:
    """A copy of the run, with an additional custom role and another tariff."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    broker = {"name": "broker", "role": {"kind": "lab:Broker", "premium": "3.0 money/h"}}
    agents = manifest["scenario"]["market"]["agents"]
    agents[1]["tariff"] |= tariff
    agents.append(broker)
    file.write_text(json.dumps(manifest))
    return folder


def test_a_role_with_terms_of_its_own_hides_no_provider(tmp_path: Path) -> None:
    """The manifest has a custom role as a mapping; all agents of the run are still found."""
    run = open_raw(_with_tariff(write_run(tmp_path)))
    assert [agent.role for agent in agents_of(run) or ()][1:] == [
        "guaranteed-stream-provider",
        "lab:Broker",
    ]
    assert [provider.name for provider in providers_of(run)] == ["gsp"]


def test_prices_by_the_hour_are_shown_in_hours(tmp_path: Path) -> None:
    """Times in ps are printed in hours, and the reimbursement is described only once."""
    day = [
        {"from": "28800000000000000 ps", "to": "66600000000000000 ps", "price": "0.2 money/call"}
    ]
    price = {"kind": "time-of-day", "periods": day, "price": "0.1 money/call"}
    run = open_raw(_with_tariff(write_run(tmp_path), price=price, reimbursement="price"))
    offer_text = offer_in_words(providers_of(run)[0])
    assert "costs 0.2 money/call from 8 h to 18.5 h, else 0.1 money/call, regardless" in offer_text
    assert "later than 15 ms. Otherwise its price is reimbursed." in offer_text


def test_reimbursements_of_kept_promises_are_counted(tmp_path: Path) -> None:
    """Paid claims of kept promises are counted as such."""
    claimed = (18, "gsp", "source:phones", BACK_MICRO, "reimbursement", 0, 1)
    ledger = sorted([*LEDGER, claimed])
    folder = write_run(tmp_path, ledger=ledger, balance_micro=PROFIT_MICRO - BACK_MICRO)
    assert _only(folder).money.reimbursements == Item(-2 * BACK_MICRO, 2)
    lines = [" ".join(line.split()) for line in _show(folder, "--no-plot").splitlines()]
    row = "2 reimbursements, 1 of them for promises that were kept -0.140002 -0.0350 -8.40"
    assert row in lines
    assert "promise broken 1 33.3 % of ended" in lines


def test_streams_are_counted_by_the_tariffs_delay(tmp_path: Path) -> None:
    """L uses the counter for the tariff's threshold; rates are over the time a stream was on."""
    one = _only(write_run(tmp_path))
    beat, probe = one.streams
    assert [(x.poisson, x.packets_per_s, x.sent) for x in one.streams] == [
        (False, 10.0, 600),
        (True, 10.0, 300),
    ]
    assert (beat.marked, beat.bad, probe.marked, probe.bad) == (0.01, 0.01, 0.02, 0.01)
    both = all_streams(one.streams)
    assert (both.marked, both.bad, both.packets_per_s) == (12 / 900, 9 / 900, 20.0)


@pytest.mark.parametrize(
    ("stops_s", "rates"),
    [((50, 90), (12.0, 10.0)), ((90, 40), (10.0, 30.0)), ((60, 30), (10.0, 0.0))],
)
def test_a_stream_was_on_until_its_stop_or_the_end_of_the_run(
    stops_s: tuple[int, int], rates: tuple[float, float], tmp_path: Path
) -> None:
    """Rates are over the time a stream was on: 60 s for 600 packets, and 30 s for 300."""
    file = write_run(tmp_path) / "manifest.json"
    manifest = json.loads(file.read_text())
    sources = {one["name"]: one for one in manifest["plan"]["sources"]}
    for name, stop_s in zip(("beat", "probe"), stops_s, strict=True):
        sources[name]["stop_ps"] = stop_s * 10**12
    file.write_text(json.dumps(manifest))
    assert tuple(one.packets_per_s for one in _only(tmp_path).streams) == rates


def test_show_prints_money_calls_and_streams(tmp_path: Path) -> None:
    """The block has the tariff, six digits of money, shares with their base, and the probe."""
    text = _show(write_run(tmp_path))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "4 calls sold +0.600000 +0.1500 +36.00" in lines
    assert "1 reimbursement for broken promises -0.070001 -0.0175 -4.20" in lines
    assert "8 marks of its calls -0.008008 -0.00200 -0.480" in lines
    assert "6 marks of its test streams -0.006006 -0.00150 -0.360" in lines
    assert "profit, the balance of its account +0.515985 +0.1290 +30.96" in lines
    assert "blocked 2 33.3 % of asked" in lines
    assert "promise broken 1 33.3 % of ended" in lines
    assert "probe (Poisson) 10.0 300 2.00 % 1.00 %" in lines
    assert "calls that ended, mean of a call 0.75 % 1.50 %" in lines
    words = " ".join(lines)
    promise = "at most 1 % of its packets are lost or later than 15 ms"
    assert f"{promise}. Otherwise 0.070001 money is reimbursed." in words
    assert "Until 20 s the provider observed" in words
    assert "probe sends packets at random times (Poisson), so the shares are averages" in words
    assert lines[-1] == f"gsp: {tmp_path / 'guarantee.png'}"
    assert (tmp_path / "guarantee.png").stat().st_size > inked(20_000)


def test_calls_that_cost_nothing_are_counted(tmp_path: Path) -> None:
    """At a price and a refund of 0 nothing is posted, yet four calls are sold and one is broken.

    Money is then 0 without a minus sign, and marks per call are still shown.
    """
    ledger = [row for row in LEDGER if row[4] == "marks"]
    balance_micro = -14 * PRICE_MICRO
    folder = write_run(tmp_path, ledger=ledger, balance_micro=balance_micro)
    money = _only(folder).money
    assert (money.calls, money.reimbursements) == (Item(0, 4), Item(0, 1))
    text = " ".join(_show(folder, "--no-plot").split())
    assert "4 calls sold +0.000000 +0.0000 +0.00" in text
    assert "1 reimbursement for broken promises +0.000000 +0.0000 +0.00" in text
    assert "brings 0.0000 and costs 0.00200 in marks and 0.0000 in reimbursements: -0.00200" in text
    assert "-0.0000 " not in text


def test_unrecorded_calls_are_those_paid_for(tmp_path: Path) -> None:
    """Without the table of calls the postings are counted, and the text says so."""
    text = " ".join(_show(write_run(tmp_path, calls=None), "--no-plot").split())
    assert "4 calls paid for +0.600000" in text


def test_whose_marks_the_provider_pays_is_said(tmp_path: Path) -> None:
    """The payments table names the calls and test streams whose marks the provider pays."""
    text = " ".join(_show(write_run(tmp_path), "--no-plot").split())
    assert "(marks of phones, beat, probe: paid by gsp)" in text


def test_nobody_calling_is_no_trouble(tmp_path: Path) -> None:
    """Without calls every share is unknown, but tables and picture are still made."""
    ledger = [row for row in LEDGER if row[4] == "marks" and row[5] > 2]
    balance_micro = -6 * PRICE_MICRO
    folder = write_run(tmp_path, ledger=ledger, calls=[], agents=[], balance_micro=balance_micro)
    calls = _only(folder).calls
    assert calls is not None
    assert (calls.asked, calls.ended, calls.learnt_ps) == (0, 0, -1)
    assert all(map(math.isnan, (calls.bad, calls.mean_bad, calls.worst_bad, calls.marked)))
    text = _show(folder)
    assert "0 calls sold" in text
    assert "nan" not in text
    assert "gsp: " in text


def test_calls_that_were_not_recorded_leave_the_money(tmp_path: Path) -> None:
    """With `record: {calls: false}`, only the table of calls is missing."""
    one = _only(write_run(tmp_path, calls=None))
    assert one.calls is None
    assert one.money.calls.count == 4
    text = _show(tmp_path, "--no-plot")
    assert "calls were not recorded" in text
    assert "probe (Poisson)" in text


def test_a_run_without_a_provider_shows_none(gold_silver: Path) -> None:
    """Without a provider, there is no block and no picture."""
    text = _show(gold_silver)
    assert "guarantee" not in text
    assert "profit" not in text
    assert not list(gold_silver.glob("guarantee*"))
    assert open_raw(gold_silver).calls.empty


def test_without_a_market_no_provider_did_business(tmp_path: Path) -> None:
    """A run without a market has a provider in its scenario but not in its results."""
    run(scenario_from_text(TWO, overrides=["duration=6 s"]), out=tmp_path / "run", market=False)
    assert guarantees_of(open_raw(tmp_path / "run")) == ()


def test_a_real_runs_profit_is_its_balance_and_its_parts(two: RawRun) -> None:
    """Revenue, reimbursements and marks agree exactly with calls and flow counters."""
    balances = two.manifest.balances_micro
    assert balances is not None
    last = two.flow_epochs[two.flow_epochs["t_ps"] == two.flow_epochs["t_ps"].max()]
    sources = [s.name for s in two.plan.sources for _ in range(s.count)]
    marks_micro = last.groupby([sources[f] for f in last["flow"]])["mark_charge_micro"].sum()
    for one in guarantees_of(two):
        money, rows = one.money, call_rows(two, one.provider)
        assert money.profit_micro == balances[one.provider.name]
        assert money.calls.micro == rows["charge_micro"].sum() > 0
        assert money.reimbursements.micro == -rows["reimbursement_micro"].sum() < 0
        assert money.call_marks.micro == -marks_micro[list(one.provider.call_sources)].sum() < 0
        assert money.stream_marks.micro == -marks_micro[list(one.provider.stream_sources)].sum()
        parts = (money.calls, money.reimbursements, money.call_marks, money.stream_marks)
        assert sum(part.micro for part in parts) == money.profit_micro


def test_a_real_run_blocks_and_breaks(two: RawRun) -> None:
    """Sold calls are the accepted ones, reimbursed calls the broken ones; accept-all has no M."""
    careful, bold = guarantees_of(two)
    assert careful.calls is not None
    assert bold.calls is not None
    assert min(careful.calls.blocked_learnt, careful.calls.broken, bold.calls.broken) > 0
    assert careful.calls.blocked == careful.calls.blocked_learnt
    assert bold.calls.blocked == 0
    for one in (careful, bold):
        assert one.calls is not None
        rows = call_rows(two, one.provider)
        assert one.calls.accepted == one.money.calls.count
        assert one.calls.broken == one.money.reimbursements.count
        assert (rows["broken"] == (rows["reimbursement_micro"] > 0)).all()
        assert one.calls.asked == len(rows)
    assert bold.streams == ()
    assert bold.provider.max_delay_ps == 20 * 10**9


def test_show_of_two_providers_has_a_block_and_a_picture_of_each(two: RawRun) -> None:
    """The providers are in the scenario's order; one without test streams has no such table."""
    text = _show(two.path)
    first, second = text.split("bold, guaranteed stream provider")
    assert "careful, guaranteed stream provider" in first
    assert "test streams" not in second
    for provider in providers_of(two):
        assert (two.path / f"guarantee-{provider.name}.png").is_file()
    assert not (two.path / "guarantee.png").exists()


def test_a_threshold_nobody_met_is_said(tmp_path: Path) -> None:
    """If the threshold was learnt after the last call, the text says so without a share."""
    late = [*AGENTS[:1], (50, "gsp", "blocking_threshold", 0.015)]
    text = " ".join(_show(write_run(tmp_path, agents=late), "--no-plot").split())
    assert "threshold from 50 s on. No call was requested after that" in text
