# SPDX-License-Identifier: Apache-2.0
"""Output of verbs into a pipe: one JSON document, or complete tables; and --jobs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecnomy.analysis.reproduce.papers import select_all
from ecnomy.markets.cli.main import main
from ecnomy.markets.cli.printing import print_json
from ecnomy.markets.sweep import pool
from sweep_world import SCENARIO, Here, write

SWEEP = """version: 1
scenario: scenario.yaml
parameters: {grid: {sources.gold.count: [1, 2]}}
replicates: 1
"""
UNTIL = "until: {outcome: gold.nothing, half-width: 2 %}\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario and its run, and a sweep file and its runs."""
    folder = tmp_path_factory.mktemp("world")
    write(folder, SWEEP, SCENARIO)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "DaskPool", lambda *_: Here())
        assert status("sweep", folder / "sweep.yaml", "--out", folder / "sweep", "-j", 1) == 0
    assert status("run", folder / "scenario.yaml", "--out", folder / "run") == 0
    return folder


def status(*words: object) -> int:
    """The exit status of a command."""
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return int(left.value.code or 0)


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """The JSON document that a verb prints with --json."""
    capsys.readouterr()
    assert status(*words, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_run_says_who_paid_what(world: Path, capsys) -> None:
    """JSON contains the figures of the table, unrounded, and the location of the tables."""
    lines = printed(capsys, "run", world / "scenario.yaml", "--out", world / "again")
    assert (lines["folder"], lines["complete"]) == (str(world / "again"), True)
    assert lines["measured"] == {"from_s": 1.0, "to_s": 3.0}
    assert [(row["name"], row["flows"]) for row in lines["groups"]] == [("gold", 2), ("silver", 1)]
    gold = lines["groups"][0]
    assert gold["all_charge_per_s"] == 2 * gold["charge_per_s"] > 0


def test_check_says_what_would_run(world: Path, capsys) -> None:
    """JSON contains links with their marking, sources, agents and warnings, after overrides."""
    lines = printed(capsys, "check", world / "scenario.yaml", "--set", "sources.gold.count=5")
    link, back = lines["links"]
    assert (link["name"], link["rate_bps"], link["delay_s"]) == ("wire", 2_000_000, 0.005)
    assert link["marking"] == {"law": "fixed", "parameters": {"probability": 0.05}}
    assert back["marking"]["law"] == "drop-tail"
    assert [(s["name"], s["flows"], s["rtt_s"]) for s in lines["sources"]] == [
        ("gold", 5, 0.01),
        ("silver", 1, 0.01),
    ]
    assert lines["market"]["price_per_mark"] == 0.1
    assert next(agent["role"] for agent in lines["market"]["agents"]) == "connectivity-provider"
    assert lines["duration_s"] == 3.0 and isinstance(lines["warnings"], list)


def test_show_says_what_its_tables_say(world: Path, capsys) -> None:
    """JSON contains the computed summary; no picture is drawn."""
    from ecnomy.analysis import open_run, summarize

    lines = printed(capsys, "show", world / "run")
    rows = lines["summary"]["whole"]["groups"]
    summary = summarize(open_run(world / "run")).whole
    assert summary is not None
    assert [row["goodput_bps"] for row in rows] == [row.goodput_bps for row in summary.groups]
    assert {b["account"] for b in lines["summary"]["balances"]} >= {"isp", "shop"}
    assert lines["guarantees"] == [] and lines["welfare"] is None
    assert not (world / "run" / "overview.png").exists()


def test_a_sweep_says_what_it_found(world: Path, capsys) -> None:
    """`sweep` and `show` print the same figures as the runs, without a picture."""
    shown = printed(capsys, "show", world / "sweep")
    made = printed(capsys, "sweep", world / "sweep.yaml", "--out", world / "sweep")
    assert made["runs"] == {"asked": 2, "done": 2, "made": 0, "failed": 0}
    assert {**made, "runs": shown["runs"]} == shown
    assert not (world / "sweep" / "sweep.png").exists()
    (count,) = shown["parameters"]
    assert (count["paths"], count["values"]) == (["sources.gold.count"], [1, 2])
    assert all(type(value) is int for value in count["values"])
    name = shown["outcomes"][0]["outcome"]
    rows = printed(
        capsys, "query", world / "sweep", f'select "{name}" as y from runs order by number'
    )
    means = [point["outcomes"][name]["mean"] for point in shown["points"]]
    assert means == [row["y"] for row in rows]
    assert [p["values"] for p in shown["points"]] == [{count["paths"][0]: n} for n in (1, 2)]
    dry = printed(capsys, "sweep", world / "sweep.yaml", "--dry-run")
    assert dry["runs"] == {"asked": 2, "most": 2} and dry["each_s"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "report {run} --out {no}/page.html",
            "--out {no}/page.html: found no folder {no}",
        ),
        ("report {sweep} --out {run}", "--out {run}: found a folder, expected the name of a file"),
        (
            "report {run} {run}",
            "report: found 2 folders, expected one; use `ecnomy diff` to compare runs",
        ),
        ("show {run} --plot {no}/a.png", "--plot {no}/a.png: found no folder {no}, expected"),
        ("diff {run} {again} --csv {no}/a.csv", "--csv {no}/a.csv: found no folder {no}"),
        ("diff {run} {again} --plot {no}/a.png", "--plot {no}/a.png: found no folder {no}"),
        ("diff {run}", "found 1 name, expected two"),
        (
            "sweep {until} --out {gone}",
            "{until}: until.outcome: found 'gold.nothing'",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(world: Path, capsys, words: str, said: str) -> None:
    """Files that cannot be written and unknown names give one line and status 2."""
    until = world / "until.yaml"
    until.write_text(SWEEP.replace("replicates: 1", "replicates: 5") + UNTIL)
    names = {name: world / name for name in ("run", "sweep", "no", "again", "gone")}
    places = {**names, "until": until}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "DaskPool", lambda *_: Here())
        assert status(*words.format(**places).split()) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"ecnomy: {said.format(**places)}")
    assert "generation" not in lines[0]


