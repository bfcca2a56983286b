# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report RUN`: gold's payments and their causes, against independent computations."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.run_report.page import write_run_page
from ecnomy.analysis.run_report.settings import provenance_section
from ecnomy.analysis.show.command import print_summary
from ecnomy.analysis.support.settings import given_settings
from ecnomy.markets import load, run
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.scenario import scenario_from_text
from page_reader import PageReader, answers_of
from undigested import undigested

EXAMPLES = Path(__file__).parents[3] / "configs" / "examples"
SHORT = [
    *("duration=20 s", "warmup=2 s", "sources.background.start=6 s"),
    *("sources.gold.traffic.until=6 s", "sources.silver.traffic.until=6 s"),
]
MINUS = "\u2212"
drawn = pytest.mark.drawn  # the page shared by tests


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold and silver for 20 s: capped until 6 s, crowded from then on."""
    folder = tmp_path_factory.mktemp("page") / "gold"
    run(load(EXAMPLES / "gold-silver.yaml", overrides=SHORT), out=folder)
    return folder


@pytest.fixture(scope="module")
def read(made: Path) -> PageReader:
    """The page of the run."""
    write_run_page(made, made.parent / "page.html", ["ecnomy", "report", str(made)])
    return PageReader(made.parent / "page.html")


def _micro(text: str) -> int:
    return round(float(text.replace(MINUS, "-").replace(",", "").replace("+", "")) * 1e6)


def _ledger(folder: Path) -> pd.DataFrame:
    """The ledger with the source of each posting."""
    one = open_raw(folder)
    table = one.ledger.merge(one.flows[["flow", "source"]], on="flow", how="left")
    return table.astype({"debit": str, "credit": str, "kind": str})


@drawn
def test_every_amount_is_what_its_query_gives(read: PageReader) -> None:
    """The printed queries in DuckDB give every amount, and its text to the printed digits."""
    given = answers_of(read)
    assert len(read.amounts) > 40
    for amount in read.amounts:
        assert amount.query in given
        value = given[str(amount.query)][amount.at[0]][amount.at[1]]
        assert float(value) == pytest.approx(float(str(amount.value)), rel=1e-12)
        shown = _micro(amount.text.partition(" (")[0]) / 1e6
        decimals = len(amount.text.partition(" (")[0].partition(".")[2])
        wanted = value / 1e6 if isinstance(value, int) else value
        assert abs(shown - wanted) <= 0.5000001 * 10.0**-decimals, amount.text


@drawn
def test_what_gold_paid_is_the_ledger(read: PageReader, made: Path) -> None:
    """Number, price and product of gold's fee and marks agree with the ledger exactly."""
    ledger = _ledger(made)
    own = ledger[ledger["source"] == "gold"]
    rows = {(row[0], row[1]): row for row in read.tables["paid"][1:]}
    fees, marks = (own[own["kind"] == kind] for kind in ("class-fee", "marks"))
    fee, mark = rows["source:gold", "class fee of gold"], rows["shop", "marks of gold"]
    assert fee[3:5] == ["40 s of flows", "4"]
    assert _micro(fee[5]) == fees["amount_micro"].sum() == 40 * 4_000_000
    assert mark[3:5] == [f"{marks['quantity'].sum():,} marks", "0.125"]
    assert _micro(mark[5]) == marks["amount_micro"].sum() == marks["quantity"].sum() * 125_000
    assert _micro(read.tables["paid"][-1][-1]) == ledger["amount_micro"].sum()


@drawn
def test_payments_are_explained_in_words(read: PageReader, made: Path) -> None:
    """The page names payers, numbers of marks, their links, and gold's rate in each phase."""
    words = " ".join(read.words.split())
    own = _ledger(made)
    marks = own[(own["source"] == "gold") & (own["kind"] == "marks")]["quantity"].sum()
    story = re.search(r"gold\. Its users.*?silver\.", words)
    assert story is not None
    assert "changed hands: users of gold paid most, " in words
    assert "Its users (source:gold) paid shop 160.00 money for its class fee" in story[0]
    assert f"{marks:,} marks \u00d7 0.125 money" in story[0]
    assert "All of its marks were set at bottleneck" in story[0]
    assert "In phase 1 (2 to 6 s) a flow got 0.5 Mbps and no packet was marked" in story[0]
    assert "In phase 2 (6 to 20 s)" in story[0] and "of its packets were marked" in story[0]


