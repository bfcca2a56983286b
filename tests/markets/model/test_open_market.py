# SPDX-License-Identifier: Apache-2.0
"""A stepped market gives the bytes of `ecnomy run`, and is an ordinary Mesa model."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any
from unittest.mock import Mock, call

import mesa
import pandas as pd
import pytest

import market_world as world
from ecnomy.agents.errors import InputError, NotRunningError, ResultsError, StrategyError
from ecnomy.markets import open_market, run
from ecnomy.markets.model.market import Market
from open_world import SCENARIO, identity, manifest
from processes import LIMIT_S

ROOT = Path(__file__).parents[3]
GOLD_SILVER = ROOT / "configs/examples/gold-silver.yaml"
GUARANTEED = ROOT / "configs/examples/gsp.yaml"
SHORT = {
    GOLD_SILVER: ["duration=20 s", "warmup=2.5 s"],
    GUARANTEED: ["duration=3 min", "warmup=20 s", "sources.callers.traffic.idle=1 min"],
}


@pytest.mark.parametrize("scenario", [GOLD_SILVER, GUARANTEED], ids=["classes", "calls"])
def test_steps_give_the_bytes_of_run(scenario: Path, tmp_path: Path) -> None:
    """Every table and the manifest equal those of `run`, with calls answered in mid-step."""
    short = SHORT[scenario]
    there = run(scenario, overrides=short, seed=3, out=tmp_path / "run")
    with open_market(scenario, overrides=short, seed=3, out=tmp_path / "steps") as market:
        assert market.running and market.time == 0
        while market.running:
            market.step()
        result = market.close()
    assert result.complete
    assert identity(result.folder) == identity(there.folder)
    if scenario == GUARANTEED:
        assert len(result.table("calls")) > 100
    assert market.steps == len(result.link_epochs["t_ps"].unique()) - 1


def test_the_snippet_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snippet runs unchanged, and gives the same results as `run`."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text[text.index("    from ecnomy.markets import open_market") :].splitlines()
    lines = "\n".join(itertools.takewhile(lambda line: line.startswith("    ") or not line, block))
    code = textwrap.dedent(lines)
    assert code.count("market.step()") == 1 and "market.close()" in code
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    there = run(GOLD_SILVER, seed=3, out=tmp_path / "run")
    assert identity(names["result"].folder) == identity(there.folder)


def test_mesa_users_find_what_they_expect(scene: Path, tmp_path: Path) -> None:
    """Mesa users find an AgentSet with roles, names and balances, steps and time."""
    with open_market(scene, out=tmp_path / "r") as market:
        assert isinstance(market, mesa.Model)
        for _ in range(5):
            market.step()
        assert (market.steps, market.time) == (5, 5.0)
        agents = {agent.name: agent for agent in market.agents}
        wanted = {"isp": "connectivity-provider", "shop": "application-provider"}
        wanted |= {"ann": "customer", "joe": "price-handler"}
        assert {name: agent.role for name, agent in agents.items()} == wanted
        assert agents["ann"].balance_micro == -5 * 2 * 2_000_000
        assert agents["ann"].balance == -20.0
        assert market.agents.agg("balance_micro", sum) == 0  # nobody else has an account
        customers = market.agents.select(lambda agent: agent.role == "customer")
        assert customers.agg("balance", sum) == -20.0
        market.run_model()
        assert not market.running
    assert market.agents.select(lambda a: a.role == "customer").agg("balance", sum) == -80.0
    assert manifest(tmp_path / "r")["balances_micro"]["ann"] == -80_000_000


def test_guaranteed_stream_provider_names_its_role() -> None:
    """The agent's role is the word that the scenario uses."""
    with open_market(GUARANTEED, overrides=SHORT[GUARANTEED], tables=False) as market:
        assert [a.role for a in market.agents][-1] == "guaranteed-stream-provider"


def test_a_users_data_collector(scene: Path, tmp_path: Path) -> None:
    """Mesa's collector reads the model and its agents once a step."""
    collector = mesa.DataCollector(
        model_reporters={"price": "price_micro", "time": "time"},
        agent_reporters={"role": "role", "balance": "balance"},
    )
    with open_market(scene, out=tmp_path / "r") as market:
        collector.collect(market)
        while market.running:
            market.step()
            collector.collect(market)
    frame = collector.get_model_vars_dataframe()
    assert frame["time"].tolist() == list(range(21))
    balances = collector.get_agent_vars_dataframe().query("role == 'customer'")["balance"]
    assert balances.tolist() == [-4.0 * epoch for epoch in range(21)]


