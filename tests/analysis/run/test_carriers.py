# SPDX-License-Identifier: Apache-2.0
"""Carriers and customers with a choice, against manual counts of the tables."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import carrier_world as world
from ecnomy.analysis.run.carriers import access_carriers, carriers_of
from ecnomy.analysis.run.choices import choices_of
from ecnomy.analysis.run_pictures.carriers_plot import carriers_picture, income_over
from ecnomy.analysis.show.command import show_command
from ecnomy.analysis.show.market_tables import _print_money, print_choices
from ecnomy.markets.results.manifest import Measured
from ecnomy.markets.results.rawrun import open_raw
from tiers import full, in_full

MakeRun = Callable[..., Path]
S = world.S


@pytest.fixture
def folder(make_run: MakeRun) -> Path:
    """A run with two carriers and two customers who have a choice."""
    return world.two_carriers(make_run())


def _show(folder: Path, *more: str) -> list[str]:
    app = typer.Typer()
    app.command()(show_command)
    done = CliRunner().invoke(app, [str(folder), *more])
    assert done.exit_code == 0, done.output
    return [" ".join(line.split()) for line in done.output.splitlines()]


def _money(folder: Path, **where: str) -> float:
    """Sum of the ledger's amounts with these values in these columns, in money."""
    ledger = pd.read_parquet(folder / "ledger.parquet")
    for column, value in where.items():
        ledger = ledger[ledger[column] == value]
    return float(ledger["amount_micro"].sum() / 1e6)


def test_money_of_carriers_is_the_ledgers(folder: Path) -> None:
    """Payments by payer and kind, those to the other carrier, and the rest equal the ledger's."""
    left, right = carriers_of(open_raw(folder))
    assert (left.name, right.name) == ("left-net", "right-net")
    income = {(one.payer, one.kind): one.money for one in left.income}
    assert income == {
        ("shop", "marks"): pytest.approx(_money(folder, credit="left-net", debit="shop")),
        ("source:background", "marks"): pytest.approx(
            _money(folder, credit="left-net", debit="source:background")
        ),
    }
    owed = _money(folder, debit="left-net", credit="right-net", kind="settlement")
    assert owed > 0
    assert (left.to_carriers, left.to_others) == (pytest.approx(owed), 0)
    assert [(p.payer, p.kind) for p in right.income] == [("left-net", "settlement")]
    assert right.left == pytest.approx(owed)
    assert left.left == pytest.approx(_money(folder, credit="left-net") - owed)


def test_links_prices_marks_and_use(folder: Path) -> None:
    """Links match by pattern, mean prices are over time, and marks on ACKs do not count."""
    left, right = carriers_of(open_raw(folder))
    assert (left.links, right.links) == ((0, 3), (1, 2))
    assert left.link_names == ("access", "access.back")
    assert left.prices.mean(180 * S) == pytest.approx((60 * 0.11 + 90 * 0.13 + 30 * 0.09) / 180)
    assert left.prices.money[-1] == 0.09
    assert right.prices.mean(180 * S) == pytest.approx(0.04)
    assert (left.marks, right.marks) == (0, 100 + 200 + 300)
    epochs = pd.read_parquet(folder / "link_epochs.parquet")
    last = epochs[epochs["t_ps"] == 180 * S].set_index("link")["departed_bytes"]
    assert right.busiest == 1
    assert right.utilization == pytest.approx(8 * last[1] / (10e6 * 180))


def test_income_over_time_adds_up(folder: Path) -> None:
    """In the picture's lines, a posting at an edge belongs to the interval that ends there."""
    run = open_raw(folder)
    edges = np.arange(0, 181, 20, dtype=np.int64) * S
    left = carriers_of(run)[0]
    lines = income_over(run, left, edges)
    ledger = pd.read_parquet(folder / "ledger.parquet")
    for (payer, kind), values in lines.items():
        own = ledger[(ledger["debit"] == payer) & (ledger["kind"] == kind)]
        own = own[own["credit"] == "left-net"]
        for k, value in enumerate(values):
            inside = own[(own["t_ps"] > edges[k]) & (own["t_ps"] <= edges[k + 1])]
            assert value == pytest.approx(inside["amount_micro"].sum() / 1e6 / 20)


def test_changes_and_shares_of_customers(folder: Path) -> None:
    """First choices do not count as changes, and shares are over time."""
    (choice,) = choices_of(open_raw(folder))
    assert (choice.agent, choice.users, choice.options) == ("users", 2, ("gold", "silver"))
    # 40 s: one; 70 s: both; 100 s: one; 160 s: one
    assert choice.changes_in(0, 180 * S) == 5
    assert choice.changes_in(10 * S, 160 * S) == 4
    gold_s = 2 * (40 - 10) + 1 * (70 - 40) + 1 * (100 - 70) + 0 + 1 * (180 - 160)
    shares = choice.shares(10 * S, 180 * S)
    assert shares.tolist() == pytest.approx([gold_s / 340, 1 - gold_s / 340])


