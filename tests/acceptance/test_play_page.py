# SPDX-License-Identifier: Apache-2.0
"""The page Play in a headless Chromium, opened from the disk: first picture, sliders, charts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import browser_engine
from chromium import Tab, in_browser
from sitegen.play import LIVE, play_page, write_play

FIRST_PICTURE_S, RESPONSE_S = 5.0, 1.0
LACKING = browser_engine.lacking()
pytestmark = pytest.mark.skipif(bool(LACKING), reason=f"the engine for browsers {LACKING}")
DRAWN = "document.querySelectorAll('#play-market polyline').length > 3"
MOVE = """
(() => {
  const input = document.querySelector("input[name=willing]");
  input.value = input.max;
  input.dispatchEvent(new Event("input"));
  return ecnomyPlay.page.run.market.t_s;
})()
"""
# The mean rate of a gold customer in the last epochs, Mbit/s.
RATE = "(() => {{ const run = ecnomyPlay.page.run, values = run.of(run.view.charts[0])[0]; "
RATE += "return values.slice(-{last}).reduce((sum, one) => sum + one, 0) / {last}; }})()"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """A browser with the page, opened."""
    site = tmp_path_factory.mktemp("site")
    write_play(site, browser_engine.build())
    html = play_page().rpartition("---\n")[2]
    page = site / "play" / "index.html"
    page.parent.mkdir()
    page.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{html}", encoding="utf-8")
    with Tab(tmp_path_factory.mktemp("profile")) as one:
        one.size(1280, 900)
        one.go(page.as_uri())
        one.wait(DRAWN)
        yield one


@in_browser
def test_the_first_picture_comes_within_seconds(tab: Tab) -> None:
    """By the clock of the page, from its load to the first epoch on a chart."""
    tab.wait("ecnomyPlay.page.run.times.length > 0")
    assert tab.ask("ecnomyPlay.page.first_ms") < 1000 * FIRST_PICTURE_S


@in_browser
def test_a_slider_moves_the_curve_within_a_second(tab: Tab) -> None:
    """Gold that pays twice as much sends faster, in the picture a second later."""
    tab.wait("ecnomyPlay.page.run.market.t_s > 100")
    before = tab.ask(RATE.format(last=20))
    at_s = tab.ask(MOVE)
    speed = LIVE["gold-silver"].speed
    tab.wait(f"ecnomyPlay.page.run.market.t_s >= {at_s + RESPONSE_S * speed}")
    assert tab.ask(RATE.format(last=4)) > 1.08 * before


@in_browser
@pytest.mark.parametrize("name", LIVE)
def test_each_scenario_runs(name: str, tab: Tab) -> None:
    """Without a failure, with a finite value on the first line of every chart."""
    tab.ask(f"document.querySelector('[data-name={name}]').click()")
    tab.wait(f"ecnomyPlay.page.run.market.t_s >= {LIVE[name].ahead_s - 1} && {DRAWN}")
    assert "simulated" in tab.ask("document.querySelector('.play-status').textContent")
    values = "run.of(chart)[0].slice(-1)[0]"
    check = f"(run => run.view.charts.every(chart => Number.isFinite({values})))"
    assert tab.ask(f"{check}(ecnomyPlay.page.run)")
