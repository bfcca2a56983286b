# SPDX-License-Identifier: Apache-2.0
"""Whether records of claims are current: changes of the code are probed."""

from __future__ import annotations

import functools
import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.compare import sources
from ecnomy.analysis.reproduce.claim_digests import FOLDERS, Sources
from ecnomy.analysis.reproduce.currency import CurrencyCheck, carried, look, stale_lines
from ecnomy.analysis.reproduce.probes import Probe, moved_in, probes_of, row_of
from ecnomy.analysis.reproduce.quick_results import KEPT, read_rows, rows_digest, write_rows
from ecnomy.analysis.reproduce.record import main
from ecnomy.analysis.reproduce.record_file import RecordFile, read_record, write_record
from ecnomy.analysis.reproduce.recorded import RecordedClaim
from ecnomy.markets.sweep.outcome import RunOutcome, execute
from small_paper import change_claims, cut_down, go, made_once

ROOT = Path(__file__).parents[3]
STUDY = "siris2002/fig3"
ALL = {f"siris2002.fig3.c{number}" for number in range(1, 12)}
RED = "omnet/laws/marking/red.h"
CODE_OF = functools.cache(sources.code_of)  # each world has the same texts in other places
Changed = Callable[[Probe, RunOutcome], RunOutcome]


class World:
    """A small paper that is recorded, and a checkout to change."""

    def __init__(self, paper: Path, checkout: Path) -> None:
        self.paper, self.checkout = paper, checkout
        self.file = checkout / "papers.json"

    @property
    def recorded(self) -> RecordFile:
        return read_record(self.file)

    def look(self, then: RecordFile | None = None, **how: Any) -> CurrencyCheck:
        """Check the records, with runs in this process."""
        kept = then or self.recorded
        tables = read_rows(self.checkout / KEPT)
        how.setdefault("make", runs())
        return look(kept.records, kept.studies, tables, Sources(self.checkout), **how)

    def write(self, name: str, change: Callable[[str], str]) -> None:
        """Changes a file of the checkout."""
        (self.checkout / name).write_text(change((self.checkout / name).read_text()))


def runs(change: Changed = lambda probe, outcome: outcome) -> Any:
    """Makes probes in this process, and alters their outcomes."""

    def make(probes: Sequence[Probe]) -> list[RunOutcome]:
        return [change(probe, made_once(probe.task)) for probe in probes]

    return make


def another(outcome: RunOutcome) -> RunOutcome:
    """An outcome with every value a little larger."""
    values = {name: v if v is None else v * 1.001 for name, v in outcome.values.items()}
    return msgspec.structs.replace(outcome, values=values)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """The small paper with a setting that three claims are judged over, recorded."""
    folder = tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch:
        own = cut_down(folder / "papers")
        patch.setenv("ECNOMY_PAPERS", str(folder / "papers"))
        entries = change_claims(own)["entries"]
        for number in ("c1", "c2", "c5"):
            entries["fig3"]["claims"][number]["grid"] = ["gain"]
        gain = {"open": "gain", "chosen": "0.5", "also": {"1": {"sources.*.transport.gain": 1}}}
        change_claims(own, entries=entries, settings={"gain": gain})
        checkout = folder / "checkout"
        for name in FOLDERS:
            shutil.copytree(ROOT / name, checkout / name)
        go(folder / "out", grid=True)
        go(folder / "out", quick=True)
        patch.setattr("ecnomy.analysis.reproduce.record.made", runs())
        assert main([str(folder / "out"), str(checkout / "papers.json")]) == 0
    return folder


@pytest.fixture
def world(made: Path, tmp_path: Path, monkeypatch) -> World:
    """A copy of the small paper for changes."""
    shutil.copytree(made / "papers", tmp_path / "papers")
    shutil.copytree(made / "checkout", tmp_path / "checkout")
    monkeypatch.setenv("ECNOMY_PAPERS", str(tmp_path / "papers"))
    monkeypatch.setattr(sources, "code_of", CODE_OF)
    return World(tmp_path / "papers/siris2002", tmp_path / "checkout")


def test_what_was_just_recorded_is_current(world: World) -> None:
    """Without changes no record is stale, and no run is made."""
    kept = world.recorded
    assert {record.claim for record in kept.records} == ALL
    laws = set(kept.studies[STUDY].laws)
    assert {"load-based", "red", "virtual-queue", "wtp"} < laws and not {"pi", "vegas"} & laws
    assert world.look() == CurrencyCheck({}, {}, 0)


@pytest.mark.parametrize("folder", FOLDERS)
def test_changed_sources_are_probed_and_carried(world: World, folder: str) -> None:
    """After code changes without effect, all points and the alternative run again, only once."""
    name = f"{folder}/{next((world.checkout / folder).glob('*.h')).name}"
    world.write(name, lambda text: text + "int another;\n")
    currency = world.look()
    assert (currency.stale, currency.probed, set(currency.same)) == ({}, 3 * 2 + 1, {STUDY})
    kept = world.recorded
    write_record(
        world.file, *carried(kept.records, kept.studies, currency, Sources(world.checkout))
    )
    assert world.look() == CurrencyCheck({}, {}, 0)


