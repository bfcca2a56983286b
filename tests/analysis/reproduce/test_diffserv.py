# SPDX-License-Identifier: Apache-2.0
"""Two classes of andreassen2002: thresholds matched by hand, rows of classes by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis.reproduce.andreassen2002.against import matched
from ecnomy.analysis.reproduce.andreassen2002.class_measures import by_class, shares
from ecnomy.analysis.reproduce.andreassen2002.parameters import _loads
from ecnomy.analysis.reproduce.studies import Runs

SECOND = 10**12
THRESHOLDS = np.array([100.0, 200.0, 300.0, 400.0])


@pytest.mark.parametrize(
    ("rates", "wanted", "expected"),
    [
        ([1e-4, 1e-3, 1e-2, 1e-1], 1e-3 * 10**0.5, 250.0),  # half of a decade, half of the interval
        ([1e-4, 1e-3, 1e-2, 1e-1], 1e-3, 200.0),
        ([0.0, 0.0, 1e-2, 1e-1], 0.0, 200.0),  # the largest of equally good values
        ([0.0, 0.0, 1e-2, 1e-1], 2.5e-3, 225.0),  # no logarithm of 0: on the rate itself
        ([1e-3, 1e-2, 2e-2, 1e-1], 1e-4, 100.0),
        ([1e-4, 1e-3, 1e-2, 1e-1], 0.5, 400.0),
        ([1e-4, 1e-2, 1e-3, 1e-1], 1e-3, 300.0),  # if noise crosses twice, the last crossing
    ],
)
def test_a_matched_threshold(rates: list[float], wanted: float, expected: float) -> None:
    """Logarithms are interpolated linearly; at the ends and at zeros the nearest value is used."""
    assert matched(THRESHOLDS, np.array(rates), wanted) == pytest.approx(expected)


def fake_run() -> SimpleNamespace:
    """Ten measured seconds of ten voice and two web packets over a link of 1 Mbit/s."""
    flows = pd.DataFrame(
        {
            "source": ["voice", "web"],
            "delivered": [8, 2],
            "lost": [2, 0],
            "late_0": [3, 1],
            "delivered_bytes": [8 * 86, 2 * 986],
            "delay_sum_ps": [8 * 5 * 10**9, 2 * 20 * 10**9],
        }
    )
    classes = pd.DataFrame(
        {
            "t_ps": [9 * SECOND, 10 * SECOND, 10 * SECOND, 15 * SECOND],
            "class_name": ["voice", "voice", "web", "voice"],
            "departures": [100, 4, 2, 4],
            "departed_bytes": [10**6, 4 * 86, 2 * 986, 4 * 86],
            "delay_sum_ps": [10**15, 4 * 10**9, 2 * 10**10, 12 * 10**9],
            "delay_max_ps": [10**15, 2 * 10**9, 10**10, 5 * 10**9],
        }
    )
    transfers = pd.DataFrame({"start_ps": [11 * SECOND], "end_ps": [13 * SECOND], "complete": [1]})
    link = SimpleNamespace(name="bottleneck", framing_bytes=14, rate_bps=10**6, delay_ps=10**8)
    tables = {"flows": flows, "classes": classes, "transfers": transfers}
    return SimpleNamespace(
        measured=SimpleNamespace(from_ps=10 * SECOND, to_ps=20 * SECOND),
        plan=SimpleNamespace(links=[link]),
        table=lambda name: tables[name],
    )


def test_a_row_of_the_table_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost and late packets count as late; delays are of the measured window, with the service."""
    monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda results: fake_run())
    row = by_class(Path("unused"))
    assert row["voice_late"] == 0.5 and row["voice_lost"] == 0.2 and row["web_late"] == 0.5
    assert row["voice_ms"] == pytest.approx(16 / 8 + 0.1 + 0.8)  # 100 bytes at 1 Mbit/s
    assert row["web_ms"] == pytest.approx(10 + 0.1 + 8)
    assert row["voice_host_ms"] == pytest.approx(5) and row["voice_longest_ms"] == 5
    assert row["web_mbps"] == pytest.approx(2 * 986 * 8 / 10 / 2**20)
    assert row["packet_bytes"] == pytest.approx((8 * 86 + 2 * 986) / 10)
    assert row["download_ms"] == 2000


def test_shares_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares are bytes with Ethernet framing over the link's capacity in ten seconds."""
    monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda results: fake_run())
    expected = {"voice_share": 8 * 100 * 8 / 10**7, "web_share": 2 * 1000 * 8 / 10**7}
    assert shares(Path("unused")) == pytest.approx(expected)


def test_loads_are_in_the_order_of_the_sweep() -> None:
    """The points of overload-sweep.yaml have both loads, almost no voice, or no web."""
    frame = pd.DataFrame(
        {
            "sources.voice.traffic.rate": ["6 Mbps", "1 kbps", "6 Mbps"],
            "sources.web.stop": ["never", "never", "1 s"],
            "replicate": [0, 0, 0],
            "mark": [1.0, 2.0, 3.0],
        }
    )
    loads = _loads(Runs(frame, batches=False, budget=1.0))
    assert {name: runs.sample("mark").tolist() for name, runs in loads.items()} == {
        "both": [1.0],
        "voice_idle": [2.0],
        "web_idle": [3.0],
    }
