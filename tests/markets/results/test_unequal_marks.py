# SPDX-License-Identifier: Apache-2.0
"""Payers whose packets the same links mark unequally, on made-up tables and in runs.

An independent count compares the shares: report by report, with loops.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import market_world as world
from ecnomy.markets import run
from ecnomy.markets.plan import Source
from ecnomy.markets.results.manifest import Measured
from ecnomy.markets.results.unequal_marks import UnequalMarks, unequal_marks
from ecnomy.markets.scenario import scenario_from_text
from market_world import PS

REPORTS = 60
Counts = dict[str, tuple[list[int], list[int]]]  # source -> packets and marks by interval


class Run:
    """The tables that the comparison reads, of a run over one link, with a report each second."""

    def __init__(
        self,
        counts: Counts,
        *,
        charged: bool = True,
        background: str = "",
        **change: dict[str, Any],
    ) -> None:
        made = [msgspec.structs.replace(world.source(n), **change.get(n, {})) for n in counts]
        self.plan = world.plan(made, duration_ps=REPORTS * PS)
        self.measured = Measured(0, REPORTS * PS)
        self.totals = {
            name: np.cumsum([[0, 0], *np.transpose(two)], 0) for name, two in counts.items()
        }
        marks = [int(total[-1, 1]) for total in self.totals.values()]
        charge = [7 * mark * charged for mark in marks]
        columns = {"source": [*counts], "ce": marks, "mark_charge_micro": charge}
        self.flows = pd.DataFrame(columns).assign(flow=range(len(counts)))
        self.background = background

    def file(self, name: str) -> Path:
        """Return a file that exists."""
        return Path(__file__)

    def columns(self, name: str, columns: list[str]) -> pa.Table:
        """Return the postings of marks: the payer of each flow."""
        assert name == "ledger"
        debit = ["source:x" if name == self.background else "user" for name in self.totals]
        rows = {"kind": ["marks"] * len(debit), "debit": debit, "flow": [*range(len(debit))]}
        return pa.table(rows).select(columns)

    def table(self, name: str, columns: tuple[str, ...]) -> pd.DataFrame:
        """Return columns of flow_epochs or links."""
        if name == "links":
            return pd.DataFrame({"name": ["bottleneck"], "marks": [9]})[list(columns)]
        rows = [
            (report * PS, flow, *total[report])
            for report in range(REPORTS + 1)
            for flow, total in enumerate(self.totals.values())
        ]
        return pd.DataFrame(rows, columns=["t_ps", "flow", "delivered", "ce"])[list(columns)]


def found(counts: Counts, **options: Any) -> list[UnequalMarks]:
    """Return the pairs found in these counts."""
    made: Any = Run(counts, **options)
    return unequal_marks(made)


def by_hand(one: tuple[list[int], list[int]], other: tuple[list[int], list[int]]) -> list[float]:
    """Return both shares of marks, in the time in which both deliver packets."""
    weight = first = second = 0.0
    for packets, marks, others, their in zip(*one, *other, strict=True):
        if packets and others:
            w = packets * others / (packets + others)
            weight, first, second = (
                weight + w,
                first + w * marks / packets,
                second + w * their / others,
            )
    return [first / weight, second / weight]


def always(packets: int, marks: int) -> tuple[list[int], list[int]]:
    """Return the same counts in every interval."""
    return [packets] * REPORTS, [marks] * REPORTS


def test_the_shares_of_a_pair_are_named() -> None:
    """The one with the larger share comes first."""
    (pair,) = found({"slow": always(100, 30), "fast": always(300, 60)})
    assert (pair.source, pair.other, pair.links) == ("slow", "fast", ("bottleneck",))
    assert (pair.share, pair.other_share) == pytest.approx((0.3, 0.2))
    assert "marked 30 % of its packets, but only 20 % of the packets of fast" in str(pair)
    assert "costs 1.5 times as many marks" in str(pair)


@pytest.mark.parametrize(
    ("counts", "options"),
    [
        ({"a": always(100, 30), "b": always(100, 28)}, {}),  # 7 % more
        ({"a": always(100, 1), "b": always(100, 40)}, {}),  # fewer than 100 marks
        ({"a": always(100, 30), "b": always(100, 20)}, {"charged": False}),
        ({"a": always(100, 30), "b": always(100, 20)}, {"background": "b"}),
    ],
)
def test_small_rare_or_free_differences_are_not_reported(counts: Counts, options: Any) -> None:
    """Up to 10 %, under 100 marks, or of marks that nobody or no agent pays for."""
    assert found(counts, **options) == []


def test_users_at_different_times_are_compared_in_their_common_time() -> None:
    """Users of cheap hours have a smaller share of marks over all, but not in the same reports."""
    rng = np.random.default_rng(1)
    dear = np.arange(REPORTS) >= REPORTS // 2  # the second half: marks are three times as likely
    packets = {"early": np.where(dear, 50, 400), "late": np.where(dear, 400, 50)}
    counts: Counts = {
        name: (sent.tolist(), rng.binomial(sent, np.where(dear, 0.3, 0.1)).tolist())
        for name, sent in packets.items()
    }
    pooled = [sum(marks) / sum(sent) for sent, marks in counts.values()]
    assert pooled[1] > 2 * pooled[0]
    assert found(counts) == []
    counts["late"] = counts["late"][0], [mark * 3 // 2 for mark in counts["late"][1]]
    (pair,) = found(counts)
    expected = by_hand(counts["late"], counts["early"])
    assert (pair.share, pair.other_share) == pytest.approx(expected, rel=1e-12)
    assert pair.ratio == pytest.approx(1.5, rel=0.1)


def test_forty_equal_users_are_not_reported_for_their_chance_differences() -> None:
    """The extremes of many equal users differ by over 10 % by chance."""
    rng = np.random.default_rng(2)
    counts: Counts = {
        f"u{i}": ([200] * REPORTS, rng.binomial(200, 0.1, REPORTS).tolist()) for i in range(40)
    }
    totals = [sum(marks) for _, marks in counts.values()]
    assert max(totals) / min(totals) > 1.1
    assert found(counts) == []
    counts["u7"] = always(200, 28)
    assert [pair.source for pair in found(counts)] == ["u7"]


def test_only_sources_that_laws_treat_alike_are_compared() -> None:
    """Codepoint, packet size and class must be equal."""
    counts = {"a": always(100, 30), "b": always(100, 20)}
    tcp = world.tcp()
    kinds: list[dict[str, Any]] = [
        {"transport": msgspec.structs.replace(tcp, codepoint="ect-1")},
        {"transport": msgspec.structs.replace(tcp, mss_bytes=480)},
        {"classes": [1]},
    ]
    assert len(found(counts)) == 1
    for kind in kinds:
        assert found(counts, b=kind) == []


def test_links_that_marked_nothing_do_not_separate_sources() -> None:
    """Users on access links of their own share the link that marks."""
    made: Any = Run({"a": always(100, 30), "b": always(100, 20)})
    silent = msgspec.structs.replace(made.plan.links[0], name="access")
    longer: Source = msgspec.structs.replace(made.plan.sources[1], path=[1, 0])
    made.plan = msgspec.structs.replace(
        made.plan, links=[*made.plan.links, silent], sources=[made.plan.sources[0], longer]
    )
    assert [pair.links for pair in unequal_marks(made)] == [("bottleneck",)]


MARKET = """\
version: 1
duration: 100 s
warmup: 20 s
network:
  links:
    - {{name: line, from: a, to: b, rate: 10 Mbps, delay: 10 ms, buffer: 500 packets,
       marking: {{law: {law}}}}}
