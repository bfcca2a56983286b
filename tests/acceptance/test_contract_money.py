# SPDX-License-Identifier: Apache-2.0
"""Metered sales with tariffs, against an independent count from the tables of the run."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets import run
from ecnomy.markets.results.results import Results
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 20 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 5 Mbps, delay: 5 ms, buffer: 60 packets,
       marking: {law: fixed, probability: 0.02}}
    - {name: tail, from: b, to: c, rate: 4 Mbps, delay: 5 ms, buffer: 5 packets}
sources:
  - {name: bulk, count: 3, from: a, to: c, start: 1 s, stop: 15 s, transport: {law: wtp}}
  - {name: pages, count: 2, from: a, to: c, rows: together,
     traffic: {kind: web, reading: 1 s, size: pareto, mean: 20 kB, shape: 1.5, max: 1 MB},
     transport: {law: reno, ecn: rfc3168}}
market:
  price_per_mark: 0.001 money
  agents:
    - name: near
      role: connectivity-provider
      links: wire
      contracts:
        - {meter: bytes, tariff: {kind: per-unit, price: 2 money/GB}, sources: [bulk, pages]}
        - {name: line, meter: time, tariff: {kind: flat, price: 0.1 money/min}, sources: bulk}
        - {name: seen, meter: marks-set, tariff: {kind: per-unit, price: 0.0003 money/mark},
           sources: bulk}
    - name: far
      role: connectivity-provider
      links: tail
      contracts:
        - {name: page, meter: transfers, tariff: {kind: per-unit, price: 0.01 money/transfer},
           sources: pages}
        - {name: plan, meter: packets, sources: bulk,
           tariff: {kind: blocks, blocks: [{up_to: 400 packets, price: 0.002 money/packet},
                                           {price: 0.001 money/packet}], cap: 1.7 money}}
    - {name: ann, role: customer, sources: bulk}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The run."""
    return run(scenario_from_text(TEXT), out=tmp_path_factory.mktemp("contracts") / "r")


def paid(made: Results, kind: str) -> dict[int, int]:
    """The micro-units that each row of flows paid for a kind."""
    rows = made.raw.ledger[made.raw.ledger["kind"] == kind]
    return {int(k): int(v) for k, v in rows.groupby("flow")["amount_micro"].sum().items()}


def last(made: Results, column: str) -> list[int]:
    """A counter of each row of flows at the end."""
    end = made.flow_epochs[made.flow_epochs["t_ps"] == made.flow_epochs["t_ps"].max()]
    return [int(value) for value in end.sort_values("flow")[column]]


def test_bytes_are_charged_to_the_micro_unit(made: Results) -> None:
    """Each row is charged floor(bytes x price), whatever the number of epochs."""
    expected = {
        row: int(Fraction(count * 2_000_000, 10**9))
        for row, count in enumerate(last(made, "delivered_bytes"))
    }
    assert paid(made, "bytes-charge") == expected and min(expected.values()) > 500


def test_time_is_from_start_to_stop(made: Results) -> None:
    """Time is charged from start to stop: 14 s at 0.1 money per minute."""
    expected = int(Fraction(14 * 100_000, 60))
    assert paid(made, "line") == {0: expected, 1: expected, 2: expected}


def test_marks_set_are_those_of_the_sellers_links(made: Results) -> None:
    """The (source, link) books agree; the table of pairs covers the whole run."""
    pairs = made.pairs
    own = pairs[(pairs["source_name"] == "bulk") & (pairs["link_name"] == "wire")]
    marks = int(own["marks"].sum())
    assert sum(paid(made, "seen").values()) == 300 * marks and marks > 20
    assert int(own["ce_dropped"].sum()) > 0 or marks > sum(last(made, "ce")[:3])


def test_pages_are_paid_when_complete(made: Results) -> None:
    """The number of paid pages is that of the table of transfers."""
    transfers = made.transfers
    rows = transfers[(transfers["complete"] == 1) & (transfers["flow"] >= 3)]
    assert sum(paid(made, "page").values()) == 10_000 * len(rows) and len(rows) > 5


def test_blocks_and_a_cap(made: Results) -> None:
    """400 packets cost the first price, and the rest the second, up to 1.7 money."""
    expected = {}
    for row, packets in enumerate(last(made, "delivered")[:3]):
        bill = min(packets, 400) * 2000 + max(0, packets - 400) * 1000
        expected[row] = min(bill, 1_700_000)
    assert paid(made, "plan") == expected
    assert 1_700_000 in expected.values() and min(expected.values()) < 1_700_000


def test_who_pays_whom(made: Results) -> None:
    """Users pay sellers. The payments are the fees of flows, and no money is lost."""
    ledger = made.raw.ledger
    kinds = {"bytes-charge": "near", "line": "near", "seen": "near", "page": "far", "plan": "far"}
    for kind, seller in kinds.items():
        rows = ledger[ledger["kind"] == kind]
        assert set(rows["credit"]) == {seller}
        assert set(rows["debit"]) <= {"ann", "source:pages"}
    fees = sum(sum(paid(made, kind).values()) for kind in kinds)
    assert sum(last(made, "fee_micro")) == fees


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("price: 2 money/GB", "price: 2 money/h", r"contracts\[0\]\.tariff"),
        ("meter: bytes", "meter: smiles", r"contracts\[0\]\.meter: found 'smiles'"),
        ("sources: [bulk, pages]", "sources: bulks", r"unknown source 'bulks'"),
        ("meter: packets, sources: bulk,", "meter: marks-set, sources: bulk,", r"contracts\[1\]"),
        (
            "tariff: {kind: per-unit, price: 2 money/GB}",
            "tariff: {kind: posted, per: MB}",
            r"contracts\[0\]\.tariff: found posted",
        ),
        ("name: line", "name: marks", r"contracts\[1\]\.name: found 'marks'"),
        ("kind: flat, price: 0.1 money/min", "kind: flatter, price: 1 money/h", "tariff.kind"),
    ],
)
def test_what_does_not_fit_is_refused(old: str, new: str, message: str) -> None:
    """The error is one line with the place."""
    with pytest.raises(ScenarioError, match=message) as caught:
        scenario_from_text(TEXT.replace(old, new), "s.yaml")
    assert "\n" not in str(caught.value)


def test_contracts_are_written_back(tmp_path: Path) -> None:
    """A resolved scenario with contracts loads as the same scenario."""
    import yaml

    first = scenario_from_text(TEXT).resolved()
    assert scenario_from_text(yaml.safe_dump(first)).resolved() == first
