# SPDX-License-Identifier: Apache-2.0
"""Results for people: frames, series over time and payments, against counts made without them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import small_results
from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.markets import Results, load, open_market, open_run, run
from ecnomy.markets.results.columns import schemas
from ecnomy.markets.results.frames import agent_frame
from ecnomy.markets.results.payments import shared
from ecnomy.markets.results.timeseries import ACCOUNT_SERIES, FLOW_SERIES, LINK_SERIES

EXAMPLE = Path(__file__).parents[3] / "configs" / "examples" / "gold-silver.yaml"
SHORT = (
    *("duration=30 s", "warmup=5 s", "sources.gold.traffic.until=8 s"),
    *("sources.silver.traffic.until=8 s", "sources.background.start=8 s"),
)
MOVED_S = 20
PS = 10**12
TWO_LINKS = """
version: 1
duration: 12 s
seed: 3
network:
  links:
    - {name: near, from: a, to: b, rate: 4 Mbps, delay: 5 ms,
       marking: {law: fixed, probability: 0.05}}
    - {name: far, from: b, to: c, rate: 4 Mbps, delay: 5 ms,
       marking: {law: fixed, probability: 0.02}}
sources:
  - {name: joe, count: 2, from: a, to: c, transport: {law: wtp}}
market:
  settlement: SETTLEMENT
  price_per_mark: 0.001 money
  agents:
    - {name: north, role: connectivity-provider, links: near, price_per_mark: 0.003 money}
    - {name: south, role: connectivity-provider, links: far, price_per_mark: 0.007 money}
    - {name: home, role: customer, sources: joe}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Gold and silver, calm for 8 s; from 20 s on silver's flows are gold."""
    folder = tmp_path_factory.mktemp("people") / "r"
    with open_market(EXAMPLE, overrides=SHORT, seed=2, out=folder) as market:
        for _ in range(MOVED_S - 1):
            market.step()
        market.set_class("silver", "gold")
        market.run_model()
        result = market.close()
    assert result is not None and result.complete
    return result


def rows(result: Results, table: str) -> list[dict]:
    """A table as a list of rows, without pandas and the tested code."""
    return pq.read_table(result.folder / f"{table}.parquet").to_pylist()


def test_a_run_just_made_and_one_opened_are_one_class(made: Results) -> None:
    """The two have the same class, the same frames and the same text."""
    opened = open_run(made.folder)
    assert type(opened) is type(made) is Results
    for name in ("flows", "links", "agents", "ledger", "summary"):
        one, other = getattr(made, name), getattr(opened, name)
        assert one.equals(other) and one.attrs == other.attrs, name
    assert repr(made) == repr(opened)
    assert "Gold and silver" in repr(made) and "complete" in repr(made) and "\n" not in repr(made)
    with pytest.raises(ResultsError, match="no such results folder"):
        open_run(made.folder / "nowhere")


def test_frames_have_names_and_units_and_no_raw_columns(made: Results) -> None:
    """Frames have names and units in all columns, without ps, micro-units and indices."""
    for name in ("flows", "links", "agents", "ledger"):
        frame = getattr(made, name)
        assert frame.index.name, name
        assert not [c for c in frame.columns if c.endswith(("_ps", "_micro"))], name
        assert set(frame.attrs["units"]) == set(frame.columns), name
        assert len(frame) == len(rows(made, name))
    assert made.flows.index[0] == "gold.0" and "bottleneck" in made.links.index
    assert set(made.ledger["flow"]) <= {*made.flows.index, ""}
    assert made.flows.attrs["units"]["goodput_mbps"] == "Mbps"
    assert made.ledger.attrs["units"]["amount"] == "money"


def test_frames_say_what_the_tables_hold(made: Results) -> None:
    """Frames of flows, links and ledger equal the raw rows, value by value."""
    for flow in rows(made, "flows"):
        row = made.flows.loc[flow["name"]]
        assert row["goodput_mbps"] == pytest.approx(flow["goodput_bps"] / 1e6)
        assert row["fee"] == flow["fee_micro"] / 1e6
        assert row["charge"] == flow["mark_charge_micro"] / 1e6
        assert row["delay_sum_s"] == pytest.approx(flow["delay_sum_ps"] / 1e12)
        if flow["ce"]:
            assert row["price_per_mark"] == pytest.approx(0.125)
    assert made.links.loc["bottleneck", "rate_mbps"] == 10.0
    for posting, row in zip(rows(made, "ledger"), made.ledger.itertuples(), strict=True):
        assert (row.payer, row.payee) == (posting["debit"], posting["credit"])
        assert row.t_s == posting["t_ps"] / 1e12 and row.amount == posting["amount_micro"] / 1e6
        assert row.quantity * row.price == pytest.approx(row.amount)
        assert row.unit == {"class-fee": "s", "marks": "marks"}[row.kind]


