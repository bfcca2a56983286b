# SPDX-License-Identifier: Apache-2.0
"""Records, made here from built-in runs of other seeds under the name of the other engine."""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec
import pytest

import compare_world as world
from ecnomy.agents.errors import InputError, ResultsError, ScenarioError
from ecnomy.analysis.compare.carrying import carried_over, moved
from ecnomy.analysis.compare.comparison import compare
from ecnomy.analysis.compare.figures import Figures
from ecnomy.analysis.compare.record import (
    RECORDS,
    Record,
    against,
    current,
    read_record,
    seeds_within,
    write_record,
)
from ecnomy.analysis.compare.recording import Entry, main, read_index, record_scenario
from ecnomy.analysis.compare.runs import BUILT_IN, Done
from ecnomy.analysis.compare.sources import code_of, find_checkout, source_digest
from ecnomy.analysis.compare.verdicts import DIFFERENT, EQUIVALENT, NOT_JUDGED
from ecnomy.markets.plan.make import make_plan
from ecnomy.markets.scenario import load

ENTRY = Entry(name="settled", file="wtp.yaml", changes=world.SETTLED)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Record]:
    """A checkout with the record of ten seeds; its plans are those of the seeds it names."""
    folder = world.checkout(tmp_path_factory.mktemp("checkout"))
    engines = (BUILT_IN, world.OTHER)
    record, _ = record_scenario(ENTRY, 10, folder, engines=engines, simulate=world.other_seeds)
    config = world.SCENARIOS / ENTRY.file
    plans = (make_plan(load(config, overrides=ENTRY.changes, seed=s)) for s in record.seeds)
    record = msgspec.structs.replace(record, plan_digests=tuple(plan.digest for plan in plans))
    write_record(record, folder / RECORDS / "settled.json")
    return folder, record


@functools.cache
def built_in(folder: Path, seeds: int) -> dict[int, Figures]:
    """Figures of the built-in engine."""
    study = world.study(folder)
    compare(study, seeds)
    tasks = [task for task in study.tasks(range(1, seeds + 1)) if task.engine == BUILT_IN]
    rows = (msgspec.json.decode(study.row_file(t).read_bytes(), type=Done) for t in tasks)
    return {done.seed: done.figures for done in rows}


def test_a_record_says_what_it_is_of(made) -> None:
    """The file reads as what was written: seeds, digests, versions, window, CPU times, figures."""
    folder, record = made
    assert read_record(folder / RECORDS / "settled.json") == record
    assert record.seeds == tuple(range(1, 11)) and len(set(record.plan_digests)) == 10
    assert record.source_digest == source_digest(folder)
    assert set(record.versions) == {"ecnomy", BUILT_IN, world.OTHER}
    assert (record.warmup_ps, record.duration_ps) == (20 * 10**12, 80 * 10**12)
    for engine in (BUILT_IN, world.OTHER):
        assert len(record.cpu_s[engine]) == 10 and min(record.cpu_s[engine]) > 0
    assert {row.verdict for row in record.rows} == {EQUIVALENT, NOT_JUDGED}


def test_a_fresh_record_is_current(made) -> None:
    """Nothing has changed, so there is no reason against it."""
    folder, record = made
    assert current(record, folder).current


def test_changed_laws_make_a_record_stale(made, tmp_path: Path) -> None:
    """A changed or renamed source of laws, bridge or inet is named; documents do not count."""
    _, record = made
    other = world.checkout(tmp_path / "other")
    assert current(record, other).current
    (other / "omnet" / "laws" / "README.md").write_text("words")
    (other / "omnet" / "inet" / "Built_m.cc").write_text("// generated")
    assert current(record, other).current
    for name in ("laws/law.h", "bridge/bridge.cc", "inet/Host.ned"):
        file = other / "omnet" / name
        before = file.read_text()
        file.write_text(before.replace(" ", "  ") + "\n// said in other words\n")
        assert current(record, other).current
        file.write_text(before + "changed\n")
        (reason,) = current(record, other).reasons
        assert "laws, bridge, host or inet have changed" in reason
        file.write_text(before)
    file.rename(file.with_name("Node.ned"))
    assert not current(record, other).current


