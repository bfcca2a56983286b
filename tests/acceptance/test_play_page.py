# SPDX-License-Identifier: Apache-2.0
"""The site's page Play: markets in JavaScript with the engine for browsers.

ECNOMY_SCREENSHOTS=DIR keeps pictures of each scenario: DIR/play-NAME.png, DIR/play-NAME-phone.png.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import browser_engine
from chromium import Tab, in_browser
from ecnomy.markets import load, run
from ecnomy.markets.compile.make import make_plan
from sitegen import play
from sitegen.documents import ROOT
from tiers import full

NODE = shutil.which("node")
LACKING = browser_engine.lacking() or ("" if NODE else "needs Node (node)")
HEAD = '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
PS = 10**12
pytestmark = [
    pytest.mark.browser,
    full,
    pytest.mark.skipif(bool(LACKING), reason=f"the engine for browsers {LACKING}"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the scripts of Play and the site's own style, without Sphinx."""
    folder = tmp_path_factory.mktemp("site")
    play.write_play(folder, browser_engine.build())
    style = (ROOT / "analysis" / "site" / "static" / "site.css").read_text(encoding="utf-8")
    text = play.play_page()
    body = text[text.index("<div id=") : text.index("## What the page runs")]
    (folder / "play").mkdir()
    (folder / "play" / "index.html").write_text(f"{HEAD}<style>{style}</style>{body}", "utf-8")
    return folder


def in_node(site: Path, name: str, duration_s: int) -> dict[str, Any]:
    """The state of the page's market and engine after some seconds of a scenario."""
    scripts = site / "_static" / "play"
    assert NODE is not None
    words = [NODE, Path(__file__).with_name("play_run.js"), scripts / "ecnomy-engine.js"]
    done = subprocess.run(
        [*words, scripts, name, str(duration_s)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize(("name", "duration_s"), [("gold-silver", 100), ("l4s", 6)])
def test_its_market_is_ecnomys(name: str, duration_s: int, site: Path, tmp_path: Path) -> None:
    """With constant charges each flow has the same marks and the same rate, to the packet."""
    page = in_node(site, name, duration_s)
    live = play.LIVE[name]
    example = ROOT / "configs" / "examples" / f"{name}.yaml"
    users = {source.name: source.count for source in make_plan(load(example)).sources}
    counts = [f"sources.{source}.count={users[source]}" for source in live.crowd]
    changes = [*counts, *live.changes, f"duration={duration_s} s", "warmup=0 s"]
    result = run(load(example, overrides=changes), out=tmp_path / "run")
    flows = result.raw.flows
    assert page["t_s"] == duration_s
    on = [row for row, ce in enumerate(page["delivered"]) if ce]
    for column in ("ce", "acked_bytes", "delivered"):
        assert [page[column][row] for row in on] == flows[column][flows.delivered > 0].tolist()


@pytest.mark.parametrize("name", ["switching", "gsp"])
def test_other_agents_act(name: str, site: Path) -> None:
    """Users change carriers; calls are accepted, and a minute's marks cost money."""
    page = in_node(site, name, 120)
    values = page["charts"]
    assert all(math.isfinite(value) for chart in values for value in chart)
    if name == "switching":
        users = values[0]
        assert sum(users) > 0 and min(users) > 0
    else:
        assert values[0][0] > 5 and values[4][0] > 0 and values[4][2] > 0


RUN = "ecnomyPlay.page.run"


def gold_over_silver(tab: Tab) -> float:
    """The ratio of their rates in the last 30 epochs."""
    sums = [f"{RUN}.history[{i}].slice(-30).reduce((a, b) => a + b)" for i in (0, 1)]
    return float(tab.ask(" / ".join(sums)))


@in_browser
def test_a_slider_moves_the_curve(site: Path, tmp_path: Path) -> None:
    """Gold pays four times as much as silver for four times the rate, then equal amounts."""
    with Tab(tmp_path / "profile") as tab:
        tab.size(1280, 900)
        tab.go((site / "play" / "index.html").as_uri())
        tab.wait("document.querySelectorAll('.play-charts polyline').length >= 6")
        print(f"first picture after {tab.ask('performance.now()') / 1000:.1f} s")
        tab.wait(f"{RUN}.market.t_s >= 100")
        assert gold_over_silver(tab) > 2.5
        moved = tab.ask(
            "(() => { const knob = document.querySelector('[name=willing]');"
            " knob.value = 1; knob.dispatchEvent(new Event('input', {bubbles: true}));"
            f" return {RUN}.market.t_s; }})()"
        )
        tab.wait(f"{RUN}.market.t_s >= {moved} + 100")
        assert 0.8 < gold_over_silver(tab) < 1.25
        assert "million per second" in tab.ask("document.querySelector('.play-status').textContent")
        print(tab.ask("document.querySelector('.play-status').textContent"))


@in_browser
def test_it_fits_desk_and_telephone(site: Path, tmp_path: Path) -> None:
    """Each scenario draws all its lines, fits into the window, and fetches nothing."""
    shots = os.environ.get("ECNOMY_SCREENSHOTS")
    with Tab(tmp_path / "profile") as tab:
        for suffix, width, height in (("", 1280, 1000), ("-phone", 390, 844)):
            tab.size(width, height, phone=width < 500)
            tab.go((site / "play" / "index.html").as_uri())
            tab.wait("globalThis.ecnomyPlay?.page !== undefined")
            for name, one in play.LIVE.items():
                tab.ask(f"document.querySelector('[data-name={name}]').click()")
                ready = f"{RUN}.scenario.name === '{name}' && {RUN}.market.t_s >= {one.ahead_s - 1}"
                tab.wait(ready)  # congestion has begun
                lines = tab.ask(f"{RUN}.lines.length")
                drawn = "document.querySelectorAll('.play-charts polyline').length"
                tab.wait(f"{drawn} === {lines}")
                assert tab.ask("document.documentElement.scrollWidth") <= width, (name, width)
                happened = f"{RUN}.history.filter(line => line.some(v => v > 0)).length"
                assert tab.ask(happened) >= lines - 3, name  # nobody may be refused or repaid yet
                if shots:
                    tab.picture(Path(shots) / f"play-{name}{suffix}.png", whole=True)
        fetched = "performance.getEntriesByType('resource').map(one => one.name)"
        assert all(one.startswith("file:") for one in tab.ask(fetched))
