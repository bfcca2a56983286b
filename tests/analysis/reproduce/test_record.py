# SPDX-License-Identifier: Apache-2.0
"""papers.json: records survive writing and reading, and their sources are checked."""

from __future__ import annotations

import ast
import functools
import importlib.util
import pkgutil
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.reproduce.claim_digests import FOLDERS, ClaimMade, Sources, StudyMade
from ecnomy.analysis.reproduce.entries import ClaimOutcome
from ecnomy.analysis.reproduce.judge import At, ClaimVerdict, JudgedQuantity
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.quick_results import unmoved
from ecnomy.analysis.reproduce.record import main
from ecnomy.analysis.reproduce.record_file import RecordFile, read_record, write_record
from ecnomy.analysis.reproduce.recorded import quick_figures, recorded
from ecnomy.analysis.statistics.intervals import t_interval
from ecnomy.markets.sweep.fingerprint import measure_modules
from small_paper import cut_down, go

ROOT = Path(__file__).parents[3]
NOW = ClaimMade("s", "m", "c")


def judged(name: str, mean: float, verdict: str = "confirmed") -> JudgedQuantity:
    """A figure of three seeds."""
    values = np.array([mean - 1, mean, mean + 1])
    return JudgedQuantity(name, t_interval(values), None, 9.0, verdict, 0.123456)


WHOLE = ClaimOutcome(
    "p.e.c1",
    "core",
    ClaimVerdict(
        "depends",
        (judged("a", 1 / 3), judged("b", 2)),
        (judged("k", 30, "refuted"),),
        alone="confirmed",
        grid=(At("s", "x", ClaimVerdict("refuted", (judged("b", 20, "refuted"),))),),
        depends=("s",),
    ),
    "why",
    "cause {told}",
    {"told": t_interval(np.array([1.0, 2.0]))},
    over=("s",),
)
QUICK = ClaimOutcome("p.e.c1", "core", ClaimVerdict("confirmed", (judged("b", 3), judged("z", 4))))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Records survive the file, equal records give equal bytes, and each figure has a line."""
    file = tmp_path / "papers.json"
    kept = [recorded(WHOLE, QUICK, {"engine": "x"}, NOW), recorded(QUICK, None, {})]
    studies = {"p/s": StudyMade(("red",), code="0f")}
    write_record(file, kept, studies)
    first = file.read_bytes()
    assert read_record(file) == RecordFile(3, kept, studies)
    write_record(file, kept, studies)
    assert file.read_bytes() == first
    lines = [line for line in first.decode().splitlines() if line.startswith("  {")]
    assert len(lines) == 5 + 1 + 2  # for the claim, its control, its reason, the quick form; a grid


def test_whole_and_quick_share_a_line() -> None:
    """A figure's quick and full numbers share a line; figures with only one form are kept."""
    figures = {figure.name: figure for figure in recorded(WHOLE, QUICK, {}).figures}
    assert figures["b"].measured is not None and figures["b"].quick is not None
    assert (figures["a"].quick, figures["a"].quick_verdict) == (None, "")
    assert (figures["z"].measured, figures["z"].verdict) == (None, "")
    assert figures["z"].quick_verdict == "confirmed"
    assert {name: figure.of for name, figure in figures.items() if figure.of} == {
        "k": "control",
        "told": "reason",
    }
    assert figures["a"].measured is not None and figures["a"].measured[0] == 0.333333333
    assert figures["a"].p == 0.123


def test_a_column_more_moves_nothing() -> None:
    """Other claims of a study stay current if its new table has all contents of the old one."""
    then = pd.DataFrame({"number": [0, 1], "rate": [1.5, np.nan]})
    assert unmoved(then.assign(price=3.0), then) is then
    for other in (then.assign(rate=1.5), then.astype({"number": float}), then.drop(columns="rate")):
        assert unmoved(other, then) is other
    assert unmoved(then, None) is then


@pytest.mark.parametrize("quick", [QUICK, ClaimOutcome("p.e.c1", "core", ClaimVerdict("pending"))])
def test_a_record_gives_its_quick_figures_back(quick: ClaimOutcome) -> None:
    """Beside full figures the quick outcome is recorded, even without figures."""
    assert quick_figures(recorded(WHOLE, quick, {})) == quick_figures(quick)
    other = msgspec.structs.replace(quick, verdict=ClaimVerdict("refuted"))
    assert quick_figures(recorded(WHOLE, other, {})) != quick_figures(quick)


def test_a_grid_keeps_what_decides() -> None:
    """The verdict and the deciding figure of each alternative are recorded."""
    under = recorded(WHOLE, None, {}).grid[0]
    assert (under.setting, under.alternative, under.verdict) == ("s", "x", "refuted")
    assert under.figure is not None and under.figure.name == "b"
    assert recorded(WHOLE, None, {}).verdict_words == "depends on s"


@pytest.mark.parametrize(
    "data", [b"[]", b"{", b'{"format": 3}', b'{"format": 3, "records": [{"claim": 1}]}']
)
def test_what_is_no_record(tmp_path: Path, data: bytes) -> None:
    """Other files are refused as records."""
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(ResultsError, match="cannot read the record of claims"):
        read_record(tmp_path / "x.json")


