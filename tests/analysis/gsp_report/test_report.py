# SPDX-License-Identifier: Apache-2.0
"""The page on a provider's business, against the tables by independent computations."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.gsp_report import business_plots, database, page, statement
from ecnomy.analysis.gsp_report.page import write_gsp_page
from ecnomy.analysis.gsp_report.profitability import ranges_above_zero
from ecnomy.analysis.gsp_report.risk import drawn_hours, tail
from ecnomy.analysis.gsp_report.scatter import corrected, reliability
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.scenario import scenario_from_text
from guarantee_world import (
    BACK_MICRO,
    CALL_MICRO,
    LEDGER,
    PRICE_MICRO,
    PROFIT_MICRO,
    TWO,
    write_run,
)
from page_reader import Amount, PageReader, answers_of
from tiers import in_full

MINUS = "\u2212"


def _page(folders: list[Path], file: Path) -> PageReader:
    write_gsp_page(folders, file, ["ecnomy", "report", "gsp"])
    return PageReader(file)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One minute of two providers with three seeds, on the built-in engine."""
    home = tmp_path_factory.mktemp("seeds")
    scenario = scenario_from_text(TWO)
    folders = [home / f"run-{seed}" for seed in (1, 2, 3)]
    for seed, folder in zip((1, 2, 3), folders, strict=True):
        run(scenario, seed=seed, out=folder)
    return folders


@pytest.fixture(scope="module")
def three(seeds: list[Path]) -> PageReader:
    """The page on all three runs."""
    return _page(seeds, seeds[0].parent / "page.html")


@pytest.fixture(scope="module")
def single(seeds: list[Path]) -> PageReader:
    """The page on the first run."""
    return _page(seeds[:1], seeds[0].parent / "single.html")


def _plain(text: str) -> float:
    return float(text.replace(MINUS, "-").replace(",", "").replace("+", ""))


def _rounds_to(amount: Amount, value: float) -> bool:
    """Whether the text gives a value to at least three digits, or to six decimals (micro-units)."""
    text = amount.text.strip()
    if text == "-":
        return amount.value in ("None", "nan")
    decimals = len(text.partition(".")[2])
    shown = _plain(text)
    return abs(shown - value) <= 0.5000001 * 10.0**-decimals


def test_every_amount_is_what_its_query_gives(three: PageReader) -> None:
    """The printed queries in DuckDB give the value and the text of each printed amount."""
    given = answers_of(three)
    assert len(three.amounts) > 150
    for amount in three.amounts:
        assert amount.query is not None and amount.query in given, amount.query
        if amount.by == "Fieller":  # of the rows of its query (test_break_even.py)
            continue
        assert not amount.by  # only a single run is bootstrapped, only 5 min make hours
        value = given[amount.query][amount.at[0]][amount.at[1]]
        if value is None:
            assert amount.text.strip() == "-"
            continue
        assert float(value) == pytest.approx(float(str(amount.value)), rel=1e-12)
        micro = isinstance(value, int)
        assert _rounds_to(amount, value / 1e6 if micro else value), (amount.text, value)


def test_pictures_draw_what_their_queries_give(three: PageReader) -> None:
    """The CSV of each picture has the rows of its query; the first one reads the Parquet files."""
    given, used = answers_of(three), {a.query for a in three.amounts}
    drawn = {q: home for q, home in three.homes.items() if q in given and home in three.pictures}
    assert len(drawn) == 6  # money, profits and promises of each provider
    for query, home in drawn.items():
        rows = [[_close(v) for v in row] for row in three.files[f"{home}.csv"][1:]]
        wanted = [[_close(v) for v in row] for row in given[query]]
        assert rows[: len(wanted)] == wanted, home
    rest = {home for q, home in three.homes.items() if q in given and q not in used | set(drawn)}
    # counts of the first screen; pieces of hours, which do not exist in a minute
    assert rest <= {"", "careful-risk", "bold-risk"}
    for table in ("ledger", "calls", "flows"):
        assert f"/{table}.parquet" in three.prelude


