# SPDX-License-Identifier: Apache-2.0
"""The page on a provider's promises and refunds that a sweep varies, and on files alone."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from rich.console import Console

from ecnomy.analysis import open_sweep
from ecnomy.analysis.gsp_report.database import open_database
from ecnomy.analysis.gsp_report.opened_runs import open_material
from ecnomy.analysis.gsp_report.page import write_gsp_page
from ecnomy.analysis.gsp_report.profitability import Answer, answer_of
from ecnomy.analysis.run.guarantees import guarantees_of
from ecnomy.analysis.show.guarantees_tables import print_guarantee
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.scenario import scenario_from_text
from page_reader import PageReader
from sweep_world import go
from tiers import full, rare

PHONES = """
version: 1
title: Phones on one link
duration: 20 s
warmup: 1 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 2 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.05}}
sources:
  - {name: phones, count: 20, from: a, to: b, traffic: {kind: voip, idle: 4 s, call: 2 s}, transport: {law: udp}}
  - {name: cross, from: a, to: b, traffic: {kind: poisson, rate: 100 packets/s}, transport: {law: udp}}
market:
  epoch: 0.5 s
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: gsp
      role: guaranteed-stream-provider
      sources: phones
      tariff: {price: 0.02 money, max_delay: 6 ms, max_delay_rate: 0.05, reimbursement: 0.02 money}
      strategy: {kind: accept-all}
"""  # noqa: E501
GRID = """
version: 1
scenario: scenario.yaml
parameters: {grid: {%s}}
replicates: %d
"""
TARIFF = "market.agents.gsp.tariff"
KEPT = "keep: results\n"


def _made(home: Path, grid: str, more: str, scenario: str, replicates: int = 2) -> Path:
    (home / "scenario.yaml").write_text(scenario)
    (home / "sweep.yaml").write_text(GRID % (grid, replicates) + more)
    _, _, watcher = go(home / "sweep.yaml", home / "out")
    assert not watcher.failures
    return home / "out"


def _swept(home: Path, grid: str, more: str = "", scenario: str = PHONES) -> PageReader:
    write_gsp_page([_made(home, grid, more, scenario)], home / "page.html", ["ecnomy"])
    return PageReader(home / "page.html")


def _answer(folder: Path) -> Answer:
    """The answer at the top of the page."""
    material = open_material([folder])
    db = open_database(material)
    try:
        return answer_of(material, db, "gsp")
    finally:
        db.close()


@pytest.mark.usefixtures("undrawn")
def test_the_promise_is_that_of_the_choice_which_is_answered_for(tmp_path: Path) -> None:
    """The lax promise earns more and is the answer, although the first run has the strict one."""
    read = _swept(tmp_path, f"{TARIFF}.max_delay: [6 ms, 60 ms]", KEPT)
    own = open_sweep(tmp_path / "out").groupby(f"{TARIFF}.max_delay")["gsp.profit"].mean()
    assert own.idxmax() == 60
    (row,) = [row for row in read.tables["gsp-promises-table"] if "broken" in row[0]]
    assert "later than 60 ms" in row[5] and row[1] == "0"
    assert "later than 60 ms" in read.words and "later than 6 ms" not in read.words


BACK = {
    # refund in the tariff, swept parameter -> whether the page lets refunds follow the price
    "an amount": (", reimbursement: 0.05 money", "sources.cross.traffic.rate", False),
    "the price": (", reimbursement: price", "sources.cross.traffic.rate", True),
    "by default": ("", "sources.cross.traffic.rate", True),
    "as much": (", reimbursement: 0.020 money", "sources.cross.traffic.rate", False),
    "as much at one price": (", reimbursement: 0.02 money", f"{TARIFF}.price", False),
}


@pytest.mark.parametrize(
    ("case", "keep"),
    [
        ("an amount", ""),
        ("the price", KEPT),
        ("as much at one price", ""),
        *(rare(case, "") for case in ("the price", "by default", "as much")),
        *(rare(case, KEPT) for case in BACK if case != "the price"),
    ],
)
def test_what_is_paid_back_follows_the_price_where_the_tariff_says_so(
    tmp_path: Path, case: str, keep: str
) -> None:
    """A sweep without kept results takes the refund from its scenario; break-even is by hand."""
    back, path, follows = BACK[case]
    scenario = PHONES.replace(", reimbursement: 0.02 money", back)
    values = "[0.02 money, 0.03 money]" if "price" in path else "[100 packets/s, 120 packets/s]"
    seeds = 2 if keep or "price" in path else 1
    answer = _answer(_made(tmp_path, f"{path}: {values}", keep, scenario, seeds))
    words = "".join(cell.text for cell in answer.method)
    sentences = "Reimbursements follow the price", "Reimbursements stay unchanged"
    frame = open_sweep(tmp_path / "out")
    if "price" in path:
        frame = frame[frame[path] == frame.groupby(path)["gsp.profit"].mean().idxmax()]
    else:
        frame = frame[frame[path] == 100]
        assert sentences[follows] not in words and sentences[not follows] in words
    revenue, back_, profit, sold = (
        frame[f"gsp.{name}"] for name in ("revenue", "reimbursed", "profit", "calls_sold")
    )
    assert (back_ > 0).all()
    facts = [what for what, *_ in answer.facts]
    assert ("promises broken, of calls sold, ended or not" in facts) == (keep == "")
    costs, kept = revenue - profit, sold
    if follows:
        costs, kept = costs - back_, (revenue - back_) * sold.sum() / revenue.sum()
    assert answer.break_even.estimate.mean.value == pytest.approx(costs.mean() / kept.mean())


@pytest.mark.usefixtures("undrawn")
def test_one_value_for_price_and_refund(tmp_path: Path) -> None:
    """One parameter sets both, so they are equal in every run and refunds follow the price.

    The break-even price is by hand, for the parameter's best value; the page lists the paths.
    """
    paths = f"[{TARIFF}.price, {TARIFF}.reimbursement]"
    both = f"fare: {{paths: {paths}, values: [0.02 money, 0.03 money]}}"
    read = _swept(tmp_path, both)
    assert "as before. Reimbursements follow the price." in read.words
    assert "The sweep kept no results" in read.words and "gsp-statement" not in read.words
    assert f"varied: fare ({TARIFF}.price, {TARIFF}.reimbursement)" in read.words
    frame = open_sweep(tmp_path / "out")
    best = frame[frame["fare"] == frame.groupby("fare")["gsp.profit"].mean().idxmax()]
    revenue, back, profit, sold = (
        best[f"gsp.{name}"] for name in ("revenue", "reimbursed", "profit", "calls_sold")
    )
    kept = (revenue - back) * sold.sum() / revenue.sum()
    even = (revenue - profit - back).mean() / kept.mean()
    assert any(float(str(a.value)) == pytest.approx(even) for a in read.amounts)


FILES = """
version: 1
title: Files alone
duration: 60 s
warmup: 1 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 2 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.05}}
sources:
  - {name: lab, count: 2, from: a, to: b, traffic: {kind: on-off, packets: 100 packets, pause: 2 s}, transport: {law: wtp}}
