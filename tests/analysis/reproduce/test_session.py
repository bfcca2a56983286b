# SPDX-License-Identifier: Apache-2.0
"""`ecnomy reproduce` on a cut-down paper: runs, verdicts, files, continuing, doubling."""

from __future__ import annotations

import io
import json
from pathlib import Path

import msgspec
import pytest
import yaml
from rich.console import Console

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.reproduce.command import reproduce_command
from ecnomy.analysis.reproduce.entry_files import write_entry
from ecnomy.analysis.reproduce.page import write_page
from ecnomy.analysis.reproduce.papers import load_paper, select
from ecnomy.analysis.reproduce.studies import Form, load_study
from ecnomy.analysis.reproduce.table import budget_line, catalogue_table, claims_table, closing_line
from small_paper import cut_down, go, outcomes
from tiers import full

NO_CODE = {"title": "t", "priority": "core", "module": "nosuch", "claims": {}}


@pytest.fixture
def paper(tmp_path: Path, monkeypatch) -> Path:
    """siris2002 with only figure 3 and short runs."""
    own = cut_down(tmp_path / "papers")
    monkeypatch.setenv("ECNOMY_PAPERS", str(tmp_path / "papers"))
    return own


def test_runs_are_made_once(paper: Path, tmp_path: Path) -> None:
    """The first command makes all runs. The second makes none, with the same verdicts."""
    first, made = go(tmp_path / "out")
    again, more = go(tmp_path / "out")
    assert (made, more) == (12, 0)
    assert outcomes(first) == outcomes(again)
    assert {o.claim for o in first[0].outcomes} == {f"siris2002.fig3.c{n}" for n in range(1, 12)}
    assert 0 < first[0].data_packets < first[0].budget


def test_goes_on_where_it_was(paper: Path, tmp_path: Path) -> None:
    """Runs left by an interrupted command are not repeated."""
    go(tmp_path / "out")
    folder = tmp_path / "out/siris2002/fig3"
    whole, _ = go(tmp_path / "out")
    lost = next((folder / "shards").glob("*.parquet"))
    lost.unlink()
    again, made = go(tmp_path / "out")
    assert made == 12 and outcomes(again) == outcomes(whole)


def test_quick_and_whole_do_not_mix(paper: Path, tmp_path: Path) -> None:
    """Quick and whole reproductions keep separate runs and files."""
    go(tmp_path / "out")
    _, made = go(tmp_path / "out", quick=True)
    assert made == 12
    names = {f.name for f in (tmp_path / "out/siris2002").iterdir()}
    assert {"fig3", "fig3-quick"} <= names


@full
def test_resolve_doubles_seeds_of_what_straddles(paper: Path, tmp_path: Path) -> None:
    """`--resolve` doubles two seeds whose interval contains a bound, up to eight seeds."""
    entries, made = go(tmp_path / "out", resolve=True)
    verdicts = {o.verdict.verdict for o in entries[0].outcomes}
    sizes = {f.measured.n for o in entries[0].outcomes for f in o.verdict.figures if f.measured}
    assert made in (24, 48)
    assert max(sizes) == made // 6
    assert made == 48 or "inconclusive" not in verdicts


def test_files_and_page(paper: Path, tmp_path: Path) -> None:
    """A session writes figures as CSV, the outcome as JSON, a picture and a page."""
    entries, _ = go(tmp_path / "out")
    form = Form(tmp_path / "out")
    files = {file.suffix: file for file in write_entry(entries[0], form)}
    assert set(files) == {".csv", ".png"}
    records = json.loads(files[".csv"].with_suffix(".json").read_text())
    assert len(records["records"]) == 11
    text = write_page(entries, form).read_text()
    assert "data:image/png;base64," in text and text.count('class="verdict') == 11
    assert "http" not in text and 'src="/' not in text


def test_tables_say_everything(paper: Path, tmp_path: Path) -> None:
    """The console shows budget, every claim's verdict, chosen settings and a count."""
    entries, _ = go(tmp_path / "out")
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(budget_line(select("siris2002"), Form(tmp_path / "out")))
    console.print(claims_table(entries[0]))
    console.print(closing_line(entries))
    text = console.export_text()
    assert "1 entry, 11 claims, 12 runs in 1 study, at most 1 million data packets" in text
    assert "1000-byte packets" in text and "of a budget of 1" in text
    assert "9 core claims" in text and "2 secondary claims" in text


def test_failed_runs_are_an_error(paper: Path, tmp_path: Path) -> None:
    """A study whose runs fail is an error with the folder and the reason."""
    file = paper / "fig3-sweep.yaml"
    text = file.read_text().replace("measures:burstiness", "measures:_counts")
    file.write_text(text)
    with pytest.raises(ResultsError, match="fig3: 12 runs failed; the first one: measure"):
        go(tmp_path / "out")


