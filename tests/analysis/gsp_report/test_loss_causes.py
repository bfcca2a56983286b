# SPDX-License-Identifier: Apache-2.0
"""The page's reasons for a loss, the calls' delays, and the terms; figures by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis.gsp_report import loss_causes
from ecnomy.analysis.gsp_report.loss_causes import Queueing
from ecnomy.analysis.gsp_report.page import write_gsp_page
from guarantee_world import LEDGER, PROFIT_MICRO, write_run
from page_reader import PageReader

pytestmark = pytest.mark.usefixtures("undrawn")
RENT_MICRO = 900_000


def _losing(home: Path) -> Path:
    rent = (59, "gsp", "isp", RENT_MICRO, "fixed-cost", -1, 1)
    return write_run(home, ledger=[*LEDGER, rent], balance_micro=PROFIT_MICRO - RENT_MICRO)


def test_a_losing_provider_s_page_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page explains a loss by costs, promises and the buffer, with possible remedies."""
    full = Queueing("trunk", 20_000_000, 1500, 42, 42 * 1500 * 8 / 20e6, 0.005)
    monkeypatch.setattr(loss_causes, "queueing_of", lambda made, tariff: full)
    write_gsp_page([_losing(tmp_path)], tmp_path / "page.html", [])
    words = " ".join(PageReader(tmp_path / "page.html").words.split())
    text = words[words.index("Why it may lose money", words.index("Glossary")) :]
    assert "A call sold brings 0.150 and costs 0.225 of fixed costs, 0.0175 paid back" in text
    assert "1 promise was broken, of 3 calls that ended. 1.3 % of the packets" in text
    assert "A full buffer of trunk (42 packets of 1,500 bytes at 20 Mbps) delays a packet" in text
    assert "by 25.2 ms. The promise was 15 ms. Without a queue, a packet takes 5 ms of it; " in text
    assert "16 queued packets use up the rest." in text  # 10 ms of 20 Mbps: 16.7 packets
    assert "Price: a mean price of" in text
    assert "no period made a loss on calls alone" in text


def test_the_buffer_is_that_of_the_plan(tmp_path: Path) -> None:
    """The delay of a full buffer is its bytes over the rate of the calls' link."""
    write_gsp_page([_losing(tmp_path)], tmp_path / "page.html", [])
    words = " ".join(PageReader(tmp_path / "page.html").words.split())
    matched = re.search(r"buffer of bottleneck \(60 packets of ([\d,]+) bytes at 10 Mbps\)", words)
    assert matched is not None
    full_ms = 60 * int(matched[1].replace(",", "")) * 8 / 10e6 * 1000
    assert f"delays a packet by {full_ms:.3g} ms. The promise was 15 ms. Without a queue" in words
    assert "a packet takes 10.8 ms of it; " in words


def test_a_provider_that_earns_has_no_such_section(tmp_path: Path) -> None:
    """Without a loss there is no explanation, but the terms still end the page."""
    write_gsp_page([write_run(tmp_path)], tmp_path / "page.html", [])
    reader = PageReader(tmp_path / "page.html")
    assert "gsp-why" not in reader.ids
    assert {"term", "meaning"} == set(reader.tables["glossary-table"][0])
    assert reader.ids.index("glossary") > reader.ids.index("prelude")


def test_delays_of_calls_are_drawn_against_the_promise(tmp_path: Path) -> None:
    """The curve is the share of ended calls above each mean delay, from the table calls."""
    folder = write_run(tmp_path)
    calls = pd.read_parquet(folder / "calls.parquet")
    mean_ms = np.array([4, 20, 0, 0, 0, 99])  # the call of 99 ms is in progress: not drawn
    calls = calls.assign(delivered=calls["sent"] - calls["lost"])
    calls["delay_sum_ps"] = mean_ms * calls["delivered"] * 10**9
    calls.to_parquet(folder / "calls.parquet", index=False)
    write_gsp_page([folder], tmp_path / "page.html", [])
    reader = PageReader(tmp_path / "page.html")
    assert "50 % of 2 calls above 15 ms" in reader.pictures["gsp-delays"]
    rows = reader.files["gsp-delays.csv"][1:]
    assert [float(rows[i][2]) for i in (0, 50, 100)] == pytest.approx([4, 12, 20])
    assert [float(rows[i][1]) for i in (0, 50, 100)] == pytest.approx([1, 0.5, 0])