market:
  epoch: 0.5 s
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: gsp
      role: guaranteed-stream-provider
      elastic: {files: {sources: lab, price: 0.05 money, deadline: 4 s}}
"""  # noqa: E501


@pytest.mark.drawn
def test_a_provider_of_files_alone_has_a_page(tmp_path: Path) -> None:
    """Without calls, all figures are per hour, the sum is the balance, and `show` has no calls."""
    folder = run(scenario_from_text(FILES), out=tmp_path / "run").folder
    write_gsp_page([folder], tmp_path / "page.html", ["ecnomy"])
    read, one = PageReader(tmp_path / "page.html"), open_raw(folder)
    profit = (one.manifest.balances_micro or {})["gsp"]
    lines = {row[0]: row[1] for row in read.tables["gsp-statement"][1:]}
    assert lines["profit"] == f"{profit / 1e6:+.6f}".replace("-", "\u2212")
    hourly = next(a for a in read.amounts if a.text in read.words)
    assert float(str(hourly.value)) == pytest.approx(profit / 1e6 * 60)
    assert "money per hour" in read.words and "the provider sells files, not calls" in read.words
    assert "no call was sold" not in read.words and "A file on files costs" in read.words
    assert "Bars from the receipts per hour to the profit" in read.pictures["gsp-waterfall"]
    svg = (tmp_path / "page.html").read_text().partition("image/svg+xml;base64,")[2]
    assert b"money per hour" in base64.b64decode(svg.partition('"')[0])
    booked = one.ledger[one.ledger["flow"].isin([0, 1])].groupby("kind").size()
    (late,) = read.tables["gsp-files-table"][1:]
    assert late[1:3] == [str(booked.get("reimbursement", 0)), f"{booked['transfer']} paid for"]
    out = io.StringIO()
    (guarantee,) = guarantees_of(one)
    print_guarantee(guarantee, Console(file=out, width=120))
    assert "A file on files costs 0.05 money and arrives within 4 s" in out.getvalue()
    assert "admitted by" not in out.getvalue() and "requested" not in out.getvalue()


@pytest.mark.usefixtures("undrawn")
@full
def test_a_sweep_of_files_alone_has_a_page(tmp_path: Path) -> None:
    """With and without kept results, figures are per hour, over the load."""
    short = FILES.replace("60 s", "20 s")
    for place, keep in enumerate(("", "keep: results\n")):
        home = tmp_path / str(place)
        home.mkdir()
        read = _swept(home, "sources.lab.count: [1, 2]", keep, short)
        profits = open_sweep(home / "out").groupby("sources.lab.count")["gsp.profit"].mean()
        assert float(str(read.amounts[0].value)) == pytest.approx(profits[2] * 180)
        assert "Profit per hour over lab" in read.words
        assert "no call was sold" not in read.words