def test_engine_is_part_of_the_form(paper: Path, tmp_path: Path) -> None:
    """A study's sweep uses the requested engine, in a separate store."""
    form = Form(tmp_path, engine="omnet")
    loaded = load_study(load_paper("siris2002"), "fig3", form)
    assert (loaded.engine, form.ending) == ("omnet", "-omnet")


@pytest.mark.parametrize("what", ["nowhere1999", "siris2002.fig99", "siris2002.", ".fig3"])
def test_unknown_names(paper: Path, what: str) -> None:
    """Unknown papers and items are named, with the known ones."""
    if what == "siris2002.":
        assert len(select(what)) == 1
        return
    with pytest.raises(InputError, match="no such (paper|entry)"):
        select(what)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"extra": 1}, "unknown field `extra`"),
        ({"studies": {}}, "no study 'fig3'"),
        ({"version": 2}, "version"),
        ({"paper": "cross"}, "paper: found 'cross', expected 'siris2002'"),
        ({"entries": {"e": NO_CODE}}, "entries.e: no module 'nosuch'"),
    ],
)
def test_wrong_catalogue(paper: Path, change: dict, found: str) -> None:
    """A fault in a catalogue gives one line that names the file."""
    file = paper / "claims.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | change))
    with pytest.raises(InputError, match=f"claims.yaml: .*{found}"):
        load_paper("siris2002")


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("claims.yaml", b"\xff\xfe", "claims.yaml: .*can't decode"),
        ("findings.yaml", b"fig3.c1: {cause: 1}", "findings.yaml: Expected `str`"),
        ("findings.yaml", b"fig3.c99: {cause: none}", "findings.yaml: no claim 'fig3.c99'"),
    ],
)
def test_broken_files(paper: Path, name: str, data: bytes, found: str) -> None:
    """An unreadable file gives one line that names it."""
    (paper / name).write_bytes(data)
    with pytest.raises(InputError, match=found):
        load_paper("siris2002")


def _with_own_file(paper: Path, choice: str) -> Path:
    """Moves the entry fig3 to a file of its own and its first choice to `choices`."""
    tree = yaml.safe_load((paper / "claims.yaml").read_text())
    entry = tree["entries"]["fig3"]
    tree |= {"choices": {"first": entry["chosen"][0]}, "entries": {"fig3": "entries/fig3.yaml"}}
    entry["chosen"][0] = {"use": choice}
    (paper / "claims.yaml").write_text(yaml.safe_dump(tree))
    file = paper / "entries/fig3.yaml"
    file.parent.mkdir()
    file.write_text(yaml.safe_dump(entry))
    return file


def test_entry_in_its_own_file(paper: Path) -> None:
    """An entry from its own file, with a shared choice, equals the entry in claims.yaml."""
    whole = load_paper("siris2002")
    _with_own_file(paper, "first")
    assert load_paper("siris2002") == whole


def test_faults_of_an_entry_in_its_own_file(paper: Path) -> None:
    """Unknown choices and keys, and a missing file, give one line that names the entry's file."""
    file = _with_own_file(paper, "second")
    with pytest.raises(InputError, match="fig3.yaml: chosen: no choice 'second', expected .*first"):
        load_paper("siris2002")
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"chosen": [], "extra": 1}))
    with pytest.raises(InputError, match="fig3.yaml: .*unknown field `extra`"):
        load_paper("siris2002")
    file.unlink()
    with pytest.raises(InputError, match="fig3.yaml.: No such file|No such file.*fig3.yaml"):
        load_paper("siris2002")


@pytest.mark.parametrize(("out", "found"), [("file", "a folder"), ("file/x", "a folder")])
def test_folder_is_looked_at_first(
    paper: Path, tmp_path: Path, monkeypatch, out: str, found: str
) -> None:
    """An impossible folder is reported at once, not after the runs."""
    monkeypatch.setattr("signal.signal", lambda *_: None)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=f"--out .*{found}"):
        reproduce_command(["siris2002"], out=tmp_path / out)


def test_other_ids_are_listed() -> None:
    """Ids that share an entry's runs are listed in the catalogue and among the known ids."""
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(catalogue_table(load_paper("athuraliya2000")))
    assert "fig5, fig6, fig7" in console.export_text()
    with pytest.raises(InputError, match="expected one of fig5, fig6, fig7, table1"):
        select("athuraliya2000.fig6x")


def test_figures_are_numbers(paper: Path, tmp_path: Path) -> None:
    """Outcomes can be written to a file and read again."""
    entries, _ = go(tmp_path / "out")
    data = msgspec.json.encode(entries[0].outcomes)
    assert b"siris2002.fig3.c11" in data
