# SPDX-License-Identifier: Apache-2.0
"""Means over flows that agents switch on and off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import carrier_world as world
from ecnomy.analysis import overview, summarize
from ecnomy.analysis.run.activity import switches_of
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.results.run_summary import groups
from ink import inked

MakeRun = Callable[..., Path]
S = world.S
EXAMPLE = Path(__file__).parents[3] / "configs" / "examples" / "switching.yaml"


def test_means_are_over_the_time_flows_were_on(make_run: MakeRun) -> None:
    """Rates, marks and charges of gold are per flow-second on, counted from the tables."""
    folder = world.two_carriers(make_run(phased=False))
    on = world.switch_off(folder)
    there = open_raw(folder)
    assert switches_of(there).rows.tolist() == [0, 1, 2, 3]
    whole = summarize(there).whole
    assert whole is not None
    gold, silver, background = whole.groups
    on_s = on[11:, :2].sum()  # reports at 11 s to 180 s
    table = pd.read_parquet(folder / "flow_epochs.parquet")
    last, first = (table[table["t_ps"] == t * S].set_index("flow") for t in (180, 10))
    grown = (last - first)[["acked_bytes", "ce"]]
    assert gold.active == pytest.approx(on_s / 170)
    assert gold.goodput_bps == pytest.approx(8 * grown["acked_bytes"][:2].sum() / on_s)
    assert gold.goodput_bps == pytest.approx(2.9e6, rel=0.05)  # the rate of a flow while it is on
    assert gold.marks_per_s == pytest.approx(grown["ce"][:2].sum() / on_s)
    each = [8 * grown["acked_bytes"][i] / on[11:, i].sum() for i in (0, 1)]
    assert (gold.goodput_low_bps, gold.goodput_high_bps) == pytest.approx((min(each), max(each)))
    assert silver.active == pytest.approx(2 - on_s / 170)
    assert background.active is None
    ledger = pd.read_parquet(folder / "ledger.parquet")
    paid = ledger[(ledger["kind"] == "marks") & (ledger["flow"] < 2) & (ledger["t_ps"] > 10 * S)]
    paid_per_s = paid["amount_micro"].sum() / 1e6 / 170
    assert gold.charge_per_s * gold.counted == pytest.approx(paid_per_s)


def test_show_says_how_many_were_active(make_run: MakeRun, tmp_path: Path) -> None:
    """`show` prints `x of 2 active`. Flows that were never on do not affect mean and range."""
    from ecnomy.analysis.show.command import show_command

    folder = world.two_carriers(make_run(phased=False))
    on = world.switch_off(folder)
    app = typer.Typer()
    app.command()(show_command)
    lines = CliRunner().invoke(app, [str(folder), "--no-plot"]).output.splitlines()
    mean = on[11:, :2].sum() / 170
    assert any(line.startswith("gold") and f" {mean:.1f} of 2 " in line for line in lines)
    assert any("the time in which agents kept the flows active" in line for line in lines)
    assert overview(open_raw(folder), tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > inked(20_000)


def test_flows_that_are_always_on_are_shown_as_ever(make_run: MakeRun) -> None:
    """If flows are always on, or only start late, `show` does not mention activity."""
    folder = make_run()
    before = summarize(open_raw(folder))
    table = pd.read_parquet(folder / "flow_epochs.parquet")
    late = (table["flow"] >= 4) & (table["t_ps"] <= 60 * S)
    table.assign(active=np.where(late, 0, 1)).to_parquet(folder / "flow_epochs.parquet")
    after = summarize(open_raw(folder))
    assert repr(after) == repr(before)  # NaN is unequal to itself
    assert all(row.active is None for one in after.phases for row in one.groups)


def test_run_prints_the_same_means(tmp_path: Path) -> None:
    """`run` prints the same means of users who switch between carriers as `show`."""
    folder = tmp_path / "r"
    run(EXAMPLE, overrides=["duration=60 s"], out=folder)
    whole = summarize(open_raw(folder)).whole
    assert whole is not None
    printed = {row.name: row for row in groups(folder)}
    assert {row.group.label for row in whole.groups} == printed.keys()
    for row in whole.groups:
        one = printed[row.group.label]
        assert one.active == pytest.approx(row.active) and 2 < one.active < 11
        assert one.goodput_bps == pytest.approx(row.goodput_bps)
        assert one.marks_per_s == pytest.approx(row.marks_per_s)
        assert one.charge_per_s == pytest.approx(row.charge_per_s)
    assert sum(row.active or 0 for row in printed.values()) == pytest.approx(12)
