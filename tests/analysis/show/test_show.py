# SPDX-License-Identifier: Apache-2.0
"""The verb `show` and the picture."""

from __future__ import annotations

import re
import struct
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner, Result

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis import overview, summarize
from ecnomy.analysis.show.command import show_command
from ecnomy.analysis.show.summary_tables import DropColumns, shown_rows
from ecnomy.analysis.support.number_text import significant
from ecnomy.markets import open_market
from ecnomy.markets import run as simulate
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.scenario import scenario_from_text
from tiers import full

EXAMPLE = Path(__file__).parents[3] / "configs/examples/gold-silver.yaml"
MakeRun = Callable[..., Path]


def _show(*arguments: str | Path) -> Result:
    app = typer.Typer()
    app.command()(show_command)
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.mark.drawn
def test_show_prints_the_summary_and_names_the_picture(gold_silver: Path) -> None:
    """The output has both phases, money, accounts, the sentence and finally the picture's path."""
    done = _show(gold_silver)
    assert done.exit_code == 0, done.output
    lines = [line.rstrip() for line in done.output.splitlines()]
    assert lines[0] == "Gold and silver customers on one congested link"
    assert "Phase 1, 10 s to 60 s: gold and silver capped at 0.5 Mbps" in lines
    assert any("without the first 10 s in which the flows settle" in x for x in lines)
    assert any(x.startswith("bottleneck") and " %" in x for x in lines)
    assert any(x.startswith("source:background") for x in lines)
    assert "0.1100" in done.output
    assert lines[-1] == f"picture: {gold_silver / 'overview.png'}"
    assert (gold_silver / "overview.png").stat().st_size > 20_000


def test_small_rates_and_payments_are_no_zeros(make_run: MakeRun) -> None:
    """At a ten-thousandth of the price both tables of money still print three digits."""
    folder = make_run()
    ledger = pd.read_parquet(folder / "ledger.parquet")
    ledger = ledger[ledger["kind"] == "marks"].assign(price_micro=11)
    ledger["amount_micro"] = 11 * ledger["quantity"]
    ledger.to_parquet(folder / "ledger.parquet", index=False)
    lines = [line.split() for line in _show(folder, "--no-plot").output.splitlines()]
    (late,) = [i for i, line in enumerate(lines) if line[:2] == ["Phase", "2,"]]
    gold = [line for line in lines[late:] if line[:1] == ["gold"]]
    assert 1e-4 < float(gold[1][2]) < 1e-3  # 36 marks/s at 11 micro-units
    assert len(gold[1][2].lstrip("0.")) == 3
    (account,) = [line for line in lines if line[:1] == ["source:background"]]
    assert float(account[3]) > 0
    assert len(account[3].lstrip("0.")) == 3


def test_no_plot_draws_nothing(make_run: MakeRun) -> None:
    """--no-plot leaves the folder as it was."""
    folder = make_run()
    done = _show(folder, "--no-plot")
    assert done.exit_code == 0
    assert "picture" not in done.output
    assert not (folder / "overview.png").exists()


def test_plot_names_the_file(gold_silver: Path, tmp_path: Path) -> None:
    """--plot FILE names the picture, with any suffix."""
    file = tmp_path / "elsewhere.png"
    done = _show(gold_silver, "--plot", file)
    assert f"picture: {file}" in done.output
    assert file.read_bytes().startswith(b"\x89PNG")


def test_partial_runs_say_so(make_run: MakeRun) -> None:
    """The summary has the reason; a run without reports has neither tables nor picture."""
    assert "partial results: the engine died" in _show(make_run(until_s=100), "--no-plot").output
    done = _show(make_run(until_s=0))
    assert done.exit_code == 0, done.output
    assert "before the measured window began" in done.output
    assert "no picture" in done.output


@pytest.mark.parametrize("end_s", [1, 2])
def test_a_run_that_ends_in_its_warm_up_says_so(tmp_path: Path, end_s: int) -> None:
    """At the warm-up's end nothing was measured; before, means include it; no division by 0."""
    short = ["warmup=2 s", "duration=4 s", "sources.background.count=1"]
    with open_market(EXAMPLE, overrides=short, out=tmp_path / "r") as market:
        while market.time < end_s:
            market.step()
        result = market.close()
    assert result is not None
    done = _show(tmp_path / "r", "--no-plot")
    assert done.exit_code == 0, done.output
    at_end = "the run ended before the measured window began"
    within = "the run ended during its warm-up of 2 s, so means include the warm-up"
    assert [line for line in (at_end, within) if line in done.output] == [
        at_end if end_s == 2 else within
    ]
    assert not re.search(r"\bnan\b", done.output + result._repr_html_())
    assert result.summary.empty == (end_s == 2)
    assert (at_end[3:] in result._repr_html_()) == (end_s == 2)