def test_a_record_is_carried_over_where_no_figure_moved(made, tmp_path: Path) -> None:
    """Changed sources alone, and the first seed's figures as before; what it was made of stays."""
    _, record = made
    first = msgspec.structs.replace(record, seeds=tuple(s + world.FAR for s in record.seeds))
    other = world.checkout(tmp_path / "other")
    assert carried_over(record, other, world.other_seeds) is None  # it is current
    law = other / "omnet" / "laws" / "law.h"
    law.write_text("changed\n")
    assert moved(record, other, world.other_seeds) == []
    carried = carried_over(record, other, world.other_seeds)
    assert carried is not None and current(carried, other).current
    assert (carried.carried, carried.rows) == (record.source_digest, record.rows)
    law.write_text("changed again\n")
    again = carried_over(carried, other, world.other_seeds)
    assert again is not None and again.carried == record.source_digest
    slower = world.changed("network.links.bottleneck.rate=9 Mbps")
    assert carried_over(record, other, slower) is None
    assert len(moved(record, other, slower)) > 5
    assert carried_over(first, other, world.other_seeds) is None  # plans have changed too


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a = b;  // words\n", "a=b;"),
        (
            "int  x /* of y */ = 1'000; f('a', \"b // c\");",
            "int x=1'000;f(\0'a'\0,\0\"b // c\"\0);",
        ),
        ("if (x)\n  y();", "if(x)y();"),
        ("# define A (x)\nreturn\n  z;", "\0# define A (x)\0return z;"),
    ],
)
def test_code_is_a_source_without_comments_and_layout(text: str, code: str) -> None:
    """Literals and preprocessor lines stay as they are; words stay apart."""
    assert code_of(text) == code


def test_changed_plans_make_a_record_stale(made) -> None:
    """The plan digest of one seed that is not the recorded one is counted."""
    folder, record = made
    digests = ("0" * 64, *record.plan_digests[1:])
    stale = current(msgspec.structs.replace(record, plan_digests=digests), folder)
    assert stale.reasons == ("the plans of 1 of 10 seeds have changed",)


def test_a_changed_scenario_makes_a_record_stale(made, tmp_path: Path) -> None:
    """A scenario that is other, gone or wrong by now is named."""
    _, record = made
    other = world.checkout(tmp_path / "other")
    file = other / "tests" / "validation" / "scenarios" / "wtp.yaml"
    text = file.read_text()
    file.write_text(text.replace("rate: 10 Mbps", "rate: 9 Mbps"))
    reasons = current(record, other).reasons
    assert "its scenario wtp.yaml has changed" in reasons
    assert "the plans of 10 of 10 seeds have changed" in reasons
    file.write_text(text.replace("rate: 10 Mbps", "rate: fast"))
    (reason,) = current(record, other).reasons
    assert "does not load" in reason and "network.links[1].rate" in reason
    file.unlink()
    assert current(record, other).reasons == ("its scenario wtp.yaml is gone",)


def test_the_engine_holds_to_a_record(made) -> None:
    """The built-in engine is equivalent to the record of itself, of other seeds, in every row."""
    folder, record = made
    rows = against(record, built_in(folder / "again", 10))
    assert {row.verdict for row in rows if row.verdict} == {EQUIVALENT}
    assert sum(row.verdict != NOT_JUDGED for row in rows) == 8


@pytest.mark.parametrize("factor", [0.8, 1.2])
@pytest.mark.parametrize("seeds", [4, 10])
def test_figures_a_fifth_off_are_found_different(made, factor: float, seeds: int) -> None:
    """A row recorded 20 % off is different, with ten seeds and with four; the others are not.

    Rows whose mean, and so a fifth of it, lies within 1 packet stay equivalent by their bound.
    """
    folder, record = made
    figures = {s: f for s, f in built_in(folder / "again", 10).items() if s <= seeds}
    for i, row in enumerate(record.rows):
        if row.verdict == NOT_JUDGED or max(row.values) < 1e-2:
            continue
        off = msgspec.structs.replace(row, values=tuple(factor * v for v in row.values))
        changed = (*record.rows[:i], off, *record.rows[i + 1 :])
        found = against(msgspec.structs.replace(record, rows=changed), figures)
        assert found[i].verdict == DIFFERENT, row.row.key
        assert DIFFERENT not in {one.verdict for j, one in enumerate(found) if j != i}