def test_agents_are_shown_in_words(made: Results) -> None:
    """Prices and willingness to pay are shown in money, and a class by its name."""
    table = made.agents
    price = table[table["what"] == "price"]
    assert price["value"].tolist() == [0.125] and price["unit"].tolist() == ["money/mark"]
    paid = table[(table["what"] == "willingness") & (table["flow"] == "silver.0")]
    assert paid["value"].tolist() == [1.0, 4.0] and paid["t_s"].tolist()[1] == MOVED_S
    moved = table[(table["what"] == "class") & (table["flow"] == "silver.1")]
    assert moved["meaning"].tolist()[-1] == "gold"


def test_decisions_have_their_units() -> None:
    """A cap is in Mbps, or "none" below 0; willingness is in money/s."""
    names = ["rate_cap_bps", "rate_cap_bps", "willingness_micro_per_s"]
    agents = pd.DataFrame({"name": names, "value": [2.5e6, -1.0, 3e6]})
    raw = SimpleNamespace(
        agents=agents.assign(t_ps=PS, agent="home", flow=0),
        plan=SimpleNamespace(flow_names=lambda: ["joe.0"]),
        manifest=SimpleNamespace(classes=[]),
    )
    table = agent_frame(raw)
    assert table["what"].tolist() == ["rate_cap", "rate_cap", "willingness"]
    assert table["value"].tolist()[::2] == [2.5, 3.0] and np.isnan(table["value"][1])
    assert table["unit"].tolist() == ["Mbps", "Mbps", "money/s"]
    assert table["meaning"].tolist() == ["", "none", ""]


def test_goodput_by_class_follows_flows_that_move(made: Results) -> None:
    """Per interval, counted by hand: bytes count for the flow's class at their arrival."""
    frame = made.timeseries("goodput", by="class")
    classes = json.loads((made.folder / "manifest.json").read_text())["classes"]
    before: dict[int, dict] = {}
    expected: dict[tuple[float, str], float] = {}
    for row in rows(made, "flow_epochs"):
        old = before.get(row["flow"])
        if old is not None:
            index = old["class_index"]
            name = classes[index]["name"] if index >= 0 else "no class"
            key = (row["t_ps"] / PS, name)
            mbit = 8e-6 * (row["acked_bytes"] - old["acked_bytes"])
            expected[key] = expected.get(key, 0.0) + mbit / ((row["t_ps"] - old["t_ps"]) / PS)
        before[row["flow"]] = row
    assert frame.index.name == "t_s" and frame.attrs["unit"] == "Mbps"
    assert frame.index.tolist() == [float(t) for t in range(1, 31)]
    for (t_s, name), mbps in expected.items():
        assert frame.loc[t_s, name] == pytest.approx(mbps), (t_s, name)
    assert frame.loc[MOVED_S, "silver"] > 0 and np.isnan(frame.loc[MOVED_S + 1, "silver"])


def test_every_series_is_of_the_counters(made: Results) -> None:
    """Sums over time and groups give the counters at the end; each has a unit."""
    flows, links = rows(made, "flow_epochs"), rows(made, "link_epochs")
    last_flows = [row for row in flows if row["t_ps"] == 30 * PS]
    last_links = [row for row in links if row["t_ps"] == 30 * PS]
    for what, column, factor in (
        ("goodput", "acked_bytes", 8e-6),
        ("marks", "ce", 1),
        ("fee", "fee_micro", 1e-6),
        ("charge", "mark_charge_micro", 1e-6),
    ):
        whole = factor * sum(row[column] for row in last_flows)
        for by in (None, "flow", "source", "class", "provider"):
            frame = made.timeseries(what, by=by)
            assert np.nansum(frame.to_numpy()) == pytest.approx(whole), (what, by)
    for what, column in (("queue", "queue_integral"), ("drops", "drops"), ("arrivals", "arrivals")):
        whole = sum(row[column] for row in last_links)
        assert made.timeseries(what).to_numpy().sum() == pytest.approx(whole), what
    every = [(what, None) for what in (*FLOW_SERIES, "rtt", "active", "willingness", "price")]
    every += [(what, "link") for what in LINK_SERIES]
    every += [(what, None) for what in ACCOUNT_SERIES]
    for what, by in every:
        frame = made.timeseries(what, by=by, every_s=10)
        assert len(frame) == 3 and frame.attrs["unit"] and frame.notna().any(axis=None), what


