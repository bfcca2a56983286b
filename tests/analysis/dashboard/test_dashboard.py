# SPDX-License-Identifier: Apache-2.0
"""The live page without a browser, against reports, books and the engine."""

from __future__ import annotations

import asyncio
import importlib.util
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import open_world
from ecnomy.agents.errors import InputError
from ecnomy.analysis.dashboard import command, page_text
from ecnomy.analysis.dashboard.access import Guard
from ecnomy.analysis.dashboard.figures import AccountState
from ecnomy.analysis.dashboard.groups import CLASS, NONE, PAY, groups_of
from ecnomy.analysis.dashboard.held_values import stops
from ecnomy.analysis.dashboard.live import LiveMarket, Stage
from ecnomy.analysis.dashboard.map_and_history import WIDE, history_svg, map_svg, place_of
from ecnomy.markets.scenario import load
from engine_pids import noted_pids

LIVE = Path(__file__).parents[3] / "configs/examples/live.yaml"


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Process ids of the engines in the order of their starts."""
    return noted_pids(monkeypatch)


@pytest.fixture
def stage() -> Any:
    """A stage for the example scenario, which is closed at the end of the test."""
    stage = Stage(load(LIVE), "builtin")
    yield stage
    stage.close()


def _stepped(live: LiveMarket, count: int) -> None:
    for _ in range(count):
        live.step()
    assert not live.failure


def test_groups_and_their_knobs(stage: Stage) -> None:
    """Groups get classes if these are sold, payment if marks steer them, else no knob."""
    live = LiveMarket(stage, 1)
    assert [(g.name, g.knob, g.flows) for g in live.groups] == [
        ("gold", CLASS, 2),
        ("silver", CLASS, 4),
        ("backup", PAY, 3),
        ("surfers", NONE, 10),
    ]
    assert live.groups[0].classes == ("silver", "gold")  # the cheapest first


def test_sources_of_a_group_are_one(tmp_path: Path) -> None:
    """Sources with the same `group` in the scenario form one group."""
    path = tmp_path / "grouped.yaml"
    extra = "sources: [{name: gold, group: films}, {name: silver, group: films}]"
    agent = "market: {agents: [{name: film-lovers, sources: [films]}]}"
    path.write_text(f"extends: {LIVE}\n{extra}\n{agent}\n", encoding="utf-8")
    stage = Stage(load(path), "builtin")
    try:
        groups = groups_of(stage.scenario, stage.open(1))
        assert [g.name for g in groups] == ["films", "backup", "surfers"]
        assert groups[0].sources == ("gold", "silver") and groups[0].flows == 6
    finally:
        stage.close()


def test_numbers_are_differences_of_reports_and_books(stage: Stage) -> None:
    """Rates, marks, money and use of the last five seconds, recomputed from two reports."""
    live = LiveMarket(stage, 1)
    _stepped(live, 7)
    market, then = live.market, live.market.report
    assert then is not None
    books = market.ledger.balances_micro
    _stepped(live, 5)
    now, state = market.report, live.watch.last
    assert now is not None and (state.t_s, state.window_s) == (12, 5)
    for group, rows in zip(state.groups, ((0, 2), (2, 6), (6, 9), (9, 19)), strict=True):
        mine = slice(*rows)
        bytes_ = (now.flows["acked_bytes"] - then.flows["acked_bytes"])[mine].sum()
        marks = (now.flows["ce"] - then.flows["ce"])[mine].sum()
        assert group.goodput_bps == pytest.approx(8 * bytes_ / 5)
        assert group.marks_per_s == pytest.approx(marks / 5)
        assert group.charge_per_s == pytest.approx(0.1 * marks / 5)
    assert [g.fee_per_s for g in state.groups] == pytest.approx([8, 4, 0, 0])
    change = (market.ledger.balances_micro - books) / 5e6
    assert [a.change_per_s for a in state.accounts] == pytest.approx(change.tolist())
    assert sum(a.balance for a in state.accounts) == pytest.approx(0, abs=1e-6)
    town = [link.name for link in market.plan.links].index("town-line")
    busy = (now.links["busy_ps"] - then.links["busy_ps"])[town] / 5e12
    north = state.carriers[0]
    assert (north.name, north.link) == ("north-net", "town-line")
    assert north.utilization == pytest.approx(busy, abs=0.002)
    assert north.marks_per_s == pytest.approx(
        (now.links["marks"] - then.links["marks"])[town] / 5, abs=1
    )


def test_gold_for_silver_raises_its_rate(stage: Stage) -> None:
    """The rate of silver then equals gold's, and silver pays the gold fee."""
    live = LiveMarket(stage, 1)
    _stepped(live, 40)
    before = live.watch.last.groups[1].each_bps
    live.hand.service["silver"] = "gold"
    _stepped(live, 30)
    gold, silver = live.watch.last.groups[:2]
    assert silver.service == "gold" and silver.each_bps > 1.5 * before
    assert silver.each_bps == pytest.approx(gold.each_bps, rel=0.35)
    assert silver.fee_per_s == pytest.approx(16)