def _close(value: object) -> object:
    try:
        return float(f"{float(str(value)):.10g}")
    except ValueError:
        return str(value)


def test_the_statement_is_the_ledger_to_the_micro_unit(
    three: PageReader, seeds: list[Path]
) -> None:
    """Lines and sum by plain pandas; the sum equals the balances in the manifests."""
    runs = [open_raw(folder) for folder in seeds]
    for name in ("careful", "bold"):
        lines = {row[0]: row[1] for row in three.tables[f"{name}-statement"][1:]}
        balance = sum((one.manifest.balances_micro or {})[name] for one in runs)
        assert round(_plain(lines.pop("profit")) * 1e6) == balance
        total = sum(round(_plain(text) * 1e6) for text in lines.values())
        assert total == balance
        paid = pd.concat([one.ledger[one.ledger["debit"] == name] for one in runs])
        marks = paid[paid["kind"] == "marks"]["amount_micro"].sum()
        charges = [round(_plain(v) * 1e6) for k, v in lines.items() if "marks" in k]
        assert -sum(charges) == marks > 0
        back = next(v for k, v in lines.items() if "reimbursement" in k)
        assert (
            -round(_plain(back) * 1e6)
            == paid[paid["kind"] == "reimbursement"]["amount_micro"].sum()
        )


def test_periods_and_accounts_sum_to_the_balance(three: PageReader, seeds: list[Path]) -> None:
    """The figures by time and by run add up to the balance."""
    balances = [open_raw(folder).manifest.balances_micro or {} for folder in seeds]
    for name in ("careful", "bold"):
        whole = sum(each[name] for each in balances)
        rows = three.files[f"{name}-by-time.csv"][1:]
        assert sum(int(row[3]) for row in rows) == whole
        drawn = three.files[f"{name}-by-time-drawn.csv"][1:]
        assert sum(int(row[3]) for row in drawn) == whole
    own = {(row[0], int(row[1])): int(row[9]) for row in three.files["accounts.csv"][1:]}
    for number, each in enumerate(balances, 1):
        assert own["careful", number] == each["careful"]


def test_the_answer_is_students_interval_over_the_seeds(
    three: PageReader, seeds: list[Path]
) -> None:
    """The answer follows from scipy's interval of profit per call, from the balances."""
    values = []
    for folder in seeds:
        one = open_raw(folder)
        sold = one.calls[one.calls["flow"] >= 20]["accepted"].sum()
        values.append((one.manifest.balances_micro or {})["bold"] / 1e6 / sold)
    low, high = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
    found = [
        a for a in three.amounts if a.query and "profit / nullif(sold, 0)" in three.queries[a.query]
    ]
    shown = [float(str(a.value)) for a in found]
    for value in (np.mean(values), low, high):
        assert any(one == pytest.approx(value) for one in shown)
    assert ("bold. Open the business: yes" in three.words) == (low > 0)
    assert ("bold. Open the business: no." in three.words) == (high < 0)


def test_counts_are_those_of_the_table_calls(three: PageReader, seeds: list[Path]) -> None:
    """Calls requested, refused, ended and broken by plain pandas, with the scenario's limits."""
    calls = pd.concat([open_raw(folder).calls for folder in seeds])
    for name, own, most in (
        ("careful", calls[calls["flow"] < 20], 0.01),
        ("bold", calls[calls["flow"] >= 20], 0.02),
    ):
        away, broken = three.tables[f"{name}-promises-table"][1:]
        blocked = int((own["accepted"] == 0).sum())
        assert [away[1], away[2]] == [f"{blocked:,}", f"{len(own):,} asked"]
        ended = own[(own["accepted"] == 1) & (own["complete"] == 1)]
        bad = int((ended["late"] + ended["lost"] > most * ended["sent"]).sum())
        assert [broken[1], broken[2]] == [f"{bad:,}", f"{len(ended):,} ended"]
        assert broken[3] == f"{100 * bad / len(ended):.1f} %"
        assert f"at most {100 * most:g} % of packets" in broken[5]
    sold = int((calls[calls["flow"] < 20]["accepted"] == 1).sum())
    assert f"{sold:,} of {(calls['flow'] < 20).sum():,}" in three.words