def test_customers_are_listed_by_carrier(folder: Path) -> None:
    """If silver's data enters at the bottleneck, its users belong to right-net."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["plan"]["sources"][1].update(path=[1], ack_path=[2])
    file.write_text(json.dumps(manifest))
    run = open_raw(folder)
    carrier_of = {"gold": "left-net", "silver": "right-net", "background": "left-net"}
    assert access_carriers(run) == carrier_of
    assert choices_of(run)[0].options == ("left-net", "right-net")


def test_who_has_left_is_with_nobody(folder: Path) -> None:
    """One user leaves gold at 40 s and returns to it at 70 s, when the other one changes."""
    table = pd.read_parquet(folder / "agents.parquet")
    own = (table["name"] == "active") & (table["t_ps"] == 40 * S) & (table["value"] == 1)
    table = table[~own]
    table.to_parquet(folder / "agents.parquet", index=False)
    (choice,) = choices_of(open_raw(folder))
    assert (choice.t_ps // S).tolist() == [2, 40, 70, 100, 160] and choice.users == 2
    assert choice.counts.tolist() == [[2, 0], [1, 0], [1, 1], [0, 2], [1, 1]]
    assert choice.changes.tolist() == [0, 0, 1, 1, 1]
    assert choice.shares(10 * S, 40 * S).tolist() == [1, 0]
    assert choice.shares(40 * S, 70 * S).tolist() == [0.5, 0]


def test_flows_that_are_on_together_are_no_choice(folder: Path) -> None:
    """An agent that lets two sources of a user send at once has no customers with a choice."""
    table = pd.read_parquet(folder / "agents.parquet")
    table.loc[(table["name"] == "active") & (table["t_ps"] == 40 * S), "value"] = 1.0
    table.to_parquet(folder / "agents.parquet", index=False)
    assert choices_of(open_raw(folder)) == ()


@pytest.mark.drawn
def test_show_prints_carriers_and_choices(folder: Path) -> None:
    """The output has the tables, the sentence on changes, and the picture's name."""
    lines = _show(folder)
    assert "Carriers (whole run)" in lines
    (left,) = [x for x in lines if x.startswith("left-net access,")]
    assert " 0.1167 0.0900 " in left
    owed = f"{_money(folder, credit='right-net'):,.2f}"
    assert f"right-net left-net settlement {owed}" in " ".join(lines)
    words = "users: 2 customers with a choice, 5 changes from 10 s to 180 s:"
    rate = 100 * 5 / 2 / (170 / 60)
    assert any(x.startswith(f"{words} {rate:.1f} per 100") for x in lines)
    assert f"carriers: {folder / 'carriers.png'}" in lines
    assert (folder / "carriers.png").stat().st_size > 20_000
    if in_full():
        _show(folder, "--plot", str(folder / "own.png"))
        assert (folder / "own-carriers.png").read_bytes() == (folder / "carriers.png").read_bytes()


@pytest.mark.drawn
@full
def test_pictures_are_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """The same run gives the same PNG twice."""
    files = tmp_path / "a.png", tmp_path / "b.png"
    assert all(carriers_picture(open_raw(folder), file) for file in files)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_one_carrier_has_neither_table_nor_picture(make_run: MakeRun) -> None:
    """Runs with one carrier, or with none, have neither table nor picture of carriers."""
    folder = world.two_carriers(make_run())
    agents = pd.read_parquet(folder / "agents.parquet")
    kept = agents[(agents["agent"] == "left-net")]
    kept.to_parquet(folder / "agents.parquet", index=False)
    lines = _show(folder)
    assert not any("Carriers" in line or "with a choice" in line for line in lines)
    assert not (folder / "carriers.png").exists()
    assert carriers_of(open_raw(make_run(market=False))) == ()


def test_a_partial_run_is_shown_as_far_as_it_went(make_run: MakeRun) -> None:
    """Runs that end at 100 s, or without a second report, are shown up to their end."""
    folder = world.two_carriers(make_run(until_s=100))
    left = carriers_of(open_raw(folder))[0]
    assert sum(p.money for p in left.income) == pytest.approx(_money(folder, credit="left-net"))
    assert "Carriers (whole run)" in _show(folder)
    assert "Carriers (whole run)" not in _show(world.two_carriers(make_run(until_s=0)))


def test_further_kinds_of_income_are_summed() -> None:
    """Three kinds of income have columns, and the others are summed in one."""
    income = [SimpleNamespace(kind=f"kind{i}", money=10.0**i) for i in range(5)]
    one: Any = SimpleNamespace(name="isp", income=income, to_carriers=0.0, to_others=0.0, left=7.0)
    file = io.StringIO()
    _print_money((one,), Console(file=file, width=200))
    (line,) = [line for line in file.getvalue().splitlines() if line.strip().startswith("isp")]
    assert line.split()[1:5] == ["1.00", "10.00", "100.00", "11,000.00"]


def test_changes_of_a_run_cut_short_are_those_up_to_its_last_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a measured window, the rate of changes does not count the time never simulated."""
    run = open_raw(folder)
    monkeypatch.setattr(type(run), "measured", property(lambda run: Measured(10 * S, 3600 * S)))
    file = io.StringIO()
    print_choices(run, Console(file=file, width=200))
    assert "5 changes from 10 s to 180 s: 88.2 per 100" in " ".join(file.getvalue().split())