def test_words_and_names_of_files_need_no_probe(world: World) -> None:
    """Comments, layout, places of files and laws without a plan do not count as code."""
    world.write(RED, lambda text: text.replace("{\n", "{  // words\n\n"))
    world.write("omnet/laws/marking/pi.h", lambda text: text + "int another;\n")
    world.write("omnet/laws/window/vegas.h", lambda text: text + "int another;\n")
    world.write("omnet/laws/marking/self_configuring_red.h", lambda text: text + "int another;\n")
    law = world.checkout / "omnet/laws/marking/rounds.h"
    law.rename(law.with_name("turns.h"))
    assert world.look() == CurrencyCheck({}, {}, 0)
    world.write(RED, lambda text: text + "int another;\n")
    assert world.look().probed == 7


def test_claims_are_stale_that_what_moved_bears_on(world: World) -> None:
    """If the virtual queue gives other values, claims on RED and load-based marking stay.

    Without the claims that do not, the study has its new digests: no claim uses what moved.
    """

    def virtual(probe: Probe, outcome: RunOutcome) -> RunOutcome:
        is_virtual = "virtual-queue" in str(probe.task.params)
        return another(outcome) if is_virtual and "@" not in probe.table else outcome

    world.write(RED, lambda text: text + "int another;\n")
    currency = world.look(make=runs(virtual))
    stands = {f"siris2002.fig3.{number}" for number in ("c2", "c3", "c4", "c5", "c9")}
    assert set(currency.stale) == ALL - stands
    assert set(currency.stale.values()) == {("runs give other figures",)}
    assert currency.same == {}
    kept = world.recorded
    assert carried(kept.records, kept.studies, currency, Sources(world.checkout))[0] == kept.records
    left = [record for record in kept.records if record.claim in stands]
    unused = world.look(msgspec.structs.replace(kept, records=left), make=runs(virtual))
    assert (unused.stale, set(unused.same)) == ({}, {STUDY})


def test_an_alternative_that_moved_makes_its_claims_stale(world: World) -> None:
    """Only claims judged over the setting become stale."""
    world.write(RED, lambda text: text + "int another;\n")
    currency = world.look(make=runs(lambda p, o: another(o) if "@gain=1" in p.table else o))
    assert set(currency.stale) == {f"siris2002.fig3.{number}" for number in ("c1", "c2", "c5")}


def test_probes_keep_to_a_budget(world: World) -> None:
    """A study beyond the budget is not probed, and its claims are listed as stale."""
    world.write(RED, lambda text: text + "int another;\n")
    currency = world.look(budget_s=1.0)
    assert set(currency.stale) == ALL and currency.probed == 0
    assert set(currency.stale.values()) == {("not probed within 1 s of CPU time",)}
    assert world.look(budget_s=10.0).stale == {}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("0.95", "0.96", "points or seeds have changed"),
        ("replicates: 2", "replicates: 3", "points or seeds have changed"),
        ("12 s", "13 s", "scenarios have changed"),
        ("12 s", "12000 ms", ""),
    ],
)
def test_scenarios_are_held_to_their_plans(world: World, old: str, new: str, reason: str) -> None:
    """Other points, seeds or plans make records stale; the same in other words does not."""
    file = world.paper / "fig3-sweep.yaml"
    file.write_text(file.read_text().replace(old, new))
    currency = world.look()
    assert set(currency.stale.values()) == ({(reason,)} if reason else set())
    assert set(currency.stale) == (ALL if reason else set())


def test_a_cause_is_in_the_words_of_its_finding(world: World) -> None:
    """A finding changed after the record makes it stale; carrying it over rewords the cause.

    The cause has the recorded figures. Figures without a record need runs.
    """
    kept = world.recorded
    one = next(record for record in kept.records if record.cause)
    figure = next(figure for figure in one.figures if figure.measured)
    number = one.claim.rpartition(".")[2]
    findings = world.paper / "findings.yaml"
    findings.write_text(
        f"fig3.{number}: {{cause: 'it is so', tried: [{{run: all, shows: '{{{figure.name}}}'}}]}}\n"
    )
    currency = world.look()
    assert currency.stale == {one.claim: ("its cause has been reworded",)}
    new, _ = carried(kept.records, kept.studies, currency, Sources(world.checkout))
    (found,) = (record for record in new if record.claim == one.claim)
    assert found.cause.startswith(f"it is so; tried: all: {figure.measured[0]:.4g}")
    assert world.look(RecordFile(3, new, kept.studies)).stale == {}
    made_of = msgspec.structs.replace(found.made_of, module="another")
    moved = [msgspec.structs.replace(one, made_of=made_of) for one in new if one is found]
    assert world.look(RecordFile(3, moved, kept.studies)).stale == {}
    findings.write_text(f"fig3.{number}: {{cause: 'it is {{not.measured}}'}}\n")
    assert world.look().stale == {one.claim: ("its cause names figures that are not recorded",)}