def test_samples_are_those_of_the_counters(three: PageReader, seeds: list[Path]) -> None:
    """M and L of each sample of 4 s equal those by pandas, and their correlation scipy's."""
    rows = []
    for folder in seeds:
        one = open_raw(folder)
        beat = int(one.flows[one.flows["source"] == "beat"]["flow"].iloc[0])
        table = one.flow_epochs[one.flow_epochs["flow"] == beat].set_index("t_ps").sort_index()
        late = f"late_{one.plan.record.delay_thresholds_ps.index(15 * 10**9)}"
        for t_s in range(5, 57, 4):
            new = table.loc[(t_s + 4) * 10**12] - table.loc[t_s * 10**12]
            rows.append(
                (new["sent"], new["ce"] / new["sent"], (new["lost"] + new[late]) / new["sent"])
            )
    drawn = [r for r in three.files["careful-calls-scatter.csv"][1:] if r[0] == "beat"]
    assert [tuple(map(float, r[1:])) for r in drawn] == [pytest.approx(r) for r in rows]
    stream = next(r for r in three.files["careful-calls-streams.csv"][1:] if r[0] == "beat")
    _, marking, bad = (np.array(column) for column in zip(*rows, strict=True))
    assert float(stream[4]) == pytest.approx(stats.pearsonr(marking, bad).statistic)


def test_profits_of_calls_sum_to_the_ledger(single: PageReader, seeds: list[Path]) -> None:
    """The money of each call by a loop over its flow's postings; each posting counts once."""
    import duckdb

    connection = duckdb.connect()
    connection.execute(single.prelude)
    deals = connection.execute("from deals where provider = 'bold'").df()
    connection.close()
    one = open_raw(seeds[0])
    calls = one.calls[(one.calls["flow"] >= 20) & (one.calls["accepted"] == 1)]
    wanted = {(c.flow, c.start_ps): 0 for c in calls.itertuples()}
    for row in one.ledger.itertuples():
        if "bold" not in (row.credit, row.debit):
            continue
        sign = 1 if row.credit == "bold" else -1
        before = row.t_ps if row.kind == "call" else row.t_ps - 1
        start = max(s for f, s in wanted if f == row.flow and s <= before)
        wanted[row.flow, start] += sign * row.amount_micro
    found = {(d.flow, d.start_ps): d.micro for d in deals.itertuples()}
    assert found == wanted
    assert sum(found.values()) == (one.manifest.balances_micro or {})["bold"]


def test_one_run_is_bootstrapped_by_blocks(single: PageReader) -> None:
    """Bounds by a separate bootstrap on the printed sums of blocks; the page says so."""
    given = answers_of(single)
    assert "bootstrap over 20 blocks of 0.05 min of one run" in single.words
    bounds = [a for a in single.amounts if a.by == "block bootstrap"]
    assert len(bounds) >= 8
    first = [a for a in bounds if a.query == bounds[0].query]
    blocks = np.array([[float(v) for v in row[1:]] for row in given[str(first[0].query)]])
    rng = np.random.Generator(np.random.Philox(key=1979))
    places = (rng.random((2000, len(blocks))) * len(blocks)).astype(int)
    sums = blocks[places].sum(axis=1)
    per_call = sums[:, 2] / sums[:, 3] / 1e6
    for amount, level in zip(first[:2], (0.025, 0.975), strict=True):
        assert float(str(amount.value)) == pytest.approx(np.quantile(per_call, level))


