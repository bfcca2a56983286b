# SPDX-License-Identifier: Apache-2.0
"""papers.json: what is written is read again, and what it was made of is held to what there is."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.reproduce.carry import carried_over
from ecnomy.analysis.reproduce.entries import Outcome
from ecnomy.analysis.reproduce.judge import At, Judged, Verdict
from ecnomy.analysis.reproduce.made_of import FOLDERS, MadeOf, Sources, changes
from ecnomy.analysis.reproduce.papers import load_paper
from ecnomy.analysis.reproduce.probes import all_studies, probe, probes_of
from ecnomy.analysis.reproduce.record import main, stale, stale_lines
from ecnomy.analysis.reproduce.record_file import read_probes, read_record, write_record
from ecnomy.analysis.reproduce.recorded import Recorded, recorded
from ecnomy.analysis.statistics import t_interval
from small_paper import change_claims, cut_down, go

ROOT = Path(__file__).parents[2]
NOW = MadeOf("e", "m", "r", "c")


def judged(name: str, mean: float, verdict: str = "confirmed") -> Judged:
    """A figure of three seeds."""
    values = np.array([mean - 1, mean, mean + 1])
    return Judged(name, t_interval(values), None, 9.0, verdict, 0.123456)


WHOLE = Outcome(
    "p.e.c1",
    "core",
    Verdict(
        "depends",
        (judged("a", 1 / 3), judged("b", 2)),
        (judged("k", 30, "refuted"),),
        alone="confirmed",
        grid=(At("s", "x", Verdict("refuted", (judged("b", 20, "refuted"),))),),
        depends=("s",),
    ),
    "why",
    {"told": t_interval(np.array([1.0, 2.0]))},
    over=("s",),
)
QUICK = Outcome("p.e.c1", "core", Verdict("confirmed", (judged("b", 3), judged("z", 4))))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Records survive the file, the same ones give the same bytes, a figure is a line."""
    file = tmp_path / "papers.json"
    kept = [recorded(WHOLE, QUICK, {"engine": "x"}, NOW), recorded(QUICK, None, {})]
    write_record(file, kept, {"p/s": "0f"})
    first = file.read_bytes()
    assert read_record(file) == kept and read_probes(file) == {"p/s": "0f"}
    write_record(file, read_record(file), read_probes(file))
    assert file.read_bytes() == first
    lines = [line for line in first.decode().splitlines() if line.startswith("  {")]
    assert len(lines) == 5 + 1 + 2  # of the claim, its control, its reason, the quick form; a grid


def test_whole_and_quick_share_a_line() -> None:
    """A figure's quick numbers are beside its whole ones; those of one form alone are kept."""
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


def test_a_grid_keeps_what_decides() -> None:
    """Of each alternative the verdict and its deciding figure are recorded."""
    under = recorded(WHOLE, None, {}).grid[0]
    assert (under.setting, under.alternative, under.verdict) == ("s", "x", "refuted")
    assert under.figure is not None and under.figure.name == "b"
    assert recorded(WHOLE, None, {}).told == "depends on s"


@pytest.mark.parametrize(
    "data", [b"[]", b"{", b'{"format": 2}', b'{"format": 2, "records": [{"claim": 1}]}']
)
def test_what_is_no_record(tmp_path: Path, data: bytes) -> None:
    """Another file is told from a record."""
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(ResultsError, match="no record of claims"):
        read_record(tmp_path / "x.json")


def test_another_format_is_named(tmp_path: Path) -> None:
    """A record of another version says which it is."""
    (tmp_path / "x.json").write_bytes(b'{"format": 9, "records": []}')
    with pytest.raises(ResultsError, match="record format 9, this version reads 2"):
        read_record(tmp_path / "x.json")


def test_changes_are_named() -> None:
    """Each part that differs is told, and nothing of a current record."""
    assert changes(NOW, NOW) == ()
    other = msgspec.structs.replace(NOW, engine="x", claim="y")
    assert changes(NOW, other) == (
        "laws, host or engine have changed",
        "regions or grid have changed",
    )


def test_stale_claims_of_an_entry_are_a_line() -> None:
    """Claims that are stale for the same reasons are named together."""
    why = {"p.e.c1": ("a",), "p.e.c2": ("a",), "p.e.c3": ("a", "b"), "p.f.c1": ("a",)}
    assert stale_lines(why) == [
        "p.e: c1, c2 stale (a)",
        "p.e: c3 stale (a; b)",
        "p.f: c1 stale (a)",
    ]


@pytest.fixture
def paper(tmp_path: Path, monkeypatch) -> Path:
    """Figure 3 of siris2002, short."""
    own = cut_down(tmp_path / "papers")
    monkeypatch.setenv("ECNOMY_PAPERS", str(tmp_path / "papers"))
    return own


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The sources that runs are made by, in a folder of their own."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / "checkout" / name)
    return tmp_path / "checkout"


def of(checkout: Path, number: str = "c1") -> MadeOf:
    """What a claim of figure 3 is made of now."""
    return Sources(checkout).of("siris2002", "fig3", number)


