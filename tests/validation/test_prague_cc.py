# SPDX-License-Identifier: Apache-2.0
"""Prague beside the reference implementation of its authors, step by step (prague_cc.csv).

prague_cc of udp_prague and Linux's tcp_prague differ in one rule, which the tests isolate. The law
follows tcp_prague: a reduction takes a round trip, and if a mark arrives in a round trip before 25
ms have passed since the last reduction, no mark of this round trip reduces the window. In
prague_cc, the first mark after 25 ms reduces it. The rule has no effect on round trips of 25 ms and
more. prague_cc also grows faster after seven round trips without a mark, at rates above 12 Mbps
only; the table has no such case.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from law_api import Laws, load_module
from law_build import build_module
from oracle_prague import PragueOracle

TABLE: Final = Path(__file__).with_name("prague_cc.csv")
US: Final = 10**6  # ps
# Without the transition of tcp_prague, its halving at the first mark, and the fallback.
VALUES: Final = [0.0625, 0.025, 0.0, 0.0, 0.0, 0.0]
LARGEST: Final = 1e9
TARGET_US: Final = 25_000


class Case(NamedTuple):
    """A constant round trip, rate and share of marks."""

    rtt_us: int
    packets_per_s: int
    marked_permille: int

    @property
    def flight(self) -> int:
        return self.rtt_us * self.packets_per_s // 10**6

    def marks(self) -> Iterator[int]:
        """1 for each packet that is marked, else 0."""
        state = 1
        while True:
            state = (1664525 * state + 1013904223) % 2**32
            yield int((state >> 16) % 1000 < self.marked_permille)

    def path(self, acked: int) -> tuple[int, int, int, int, int, int, bool]:
        """The sender's view after this many ACKs."""
        now = 1 + self.rtt_us + acked * 10**6 // self.packets_per_s
        rtt = self.rtt_us * US
        return now * US, rtt, rtt, acked, acked + self.flight, self.flight, False

    @property
    def start(self) -> tuple[float, float, float, float]:
        return float(self.flight), float(self.flight), 1 / 64, LARGEST


class Sooner(PragueOracle):
    """tcp_prague with prague_cc's rule: a mark that may not reduce the window changes nothing."""

    def enter_cwr(self) -> None:
        if self.due(self.cwr_at):
            super().enter_cwr()


def table() -> dict[Case, dict[int, float]]:
    """For each case, packets acknowledged -> window in packets."""
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    windows: dict[Case, dict[int, float]] = {}
    for row in csv.DictReader(lines):
        case = Case(*(int(row[k]) for k in Case._fields))
        windows.setdefault(case, {})[int(row["acked"])] = float(row["window_packets"])
    return windows


@pytest.fixture(scope="module")
def laws() -> Laws:
    return load_module(build_module())


def of_law(laws: Laws, case: Case, acks: int) -> list[float]:
    """The law's window after each ACK."""
    law, window, windows = laws.window("prague", VALUES), case.start, [0.0]
    law.see((US, 0, 0, 0, case.flight, case.flight, False))
    window = law.begin(window)
    for acked, mark in zip(range(1, acks + 1), case.marks(), strict=False):
        law.see(case.path(acked))
        window = law.on_ack(law.on_rtt(window, case.rtt_us * US), 1, mark)
        windows.append(window[0])
    return windows


def of_variant(case: Case, acks: int) -> list[float]:
    """The window of tcp_prague with prague_cc's rule after each ACK."""
    oracle, windows = Sooner(case.start, *VALUES), [0.0]
    oracle.see((US, 0, 0, 0, case.flight, case.flight, False))
    oracle.begin()
    for acked, mark in zip(range(1, acks + 1), case.marks(), strict=False):
        oracle.see(case.path(acked))
        oracle.rtt(case.rtt_us * US)
        oracle.ack(1, mark)
        windows.append(float(oracle.cwnd))
    return windows


def worst(ours: list[float], theirs: dict[int, float]) -> float:
    """The largest relative difference of the windows."""
    return max(abs(ours[acked] / window - 1) for acked, window in theirs.items())


def test_windows_agree_where_the_rules_do(laws: Laws) -> None:
    """Every window is within 1 % on round trips of 25, 60 and 120 ms."""
    cases = {case: rows for case, rows in table().items() if case.rtt_us >= TARGET_US}
    assert len(cases) == 9
    for case, rows in cases.items():
        assert worst(of_law(laws, case, max(rows)), rows) < 0.01, case


def test_the_rule_of_short_round_trips_explains_the_rest(laws: Laws) -> None:
    """On 5 to 20 ms the windows agree with the rule of prague_cc, and differ without it."""
    cases = {case: rows for case, rows in table().items() if case.rtt_us < TARGET_US}
    assert len(cases) == 9
    without = []
    for case, rows in cases.items():
        assert worst(of_variant(case, max(rows)), rows) < 0.02, case
        without.append(worst(of_law(laws, case, max(rows)), rows))
    assert max(without) > 0.2