def test_drops_are_shown_by_cause(tmp_path: Path) -> None:
    """Drops in place of marks are shown apart from drops at a full buffer."""
    text = """
    version: 1
    duration: 20 s
    network:
      links:
        - {name: first, from: a, to: b, rate: 2 Mbps, delay: 5 ms, buffer: 9 packets,
           marking: {law: fixed, probability: 0.05}}
        - {name: second, from: b, to: c, rate: 1 Mbps, delay: 5 ms, buffer: 9 packets}
    sources:
      - {name: voice, from: a, to: c, traffic: {kind: poisson, rate: 190 packets/s},
         transport: {law: udp, payload: 972 bytes, ecn: off}}
    """
    folder = tmp_path / "r"
    simulate(scenario_from_text(textwrap.dedent(text)), out=folder)
    lines = [re.split(r"\s{2,}", s.strip()) for s in _show(folder, "--no-plot").output.splitlines()]
    drops_of = {cells[0]: cells[5:7] for cells in lines if cells[0] in ("first", "second")}
    counted = pd.read_parquet(folder / "links.parquet").set_index("name")
    for name in ("first", "second"):
        drops, law, other = counted.loc[name, ["drops", "law_drops", "not_ect_drops"]]
        assert drops_of[name] == [f"{drops - law:,}", f"{other:,}"] and law == other
    assert int(drops_of["first"][1]) > 50 and int(drops_of["second"][0].replace(",", "")) > 500
    assert drops_of["second"][1] == "0"
    columns = DropColumns(summarize(open_raw(folder)).whole.links)
    assert columns.heads == ("drops:\nfull", "not-ECT")
    hard = msgspec.structs.replace(summarize(open_raw(folder)).whole.links[0], law_drops=200)
    assert DropColumns([hard]).heads == ("drops:\nfull", "by\nlaw", "not-ECT")
    calm = msgspec.structs.replace(hard, law_drops=0, not_ect_drops=0)
    assert (DropColumns([calm]).heads, DropColumns([calm]).cells(calm)) == (("drops",), ["188"])
    assert DropColumns([hard]).cells(hard)[1] == str(200 - hard.not_ect_drops)


def test_a_run_without_market_shows_no_money(make_run: MakeRun) -> None:
    """The output has neither fees nor accounts, and one unnumbered phase."""
    done = _show(make_run(market=False, phased=False), "--no-plot")
    assert "money" not in done.output
    assert "10 s to 180 s: gold, silver and background on" in done.output
    assert "Phase" not in done.output
    assert done.output.count("Whole measured window") == 1


def test_the_whole_window_stands_beside_the_phases(gold_silver: Path) -> None:
    """The output of `run` reappears under its own heading, apart from phases; accounts add up."""
    lines = [line.split() for line in _show(gold_silver, "--no-plot").output.splitlines()]
    heads = {" ".join(x[:2]): i for i, x in enumerate(lines) if x[:1] in (["Phase"], ["Whole"])}
    assert list(heads) == ["Phase 1,", "Phase 2,", "Whole measured"]
    assert " ".join(lines[heads["Whole measured"]]) == (
        "Whole measured window, 10 s to 180 s: all phases together"
    )
    silver = [i for i, x in enumerate(lines) if x[:1] == ["silver"] and i > heads["Phase 2,"]]
    fees = [float(lines[i][2]) for i in (silver[1], silver[3])]
    whole = summarize(open_raw(gold_silver)).whole
    assert whole is not None
    assert fees[1] == pytest.approx(whole.groups[1].charge_per_s, abs=5e-4)
    assert fees[0] > 1.3 * fees[1]  # 120 of 170 s