@pytest.mark.parametrize("folder", FOLDERS)
def test_sources_are_part_of_it(paper: Path, checkout: Path, folder: str) -> None:
    """A line in the laws, the host or the engine makes a record stale."""
    before = of(checkout)
    assert of(checkout) == before
    source = next((checkout / folder).rglob("*.h"))
    source.write_text(source.read_text() + "int another;\n")
    assert changes(before, of(checkout)) == ("laws, host or engine have changed",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.95", "0.96"),
        ("replicates: 2", "replicates: 3"),
        ("8 marks", "8 marks"),
        ("12 s", "13 s"),
    ],
)
def test_scenarios_are_part_of_it(paper: Path, checkout: Path, old: str, new: str) -> None:
    """Values, seeds and settings of a study make a record stale; the same ones do not."""
    before, file = of(checkout), paper / "fig3-sweep.yaml"
    file.write_text(file.read_text().replace(old, new))
    assert ("scenarios have changed" in changes(before, of(checkout))) == (old != new)


def test_words_are_no_part_of_it(paper: Path, checkout: Path) -> None:
    """What a claim says may be put otherwise; its regions may not."""
    before, entries = of(checkout), change_claims(paper)["entries"]
    entries["fig3"]["claims"]["c1"] |= {"says": "otherwise", "tolerance": "the same"}
    change_claims(paper, entries=entries)
    assert of(checkout) == before
    entries["fig3"]["claims"]["c1"]["expect"] = {"rank_correlation.*": [0.5, 1]}
    change_claims(paper, entries=entries)
    assert changes(before, of(checkout)) == ("regions or grid have changed",)
    assert changes(before, of(checkout, "c2")) == ("regions or grid have changed",)


def test_the_grid_is_part_of_it(paper: Path, checkout: Path) -> None:
    """An alternative more makes records of the claims that are judged over it stale."""
    entries = change_claims(paper)["entries"]
    entries["fig3"] |= {"grid": ["gain"]}
    gain = {"open": "gain", "chosen": "0.5", "also": {"1": {"sources.*.transport.gain": 1}}}
    change_claims(paper, entries=entries, settings={"gain": gain})
    before = of(checkout)
    gain["also"] |= {"2": {"sources.*.transport.gain": 2}}
    change_claims(paper, settings={"gain": gain})
    assert changes(before, of(checkout)) == ("regions or grid have changed",)


def test_the_module_is_part_of_it(paper: Path, checkout: Path, monkeypatch) -> None:
    """Modules that figures come from count, with what they import; those that draw do not."""
    counted: dict[str, tuple[str, ...]] = {}
    from ecnomy.analysis.reproduce import made_of

    real = made_of.measure_modules

    def told(module: str, apart: tuple[str, ...] = ()) -> dict[str, str]:
        found = real(module, apart)
        counted[module] = tuple(found)
        return found

    monkeypatch.setattr(made_of, "measure_modules", told)
    of(checkout)
    names = counted["ecnomy.analysis.reproduce.siris2002.fig3"]
    assert "ecnomy.analysis.reproduce.siris2002.fig3" in names
    assert "ecnomy.analysis.statistics" in names and "ecnomy.analysis.reproduce.ranks" in names
    assert not {"ecnomy.analysis.reproduce.page", "ecnomy.analysis.reproduce.pictures"} & {*names}


def test_a_claim_that_is_gone_is_stale(paper: Path, checkout: Path) -> None:
    """Records of claims that there are no longer are named."""
    gone = Recorded(claim="siris2002.fig3.c99", priority="core", verdict="confirmed", made_of=NOW)
    assert stale([gone], Sources(checkout)) == {gone.claim: ("there is no such claim any more",)}


def test_a_record_without_digests_is_stale(paper: Path, checkout: Path) -> None:
    """What it was made of is not known; that of a scenario that does not load is not looked for."""
    old = Recorded(claim="siris2002.fig3.c1", priority="core", verdict="confirmed")
    unknown = {old.claim: ("what it was made of is not known",)}
    assert stale([old], Sources(checkout)) == unknown
    (paper / "fig3-sweep.yaml").write_text("version: 9\n")
    assert stale([old], Sources(checkout)) == unknown
    why = stale([msgspec.structs.replace(old, made_of=NOW)], Sources(checkout))[old.claim]
    assert why[0].startswith("its scenarios do not load: ")


def test_the_command_keeps_and_names_what_is_stale(
    paper: Path, checkout: Path, tmp_path: Path, capsys
) -> None:
    """Judged runs make current records; without runs the old ones stay, and are named if stale."""
    file = checkout / "papers.json"
    go(tmp_path / "out", grid=True)
    go(tmp_path / "out", quick=True)
    assert main([str(tmp_path / "out"), str(file)]) == 0
    first = read_record(file)
    assert len(first) == 11 and stale(first, Sources(checkout)) == {}
    assert all(record.quick_verdict for record in first)
    assert "stale" not in capsys.readouterr().err
    shutil.rmtree(tmp_path / "out/siris2002")
    sweep = paper / "fig3-sweep.yaml"
    sweep.write_text(sweep.read_text().replace("12 s", "13 s"))
    assert main([str(tmp_path / "out"), str(file)]) == 0
    told = capsys.readouterr().err
    assert "siris2002.fig3: c1, c10, c11, c2" in told
    assert "stale (scenarios have changed" in told
    assert read_record(file) == first


