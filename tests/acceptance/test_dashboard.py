# SPDX-License-Identifier: Apache-2.0
"""The live page in a headless Chromium: its knobs act on the running market.

ECNOMY_SCREENSHOTS=DIR keeps pictures of it: DIR/dashboard.png and DIR/dashboard-phone.png.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chromium import Tab, in_browser
from processes import LIMIT_S, line_of, started, wait_for

NEEDED = ("solara", "altair", "solara_assets")  # without the last one the page comes from a CDN
LACKING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(
    bool(LACKING), reason=f"no {', '.join(LACKING)}: pip install 'ecnomy[dashboard]'"
)
ROOT = Path(__file__).parents[2]
LIVE = ROOT / "configs/examples/live.yaml"
SERVE = "import faulthandler, signal; faulthandler.register(signal.SIGUSR1); "
SERVE += "import typer; from ecnomy.analysis.dashboard.command import dashboard_command as c; "
SERVE += "typer.run(c)"
SLOW = "import time; from ecnomy.analysis.dashboard import page; table = page.accounts_table; "
SLOW += "page.accounts_table = lambda accounts: (time.sleep(0.4), table(accounts))[1]; "
PLAY = "\N{BLACK RIGHT-POINTING TRIANGLE}"
TIME = "+document.querySelector('[data-figure=time]')?.dataset.value"
BLOCKS = ".v-toolbar, .v-navigation-drawer, .v-navigation-drawer .v-card, .v-overlay__scrim, "
BLOCKS += ".v-dialog, .ec-head, .ec-card, .ec-card h2, .ec-card img, .ec-card button, .ec-list, "
BLOCKS += (
    ".ec-set, .ec-facts, .ec-table, .v-navigation-drawer button, .v-navigation-drawer .v-input"
)
COVERED = """(() => {
  const shown = [...document.querySelectorAll("BLOCKS")].filter(e => e.checkVisibility(
    {visibilityProperty: true, opacityProperty: true}) && e.getBoundingClientRect().width > 1);
  const name = e => e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 20);
  const found = [];
  shown.forEach((a, i) => shown.slice(i + 1).forEach(b => {
    if (a.contains(b) || b.contains(a)) return;
    const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
    const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (wide > 1 && high > 1) found.push(name(a) + " and " + name(b));
  }));
  return shown.length < 20 ? ["only " + shown.length + " blocks"] : found;
})()""".replace("BLOCKS", BLOCKS)
PLANTED = {  # style sheets that let a block cover another, and the width from which they do
    ".v-navigation-drawer { margin-left: 200px !important }": 960,  # as with ipyvuetify 3
    ".ec-board { margin-top: -60px }": 0,
    ".ec-load { margin-top: -60px }": 0,
}
BUTTONS = "[...document.querySelectorAll('button')].map(b => b.textContent.trim()).join(' | ')"
LOST_S = 15.0  # a silent page may return before that
CLICKED_S = 30.0  # until a click takes effect, or is lost
RENDER = '.v-navigation-drawer .v-card [role=slider][aria-valuemax="100"]'  # epochs per click


@pytest.fixture
def server(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The page's server, and its address; its errors are in `capfd`."""
    with _serving(SERVE) as served:
        yield served


