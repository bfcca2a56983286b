# SPDX-License-Identifier: Apache-2.0
"""Files of earlier versions (golden_files.py): the current code reads them and refuses newer files.

Expected figures come from pyarrow and json in the version that wrote them. A later version may add
keys and columns, so only the keys and columns of that version are compared.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import pandas as pd
import pytest

from drive import engine
from ecnomy.agents.errors import EcnomyError, InputError, ResultsError, ScenarioError
from ecnomy.analysis import open_run, open_sweep
from ecnomy.analysis.sweeps.open_sweep import parameter_units
from ecnomy.markets import load
from ecnomy.markets.cli.main import main
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.units import unit_of
from ecnomy.markets.rl.environment_file import load_environment
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.store import Store, identified
from golden_files import PRICE, amount, folder_of

VERSIONS: Final = sorted(file.parent for file in Path(__file__).parent.glob("*/expected.json"))
MICRO: Final = 1e-6


@pytest.fixture(params=VERSIONS, ids=lambda folder: folder.name)
def golden(request: pytest.FixtureRequest) -> Path:
    """The folder of a version."""
    return Path(request.param)


@pytest.fixture
def was(golden: Path) -> Any:
    """The expected contents of that version."""
    return json.loads((golden / "expected.json").read_text())


def output(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """Return the output of a verb with --json."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main([*map(str, words), "--json"])
    assert not left.value.code
    return json.loads(capsys.readouterr().out)


def lost(was: Any, now: Any, path: str = "") -> list[str]:
    """The places whose value is missing or changed; additional keys of a mapping are allowed."""
    if isinstance(was, dict) and isinstance(now, dict):
        return [
            place
            for key, value in was.items()
            for place in lost(value, now.get(key), f"{path}.{key}")
        ]
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        pairs = enumerate(zip(was, now, strict=True))
        return [place for i, (a, b) in pairs for place in lost(a, b, f"{path}[{i}]")]
    return [] if was == now else [f"{path}: {was!r}, now {now!r}"]


def test_a_scenario_means_what_it_meant(golden: Path, was: Any) -> None:
    """Every key is still known, and every value and default is the same."""
    assert set(was["resolved"]) >= {"keys.yaml", "market.yaml", "link.yaml"}
    for name, resolved in was["resolved"].items():
        document = json.loads(msgspec.json.encode(load(golden / name).resolved()))
        assert lost(resolved, document) == [], name


def test_a_sweep_file_and_an_environment_mean_what_they_meant(golden: Path, was: Any) -> None:
    """The points of the sweep and of the search's file, and the learner's ranges, are the same."""
    points = [point for _, point in identified(load_sweep(golden / "sweep.yaml"))]
    assert [amount(point.params[PRICE]) for point in points] == [row[PRICE] for row in was["sweep"]]
    assert [point.seed for point in points] == [row["seed"] for row in was["sweep"]]
    tune = load_sweep(golden / "tune.yaml").tune
    assert tune is not None and (tune.aim, tune.outcome) == ("maximise", "balance.isp")
    assert (tune.paths, tune.trials, tune.check) == ((PRICE,), 4, 2)
    declared = load_environment(golden / "learn.yaml")
    assert (declared.step_ps, declared.settle_ps, declared.steps) == (2 * 10**12, 10**12, 5)
    assert set(declared.learner("isp").observations) == {"price", "utilization", "profit"}


def test_a_plan_is_read_by_both_languages(golden: Path) -> None:
    """The plan has the same digest, also after the engine has read it."""
    file = golden / "plan.json"
    plan = msgspec.json.decode(file.read_bytes(), type=Plan)
    assert plan.sealed().digest == plan.digest == json.loads(file.read_bytes())["digest"]
    assert engine_reads(file).returncode == 0