def test_an_outcome_that_no_run_has_is_an_error(world: Path, capsys) -> None:
    """The runs are made, and the output says that they allow no conclusion."""
    file = world / "nothing.yaml"
    file.write_text(SWEEP + "outcomes: [gold.nothing]\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "DaskPool", lambda *_: Here())
        assert status("sweep", file, "--out", world / "nothing") == 2
    assert "outcomes of the sweep file: found 'gold.nothing'" in capsys.readouterr().err


def test_query_gives_rows(world: Path, capsys) -> None:
    """Each row is an object by column, with null for missing values; one format at a time."""
    sql = 'select "sources.gold.count" as n, status, null as none from runs order by n'
    assert printed(capsys, "query", world / "sweep", sql) == [
        {"n": 1.0, "status": "done", "none": None},
        {"n": 2.0, "status": "done", "none": None},
    ]
    assert status("query", world / "sweep", sql, "--csv", "--json") == 2
    assert "--json and --csv exclude each other" in capsys.readouterr().err
    assert status("query", world / "sweep", "select sources.gold.count from runs") == 2
    assert "Names with dots need double quotes" in capsys.readouterr().err


@pytest.mark.parametrize(
    "sql",
    [
        "copy runs to 'out.csv'",
        "copy runs to 'SHARD' (use_tmp_file false)",
        "copy (pivot runs on status) to 'out.csv'",
        "explain analyze copy runs to 'SHARD' (use_tmp_file false)",
        "attach 'out.db'",
        "from read_csv('/etc/passwd')",
        "from read_text('/etc/passwd')",
        "from glob('/etc/*')",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "create table mine as from runs",
        "insert into runs values (1)",
        "drop view runs",
        "select 1; export database 'out'",
    ],
)
def test_query_reads_its_folder_only(
    world: Path, capsys, tmp_path: Path, monkeypatch, sql: str
) -> None:
    """Statements that write, open other files or change settings are refused in one line."""
    monkeypatch.chdir(tmp_path)
    (shard,) = (world / "sweep").rglob("*.parquet")
    before = shard.read_bytes()
    assert status("query", world / "sweep", sql.replace("SHARD", str(shard))) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("ecnomy: SQL: ")
    assert len(captured.err.splitlines()) == 1
    assert shard.read_bytes() == before and not list(tmp_path.iterdir())


def test_query_may_do_more_when_unsafe(world: Path, capsys, tmp_path: Path) -> None:
    """--unsafe allows writing and reading other files."""
    out = tmp_path / "out.csv"
    assert status("query", world / "sweep", f"copy runs to '{out}'", "--unsafe") == 0
    sql = f"select count(*) as n from '{out}'"
    capsys.readouterr()
    assert printed(capsys, "query", world / "sweep", sql, "--unsafe") == [{"n": 2}]


def test_lists_of_what_there_is(capsys) -> None:
    """Lists of papers, strategies and the doctor's checks are JSON too."""
    papers = {paper["paper"]: paper["entries"] for paper in printed(capsys, "reproduce")}
    assert "fig3" in [entry["item"] for entry in papers["siris2002"]]
    assert "qos-knob" in [one["name"] for one in printed(capsys, "strategies")]
    lines = printed(capsys, "doctor")
    assert lines["works"] and {one["verdict"] for one in lines["findings"]} <= {"ok", "absent"}
    assert printed(capsys, "test-strategy", "constant-charge")["defects"] == []


def test_tables_in_a_pipe_are_whole(world: Path, capsys, monkeypatch) -> None:
    """Tables are neither wrapped nor cut, whatever the terminal's width."""
    monkeypatch.setenv("COLUMNS", "40")
    long = "x" * 300
    assert status("query", world / "sweep", f"select '{long}' as a, 1 as b from range(1500)") == 0
    assert capsys.readouterr().out.count(long) == 1500
    assert status("strategies") == 0
    listed = [
        one for one in capsys.readouterr().out.splitlines() if one.split()[:1] == ["cost-plus"]
    ]
    assert len(listed) == 1 and listed[0].endswith("with a margin.") and len(listed[0]) > 80
    assert status("show", world / "run", "--no-plot") == 0
    rows = [one for one in capsys.readouterr().out.splitlines() if one.startswith("gold ")]
    assert any(len(row.split()) >= 8 for row in rows)


def test_what_json_has_not(capsys) -> None:
    """In JSON, NaN and infinity are null, arrays are lists, and paths are text."""
    print_json({"a": math.nan, "b": np.array([1.0, math.inf]), "c": np.int64(3), "d": Path("x")})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [1.0, None], "c": 3, "d": "x"}


