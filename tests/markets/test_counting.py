# SPDX-License-Identifier: Apache-2.0
"""`record.histograms` and `record.counts` from YAML to the tables of a run, on the engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.agents.errors import ProtocolError, ScenarioError
from ecnomy.analysis import dispersion
from ecnomy.markets import make_plan, run
from ecnomy.markets.bridge.messages import Record
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.results.record_names import Naming
from ecnomy.markets.results.results import Results
from ecnomy.markets.scenario import scenario_from_text

TEXT = """
version: 1
duration: 20 s
warmup: 4.5 s
network:
  links:
    - {name: l, from: a, to: b, rate: 2 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: gold, count: 2, from: a, to: b, transport: {law: wtp}}
  - name: probe
    from: a
    to: b
    traffic: {kind: poisson, rate: 50 packets/s}
    transport: {law: udp}
record:
  histograms: {delay: {width: 2 ms, bins: 400}, queue: {bins: 30}}
  counts: {of: [ce, arrivals], every: 100 ms}
"""
WHOLE = {
    "delay": {"width": "2000000000 ps", "bins": 400},
    "queue": {"width": "1 packet", "bins": 30},
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The run of TEXT."""
    return run(scenario_from_text(TEXT), out=tmp_path_factory.mktemp("counting") / "run")


def test_what_is_written_reaches_the_plan_and_reads_back() -> None:
    """Widths are in ps and packets; the resolved text loads as the same scenario."""
    scenario = scenario_from_text(TEXT)
    record = make_plan(scenario).record
    assert [(h.of, h.width, h.bins) for h in record.histograms] == [
        ("delay", 2 * 10**9, 400),
        ("queue", 1, 30),
    ]
    assert (record.counts, record.counts_every_ps) == (["ce", "arrivals"], 10**11)
    assert scenario.resolved()["record"]["histograms"] == WHOLE
    plain = make_plan(scenario_from_text(TEXT[: TEXT.index("record:")])).record
    assert (plain.histograms, plain.counts, plain.counts_every_ps) == ([], [], -1)


def test_histograms_of_a_run(result: Results) -> None:
    """Sources and links by name, lower edges in s and packets, sums as in the other tables."""
    table = result.histograms
    assert list(table.columns) == ["name", "subject", "bin", "low", "count"]
    delay = table[(table["name"] == "delay") & (table["subject"] == "gold")]
    assert np.allclose(delay["low"], 0.002 * np.arange(400), rtol=1e-15)
    gold = result.raw.flows[result.raw.flows["source"] == "gold"]
    assert delay["count"].sum() == gold["delivered"].sum() > 1000
    assert delay["count"].iloc[-1] == 0
    middle = (delay["low"] + 0.001) @ delay["count"] / delay["count"].sum()
    assert abs(middle - gold["delay_sum_ps"].sum() / gold["delivered"].sum() / 1e12) < 0.001
    queue = table[table["name"] == "queue"].groupby("subject")["count"].sum()
    links = result.raw.links
    assert queue.to_dict() == dict(zip(links["name"], links["arrivals"], strict=True))
    assert queue["l.reverse"] > 0


def test_counts_of_a_run(result: Results) -> None:
    """A row per bin, beginning with the warm-up's end, in the plan's order; sums as elsewhere."""
    table = result.counts
    assert list(table.columns) == ["t_ps", "name", "subject", "count"]
    arrivals = table[(table["name"] == "arrivals") & (table["subject"] == "l")]
    assert arrivals["t_ps"].tolist() == [45 * 10**11 + 10**11 * k for k in range(155)]
    assert arrivals["count"].sum() == result.raw.links["arrivals"][0]
    marked = table[table["name"] == "ce"].groupby("subject")["count"].sum()
    expected = result.raw.flows.groupby("source")["ce"].sum()
    assert marked.to_dict() == expected.to_dict() and marked["gold"] > 50
    assert 0 < dispersion(arrivals["count"].to_numpy(dtype=float)) < 10


def test_a_run_that_counted_nothing_has_empty_tables(result: Results, tmp_path: Path) -> None:
    """`open_raw` returns empty tables for a run without counts."""
    assert open_raw(result.folder).counts.equals(result.counts)
    changes = ["duration=5 s", "record.histograms=null", "record.counts=null"]
    short = run(scenario_from_text(TEXT, overrides=changes), out=tmp_path / "none")
    opened = open_raw(short.folder)
    assert len(opened.counts) == len(opened.histograms) == 0
    assert list(opened.counts.columns) == list(result.counts.columns)
    assert list(opened.histograms.columns) == list(result.histograms.columns)


@pytest.mark.parametrize(
    ("override", "path", "complaint"),
    [
        ("record.counts.of=[]", "record.counts.of", "nothing to count"),
        ("record.counts.of=[ce, ce]", "record.counts.of", "the same count twice"),
        ("record.counts.of=[smiles]", "record.counts.of[0]", "'smiles'"),
        ("record.counts.every=0 s", "record.counts.every", "'0 s'"),
        ("record.counts.every=10 ns", "record.counts.every", "6,200,000,000 counts"),
        ("record.histograms.delay={bins: 9}", "record.histograms.delay.width", "no 'width'"),
        ("record.histograms.delay.width=1 packet", "record.histograms.delay.width", "1 packet"),
        ("record.histograms.queue.width=1 ms", "record.histograms.queue.width", "1 ms"),
        ("record.histograms.queue.bins=0", "record.histograms.queue.bins", "found 0"),
        ("record.histograms.marks={}", "record.histograms.marks", "unknown key 'marks'"),
    ],
)
def test_slips_are_named_with_their_place(override: str, path: str, complaint: str) -> None:
    """Each fault is one line with the path and the value found."""
    with pytest.raises(ScenarioError) as fault:
        make_plan(scenario_from_text(TEXT, overrides=[override]))
    assert f"{path}: " in str(fault.value) and complaint in str(fault.value)


@pytest.mark.parametrize(
    ("table", "name", "subject"),
    [("counts", 2, 0), ("counts", -1, 0), ("counts", 0, 2), ("counts", 1, 2), ("histograms", 0, 2)],
)
def test_an_engine_that_counts_what_was_not_planned_is_refused(
    table: str, name: int, subject: int
) -> None:
    """Indices of histograms, sources and links outside the plan are out of range."""
    plan = make_plan(scenario_from_text(TEXT))
    last = "bin" if table == "histograms" else "t_ps"
    columns = {"name": name, "subject": subject, last: 0, "count": 1}
    rows = {key: np.array([0 if key != "count" else 1, value]) for key, value in columns.items()}
    with pytest.raises(ProtocolError, match="out-of-range"):
        Naming(plan).of(Record(table, rows))
    rows = {key: value[:1] for key, value in rows.items()}
    subject = Naming(plan).of(Record(table, rows))["subject"]
    assert [subject.names[i] for i in subject.index] == ["gold"]