sources:
  - {{name: poor, count: 3, from: a, to: b, transport: {{law: wtp, mss: 960 bytes}}}}
  - {{name: rich, count: 3, from: a, to: b, transport: {{law: wtp, mss: 960 bytes}}}}
market:
  epoch: 1 s
  price_per_mark: 0.02 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - name: shop
      role: application-provider
      classes:
        cheap: {{fee: 0.3 money/s, sources: poor}}
        dear: {{fee: 2 money/s, sources: rich}}
"""


@pytest.mark.parametrize("law", ["adaptive-virtual-queue", "load-based"])
def test_a_law_that_marks_slow_users_more_is_named(law: str, tmp_path: Path) -> None:
    """Evenly paced users of two rates: the adaptive virtual queue marks the slow ones more."""
    result = run(scenario_from_text(MARKET.format(law=law)), out=tmp_path / "r")
    pairs = [(one.source, one.other) for one in unequal_marks(result.raw)]
    flows = result.raw.flows.groupby("source")[["ce", "delivered"]].sum()
    shares = flows["ce"] / flows["delivered"]
    if law == "load-based":
        assert pairs == []
        assert shares["poor"] == pytest.approx(shares["rich"], rel=0.06)
    else:
        assert pairs == [("poor", "rich")]
        assert shares["poor"] > 1.1 * shares["rich"]
