# SPDX-License-Identifier: Apache-2.0
"""A provider of guaranteed calls with marks from two carriers, counted at their links."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from ecnomy.analysis import guarantees_of, open_run
from ecnomy.analysis.gsp_report.page import write_gsp_page
from ecnomy.analysis.show.command import print_summary
from ecnomy.markets import load, run
from page_reader import PageReader

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "gsp-two-carriers.yaml"
SHORT = (
    "duration=240 s", "warmup=20 s", "sources.callers.traffic.idle=40 s",
    "sources.callers.traffic.call=6 s", "sources.rush.start=100 s", "sources.rush.stop=160 s",
    "market.agents.gsp.strategy.sample=10 s", "market.agents.gsp.strategy.learning=4",
)  # fmt: skip
PRICE_MICRO = {"isp": 1000, "south": 500}
CARRIER = {"access": "isp", "trunk": "isp", "sea": "south"}
OWN = ("callers", "test-10", "test-20", "test-30", "probe")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run of four minutes."""
    return run(load(CONFIG, overrides=SHORT, seed=2), out=tmp_path_factory.mktemp("two") / "run")


@pytest.fixture(scope="module")
def marks(made) -> dict[str, int]:
    """Carrier -> marks by its links on packets of calls and test streams."""
    pairs = open_run(made.folder).table("pairs")
    own = pairs[pairs.source_name.isin(OWN) & pairs.link_name.isin(CARRIER)]
    return own.groupby(own.link_name.map(CARRIER)).marks.sum().astype(int).to_dict()


def test_each_carrier_is_paid_for_the_marks_of_its_own_links(made, marks) -> None:
    """Each carrier gets its price x the marks of its links, to the micro-unit; both laws mark."""
    ledger = open_run(made.folder).table("ledger")
    paid = ledger[(ledger.debit == "gsp") & (ledger.kind == "marks")]
    assert paid.groupby("credit", observed=True).quantity.sum().astype(int).to_dict() == marks
    money = paid.groupby("credit", observed=True).amount_micro.sum().astype(int).to_dict()
    assert money == {name: PRICE_MICRO[name] * count for name, count in marks.items()}
    assert min(marks.values()) > 300


def test_nobody_pays_carriers_but_for_marks_and_calls(made) -> None:
    """Carriers owe each other nothing; the provider's balance equals its ledger account."""
    ledger = open_run(made.folder).table("ledger")
    assert set(ledger.kind.astype(str)) <= {"marks", "call", "reimbursement"}
    balances = json.loads((made.folder / "manifest.json").read_text())["balances_micro"]
    received = int(ledger.amount_micro[ledger.credit == "gsp"].sum())
    spent = int(ledger.amount_micro[ledger.debit == "gsp"].sum())
    assert balances["gsp"] == received - spent
    assert not (ledger.debit.isin(CARRIER.values())).any()


def test_the_statement_says_what_each_carrier_got(made, marks) -> None:
    """`show` and the page name both carriers, with marks and money."""
    opened = open_run(made.folder)
    (gsp,) = guarantees_of(opened)
    assert {name: item.count for name, item in gsp.money.by_carrier} == marks
    console = Console(file=io.StringIO(), width=140)
    print_summary(opened, console)
    text = console.file.getvalue()
    assert re.search(
        rf"For marks the provider paid isp [\d.]+ for {marks['isp']:,} marks and south", text
    )
    write_gsp_page([made.folder], page := made.folder / "page.html", ["ecnomy"])
    rows = PageReader(page).files["gsp-by-carrier.csv"][1:]
    money = {name: sum(map(int, parts)) for name, *parts in rows}
    assert money == {name: -PRICE_MICRO[name] * count for name, count in marks.items()}