def test_ratios_and_states_over_time(made: Results) -> None:
    """Delay, marking, utilisation, willingness and balances of an interval, counted by hand."""
    t_s = 25
    now, old = ([r for r in rows(made, "flow_epochs") if r["t_ps"] == t * PS] for t in (t_s, 24))
    mine = [i for i, flow in enumerate(rows(made, "flows")) if flow["source"] == "gold"]

    def grown(name: str) -> int:
        return sum(now[i][name] - old[i][name] for i in mine)

    delay = made.timeseries("delay", by="source").loc[t_s, "gold"]
    assert delay == pytest.approx(grown("delay_sum_ps") / grown("delivered") / 1e12)
    assert made.timeseries("marking", by="source").loc[t_s, "gold"] == pytest.approx(
        grown("ce") / grown("delivered")
    )
    each = made.timeseries("goodput", by="source", per_flow=True).loc[t_s, "gold"]
    assert each == pytest.approx(8e-6 * grown("acked_bytes") / 2)
    pays = made.timeseries("willingness", by="source")["silver"]
    assert (pays.loc[MOVED_S], pays.loc[MOVED_S + 1]) == (2.0, 8.0)
    heads = [made.timeseries("goodput", by).columns.name for by in ("source", None)]
    assert heads == ["source", None]
    first = made.timeseries("willingness", by="source")["gold"]  # its flows are 0 and 1
    assert first.tolist() == [8.0] * len(first)
    ends = made.timeseries("balance").iloc[-1]
    for account, micro in (made.manifest.balances_micro or {}).items():
        assert ends[account] == pytest.approx(micro / 1e6) == made.balances[account]


def test_utilization_counts_what_departs_with_its_framing(tmp_path: Path) -> None:
    """150 packets of 1,000 bytes and 10 of framing depart each second; ten more arrive."""
    series = open_run(small_results.write(tmp_path / "r")).timeseries("utilization")
    expected = 8 * (150_000 + 150 * 10) / 10e6
    assert series["bottleneck"].tolist() == pytest.approx([expected] * 4, rel=1e-9)