@pytest.mark.usefixtures("undrawn")
def test_hours_are_put_together_from_the_printed_pieces(single: PageReader, tmp_path: Path) -> None:
    """Value at risk and shortfall of an hour, from the query's rows, which are one minute long."""
    pieces = np.array([1.0, -2.0, 4.0])
    hours = drawn_hours(pieces)
    assert hours.shape == (10_000,) and set(np.unique(hours)) <= set(range(-24, 49))
    assert hours.mean() == pytest.approx(12.0, abs=0.3)
    risk, shortfall = tail(hours)
    assert (hours <= -risk).mean() == pytest.approx(0.05, abs=0.03)
    assert shortfall == pytest.approx(-np.sort(hours)[:500].mean()) and shortfall >= risk
    assert single.tables["bold-risk"][2][1:4] == ["-", "-", "-"]
    folder = tmp_path / "longer"
    run(scenario_from_text(TWO.replace("duration: 60 s", "duration: 11 min")), out=folder)
    read = _page([folder], tmp_path / "page.html")
    amounts = [a for a in read.amounts if a.by == "drawn hours"]
    assert len(amounts) == 6
    rows = answers_of(read)[str(amounts[-1].query)]
    assert len(rows) == 2  # whole pieces
    again = drawn_hours(np.array([row[2] / 1e6 for row in rows]))
    wanted = (again.mean(), *tail(again))
    assert [float(str(a.value)) for a in amounts[3:]] == pytest.approx(wanted)


@pytest.mark.usefixtures("undrawn")
def test_break_even_leaves_nothing(tmp_path: Path) -> None:
    """At the break-even price of the page, the profit of the same calls is 0."""
    more = [(7, "gsp", "outside:costs", 20_000, "fixed-cost", -1, 1)]
    folder = write_run(tmp_path, ledger=LEDGER + more, balance_micro=PROFIT_MICRO - 20_000)
    read = _page([folder], tmp_path / "page.html")
    costs = 14 * PRICE_MICRO + 20_000 + BACK_MICRO  # the reimbursement is a separate amount
    even = costs / 4 / 1e6
    assert any(float(str(a.value)) == pytest.approx(even) for a in read.amounts)
    assert "as before. Reimbursements stay unchanged." in read.words
    lines = {row[0]: row[1] for row in read.tables["gsp-statement"][1:]}
    assert lines["fixed costs"] == f"{MINUS}0.020000"
    assert lines["profit"] == f"+{(PROFIT_MICRO - 20_000) / 1e6:.6f}"


@pytest.mark.usefixtures("undrawn")
def test_the_map_of_promise_and_price_is_that_of_the_calls(tmp_path: Path) -> None:
    """At the actual price and promise the map shows the profit; elsewhere a count by call."""
    read = _page([write_run(tmp_path)], tmp_path / "page.html")
    rows = read.files["gsp-quality-table.csv"]
    prices = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0]
    hour = 60.0
    shares = [0.01, 0.02]  # of the calls that ended and had packets
    for row in rows[1:]:
        limit = float(row[0].rstrip(" %")) / 100
        broken = sum(share > limit + 1e-12 for share in shares)
        for factor, text in zip(prices, row[1:], strict=True):
            profit = 4 * factor * CALL_MICRO - broken * BACK_MICRO - 14 * PRICE_MICRO
            assert float(text) == pytest.approx(profit / 1e6 * hour)
    as_it_was = next(row for row in rows if row[0] == "1.0 %")[4]
    assert float(as_it_was) == pytest.approx(PROFIT_MICRO / 1e6 * hour)