def test_another_format_is_named(tmp_path: Path) -> None:
    """The error for a record of another version names that version."""
    (tmp_path / "x.json").write_bytes(b'{"format": 9, "records": []}')
    with pytest.raises(ResultsError, match="found record format 9, but .* reads record format 3"):
        read_record(tmp_path / "x.json")


@pytest.fixture
def paper(tmp_path: Path, monkeypatch) -> Path:
    """Figure 3 of siris2002, short."""
    own = cut_down(tmp_path / "papers")
    monkeypatch.setenv("ECNOMY_PAPERS", str(tmp_path / "papers"))
    return own


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The sources of runs, in their own folder."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / "checkout" / name)
    return tmp_path / "checkout"


def test_the_module_is_part_of_it(paper: Path, checkout: Path, monkeypatch) -> None:
    """Modules that make figures count, including their imports; those that only draw do not."""
    counted: dict[str, tuple[str, ...]] = {}
    from ecnomy.analysis.reproduce import claim_digests

    real = claim_digests.measure_modules

    def counting(module: str, apart: tuple[str, ...] = ()) -> dict[str, str]:
        digests = real(module, apart)
        counted[module] = tuple(digests)
        return digests

    monkeypatch.setattr(claim_digests, "measure_modules", counting)
    Sources(checkout).of_claim("siris2002", "fig3", "c1", {})
    names = counted["ecnomy.analysis.reproduce.siris2002.fig3"]
    assert "ecnomy.analysis.reproduce.siris2002.fig3" in names
    assert (
        "ecnomy.analysis.statistics.intervals" in names
        and "ecnomy.analysis.reproduce.ranks" in names
    )
    apart = {f"ecnomy.analysis.reproduce.{name}" for name in ("page", "entry_files")}
    assert not apart & {*names}


@pytest.mark.parametrize("name", PAPERS)
def test_imports_of_a_claim_name_modules(name: str) -> None:
    """A name from a package's root would hide its module from the digests: rules of calibrate were.

    The rule of an interval's multiples changed once, and no record noticed.
    """
    paper, hidden = load_paper(name), set()
    for own in {entry.module for entry in paper.entries.values()} - {""}:
        for module in measure_modules(f"ecnomy.analysis.reproduce.{name}.{own}"):
            hidden |= _hidden(module)
    assert hidden == set()


@functools.cache
def _hidden(module: str) -> frozenset[tuple[str, str]]:
    """The names that a module imports from a package's root, with the module."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named = (f"{one.module}.{name.name}" for one in froms for name in one.names)
    return frozenset(
        (module, one)
        for one in named
        if one.rpartition(".")[0] in _packages() and importlib.util.find_spec(one) is None
    )


@functools.cache
def _packages() -> frozenset[str]:
    """The packages of ecnomy.analysis that define names, which are not modules."""
    import ecnomy.analysis

    modules = pkgutil.walk_packages(ecnomy.analysis.__path__, "ecnomy.analysis.")
    return frozenset(module.name for module in modules if module.ispkg)


def test_the_command_keeps_and_names_what_is_stale(
    paper: Path, checkout: Path, tmp_path: Path, capsys
) -> None:
    """Judged runs make current records; without runs the old ones stay and are named if stale."""
    file = checkout / "papers.json"
    go(tmp_path / "out", grid=True)
    go(tmp_path / "out", quick=True)
    assert main([str(tmp_path / "out"), str(file)]) == 0
    first = read_record(file)
    assert len(first.records) == 11 and list(first.studies) == ["siris2002/fig3"]
    assert all(record.quick_verdict for record in first.records)
    assert "stale" not in capsys.readouterr().err
    shutil.rmtree(tmp_path / "out/siris2002")
    sweep = paper / "fig3-sweep.yaml"
    sweep.write_text(sweep.read_text().replace("12 s", "13 s"))
    assert main([str(tmp_path / "out"), str(file)]) == 0
    notices = capsys.readouterr().err
    assert "siris2002.fig3: c1, c10, c11, c2" in notices
    assert "stale (scenarios have changed" in notices
    assert read_record(file) == first


def test_runs_of_other_code_are_not_recorded(
    paper: Path, checkout: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    """Runs from another engine are reported, but not judged."""
    from ecnomy.markets.sweep import driver

    go(tmp_path / "out")
    other = msgspec.structs.replace(driver.code_now(), engine="another")
    monkeypatch.setattr(driver, "code_now", lambda engine: other)
    assert main([str(tmp_path / "out"), str(checkout / "papers.json")]) == 0
    notices = capsys.readouterr().err
    assert "siris2002.fig3: siris2002 fig3: 12 runs are missing or of other code" in notices
    assert read_record(checkout / "papers.json").records == []


def test_a_setting_is_read_from_the_runs(paper: Path, tmp_path: Path) -> None:
    """A path gives the runs' setting, all values if the sweep varies it, or is refused."""
    entries, _ = go(tmp_path / "out")
    studies = entries[0].measured.studies
    assert studies.setting("fig3", "network.links.bottleneck.rate") == "10 Mbps"
    assert studies.setting("fig3", "sources.heavy.transport.weight") == "1 marks and 8 marks"
    with pytest.raises(
        InputError, match="network.links.bottleneck.nothing is not set in the scenario"
    ):
        studies.setting("fig3", "network.links.bottleneck.nothing")
    with pytest.raises(InputError, match="fig9@x: no such study"):
        studies.setting("fig9", "x")
