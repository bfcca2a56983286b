# SPDX-License-Identifier: Apache-2.0
"""The headline of a provider's page names the marking law with the higher profit."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from ecnomy.analysis.gsp_report.page import write_gsp_page
from guarantee_world import LEDGER, PROFIT_MICRO, write_run
from page_reader import PageReader, answers_of

pytestmark = pytest.mark.usefixtures("undrawn")
LAWS = ({"law": "red", "max_threshold": "42 packets"}, {"law": "rem"})
RENT_MICRO = 300_000  # the loss of profit under REM, per run of a minute


def _run(home: Path, law: dict[str, str], seed: int, less_micro: int = 0, title: str = "") -> Path:
    """A run with the provider of guarantee_world.py and a law."""
    home.mkdir()
    rent = [(59, "gsp", "isp", less_micro, "fixed-cost", -1, 1)] if less_micro else []
    folder = write_run(home, ledger=LEDGER + rent, balance_micro=PROFIT_MICRO - less_micro)
    manifest = msgspec.json.decode((folder / "manifest.json").read_bytes())
    links = [{"name": "access", "marking": {"law": "drop-tail"}}, {"name": "trunk", "marking": law}]
    manifest["scenario"] |= {"network": {"links": links}, "title": title}
    manifest["seed"] = seed
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return folder


def test_the_law_that_leaves_more_stands_in_the_headline(tmp_path: Path) -> None:
    """The headline names the law with more profit, with figures and the paired difference."""
    runs = [
        _run(tmp_path / f"{law['law']}-{seed}", law, seed, seed * k + i * RENT_MICRO, law["law"])
        for i, law in enumerate(LAWS)
        for seed, k in ((1, 0), (2, 7))
    ]
    page = write_gsp_page(runs, tmp_path / "page.html", [])
    shown = page.answers[0]
    title = "Of both marking laws, red leaves the most money."
    assert shown.laws.title == title and shown.line.endswith(f". {title}")
    reader = PageReader(tmp_path / "page.html")
    cells = shown.laws.words.parts
    text = "".join(cell.text for cell in cells)
    assert text.startswith("Money per hour by marking law: red 31.0 [")
    assert "red leaves 18.0 [18.0, 18.0] more than rem (" in text
    assert f"{title}</h1>" in (tmp_path / "page.html").read_text()
    given = answers_of(reader)
    lead = next(
        cell for cell, before in zip(cells[1:], cells, strict=False) if "leaves" in before.text
    )
    assert given[lead.query][0][0] == pytest.approx(60 * RENT_MICRO / 1e6)
    assert "2 paired seeds" in text


def test_each_law_has_its_account(tmp_path: Path) -> None:
    """Accounts agree with the ledger of a run of one minute, in money per hour; sum is profit."""
    runs = [_run(tmp_path / law["law"], law, 1, i * RENT_MICRO) for i, law in enumerate(LAWS)]
    page = write_gsp_page(runs, tmp_path / "page.html", [])
    (table,) = next(s for s in page.sections if s.id == "gsp-by-law").blocks
    found = {row[0].text: [cell.value for cell in row[1:]] for row in table.rows}
    assert list(found) == ["red", "rem"]
    revenue = sum(row[3] for row in LEDGER if row[2] == "gsp" and row[4] == "call")
    refunds = sum(row[3] for row in LEDGER if row[1] == "gsp" and row[4] == "reimbursement")
    for law, less in (("red", 0), ("rem", RENT_MICRO)):
        sold, received, back, others, profit, _ = found[law]
        assert received == pytest.approx(60 * revenue / 1e6)
        assert back == pytest.approx(-60 * refunds / 1e6)
        assert profit == pytest.approx(60 * (PROFIT_MICRO - less) / 1e6)
        assert received + back + others == pytest.approx(profit)
        assert sold == 60 * sum(row[4] == "call" for row in LEDGER)


def test_runs_of_one_law_have_no_such_headline(tmp_path: Path) -> None:
    """Seeds of one scenario do not compare laws; one seed per law is not called certain."""
    same = [_run(tmp_path / f"same-{seed}", LAWS[0], seed) for seed in (1, 2)]
    assert write_gsp_page(same, tmp_path / "page.html", []).answers[0].laws is None
    assert "gsp-by-law" not in (tmp_path / "page.html").read_text()
    one = [_run(tmp_path / law["law"], law, 1, i) for i, law in enumerate(LAWS)]
    laws = write_gsp_page(one, tmp_path / "page.html", []).answers[0].laws
    assert laws.title.endswith("red leaves the most money; its lead over rem is not certain.")


def test_without_common_seeds_a_lead_needs_intervals_apart(tmp_path: Path) -> None:
    """The best law's interval begins above the other's mean, but below the end of its interval."""
    less = ((0, 1, 0), (0, 2, 1_000), (1, 3, 20_000), (1, 4, 100_000))
    runs = [_run(tmp_path / f"{seed}", LAWS[law], seed, micro) for law, seed, micro in less]
    laws = write_gsp_page(runs, tmp_path / "page.html", []).answers[0].laws
    values = [cell.value for cell in laws.words.parts if cell.value is not None]
    (_, low, _), (mean, _, high) = values[:3], values[3:6]
    assert mean < low < high, values
    assert laws.title.endswith("red leaves the most money; its lead over rem is not certain.")