def test_runs_of_other_code_are_not_recorded(
    paper: Path, checkout: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    """Runs that another engine made are told and judged by no one."""
    from ecnomy.markets.sweep import driver

    go(tmp_path / "out")
    other = msgspec.structs.replace(driver.code_now(), engine="another")
    monkeypatch.setattr(driver, "code_now", lambda engine: other)
    assert main([str(tmp_path / "out"), str(checkout / "papers.json")]) == 0
    told = capsys.readouterr().err
    assert "siris2002.fig3: siris2002 fig3: 12 runs are missing or of other code" in told
    assert read_record(checkout / "papers.json") == []


def test_a_setting_is_read_from_the_runs(paper: Path, tmp_path: Path) -> None:
    """A path gives what the runs have, all values where the sweep varies it, or is refused."""
    found, _ = go(tmp_path / "out")
    studies = found[0].measured.studies
    assert studies.setting("fig3", "network.links.bottleneck.rate") == "10 Mbps"
    assert studies.setting("fig3", "sources.heavy.transport.weight") == "1 marks and 8 marks"
    with pytest.raises(InputError, match="network.links.bottleneck.nothing: nothing there"):
        studies.setting("fig3", "network.links.bottleneck.nothing")
    with pytest.raises(InputError, match="fig9@x: no such study"):
        studies.setting("fig9", "x")


def test_an_engine_that_moves_nothing_carries_records_over(paper: Path, checkout: Path) -> None:
    """Records are current again where the engine alone changed and probes are as they were."""
    made = of(checkout)
    source = checkout / "omnet/laws/parameter.h"
    source.write_text(source.read_text() + "int another;\n")
    sources = Sources(checkout)
    record = recorded(WHOLE, None, {}, made)
    record = msgspec.structs.replace(record, claim="siris2002.fig3.c1")
    records = [record, msgspec.structs.replace(record, claim="siris2002.fig3.c2", made_of=NOW)]
    name = "siris2002/" + load_paper("siris2002").entries["fig3"].studies[0]
    asked = []

    def now(studies: Iterable[str]) -> dict[str, str]:
        asked.extend(studies)
        return dict.fromkeys(asked, "same")

    then = dict.fromkeys(all_studies(), "same")
    (carried, other) = carried_over(records, then, sources, probes=now)
    assert name in asked and not stale([carried], sources)
    assert (carried.carried, carried.made_of.engine) == (made.engine, sources.engine)
    assert other == records[1]
    assert carried_over(records, then | {name: "moved"}, sources, probes=now) == records
    assert carried_over(records, {}, sources, probes=now) == records


def test_code_that_moves_no_quick_figure_carries_records_over(paper: Path, checkout: Path) -> None:
    """Plans and modules may change where all quick figures are as they were, scenarios may not."""
    now = of(checkout)
    quick = msgspec.structs.replace(QUICK, claim="siris2002.fig3.c1")
    then = msgspec.structs.replace(now, plan="another", module="another", engine="first")
    record = msgspec.structs.replace(recorded(WHOLE, quick, {}, then), claim=quick.claim)
    sources = Sources(checkout)

    def carried(record: Recorded, figures: tuple[Judged, ...]) -> Recorded:
        found = Verdict("confirmed", figures)
        outcome = msgspec.structs.replace(quick, verdict=found)
        (one,) = carried_over(
            [record],
            {},
            sources,
            probes=lambda names: {},
            quick=lambda name: {quick.claim: outcome},
        )
        return one

    same = carried(record, QUICK.verdict.figures)
    assert (same.made_of, same.carried) == (now, "first")
    assert carried(record, (judged("b", 3.00001), judged("z", 4))) == record
    assert carried(record, (judged("b", 3),)) == record
    assert carried_over([record], {}, sources, probes=lambda names: {}) == [record]
    moved = msgspec.structs.replace(record, made_of=msgspec.structs.replace(then, runs="another"))
    assert carried(moved, QUICK.verdict.figures) == moved
    alone = msgspec.structs.replace(recorded(WHOLE, None, {}, then), claim=quick.claim)
    assert carried(alone, ()) == alone


def test_a_probe_is_of_what_a_study_measures(paper: Path) -> None:
    """The same study gives the same digest, by any number of processes; another value another."""
    name = "siris2002/" + load_paper("siris2002").entries["fig3"].studies[0]
    first = probe(*name.split("/"))
    assert probes_of([name]) == {name: first}
    file = paper / "fig3-sweep.yaml"
    file.write_text(file.read_text().replace("8 s", "9 s"))
    assert probe(*name.split("/")) != first