@drawn
def test_phases_sum_to_the_whole(read: PageReader, made: Path) -> None:
    """Each row of the table by phase equals its postings by time, with the warm-up before."""
    ledger = _ledger(made)
    kinds = {"class-fee": "class fee", "marks": "marks"}
    table = read.tables["paid-by-phase"]
    assert table[0][1:4] == ["warm-up, 0 to 2 s", "phase 1, 2 to 6 s", "phase 2, 6 to 20 s"]
    rows = {row[0]: row[1:] for row in table[1:]}
    for (payer, kind, source), own in ledger.groupby(["debit", "kind", "source"]):
        shown = [_micro(text) for text in rows[f"{payer}: {kinds[kind]} of {source}"]]
        ends = pd.cut(own["t_ps"], [0, 2e12, 6e12, 20e12], labels=False)
        assert shown[:3] == [int(own["amount_micro"][ends == i].sum()) for i in range(3)]
        assert shown[3] == own["amount_micro"].sum()


@drawn
def test_marks_set_are_those_paid_for_and_lost(read: PageReader, made: Path) -> None:
    """For each source, marks set less those lost and in flight are the marks in the ledger."""
    ledger = _ledger(made)
    paid = ledger[ledger["kind"] == "marks"].groupby("source")["quantity"].sum()
    pairs = open_raw(made).pairs
    for row in read.tables["where-marked"][1:]:
        source, link, _, marked, share, _, lost, underway = row
        own = pairs[(pairs["source_name"] == source) & (pairs["link_name"] == link)]
        assert int(marked.replace(",", "")) == own["marks"].sum()
        assert share == "100.0 %"
        assert paid[source] == int(marked.replace(",", "")) - int(lost) - int(underway)


def test_marks_of_no_source_are_others(made: Path, tmp_path: Path) -> None:
    """If a link marked more than its sources' packets, the rest appears only at that link."""
    folder = shutil.copytree(made, tmp_path / "run")
    file = undigested(folder) / "link_epochs.parquet"
    table = pq.read_table(file)
    for name, more in (("marks", 259), ("arrivals", 300), ("ce_dropped", 4)):
        at = table.column_names.index(name)
        on = pc.equal(table["link"], 2)
        added = pc.if_else(on, pc.add(table[name], more), table[name])
        table = table.set_column(at, table.schema.field(at), added)
    pq.write_table(table, file)
    write_run_page(folder, tmp_path / "page.html", ["ecnomy"])
    rows = PageReader(tmp_path / "page.html").tables["where-marked"][1:]
    name = open_raw(made).plan.links[2].name
    assert [row for row in rows if row[0] == "others"] == [
        ["others", name, "300", "259", "100.0 %", "86.3 %", "4", "0"]
    ]


@drawn
def test_balances_are_the_manifests(read: PageReader, made: Path) -> None:
    """Every account agrees to the micro-unit; a different manifest is refused."""
    balances = open_raw(made).manifest.balances_micro
    assert {row[0]: _micro(row[3]) for row in read.tables["balances"][1:]} == balances
    wrong = undigested(shutil.copytree(made, made.parent / "wrong"))
    manifest = json.loads((wrong / "manifest.json").read_text())
    manifest["balances_micro"]["shop"] += 1
    (wrong / "manifest.json").write_text(json.dumps(manifest))
    page = made.parent / "wrong.html"
    with pytest.raises(ResultsError, match="shop has .* micro-units in the ledger"):
        write_run_page(wrong, page, ["ecnomy"])
    assert not page.exists()


@drawn
def test_settings_are_those_that_are_not_defaults(read: PageReader, made: Path) -> None:
    """Settings have units and leave out defaults; they load as the whole scenario."""
    rows = dict(row[:2] for row in read.tables["settings-table"][1:])
    assert rows["network.links.bottleneck.rate"] == "10 Mbps"
    assert rows["network.links.bottleneck.delay"] == "19 ms"
    marking = rows["network.links.bottleneck.marking"]
    assert marking == "red (min_threshold 5 packets, max_threshold 15 packets)"
    assert rows["market.agents.shop.classes.gold.fee"] == "4 money/s"
    assert not any(path.endswith(("framing", "not_ect", "epoch")) for path in rows)
    scenario = open_raw(made).manifest.scenario
    again = scenario_from_text(json.dumps(given_settings(scenario)))
    assert again.resolved() == scenario


@drawn
def test_the_page_needs_nothing_else(read: PageReader, made: Path) -> None:
    """The page has no external addresses and scripts, has unique ids, and is reproducible."""
    assert all(link.startswith(("data:", "#")) for _, link in read.links)
    assert "script" not in read.tags and len(read.ids) == len(set(read.ids))
    assert set(read.pictures) == {"overview"}
    rows = dict(row[:2] for row in read.tables["provenance-table"][1:])
    manifest = open_raw(made).manifest
    assert rows["seed"] == str(manifest.seed) and rows["complete"] == "yes"
    assert manifest.plan_digest.startswith(rows["digest of the plan"])
    assert rows["engine"] == manifest.versions["engine"] and rows["command"].startswith(
        "ecnomy rep"
    )
    first = (made.parent / "page.html").read_bytes()
    write_run_page(made, made.parent / "page.html", ["ecnomy", "report", str(made)])
    assert (made.parent / "page.html").read_bytes() == first