def test_money_counts_from_the_date_of_a_posting(
    made: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Money counts from a posting's date. Postings may be in any order."""
    expected = made.timeseries("balance", every_s=10)
    raw = made.raw
    monkeypatch.setattr(raw, "ledger", raw.ledger.iloc[::-1])
    assert made.timeseries("balance", every_s=10).equals(expected)


@pytest.mark.parametrize(
    ("what", "by", "says"),
    [
        ("gudput", None, "found 'gudput', expected by flow.*goodput"),
        ("goodput", "color", "'goodput' by 'color', expected"),
        ("queue", "class", "'queue' by 'class', expected"),
    ],
)
def test_what_there_is_no_series_of(what: str, by: str | None, says: str, made: Results) -> None:
    """The error is one line that lists all series."""
    with pytest.raises(InputError, match=says) as caught:
        made.timeseries(what, by=by)
    assert "\n" not in str(caught.value)


def test_what_gold_paid_and_why(made: Results) -> None:
    """Gold's customers pay fee x time, and its provider marks x price, as in the ledger."""
    paid = made.payments("gold")
    names = {flow["flow"]: flow["name"] for flow in rows(made, "flows")}
    owed: dict[tuple[str, str], int] = {}
    for posting in rows(made, "ledger"):
        name = names[posting["flow"]]
        in_gold = name.startswith("gold") or (
            name.startswith("silver") and posting["t_ps"] > MOVED_S * PS
        )
        if in_gold:
            key = (posting["debit"], posting["kind"])
            owed[key] = owed.get(key, 0) + posting["amount_micro"]
    sums = paid.groupby(["payer", "kind"])["amount"].sum()
    assert {key: round(amount * 1e6) for key, amount in sums.items()} == owed
    assert owed[("source:silver", "class-fee")] == 2 * 10 * 4_000_000
    fees = paid[paid["payer"] == "source:gold"].iloc[0]
    assert (fees["quantity"], fees["unit"], fees["price"]) == (60.0, "s", 4.0)
    marks = paid[paid["kind"] == "marks"]
    assert set(marks["link"]) == {"bottleneck"} and set(marks["price"]) == {0.125}


def test_payments_of_every_account_sum_to_it(made: Results) -> None:
    """Payments of each account, and of all accounts, add up to the micro-unit."""
    whole = made.payments()
    for account in made.balances.index:
        own = sum(r["amount_micro"] for r in rows(made, "ledger") if r["debit"] == account)
        paid = made.payments(account)
        assert round(paid["amount"].sum() * 1e6) == own
        assert round(whole[whole["payer"] == account]["amount"].sum() * 1e6) == own
    assert made.payments("isp").empty
    with pytest.raises(InputError, match="found 'golt', expected one of background, gold, isp"):
        made.payments("golt")


def test_marks_on_the_way_back_are_not_paid_for(tmp_path: Path) -> None:
    """Marks on ECT ACKs are not paid for, because only the links of the path sell marks."""
    text = TWO_LINKS.replace("SETTLEMENT", "retail").replace("{law: wtp}", "{law: wtp, ect: all}")
    back = "probability: 0.02}, reverse: {marking: {law: fixed, probability: 0.2}}}"
    text = text.replace("probability: 0.02}}", back)
    (tmp_path / "two.yaml").write_text(text)
    result = run(tmp_path / "two.yaml", out=tmp_path / "r")
    marks = {row["link_name"]: row["marks"] for row in rows(result, "pairs") if row["marks"]}
    assert marks["far.reverse"] > 100
    assert set(result.payments("home")["link"]) == {"near", "far"}


@pytest.mark.parametrize(
    ("settlement", "role"),
    [
        ("retail", "connectivity-provider"),
        ("direct", "connectivity-provider"),
        ("direct", "'own_carriers:Carrier'"),
    ],
)
def test_marks_are_paid_for_by_link(settlement: str, role: str, tmp_path: Path) -> None:
    """Payments are in proportion to links' marks, or under `direct` for a carrier's own marks."""
    text = TWO_LINKS.replace("SETTLEMENT", settlement).replace("connectivity-provider", role)
    (tmp_path / "two.yaml").write_text(text)
    result = run(tmp_path / "two.yaml", out=tmp_path / "r")
    paid = result.payments("home")
    ledger = [row for row in rows(result, "ledger") if row["debit"] == "home"]
    pairs = {row["link_name"]: row["marks"] for row in rows(result, "pairs") if row["marks"]}
    assert pairs["near"] > 50 and pairs["far"] > 20
    assert round(paid["amount"].sum() * 1e6) == sum(row["amount_micro"] for row in ledger)
    assert paid["quantity"].sum() == sum(row["quantity"] for row in ledger)
    paid_for = {(row.payee, row.link): row for row in paid.itertuples()}
    if settlement == "direct":
        assert set(paid_for) == {("north", "near"), ("south", "far")}
        for payee, link, price in (("north", "near", 0.003), ("south", "far", 0.007)):
            assert paid_for[payee, link].quantity == pairs[link]
            assert paid_for[payee, link].price == pytest.approx(price)
    else:
        assert set(paid_for) == {("north", "near"), ("north", "far")}
        share = paid_for["north", "near"].quantity / paid["quantity"].sum()
        assert share == pytest.approx(pairs["near"] / (pairs["near"] + pairs["far"]), abs=0.01)
        assert [row.price for row in paid_for.values()] == [pytest.approx(0.003, rel=1e-12)] * 2


def test_whole_numbers_are_shared_out_whole() -> None:
    """The total is exact, each share is within one unit, and the largest fractions round up."""
    assert shared(10, np.array([1, 2, 4])) == [1, 3, 6]
    rng = np.random.Generator(np.random.PCG64(1))
    for _ in range(200):
        weights = rng.integers(1, 1000, size=rng.integers(1, 7))
        whole = int(rng.integers(0, 10**12))
        parts = shared(whole, weights)
        assert sum(parts) == whole
        exact = whole * weights / weights.sum()
        assert np.all(np.abs(np.array(parts) - exact) < 1 + 1e-3)


def test_parquet_fields_say_their_units(made: Results) -> None:
    """Every column of every table that a run can have, on disk and in the schemas."""
    for file in made.folder.glob("*.parquet"):
        for field in pq.read_schema(file):
            assert field.metadata and field.metadata[b"unit"], (file.name, field.name)
    schema = pq.read_schema(made.folder / "flows.parquet")
    assert schema.field("mean_delay_s").metadata[b"unit"] == b"s"
    assert schema.field("fee_micro").metadata[b"unit"] == b"micro-units of money"
    everything = "record={series: [cwnd], every: 1 s, transfers: true, trace: true, calls: true}"
    for name, table in schemas_of("duration=1 s", everything).items():
        for field in table:
            assert field.metadata[b"unit"], (name, field.name)


def schemas_of(*overrides: str) -> dict:
    """The schemas of the example's plan."""
    from ecnomy.markets import make_plan

    return schemas(make_plan(load(EXAMPLE, overrides=[*SHORT[1:], "warmup=0 s", *overrides])))


def test_a_notebook_shows_who_got_and_paid_what(made: Results) -> None:
    """A notebook shows title, seed, window, groups and accounts, with escaped texts."""
    page = made._repr_html_()
    for words in ("Gold and silver", "seed 2", "5 s to 30 s", "complete", "source:silver"):
        assert words in page
    assert "payments(&quot;gold&quot;)" in page and "<script" not in page
    assert f"{made.summary.loc['gold', 'goodput_mbps']:.4g}" in page


def test_a_partial_run_says_why(tmp_path: Path) -> None:
    """Page and line of the run give the reason, and its frames end where the run ended."""
    with open_market(EXAMPLE, overrides=SHORT, out=tmp_path / "<b>r") as market:
        market.step()
        result = market.close()
    assert result is not None and not result.complete
    assert "closed at 1 s" in repr(result) and "closed at 1 s" in result._repr_html_()
    assert "<b>" not in result._repr_html_()
    assert len(result.timeseries("goodput")) == 1 and len(result.ledger) == 4


def test_a_run_set_by_hand_is_no_run_of_the_scenario(tmp_path: Path) -> None:
    """`run` does not replace such a run. The program that posted a price by hand may do so."""
    scenario, out = load(EXAMPLE, overrides=("duration=2 s", "warmup=0 s")), tmp_path / "r"

    def stepped() -> bytes:
        with open_market(scenario, seed=7, out=out) as market:
            market.post_price("isp", 5.0)
            while market.running:
                market.step()
        return (out / "manifest.json").read_bytes()

    by_hand = stepped()
    with pytest.raises(InputError, match="already exists"):
        run(scenario, seed=7, out=out)
    assert (out / "manifest.json").read_bytes() == by_hand == stepped()
    assert run(scenario, seed=7, out=out, force=True).manifest.by_hand == ()


def test_the_same_run_may_be_made_again(tmp_path: Path) -> None:
    """A run with the same scenario, seed and market is replaced; any other is refused and stays."""
    short = ("duration=2 s", "warmup=0 s")
    scenario, out = load(EXAMPLE, overrides=short), tmp_path / "r"
    first = run(scenario, seed=7, out=out)
    before = (out / "flow_epochs.parquet").read_bytes()
    again = run(scenario, seed=7, out=out)
    assert again.complete and (out / "flow_epochs.parquet").read_bytes() == before
    assert first.flows.equals(again.flows)
    kept = (out / "manifest.json").read_bytes()
    other = load(EXAMPLE, overrides=[*short, "market.price_per_mark=0.2 money"])
    for given in (
        {"scenario": scenario, "seed": 8},
        {"scenario": other, "seed": 7},
        {"scenario": scenario, "seed": 7, "market": False},
        {"scenario": scenario, "seed": 7, "again": False},
    ):
        with pytest.raises(InputError, match="already exists"):
            run(**given, out=out)
        assert (out / "manifest.json").read_bytes() == kept
    manifest = json.loads(kept)
    manifest["versions"]["ecnomy"] = "0.0.1"
    (out / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="already exists"):
        run(scenario, seed=7, out=out)
    assert run(scenario, seed=8, out=out, force=True).seed == 8