def test_an_entry_s_code_is_held_to_its_figures(world: World) -> None:
    """Another module may give the same figures from the quick runs, but not different ones."""
    kept = world.recorded

    def of_old(record: RecordedClaim) -> RecordedClaim:
        made_of = msgspec.structs.replace(record.made_of, module="another")
        if record.claim.endswith("c7"):
            first, *rest = record.figures
            first = msgspec.structs.replace(first, quick=(9.0, 9.0, 9.0, 2))
            record = msgspec.structs.replace(record, figures=(first, *rest))
        return msgspec.structs.replace(record, made_of=made_of)

    old = RecordFile(kept.format, [of_old(record) for record in kept.records], kept.studies)
    currency = world.look(old)
    assert currency.stale == {"siris2002.fig3.c7": ("the entry's code gives other figures",)}
    records, _ = carried(old.records, old.studies, currency, Sources(world.checkout))
    assert [r for r in records if r.claim != "siris2002.fig3.c7"] == [
        r for r in kept.records if r.claim != "siris2002.fig3.c7"
    ]


def test_claims_of_other_runs_or_regions_are_stale(world: World) -> None:
    """A study recorded again does not support old claims, and neither do other regions."""
    kept = world.recorded
    rows = {STUDY: msgspec.structs.replace(kept.studies[STUDY], rows="another")}
    currency = world.look(RecordFile(kept.format, kept.records, rows))
    assert set(currency.stale.values()) == {("its studies were recorded again",)}
    entries = change_claims(world.paper)["entries"]
    entries["fig3"]["claims"]["c1"] |= {"says": "otherwise", "tolerance": "the same"}
    change_claims(world.paper, entries=entries)
    assert world.look().stale == {}
    entries["fig3"]["claims"]["c1"]["expect"] = {"rank_correlation.*": [0.5, 1]}
    change_claims(world.paper, entries=entries)
    assert world.look().stale == {"siris2002.fig3.c1": ("regions or grid have changed",)}


def test_what_cannot_be_looked_at_is_stale(world: World) -> None:
    """Removed claims, claims without digests and invalid scenarios are stale."""
    kept = world.recorded
    gone = RecordedClaim(claim="siris2002.fig3.c99", priority="core", verdict="confirmed")
    unknown = msgspec.structs.replace(gone, claim="siris2002.fig3.c1")
    currency = world.look(RecordFile(kept.format, [gone, unknown], kept.studies))
    assert currency.stale == {
        gone.claim: ("there is no such claim any more",),
        unknown.claim: ("its sources are not recorded",),
    }
    (world.paper / "fig3-sweep.yaml").write_text("version: 9\n")
    why = world.look().stale["siris2002.fig3.c1"]
    assert why[0].startswith("its scenarios do not load: ")


def test_a_probe_is_held_to_every_value(world: World) -> None:
    """A single different value changes a row; additional measurements do not."""
    tables = read_rows(world.checkout / KEPT)
    (first, *_) = probes_of(Sources(world.checkout).paper("siris2002"), "fig3", tables)
    outcome = execute(first.task)
    assert moved_in([first], [outcome], tables) == {}
    more = msgspec.structs.replace(outcome, values={**outcome.values, "new": 1.0})
    assert moved_in([first], [more], tables) == {}
    used = outcome.values["bottleneck.utilization"]
    assert isinstance(used, float)
    last_bit = {"bottleneck.utilization": math.nextafter(used, 2.0)}
    rounded = msgspec.structs.replace(outcome, values={**outcome.values, **last_bit})
    assert moved_in([first], [rounded], tables) == {}
    for name, value in [("bottleneck.utilization", 1.0001 * used), ("heavy.marking_rate", None)]:
        other = msgspec.structs.replace(outcome, values={**outcome.values, name: value})
        assert moved_in([first], [other], tables) == {STUDY: (0,)}
    sent = msgspec.structs.replace(outcome, data_packets=outcome.data_packets + 1)
    assert moved_in([first], [sent], tables) == {STUDY: (0,)}
    with pytest.raises(ResultsError, match="run 0 is not recorded"):
        row_of(first, {})


def test_rows_are_kept_to_the_last_digit(world: World, tmp_path: Path) -> None:
    """Rows survive writing and reading, equal rows give equal bytes, other files are refused."""
    file = world.checkout / KEPT
    tables = read_rows(file)
    write_rows(tmp_path / "again.gz", tables)
    assert (tmp_path / "again.gz").read_bytes() == file.read_bytes()
    assert rows_digest(tables[STUDY]) == rows_digest(read_rows(tmp_path / "again.gz")[STUDY])
    (tmp_path / "other.gz").write_bytes(b"words")
    with pytest.raises(ResultsError, match="other.gz: cannot read the rows of quick runs"):
        read_rows(tmp_path / "other.gz")
    assert read_rows(tmp_path / "none.gz") == {}


def test_stale_claims_of_an_entry_are_a_line() -> None:
    """Claims that are stale for the same reasons share a line."""
    why = {"p.e.c1": ("a",), "p.e.c2": ("a",), "p.e.c3": ("a", "b"), "p.f.c1": ("a",)}
    assert stale_lines(why) == [
        "p.e: c1, c2 stale (a)",
        "p.e: c3 stale (a; b)",
        "p.f: c1 stale (a)",
    ]