@pytest.mark.parametrize("word", ["--jobs", "-j", "--workers"])
def test_one_word_for_runs_at_a_time(word: str, world: Path, capsys) -> None:
    """All verbs have --jobs; the former option still works but is not listed."""
    for verb in ("sweep", "calibrate", "compare", "reproduce"):
        assert status(verb, "--help") == 0
        said = capsys.readouterr().out
        assert "--jobs" in said and "-j" in said and "--workers" not in said
    assert status("sweep", world / "sweep.yaml", "--out", world / "sweep", word, 1) == 0
    assert "0 new, 2 reused" in capsys.readouterr().out
    assert status("sweep", world / "sweep.yaml", word, -1) == 2


def test_several_names_at_once() -> None:
    """Each entry appears once, in the order of the names; a paper means all of its entries."""
    selected = select_all(["siris2002.fig3", "athuraliya2000.fig6", "athuraliya2000.fig7"])
    assert [(paper.paper, item, ids) for (paper, item), ids in selected] == [
        ("siris2002", "fig3", ("fig3",)),
        ("athuraliya2000", "fig5", ("fig6", "fig7")),
    ]
    (first, ids), *others = select_all(["siris2002.fig3", "siris2002"])
    assert (first[1], ids) == ("fig3", ())
    assert len(others) + 1 == len(select_all(["siris2002"]))


def test_a_row_too_wide_for_a_terminal_is_shown_by_column(
    world: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`query` prints a table if it fits, else a line per column, without omissions."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert status("query", world / "sweep", "select 1 as a, 2 as b") == 0
    assert "\u2502" in capsys.readouterr().out
    names = [f"column_{number}" for number in range(12)]
    sql = ", ".join(f"{number} as {name}" for number, name in enumerate(names))
    assert status("query", world / "sweep", f"select {sql}, null as nothing") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "row 1" and lines[-1].split() == ["nothing", "NULL"]
    assert [line.split() for line in lines[1:-1]] == [[n, str(i)] for i, n in enumerate(names)]
    assert status("query", world / "sweep") == 0
    shown = capsys.readouterr().out
    assert "column_type" in shown and "null" not in shown


def test_controls_in_a_text_stay_off_a_terminal(
    world: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control characters do not reach a terminal in any format. A pipe gets plain CSV."""
    sql = "select chr(27) || '[31m' || chr(8238) as a"
    assert status("query", world / "sweep", sql, "--csv") == 0
    assert capsys.readouterr().out == "a\n\x1b[31m\u202e\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for form in ((), ("--csv",), ("--json",)):
        assert status("query", world / "sweep", sql, *form) == 0
        shown = capsys.readouterr().out
        assert not {"\x1b", "\u202e"} & set(shown) and "[31m" in shown
    assert json.loads(shown) == [{"a": "\x1b[31m\u202e"}]