def engine_reads(file: Path) -> subprocess.CompletedProcess[str]:
    """The engine's exit after it has read a plan."""
    words = [engine(), "read", "--plan", str(file)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("name", ["run", "plain"])
def test_the_tables_of_a_run_hold_what_they_held(golden: Path, was: Any, name: str) -> None:
    """Rows and, for each column, the unit and the sum (or number of texts) are the same."""
    raw = open_run(golden / name).raw
    for table, held in was[name]["tables"].items():
        frame = raw.table(table)
        assert len(frame) == held["rows"] > 0, table
        for column, (unit, figure) in held["columns"].items():
            assert unit_of(table, column) == unit, (table, column)
            assert summed(frame[column]) == pytest.approx(figure, rel=1e-12), (table, column)


def summed(column: pd.Series[Any]) -> float:
    """The summary of a column as in golden_files.py."""
    if pd.api.types.is_numeric_dtype(column):
        return float(column.sum())
    return column.nunique()


def test_a_run_is_shown_in_units(golden: Path, was: Any) -> None:
    """Rates are read in Mbps and amounts in money, with all rows of records."""
    run, plain = open_run(golden / "run"), open_run(golden / "plain")
    assert (run.title, run.seed, run.complete) == (was["run"]["title"], was["run"]["seed"], True)
    assert run.plan.title == run.title
    shown = run.flows[["goodput_mbps", "fee", "charge"]].T.to_dict("list")
    scale = (MICRO, MICRO, MICRO)
    assert shown == {
        name: pytest.approx([a * b for a, b in zip(row, scale, strict=True)])
        for name, row in was["run"]["flows"].items()
    }
    balances = {name: micro * MICRO for name, micro in was["run"]["balances_micro"].items()}
    assert run.balances.to_dict() == pytest.approx(balances)
    paid = {kind: micro * MICRO for kind, micro in was["run"]["paid_micro"].items()}
    assert set(paid) == {"class-fee", "marks", "call", "reimbursement"}
    assert run.ledger.groupby("kind")["amount"].sum().to_dict() == pytest.approx(paid)
    assert run.payments("gold")["amount"].sum() > 0
    assert run.timeseries("goodput", by="class")["gold"].sum() > 0
    for table in ("agents", "calls", "classes", "counts", "histograms", "series", "transfers"):
        assert len(getattr(run, table)) == was["run"]["tables"][table]["rows"] > 0, table
    assert len(plain.trace) == was["plain"]["tables"]["trace"]["rows"] > 0


def test_verbs_read_a_run(golden: Path, was: Any, tmp_path: Path, capsys) -> None:
    """`show` and `diff` print the run's rates, and `report` makes a page with its title."""
    rates = {"gold": 0.0, "silver": 0.0}
    for name in rates:
        flows = [row for flow, row in was["run"]["flows"].items() if flow.split(".")[0] == name]
        rates[name] = sum(row[0] for row in flows) / len(flows)
    shown = output(capsys, "show", golden / "run")["summary"]
    groups = {row["group"]["label"]: row["goodput_bps"] for row in shown["whole"]["groups"]}
    assert groups.items() >= {k: pytest.approx(v) for k, v in rates.items()}.items()
    other = output(capsys, "diff", golden / "run", golden / "plain")
    assert [one["runs"][0]["seed"] for one in (other["first"], other["second"])] == [5, 5]
    assert ("record.trace", "false", "true") in {
        (row["path"], row["first"], row["second"]) for row in other["settings"]["differs"]
    }
    page = tmp_path / "page.html"
    output(capsys, "report", golden / "run", "--out", page)
    assert was["run"]["title"] in page.read_text()


@pytest.mark.parametrize("name", ["sweep", "tune"])
def test_the_runs_of_a_sweep_are_read(golden: Path, was: Any, name: str) -> None:
    """Shards and loose records give seeds, parameters and outcomes in the sweep's order."""
    runs = open_sweep(golden / name)
    assert set(runs["status"]) == {"done"} and set(runs["engine"]) == {"builtin"}
    columns = list(was[name][0])
    assert runs[columns].to_dict("records") == [pytest.approx(row) for row in was[name]]
    assert parameter_units(golden / name) == {PRICE: "money"}


def test_verbs_read_a_sweep(golden: Path, was: Any, tmp_path: Path, capsys) -> None:
    """`query` summarises runs, `show` names parameters and a search's answer, `diff` groups."""
    text = f'select "{PRICE}" as price, sum("balance.isp") as earned from runs group by 1'
    sums = pd.DataFrame(was["sweep"]).groupby(PRICE)["balance.isp"].sum()
    rows = output(capsys, "query", golden / "sweep", text)
    assert {row["price"]: row["earned"] for row in rows} == pytest.approx(sums.to_dict())
    shown = output(capsys, "show", golden / "sweep")
    assert shown["runs"] == {"asked": 8, "done": 8}
    assert {tuple(one["paths"]) for one in shown["parameters"]} == {
        (PRICE,),
        ("network.links.wire.marking",),
    }
    groups = output(capsys, "diff", golden / "sweep", "--by", PRICE)
    assert [len(groups[side]["runs"]) for side in ("first", "second")] == [4, 4]
    checked = 2  # the last runs, with seeds that the search did not use
    best = pd.DataFrame(was["tune"][:-checked]).groupby(PRICE)["balance.isp"].mean().idxmax()
    headline = output(capsys, "show", golden / "tune")["headline"]
    assert headline.endswith(f"isp: balance at the end is highest at {best:g} money.")
    for name in ("sweep", "tune"):
        page = tmp_path / f"{name}.html"
        output(capsys, "report", golden / name, "--out", page)
        assert load_sweep(golden / f"{name}.yaml").title in page.read_text()


def changed(file: Path, **keys: Any) -> None:
    """Changes values of keys in a JSON file, and removes its digest."""
    content = json.loads(file.read_text())
    content.pop("digest", None)
    file.write_text(json.dumps({**content, **keys}))


NEWER: Final[dict[str, tuple[str, dict[str, Any], Callable[[Path], object], str]]] = {
    "run": (
        "run/manifest.json",
        {"format": 2, "plan": "elsewhere"},
        lambda file: open_run(file.parent),
        "found results format 2, but this version of ecnomy reads results format 1",
    ),
    "plan of a run": (
        "run/manifest.json",
        {"plan": {"plan": 2, "roads": []}},
        lambda file: open_run(file.parent),
        "found plan version 2, but this version of ecnomy reads plan version 1",
    ),
    "sweep": (
        "sweep/sweep.json",
        {"format": 2, "points": {}},
        lambda file: open_sweep(file.parent),
        "found sweep format 2, but this version of ecnomy reads sweep format 1",
    ),
    "sweep to resume": (
        "sweep/sweep.json",
        {"format": 2},
        lambda file: Store(file.parent, load_sweep(file.parents[1] / "sweep.yaml")),
        "found sweep format 2, but this version of ecnomy reads sweep format 1; choose another "
        "with out=",
    ),
}


@pytest.mark.parametrize("kind", NEWER)
def test_a_newer_folder_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    """The folder is refused by its format before anything else is read, and stays unchanged."""
    name, keys, read, says = NEWER[kind]
    shutil.copytree(VERSIONS[-1], tmp_path / "copy")
    file = tmp_path / "copy" / name
    changed(file, **keys)
    before = file.read_bytes()
    with pytest.raises(EcnomyError) as refused:
        read(file)
    assert str(refused.value) == f"{file}: {says}" and refused.value.exit_status == 2
    assert isinstance(refused.value, InputError | ResultsError)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "read"),
    [("keys.yaml", load), ("sweep.yaml", load_sweep), ("learn.yaml", load_environment)],
)
def test_a_newer_file_is_refused_in_one_line(
    name: str, read: Callable[[Path], object], tmp_path: Path
) -> None:
    """A scenario, a sweep file or an environment of version 2 is refused on one line."""
    shutil.copytree(VERSIONS[-1], tmp_path / "copy")
    file = tmp_path / "copy" / name
    file.write_text(file.read_text().replace("version: 1", "version: 2"))
    with pytest.raises(ScenarioError, match=r": version: found 2, expected") as refused:
        read(file)
    assert "\n" not in str(refused.value) and str(file) in str(refused.value)


def test_the_engine_refuses_a_newer_plan_in_one_line(tmp_path: Path) -> None:
    """The line names the plan's version, although the plan also has an unknown key."""
    file = shutil.copy(VERSIONS[-1] / "plan.json", tmp_path / "plan.json")
    changed(Path(file), plan=2, roads=[])
    done = engine_reads(Path(file))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("plan.plan: is not version 1")
    assert len(done.stderr.splitlines()) == 1


def test_released_golden_files_are_not_written_again() -> None:
    """A version with a heading in the changelog, or without YAML files, is refused."""
    with pytest.raises(SystemExit, match="0.1.0 is released: its golden files never change"):
        folder_of("0.1.0", "# Changelog\n\n## [0.1.0] - 2026-12-24\n")
    assert folder_of("0.1.0", "# Changelog\n\n## [Unreleased]\n").name == "0.1.0"
    with pytest.raises(SystemExit, match="copy the YAML files of the last version here"):
        folder_of("0.2.0", "# Changelog\n\n## [0.1.0]\n")
