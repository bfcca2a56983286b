# SPDX-License-Identifier: Apache-2.0
"""The layout of `ecnomy report RUN` on a desktop, on a telephone and on paper.

ECNOMY_SCREENSHOTS=DIR keeps pictures of it: DIR/report-run.png, report-run-phone.png.
"""

from __future__ import annotations

import os
from pathlib import Path

from chromium import Tab, in_browser
from ecnomy.analysis.run_report.page import write_run_page
from ecnomy.markets import load, run

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "gold-silver.yaml"


@in_browser
def test_the_page_of_a_run_fits_desk_telephone_and_paper(tmp_path: Path) -> None:
    """There is no overflow at 1280 and 390 px and on A4, and the summary is visible at once."""
    shots = os.environ.get("ECNOMY_SCREENSHOTS")
    run(load(CONFIG), out=tmp_path / "gold-silver-1")
    page = tmp_path / "report.html"
    write_run_page(tmp_path / "gold-silver-1", page, ["ecnomy", "report", "results/gold-silver-1"])
    with Tab(tmp_path / "profile") as tab:
        for name, width, height in (("report-run", 1280, 1000), ("report-run-phone", 390, 844)):
            tab.size(width, height, phone=width < 500)
            tab.go(page.as_uri())
            tab.wait("document.readyState === 'complete' && document.images.length === 1")
            assert tab.ask("document.documentElement.scrollWidth") <= width
            for part in ("h1", ".sentence"):
                box = f"document.querySelector('{part}').getBoundingClientRect()"
                assert 0 <= tab.ask(f"{box}.top") and tab.ask(f"{box}.bottom") <= height, part
            cells = "[...document.querySelectorAll('#paid td')].map(e => e.getBoundingClientRect())"
            assert tab.ask(f"Math.max(...{cells}.map(box => box.right))") <= width
            if shots:
                tab.ask("document.querySelector('#money').scrollIntoView()")
                tab.picture(Path(shots) / f"{name}.png")
        tab.size(703, 1000)  # A4 less its margins
        tab.media("print")
        shown = "document.querySelector('pre').checkVisibility({contentVisibilityAuto: true})"
        tab.wait(shown)
        assert tab.ask("document.documentElement.scrollWidth") <= 703