def test_what_changes_between_steps_counts_for_the_next_epoch(scene: Path, tmp_path: Path) -> None:
    """Changes are in the tables from their report on, and are charged."""
    price = 0.25
    with open_market(scene, out=tmp_path / "r") as market:
        while market.running:
            if market.time in (4, 9):
                price *= 2
                market.post_price("isp", price)
                assert market.prices == {"isp": price}
            if market.time == 12:
                market.set_willingness("web", 4.0)
            market.step()
        result = market.close()
    agents = result.raw.agents
    posted = agents[agents["name"] == "price_micro_per_mark"]
    assert dict(zip(posted["t_ps"] // world.PS, posted["value"], strict=True)) == {
        0: 250_000.0,
        4: 500_000.0,
        9: 1_000_000.0,
    }
    marks = result.raw.ledger.query("kind == 'marks'")
    paid = dict(zip(marks["t_ps"] // world.PS, marks["price_micro"], strict=True))
    assert (paid[4], paid[5], paid[9], paid[10]) == (250_000, 500_000, 500_000, 1_000_000)
    rates = agents.query("name == 'mark_rate' and flow == 2")
    aimed = dict(zip(rates["t_ps"] // world.PS, rates["value"], strict=True))
    assert aimed[4] == aimed[0] / 2 and aimed[12] == 4.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.post_price("isp", -1), r"post_price: the price must be a number >= 0 \(money"),
        (lambda m: m.post_price("isp", 2e6), r"found 2e\+06 money, expected at most 10\^6"),
        (lambda m: m.post_price("isp", "cheap"), r"price must be a number \(money\), got 'cheap'"),
        (lambda m: m.post_price(0.5, "isp"), r"the carrier must be a name, got 0.5"),
        (lambda m: m.post_price("nobody", 0.5), r"found carrier 'nobody', expected isp"),
        (lambda m: m.set_willingness("web", -1.0), r"willingness must be .* >= 0 .*, got -1.0"),
        (lambda m: m.set_willingness("web", [1]), r"\(money/s\), got \[1\]"),
        (lambda m: m.set_willingness("web", True), r"\(money/s\), got True"),
        (lambda m: m.set_willingness("tin", 1.0), "unknown source 'tin'"),
        (lambda m: m.set_active("web", "off"), r"set_active: the share must be .*, got 'off'"),
        (lambda m: m.set_class(3, "gold"), r"set_class: the source must be a name, got 3"),
    ],
)
def test_useless_changes_are_refused(change: Any, message: str, scene: Path) -> None:
    """The refusal is one line, and the market goes on."""
    with open_market(scene, tables=False) as market:
        with pytest.raises((TypeError, InputError), match=message) as refused:
            change(market)
        assert "\n" not in str(refused.value)
        market.step()
        assert market.running and market.price_micro == 250_000


def test_a_market_without_an_engine_says_so() -> None:
    """The error is one line that names the remedy."""
    market = Market(world.plan([world.source("web")]), world.shop({}))
    with pytest.raises(NotRunningError, match=r"^this market has no engine; use open_market\(\) "):
        market.step()
    with pytest.raises(NotRunningError, match="no engine and no results"):
        market.close()


def test_the_clock_is_simulated_time(scene: Path) -> None:
    """`time` is in seconds; `run_until` and `run_for` use it; Mesa's own events are refused."""
    with open_market(scene, seed=4, tables=False) as market:
        pattern = "^<Market of .*, seed 4, running: 0 of 20 s, 4 agents, price per mark: isp 0.25>$"
        assert re.search(pattern, repr(market))
        market.run_until(2.5)
        assert (market.time, market.steps) == (3.0, 3)
        market.run_for(4)
        assert market.time == 7.0
        with pytest.raises(NotImplementedError, match="act between two steps"):
            market.schedule_event(print, at=9)
        for step in (market.run_until, market.run_for):
            with pytest.raises(TypeError, match=r"the time must be a number \(seconds\), got '60'"):
                step("60")
        with pytest.raises(InputError, match=r"run_for: found -1 s, expected 0 s or more"):
            market.run_for(-1)
        market.run_until(1000)
        assert not market.running and market.time == 20.0
    assert "ended: 20 of 20 s" in repr(market)


def test_results_in_memory_are_those_of_the_folder(tmp_path: Path) -> None:
    """Summary, flows, links, pairs and balances are equal; other tables are refused by name."""
    short = SHORT[GUARANTEED]
    there = run(GUARANTEED, overrides=short, seed=3, out=tmp_path / "run")
    with open_market(GUARANTEED, overrides=short, seed=3, tables=False) as market:
        market.run_model()
        result = market.close()
    assert result.complete and result.window_s == there.window_s and "in memory" in repr(result)
    for name in ("summary", "flows", "links"):
        kwargs = {"check_dtype": False, "check_categorical": False}
        pd.testing.assert_frame_equal(getattr(result, name), getattr(there, name), **kwargs)
    pairs = result.raw.pairs[there.raw.pairs.columns]
    pd.testing.assert_frame_equal(pairs, there.raw.pairs, check_dtype=False)
    assert result.balances.equals(there.balances) and result.balances.sum() == pytest.approx(0)
    assert "summary" in result._repr_html_() or "Rates and payments" in result._repr_html_()
    with pytest.raises(
        ResultsError,
        match="table ledger is not kept with tables=False; available: .* without tables=False",
    ):
        _ = result.ledger


def test_switched_flows_count_while_they_are_on(scene: Path, tmp_path: Path) -> None:
    """Groups in memory have the folder's means over active flows, and marks without an agent."""
    source = "{name: other, from: a, to: b, traffic: {kind: greedy}, transport: {law: newreno}}"
    scene.write_text(scene.read_text().replace("market:\n", f"  - {source}\nmarket:\n"))
    summaries, groups = [], []
    for keep in ({"out": tmp_path / "r"}, {"tables": False}):
        with open_market(scene, **keep) as market:
            market.run_until(8)
            market.set_active("web", 0)
            market.run_model()
            result = market.close()
            summaries.append(result.summary)
            groups.append(result.raw.groups())
    pd.testing.assert_frame_equal(*summaries)
    assert groups[0] == groups[1]
    assert [group.background_per_s > 0 for group in groups[0]] == [False, False, True]


def test_progress_lasts_from_start_to_end(scene: Path) -> None:
    """Progress stops with the run, even if the run ends early."""
    progress = Mock()
    with open_market(scene, tables=False, progress=progress) as market:
        market.run_until(1)
        assert not progress.stop.called
    first, *times, last = progress.mock_calls
    assert (first, last) == (call.start("Two classes and a caller", 20 * 10**12), call.stop())
    assert [time[0] for time in times] == ["at"] * len(times)


@pytest.mark.parametrize("end_s", [0, 2])
def test_a_run_that_ends_with_its_warm_up_has_no_means(
    scene: Path, tmp_path: Path, end_s: int
) -> None:
    """The page of the run says so, in memory and in a folder."""
    for keep in ({"out": tmp_path / "r"}, {"tables": False}):
        with open_market(scene, **keep) as market:
            market.run_until(end_s)
            result = market.close()
        assert result.summary.empty
        assert "The run ended before the measured window began." in result._repr_html_()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seed": "7"}, "seed: expected an integer, got '7'"),
        ({"seed": True}, "seed: expected an integer, got True"),
        ({"overrides": "duration=9 s"}, "overrides: expected a list such as"),
        ({"overrides": {"duration": "9 s"}}, "overrides: expected a list such as"),
        ({"out": 3}, "out: expected a path, got 3"),
    ],
)
def test_wrong_types_are_refused_by_name(given: Any, message: str, scene: Path) -> None:
    """Wrong types are refused before anything is started or written."""
    with pytest.raises(TypeError, match=message):
        open_market(scene, **given)
    with pytest.raises(TypeError, match=message):
        run(scene, **given)
    with pytest.raises(TypeError, match="scenario: expected the path of a file, got 3"):
        run(3)  # type: ignore[arg-type]