def test_a_page_that_disagrees_with_show_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A query that loses a posting gives an error instead of a page."""
    folder = write_run(tmp_path)
    broken = database._TABLES.replace("in (l.debit, l.credit)", "= l.credit")
    assert broken != database._TABLES
    monkeypatch.setattr(database, "_TABLES", broken)
    with pytest.raises(ResultsError, match=f"returns 600000 micro-units.*{PROFIT_MICRO}"):
        write_gsp_page([folder], tmp_path / "page.html", [])
    assert not (tmp_path / "page.html").exists()


def test_the_page_stands_alone(three: PageReader) -> None:
    """The page has no scripts or network resources. Pictures have texts; ids are unique."""
    assert "script" not in three.tags
    loaded = [link for tag, link in three.links if tag != "a"]
    assert loaded and all(link.startswith("data:image/") for link in loaded)
    assert all(link.startswith(("#", "data:text/csv")) for tag, link in three.links if tag == "a")
    assert len(three.pictures) >= 8 and all(len(words) > 30 for words in three.pictures.values())
    assert three.tags.count("h1") == 2 and len(set(three.ids)) == len(three.ids)


@pytest.mark.drawn
def test_the_same_results_give_the_same_page(seeds: list[Path], tmp_path: Path) -> None:
    """The page is equal byte for byte, including pictures.

    That run has no delays to draw; their picture is drawn beside the page.
    """
    folders = seeds if in_full() else [write_run(tmp_path)]
    pages = [tmp_path / "page.html", tmp_path / "again.html"]
    for file in pages:
        _page(folders, file)
    assert pages[0].read_bytes() == pages[1].read_bytes()
    delays = {"phones": np.array([0.01, 0.02, 0.03])}
    drawn = [business_plots.exceeding(delays, np.array([0.1, 0.01, 0.001]), [0.015]) for _ in pages]
    assert drawn[0] == drawn[1] and len(drawn[0]) > 5000


def test_missing_providers_or_results_are_errors(tmp_path: Path) -> None:
    """Each error gives one line: no results, no provider, a repeated seed, unrecorded calls."""
    with pytest.raises(ResultsError, match="no such results folder"):
        page.gsp_page([tmp_path / "nowhere"], [])
    (tmp_path / "bare").mkdir()
    bare = write_run(tmp_path / "bare", calls=None)
    with pytest.raises(ResultsError, match="calls were not recorded"):
        page.gsp_page([bare], [])
    whole = write_run(tmp_path)
    with pytest.raises(InputError, match="two runs with the same seed"):
        page.gsp_page([whole, whole], [])
    manifest = (whole / "manifest.json").read_text().replace("guaranteed-stream-provider", "other")
    (whole / "manifest.json").write_text(manifest)
    with pytest.raises(ResultsError, match="found no guaranteed stream provider"):
        page.gsp_page([whole], [])


def test_ranges_above_zero() -> None:
    """Ranges end where straight lines cross 0, or at the ends; unknown values are not above."""
    (one,) = ranges_above_zero([0, 10, 20], [1, 1, -1])
    assert (one.low, one.high, one.from_end, one.to_end) == (0, 15, True, False)
    (one,) = ranges_above_zero([0, 10, 20], [-1, 3, 3])
    assert (one.low, one.high, one.from_end, one.to_end) == (2.5, 20, False, True)
    first, second = ranges_above_zero([0, 1, 2, 3], [1, -1, -1, 1])
    assert (first.high, second.low) == (0.5, 2.5)
    assert ranges_above_zero([0, 1], [-1, math.nan]) == []
    (one,) = ranges_above_zero([0, 1, 2], [-1, 1, -1])
    assert (one.low, one.high, one.from_end, one.to_end) == (0.5, 1.5, False, False)


def test_the_correction_finds_the_correlation_behind_the_chance() -> None:
    """The correction finds a correlation of 0.8 of shares observed through 200 packets each."""
    rng = np.random.Generator(np.random.Philox(key=7))
    count, n = 20_000, np.full(20_000, 200.0)
    cause, own = rng.normal(size=count), rng.normal(size=count)
    first = 0.05 + 0.012 * cause
    second = 0.03 + 0.008 * (0.8 * cause + 0.6 * own)
    observed = [rng.binomial(200, np.clip(x, 0, 1)) / 200 for x in (first, second)]
    raw = float(np.corrcoef(*observed)[0, 1])
    of_m, of_l = (reliability(x, n) for x in observed)
    assert raw < 0.4
    assert of_m == pytest.approx(np.var(first) / np.var(observed[0]), abs=0.02)
    assert corrected(raw, of_m, of_l) == pytest.approx(0.8, abs=0.06)
    assert math.isnan(corrected(raw, -0.1, of_l)) and math.isnan(reliability(np.zeros(5), n[:5]))


def test_periods_are_hours_where_hours_are_a_handful() -> None:
    """A day has periods of an hour, and forty minutes have periods of five minutes."""
    assert [statement.period_s(s) for s in (86_400, 14_400, 2400, 60)] == [3600, 3600, 300, 60]