def test_a_dearer_mark_lowers_use_and_holds(stage: Stage) -> None:
    """The utilisation of that carrier's link falls, and that of the other's stays."""
    live = LiveMarket(stage, 1)
    _stepped(live, 40)
    before = [c.utilization for c in live.watch.last.carriers]
    live.hand.price_micro["north-net"] = 500_000
    _stepped(live, 30)
    north, south = live.watch.last.carriers
    assert north.price_micro == 500_000 and south.price_micro == 100_000
    assert north.utilization < before[0] - 0.05
    assert south.utilization == pytest.approx(before[1], abs=0.05)


def test_load_and_payment(stage: Stage) -> None:
    """Two of three flows fall silent. The third pays four times as much and gets more."""
    live = LiveMarket(stage, 1)
    _stepped(live, 20)
    before = live.watch.last.groups[2]
    assert (before.active, before.pay_micro) == (3, 1_000_000)
    live.hand.load["backup"], live.hand.pay_micro["backup"] = 0.34, 4_000_000
    _stepped(live, 20)
    after = live.watch.last.groups[2]
    assert (after.active, after.pay_micro) == (1, 4_000_000)
    assert after.each_bps > 1.5 * before.each_bps
    live.hand.load.clear()
    live.hand.load["backup"] = 1.0
    _stepped(live, 2)
    assert live.watch.last.groups[2].active == 3


def test_a_reset_ends_the_engine_before(stage: Stage, engines: list[int]) -> None:
    """After two resets one of three engines is left, and none once the page is closed."""
    live = LiveMarket(stage, 1)
    for seed in (1, 2):
        _stepped(live, 2)
        old, live = live, LiveMarket(stage, seed)
        old.step()  # of a closed market: nothing happens
        assert (live.steps, old.steps, old.failure) == (0, 2, "")
    assert len(engines) == 3
    assert [open_world.there(pid) for pid in engines] == [False, False, True]
    stage.close()
    assert not any(open_world.there(pid) for pid in engines)
    assert not live.running  # a thread that plays a closed page ends


def test_steps_that_come_too_late_do_nothing(stage: Stage) -> None:
    """A playing thread that sleeps during a reset takes no step on the new market."""
    live = [LiveMarket(stage, 1)]
    stepped = threading.Event()

    def play() -> None:
        live[0].step()
        stepped.set()
        time.sleep(0.3)
        for _ in range(17):  # like Mesa's thread that wakes after a pause
            live[0].step()

    player = threading.Thread(target=play)
    player.start()
    assert stepped.wait(60)
    old, live[0] = live[0], LiveMarket(stage, 1)
    player.join(60)
    assert live[0].steps == 0
    assert old.running  # Mesa's buttons follow the last state that its thread saw
    live[0].step()
    assert live[0].steps == 1


def test_a_step_waits_for_the_picture_before(stage: Stage) -> None:
    """A thread that plays while another one draws does not request endless pictures."""
    live = LiveMarket(stage, 1)
    live.requested_picture = lambda: 3
    live.drawn.done(2)
    player = threading.Thread(target=live.step)
    player.start()
    player.join(0.3)
    assert player.is_alive() and live.steps == 0
    live.drawn.done(3)
    player.join(60)
    assert live.steps == 1
    live.drawn.done(1)  # an older picture does not count
    began_s = time.monotonic()
    live.step()
    assert live.steps == 2 and time.monotonic() - began_s < 4