def test_without_tables_nothing_is_written(
    scene: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run makes no folder and no temporary file; the result is in memory."""
    monkeypatch.chdir(scene.parent)
    before = set(scene.parent.iterdir())
    with open_market(scene, tables=False) as market:
        assert not list(scratch.iterdir())
        market.run_model()
        assert market.close().complete
    assert market.time == 20 and set(scene.parent.iterdir()) == before
    with pytest.raises(TypeError, match="tables=False"):
        open_market(scene, out="r", tables=False)


def test_a_scenario_without_a_market_is_refused(scene: Path) -> None:
    """The scenario is refused before anything is started or written."""
    scene.write_text(SCENARIO.partition("market:")[0], encoding="utf-8")
    with pytest.raises(InputError, match=r"scene\.yaml: found no market"):
        open_market(scene)


def test_a_folder_that_is_being_written_is_refused(scene: Path, tmp_path: Path) -> None:
    """Two open markets of one process do not share a folder; the first goes on."""
    with open_market(scene, out=tmp_path / "r") as market:
        with pytest.raises(InputError, match="another run is writing to it"):
            open_market(scene, out=tmp_path / "r")
        market.run_model()
    assert manifest(tmp_path / "r")["complete"] is True
    with pytest.raises(
        InputError, match="replace it with force=True, or choose another folder with out="
    ):
        open_market(scene, seed=9, out=tmp_path / "r")
    with open_market(scene, out=tmp_path / "r") as market:  # the same run, made again
        market.run_model()
    with open_market(scene, seed=9, out=tmp_path / "r", force=True) as market:
        market.step()


@pytest.mark.parametrize("deed", ["step", "close"])
def test_no_agent_steps_or_closes_its_own_market(deed: str, scene: Path, tmp_path: Path) -> None:
    """A strategy that tries gets an error, and the run ends as with any fault of a strategy."""
    with open_market(scene, out=tmp_path / "r") as market:
        market.step()
        carrier = next(iter(market.agents))
        carrier._strategy.post_price = lambda observation: getattr(market, deed)()
        with pytest.raises(StrategyError, match="a step is in progress"):
            market.step()
        assert not market.running
    assert "a step is in progress" in manifest(tmp_path / "r")["reason"]


def test_importing_the_package_stays_light() -> None:
    """`open_market` can be imported without loading Mesa or pandas, until it is used."""
    code = (
        "import sys, ecnomy.markets as m; assert 'open_market' in m.__all__;"
        "assert not {'mesa', 'pandas', 'pyarrow', 'numpy'} & set(sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=LIMIT_S)