def test_seeds_keep_to_a_budget(made) -> None:
    """As many seeds as took so long when recorded, four at least."""
    _, record = made
    times = {BUILT_IN: (1.0, 2.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0)}
    record = msgspec.structs.replace(record, cpu_s=times)
    assert seeds_within(record, BUILT_IN, 100.0) == record.seeds
    assert seeds_within(record, BUILT_IN, 6.0) == (1, 2, 3, 4, 5)
    assert seeds_within(record, BUILT_IN, 0.1) == (1, 2, 3, 4)


def test_what_is_no_record_is_refused(made, tmp_path: Path) -> None:
    """Not JSON, another format, or values that do not fit the seeds: named with the file."""
    _, record = made
    file = tmp_path / "a.json"
    for text in ("", "{}", '{"format": 2}'):
        file.write_text(text)
        with pytest.raises(ResultsError, match=r"a\.json"):
            read_record(file)
    write_record(msgspec.structs.replace(record, seeds=(1, 2)), file)
    with pytest.raises(ResultsError, match="do not fit together"):
        read_record(file)


# Warm-up and measured window where they are others: calls are rare, 100 Mbps are many packets.
LENGTHS_S = {
    "voip-web": (20, 300),
    "two-classes": (20, 300),
    "reference-dumbbell": (10, 20),
    "rem-links": (2, 10),
}


def test_the_index_lists_scenarios_that_load() -> None:
    """All scenarios of the issue are there, each loads, over 60 s if not said otherwise."""
    index = read_index(world.ROOT)
    names = [entry.name for entry in index.scenarios]
    assert len(set(names)) == len(names) and index.seeds == 10
    for form in ("pi", "id"):
        for law in ("red", "vq", "lb"):
            assert {f"wtp-{form}-{law}-{r}" for r in ("1", "4", "10", "4-paced")} <= set(names)
    for entry in index.scenarios:
        document = load(world.SCENARIOS / entry.file, overrides=entry.changes).document
        length_s = (document.duration - document.warmup) / 10**12
        warm_s, wanted_s = LENGTHS_S.get(entry.name, (20, 60))
        assert length_s == wanted_s, entry.name
        assert document.warmup >= warm_s * 10**12
        assert all(source.send_overhead != 0 for source in document.sources)


def test_an_index_fault_is_named(tmp_path: Path) -> None:
    """An unknown key of the index is an error with file, line and path."""
    folder = world.checkout(tmp_path / "c")
    index = folder / "tests" / "validation" / "scenarios" / "index.yaml"
    index.write_text("version: 1\nseeds: 10\nscenarios:\n  - {name: a, file: b.yaml, sets: []}\n")
    with pytest.raises(ScenarioError, match=r"index.yaml:4: scenarios\[0\].sets"):
        read_index(folder)


def test_recording_says_what_is_wrong(monkeypatch, tmp_path: Path, capsys) -> None:
    """Outside a checkout, or for a record that is not in the index: one line, exit status 2."""
    monkeypatch.setattr("ecnomy.analysis.compare.recording.check_engine", lambda engine: None)
    monkeypatch.chdir(tmp_path)
    assert find_checkout() is None
    with pytest.raises(InputError):
        source_digest(tmp_path)
    for folder, words, said in (
        (tmp_path, [], "not in a checkout"),
        (world.ROOT, ["nobody"], "nobody: no such record"),
    ):
        monkeypatch.chdir(folder)
        with pytest.raises(SystemExit) as left:
            main(words)
        assert left.value.code == 2 and said in capsys.readouterr().err