def test_a_page_that_is_not_drawn_goes_on(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step waits for a picture only for a limited time, so hidden tabs do not stop a market."""
    monkeypatch.setattr("ecnomy.analysis.dashboard.live._LONGEST_S", 0.05)
    live = LiveMarket(stage, 1)
    live.requested_picture = lambda: 1
    live.step()
    assert live.steps == 1


def test_an_engine_that_dies_is_named(stage: Stage, engines: list[int]) -> None:
    """The page names the dead engine in one line, and the run is over."""
    import os
    import signal

    live = LiveMarket(stage, 1)
    _stepped(live, 1)
    os.kill(engines[0], signal.SIGKILL)
    time.sleep(0.2)
    for _ in range(3):
        live.step()
    assert "SIGKILL" in live.failure or "signal 9" in live.failure, live.failure
    assert "\n" not in live.failure and not live.running


@pytest.mark.drawn
def test_pictures(stage: Stage) -> None:
    """Pictures are SVG, with a badge for a congested link, and all nodes are inside."""
    live = LiveMarket(stage, 1)
    plan = live.market.plan
    place = place_of(plan, stage.scenario.document.network.positions)
    assert all(0 < x < WIDE and 0 < y < place[1] for x, y in place[0].values())
    svg, badges = map_svg(plan, place, live.watch.last.links)
    assert b"<svg" in svg and badges == {}
    _stepped(live, 10)
    svg, badges = map_svg(plan, place, live.watch.last.links)
    links = [plan.links[link].name for link in badges]
    assert links[0] in ("town-line", "village-line") and set(badges.values()) >= {"A"}
    assert b"<svg" in history_svg(list(live.watch.history))


def test_a_path_is_drawn_in_a_row() -> None:
    """A path's nodes form one row from end to end, whatever the order of its links."""
    from ecnomy.markets.compile.make import make_plan

    gold_silver = make_plan(load(LIVE.with_name("gold-silver.yaml")))
    points, _ = place_of(gold_silver, {})
    assert sorted(points, key=lambda node: points[node][0]) in (
        ["provider", "edge", "town"],
        ["town", "edge", "provider"],
    )
    assert len({y for _, y in points.values()}) == 1


def test_stops_of_a_slider() -> None:
    """The stops include 0, a tenth, the initial value and ten times it, in ascending order."""
    amounts = stops(125_000)
    assert amounts[:2] == (0, 12_500) and amounts[-1] == 1_250_000 and 125_000 in amounts
    assert list(amounts) == sorted(set(amounts)) and len(amounts) == 22
    assert 1_000_000 in stops(0)


def test_names_are_escaped() -> None:
    """Names are escaped, because scenarios may come from untrusted sources."""
    table = page_text.accounts_table([AccountState("<b>x</b>", "a&b", 1.5, -0.5)])
    assert "<b>x</b>" not in table and "&lt;b&gt;x&lt;/b&gt;" in table and "a&amp;b" in table
    assert 'data-value="1.5"' in table


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, one line names it, with exit status 2, before any other check."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError) as refused:
        command.dashboard_command(Path("nowhere.yaml"))
    wanted = "the live page needs solara and altair; to install, run: "
    assert str(refused.value).startswith(wanted) and "pip install 'ecnomy[all]'" in str(
        refused.value
    )
    assert "\n" not in str(refused.value) and refused.value.exit_status == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nowhere.yaml"], "nowhere.yaml"),
        (
            [str(LIVE.with_name("rem.yaml"))],
            "rem.yaml: missing 'market': expected a scenario with a market",
        ),
        ([str(LIVE), "--host", "192.0.2.1", "--port", "0"], "cannot listen on 192.0.2.1:0"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing scenarios, runs without a market and addresses of others are refused at once."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    app = typer.Typer()
    app.command()(command.dashboard_command)
    done = CliRunner().invoke(app, options)
    assert isinstance(done.exception, InputError | OSError), done.output
    assert message in str(done.exception) and "\n" not in str(done.exception)


def test_a_port_in_use_has_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names `--port 0`, and no second dashboard starts."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    app = typer.Typer()
    app.command()(command.dashboard_command)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(app, [str(LIVE), "--port", str(port)])
    assert str(done.exception).startswith(f"cannot listen on 127.0.0.1:{port}: ")
    assert str(done.exception).endswith("; use --port 0 to find a free port")


def _answered(guard: Guard, kind: str = "http", query: bytes = b"", cookie: bytes = b"") -> Any:
    """The first message that a request gets, and its headers."""
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    scope = {"type": kind, "query_string": query, "headers": [(b"cookie", cookie)]}
    asyncio.run(guard(scope, None, send))  # type: ignore[arg-type]  # nobody receives
    return messages[0], dict(messages[0].get("headers", ()))


def test_the_page_is_for_whoever_has_its_address() -> None:
    """Any user of the machine can reach the port, so the page requires the token."""

    async def page(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "page"})

    guard = Guard(page, 8765, "s3cret")
    for query in (b"", b"token=", b"token=s3cre", b"token=s3cret%C3%A9", b"tok=s3cret", b"\xff"):
        answer, _ = _answered(guard, query=query)
        assert answer["status"] == 403, query
    answer, headers = _answered(guard, query=b"a=b&token=s3cret")
    assert (answer["status"], headers[b"location"]) == (303, b"/")
    cookie = headers[b"set-cookie"].split(b";")[0]
    for kind in ("http", "websocket"):
        assert _answered(guard, kind, cookie=b"other=1; " + cookie)[0] == {"type": "page"}
        for wrong in (b"", cookie[:-1], cookie.replace(b"8765", b"8766"), b"\xff;;=" + cookie):
            assert _answered(guard, kind, cookie=wrong)[0]["type"] != "page", wrong
    answer, _ = _answered(guard, "websocket", query=b"token=s3cret")
    assert answer == {"type": "websocket.close", "code": 1008}
    assert _answered(guard, "lifespan")[0] == {"type": "page"}


def test_a_browser_is_not_given_the_token_on_its_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any user of the machine can read command lines; the file is in the owner's private folder."""
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    command._open("http://127.0.0.1:1/?token=s3cret", tmp_path)
    assert "s3cret" not in opened[0] and opened[0].startswith("file://")
    assert "url=http://127.0.0.1:1/?token=s3cret" in (tmp_path / "page.html").read_text()