def test_the_share_of_background_traffic_is_shown(gold_silver: Path) -> None:
    """The share is below both windows' tables of money, and in the carrier's account."""
    run = open_raw(gold_silver)
    output = " ".join(_show(gold_silver, "--no-plot").output.split())
    summary = summarize(run)
    ledger = run.ledger
    windows = [one for one in (*summary.phases, summary.whole) if one is not None]
    for one in windows[1:]:
        inside = ledger[(ledger["t_ps"] > one.window.from_ps) & (ledger["kind"] == "marks")]
        own = inside[inside["debit"] == "source:background"]["amount_micro"].sum()
        whole, part = inside["amount_micro"].sum() / 1e6, own / 1e6
        assert one.charge_per_s * one.window.seconds == pytest.approx(whole)
        assert one.background_per_s * one.window.seconds == pytest.approx(part)
        words = f"{significant(one.background_per_s)} ({100 * part / whole:.1f} %)"
        assert f"money/s, of which {words} by sources without an agent" in output
    assert (
        output.count("by sources without an agent or") == 2
    )  # nobody pays for a mark in the first phase
    (isp,) = [balance for balance in summary.balances if balance.account == "isp"]
    account = f"isp {significant(isp.received)} {significant(isp.from_background)} 0.00"
    assert 0 < isp.from_background < isp.received and account in output


def test_a_wrong_folder_is_the_callers_error(tmp_path: Path) -> None:
    """ResultsError reaches the command line, which prints it in one line."""
    done = _show(tmp_path)
    assert isinstance(done.exception, ResultsError)


def _ancillary(png: bytes) -> list[bytes]:
    """Types of the chunks of a PNG."""
    types, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        types.append(png[at + 4 : at + 8])
        at += length + 12
    return types


@pytest.mark.drawn
@pytest.mark.parametrize("market", [True, pytest.param(False, marks=full)])
def test_the_picture_is_deterministic(make_run: MakeRun, tmp_path: Path, market: bool) -> None:
    """Two drawings are equal byte for byte, without text or time in the file."""
    run = open_raw(make_run(market=market))
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    assert all(overview(run, file) for file in files)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert not {b"tEXt", b"iTXt", b"tIME"} & set(_ancillary(files[0].read_bytes()))


def test_the_picture_draws_the_data(gold_silver: Path, make_run: MakeRun, tmp_path: Path) -> None:
    """Panels, units, legends and curves of the figure agree with the tables."""
    from ecnomy.analysis.run_pictures import overview as plots

    data = plots._collect(open_raw(gold_silver))
    figure = plots._figure(data)
    rates, money, marked, queue = figure.axes
    assert [a.get_ylabel().split("\n")[-1] for a in (rates, money, marked)] == [
        "[Mbps]",
        "[money/s]",
        "[%]",
    ]
    assert queue.get_xlabel() == "simulated time [s]"
    curves = {str(line.get_label()): line for line in rates.get_lines()}
    assert curves["gold, mean of 2"].get_ydata()[-5] == pytest.approx(2.9, rel=0.15)
    background = curves["background, mean of 20"].get_ydata()
    assert background[0] != background[0]  # nothing is drawn before it starts
    fees = {str(line.get_label()): line for line in money.get_lines()}
    assert fees["gold, fee"].get_ydata() == pytest.approx([4.0] * len(data.middle_s))
    assert len(plots._figure(plots._collect(open_raw(make_run(market=False)))).axes) == 3


def test_two_dozen_groups_look_different() -> None:
    """Colour, marker and line style distinguish 24 groups, and colour alone each six."""
    from ecnomy.analysis.run.summary import FlowGroup
    from ecnomy.analysis.run_pictures import overview as plots

    styles = plots._line_styles([FlowGroup(f"g{i}", f"g{i}", "", (i,)) for i in range(24)])
    assert len({(style.colour, style.marker) for style in styles}) == 24
    assert len({style.colour for style in styles[:6]}) == 6
    for first, second in zip(styles, styles[6:], strict=False):
        assert first.style != second.style


@pytest.mark.drawn
def test_letters_the_font_lacks_are_drawn_in_silence(make_run: MakeRun, tmp_path: Path) -> None:
    """A Chinese title gives a picture without a warning."""
    run = open_raw(make_run())
    run.manifest = msgspec.structs.replace(run.manifest, title="\u62e5\u585e \u5b9a\u4ef7")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert overview(run, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 20_000


def test_groups_that_only_pay_are_shown() -> None:
    """A class pays its fee while its flows are idle; who neither receives nor pays is left out."""
    given = ((0, 2), (0, 0), (1, 0))
    rows: Any = [SimpleNamespace(goodput_high_bps=rate, fee_per_s=fee) for rate, fee in given]
    assert shown_rows(rows) == [rows[0], rows[2]]