def test_runs_without_money_and_cut_short_have_a_page(made: Path, tmp_path: Path) -> None:
    """A run without a market says so; an interrupted run says that it is partial."""
    folder = tmp_path / "free"
    scenario = load(EXAMPLES / "gold-silver.yaml", overrides=["duration=8 s", "warmup=2 s"])
    run(scenario, out=folder, market=False)
    lines = write_run_page(folder, tmp_path / "free.html", ["ecnomy"])
    assert "No money changed hands" in lines[-1]
    assert "No money changed hands in this run." in PageReader(tmp_path / "free.html").words
    part = shutil.copytree(made, tmp_path / "part")
    manifest = json.loads((undigested(part) / "manifest.json").read_text())
    manifest |= {"complete": False, "reason": "interrupted", "balances_micro": None}
    (part / "manifest.json").write_text(json.dumps(manifest))
    assert "partial results: interrupted" in write_run_page(part, tmp_path / "p.html", ["ecnomy"])
    assert "partial results: interrupted" in PageReader(tmp_path / "p.html").words


def test_a_run_changed_by_hand_says_so(made: Path, tmp_path: Path) -> None:
    """Page and summary name changes by hand, which explain differences from other runs."""
    part = shutil.copytree(made, tmp_path / "hand")
    manifest = json.loads((undigested(part) / "manifest.json").read_text())
    assert "by_hand" not in manifest
    change = {"what": "price", "of": "isp", "from_ps": 4 * 10**12, "values": 3}
    (part / "manifest.json").write_text(json.dumps(manifest | {"by_hand": [change]}))
    write_run_page(part, tmp_path / "p.html", ["ecnomy"])
    said = "set by hand: price of isp (3 values, the first at 4 s); a run of the scenario differs"
    assert said in PageReader(tmp_path / "p.html").words
    assert said in _shown(part) and "set by hand" not in _shown(made)


def _shown(folder: Path) -> str:
    file = io.StringIO()
    print_summary(open_raw(folder), Console(file=file, width=120))
    return file.getvalue()


def test_an_altered_bit_of_the_machine_is_refused(made: Path, tmp_path: Path) -> None:
    """machine.json is not part of the results, but the page shows it."""
    run_ = open_raw(shutil.copytree(made, tmp_path / "r"))
    file = run_.path / "machine.json"
    data = file.read_bytes()
    assert "machine: python" in str(provenance_section(run_, []))
    for at in (data.index(b"python") + 12, 0, len(data) // 2):
        file.write_bytes(data[:at] + bytes([data[at] ^ 64]) + data[at + 1 :])
        with pytest.raises(ResultsError, match=r"machine.json: .* run it again$"):
            provenance_section(run_, [])
    file.unlink()
    assert "machine: python" not in str(provenance_section(run_, []))


def test_several_carriers_links_and_prices(tmp_path: Path) -> None:
    """A price war has marks from two links each, settled between carriers."""
    folder = tmp_path / "war"
    run(load(EXAMPLES / "two-carriers.yaml", overrides=["duration=600 s"]), out=folder)
    write_run_page(folder, tmp_path / "war.html", ["ecnomy"])
    read = PageReader(tmp_path / "war.html")
    ledger = _ledger(folder)
    north = ledger[(ledger["kind"] == "settlement") & (ledger["debit"] == "north-net")]
    rows = {(row[0], row[1], row[2]): row for row in read.tables["paid"][1:]}
    row = rows["north-net", "marks, between carriers", "transit"]
    assert row[3] == f"{north['quantity'].sum():,} marks set"
    assert _micro(row[5]) == north["amount_micro"].sum()
    own = ledger[(ledger["kind"] == "marks") & (ledger["source"] == "over-north")]
    mean = own["amount_micro"].sum() / own["quantity"].sum() / 1e6
    shown = rows["users", "marks of over-north", "north-net"][4]
    assert shown.startswith(f"{mean:.3g} (mean; {own['price_micro'].min() / 1e6:.3g} to ")
    assert len([r for r in read.tables["where-marked"] if r[0] == "over-north"]) == 2
    assert "Money for marks is not divided among links" in " ".join(read.words.split())
    assert {"overview", "carriers"} <= set(read.pictures)