@contextlib.contextmanager
def _serving(code: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    paths = os.pathsep.join(path for path in sys.path if path)
    words = [sys.executable, "-c", code, str(LIVE), "--port", "0"]
    environ = os.environ | {"PYTHONPATH": paths}
    with started(words, stdout=subprocess.PIPE, env=environ) as process:
        yield process, line_of(process).split()[0]


def _engines(parent: int) -> list[int]:
    """Engine processes that are children of this one, including zombies."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                name, _, rest = (entry / "stat").read_text().rpartition(") ")
                if "ecnomy-engine" in name and int(rest.split()[1]) == parent:
                    found.append(int(entry.name))
    return found


class _Board:
    """The page as a user operates it."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab

    def figure(self, name: str) -> float:
        """Return a figure on the page, in base units."""
        script = f"document.querySelector('[data-figure=\"{name}\"]')?.dataset.value"
        return float(self.tab.wait(script))

    def mean(self, name: str) -> float:
        """Mean of a figure over five clicks: it is of one epoch, perhaps of the previous click."""
        found = []
        for _ in range(5):
            self.step(1)
            found.append(self.figure(name))
        return sum(found) / len(found)

    def click(self, words: str, within: str = "body") -> None:
        """Clicks a button by its text, as soon as it is enabled."""
        button = f"[...document.querySelectorAll('{within} button')].find("
        button += f"b => b.textContent.trim() === '{words}' && !b.disabled)"
        self.tab.wait(f"!!{button}")
        self.tab.ask(f"{button}.click()")

    def slide(self, slider: str, steps: int) -> None:
        """Moves a slider up by keys, each after the previous one has arrived."""
        find = f"[...document.querySelectorAll('{slider}')]"
        for _ in range(steps):
            at = f"+{find}[0].getAttribute('aria-valuenow')"
            before = self.tab.ask(at)
            self.tab.ask(f"{find}[0].focus()")
            self.tab.press("ArrowRight")
            self.tab.wait(f"{at} > {before}")

    def step(self, epochs: int) -> None:
        """Steps at least this number of epochs, click by click."""
        end = self.figure("time") + epochs
        while (now := self.figure("time")) < end:
            self.click("Step")
            self.tab.wait(f"{TIME} > {now}")


@in_browser
def test_knobs_act_on_the_market_that_runs(
    server: tuple[subprocess.Popen[str], str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Gold raises silver's rate, dearer marks lower use; resets and closed tabs end engines."""
    process, url = server
    with Tab(tmp_path / "profile", LIMIT_S) as tab:
        board = _Board(tab)
        tab.size(1280, 900)
        tab.go(url)
        assert board.figure("time") == 0
        board.slide(RENDER, 16)
        board.step(40)
        _service(board)
        _price(board)
        _pictures(board)
        _play(board, process)
        for _ in range(2):
            board.click("Reset")
            tab.wait(f"{TIME} === 0")
            used = "document.querySelector('[data-figure=\"utilization north-net\"]')"
            tab.wait(f"+{used}.dataset.value === 0")
            tab.wait("document.querySelector('.ec-held') === null")  # nothing is held any more
            board.step(1)
        _left(process.pid, 1)  # the one of the open market
        tab.go("about:blank")
        _left(process.pid, 0)
        tab.go(url)
        assert board.figure("time") == 0
        _left(process.pid, 1)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)  # interrupted the shutdown, with a traceback
        assert process.wait(LIMIT_S) in (0, 130)
        assert "Traceback" not in capfd.readouterr().err


@in_browser
def test_no_block_covers_another(server: tuple[subprocess.Popen[str], str], tmp_path: Path) -> None:
    """Blocks do not overlap on a telephone and two desktops, and planted overlaps are found."""
    _, url = server
    with Tab(tmp_path / "profile", LIMIT_S) as tab:
        board = _Board(tab)
        tab.size(1280, 900)
        tab.go(url)
        for epochs in (0, 5):
            board.step(epochs)
            for width, height in ((390, 844), (1280, 900), (1920, 1080)):
                tab.size(width, height, phone=width < 600)
                tab.wait(f"innerWidth === {width}")
                time.sleep(1.0)  # the drawer moves
                assert tab.ask(COVERED) == []
                for style, least in PLANTED.items():
                    tab.ask(
                        "document.head.insertAdjacentHTML('beforeend', "
                        f"'<style id=planted>{style}</style>')"
                    )
                    time.sleep(0.5)
                    assert bool(tab.ask(COVERED)) == (width >= least), (width, style)
                    tab.ask("document.getElementById('planted').remove()")
                    time.sleep(0.5)
        assert "Use Threads" not in tab.ask("document.body.textContent")


@in_browser
def test_an_engine_ends_with_its_page(
    server: tuple[subprocess.Popen[str], str], tmp_path: Path
) -> None:
    """The engine of a closed page ends at once, that of a lost one after 15 s."""
    process, url = server
    with Tab(tmp_path / "profile", LIMIT_S) as tab:
        board = _Board(tab)
        tab.go(url)
        board.step(3)
        assert len(_engines(process.pid)) == 1
        tab.send("Page.close")
        wait_for(lambda: not _engines(process.pid), "the engine of a closed page", 14)
    with Tab(tmp_path / "another", LIMIT_S) as tab:
        tab.go(url)
        assert _Board(tab).figure("time") == 0
        tab.kill()
        wait_for(lambda: not _engines(process.pid), "the engine of a lost page", LOST_S + 5)


@in_browser
def test_knobs_act_while_it_plays_and_is_slow_to_draw(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Knobs act even if pictures are drawn slowly, and Ctrl-C ends the server."""
    with _serving(SLOW + SERVE) as (process, url), Tab(tmp_path / "profile", LIMIT_S) as tab:
        board = _Board(tab)
        tab.go(url)
        board.click(PLAY)
        for name in ("gold", "silver", "gold"):
            tab.wait(f"{TIME} > {board.figure('time') + 3}")
            board.click(name, ".ec-group-1")
            tab.wait("document.querySelector('.ec-group-1 .ec-held') !== null")
        tab.wait(f"{TIME} > {board.figure('time') + 3}")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in (0, 130)
    assert "Traceback" not in capfd.readouterr().err


def _service(board: _Board) -> None:
    before = board.mean("rate silver")
    board.click("gold", ".ec-group-1")
    board.tab.wait("document.querySelector('.ec-group-1 .ec-held') !== null")
    board.step(30)
    assert board.mean("rate silver") > 1.3 * before
    assert board.figure("fee silver") == pytest.approx(16)


def _price(board: _Board) -> None:
    before = board.mean("utilization north-net")
    board.slide(".ec-carrier-0 [role=slider]", 7)
    board.tab.wait("document.querySelector('.ec-carrier-0 .ec-held') !== null")
    board.step(30)
    assert board.mean("utilization north-net") < before - 0.05


def _play(board: _Board, process: subprocess.Popen[str]) -> None:
    """Play until the market is paused; a failure shows the page's text and all stacks.

    On busy machines a first click has twice had no effect, without a message on standard error. A
    user would click again.
    """
    plays = f"{TIME} > {board.figure('time')}"
    board.click(PLAY)
    try:
        try:
            board.tab.wait(plays, CLICKED_S)
        except AssertionError:
            if PLAY in board.tab.ask(BUTTONS):
                board.click(PLAY)
            board.tab.wait(plays)
    except AssertionError:
        process.send_signal(signal.SIGUSR1)
        print(board.tab.ask(BUTTONS), board.tab.ask("document.body.innerText"))
        time.sleep(1.0)  # the stacks go to standard error
        raise
    board.click("\N{HEAVY VERTICAL BAR}" * 2)
    board.tab.wait(
        "!![...document.querySelectorAll('button')].find("
        "b => b.textContent.trim() === 'Step' && !b.disabled)"
    )


def _left(parent: int, count: int) -> None:
    """The number of engines is soon `count`, and still is later."""
    wait_for(lambda: len(_engines(parent)) == count, f"{count} engines")
    time.sleep(1.0)
    assert len(_engines(parent)) == count


def _pictures(board: _Board) -> None:
    """Nothing is wider than the page on a desktop and on a telephone."""
    folder = os.environ.get("ECNOMY_SCREENSHOTS")
    for name, width, height in (("dashboard", 1280, 1400), ("dashboard-phone", 390, 1700)):
        board.tab.size(width, height, phone=width < 600)
        time.sleep(2)
        board.tab.ask("document.querySelector('.ec-head').scrollIntoView({block: 'center'})")
        board.tab.ask("window.scrollTo(0, 0)")
        wide = "Math.max(...[...document.querySelectorAll('.ec-card, .ec-head, .ec-card *')]"
        wide += ".map(e => e.getBoundingClientRect().right))"
        assert board.tab.ask(wide) <= width + 1
        if folder:
            board.tab.picture(Path(folder) / f"{name}.png")
    board.tab.size(1280, 900)
