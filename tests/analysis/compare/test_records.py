# SPDX-License-Identifier: Apache-2.0
"""Records, made here from built-in runs with other seeds under the other engine's name."""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec
import pytest

import compare_world as world
from ecnomy.agents.errors import InputError, ResultsError, ScenarioError
from ecnomy.analysis.compare.currency import Currency, carried, currency
from ecnomy.analysis.compare.figures import Figures
from ecnomy.analysis.compare.record import (
    RECORDS,
    SCENARIOS,
    MadeOf,
    ScenarioRecord,
    against,
    changes,
    figures_digest,
    made_of,
    read_record,
    seeds_within,
    write_record,
)
from ecnomy.analysis.compare.recording import (
    WORK,
    RecordedScenario,
    main,
    read_index,
    record_scenario,
)
from ecnomy.analysis.compare.runs import BUILT_IN, ComparedScenario, Done, SimulationTask, simulated
from ecnomy.analysis.compare.sources import INET, code_of, find_checkout, source_digest
from ecnomy.analysis.compare.verdicts import DIFFERENT, EQUIVALENT, NOT_JUDGED
from ecnomy.markets.scenario import load

ENTRY = RecordedScenario(name="settled", file="wtp.yaml", changes=world.SETTLED)


def now(record: ScenarioRecord, checkout: Path) -> MadeOf:
    """The sources of a record in a checkout."""
    return made_of(record.scenario, record.overrides, record.seeds, checkout)


def slower(task: SimulationTask, folder: Path) -> None:
    """The built-in engine on a slower link."""
    overrides = (*task.overrides, "network.links.bottleneck.rate=9 Mbps")
    simulated(msgspec.structs.replace(task, overrides=overrides, engine=BUILT_IN), folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ScenarioRecord]:
    """A checkout with the record of ten seeds."""
    folder = world.checkout(tmp_path_factory.mktemp("checkout"))
    engines = (BUILT_IN, world.OTHER)
    record, _ = record_scenario(ENTRY, 10, folder, engines=engines, simulate=world.other_seeds)
    return folder, record


@functools.cache
def built_in(folder: Path) -> dict[int, Figures]:
    """Figures of the built-in engine for the runs of a record."""
    file, engines = str(folder / SCENARIOS / ENTRY.file), (BUILT_IN, world.OTHER)
    study = ComparedScenario(file, ENTRY.changes, engines, folder / WORK / ENTRY.name)
    tasks = [task for task in study.tasks(range(1, 11)) if task.engine == BUILT_IN]
    rows = (msgspec.json.decode(study.row_file(t).read_bytes(), type=Done) for t in tasks)
    return {done.seed: done.figures for done in rows}


def test_a_record_says_what_it_is_of(made) -> None:
    """The file keeps seeds, digests, versions, window, CPU times and figures."""
    folder, record = made
    assert read_record(folder / RECORDS / "settled.json") == record
    assert record.seeds == tuple(range(1, 11))
    assert record.probe == figures_digest(built_in(folder)[1])
    assert set(record.versions) == {"ecnomy", BUILT_IN, world.OTHER}
    assert (record.warmup_ps, record.duration_ps) == (20 * 10**12, 80 * 10**12)
    for engine in (BUILT_IN, world.OTHER):
        assert len(record.cpu_s[engine]) == 10 and min(record.cpu_s[engine]) > 0
    assert {row.verdict for row in record.rows} == {EQUIVALENT, NOT_JUDGED}


def test_a_fresh_record_is_current(made) -> None:
    """Without changes a fresh record is current, and no run is made."""
    folder, record = made
    assert currency(record, folder, simulate=world.die) == Currency((), now(record, folder))


def test_what_changes_no_code_needs_no_run(made, tmp_path: Path) -> None:
    """Documents, generated files, comments, layout and names of files do not count."""
    _, record = made
    other = world.checkout(tmp_path / "other")
    (other / "omnet" / "laws" / "README.md").write_text("words")
    (other / "omnet" / "inet" / "Built_m.cc").write_text("// generated")
    for name in ("laws/law.h", "bridge/bridge.cc", "host/host.cc", "inet/Host.ned"):
        file = other / "omnet" / name
        file.write_text(file.read_text().replace(" ", "  ") + "\n// said in other words\n")
        file.rename(file.with_name(f"moved{file.suffix}"))
    assert currency(record, other, simulate=world.die).current


@pytest.mark.parametrize("name", ["laws/law.h", "bridge/bridge.cc", "host/host.cc"])
def test_shared_code_is_probed_by_the_built_in_engine(made, tmp_path: Path, name: str) -> None:
    """If its figures are the same to the last digit, the record is current and can be carried."""
    _, record = made
    other = world.checkout(tmp_path / "other")
    (other / "omnet" / name).write_text("changed\n")
    check = currency(record, other, simulate=world.other_seeds)
    assert check.current and check.probed == 1
    assert changes(record, now(record, other)) == ("shared",)
    assert changes(carried(record, check), now(record, other)) == ()
    (why, needed) = currency(record, other, simulate=slower).reasons
    assert why == "laws, bridge or host have changed"
    assert needed == "run OMNeT++/INET to see whether its values changed"


def test_inet_speaks_for_itself(made, tmp_path: Path, monkeypatch) -> None:
    """If omnet/inet has changed, the results of OMNeT++ and INET decide."""
    _, record = made
    other = world.checkout(tmp_path / "other")
    (other / "omnet" / "inet" / "Host.ned").write_text("changed\n")
    assert "omnet/inet has changed" in currency(record, other, simulate=world.other_seeds).reasons
    monkeypatch.setattr("ecnomy.analysis.compare.currency.OMNET", world.OTHER)
    check = currency(record, other, omnet=True, simulate=world.other_seeds)
    assert check.current and check.probed == 2
    assert changes(carried(record, check), now(record, other)) == ()
    faster = world.changed("network.links.bottleneck.rate=11 Mbps")
    (why, moved) = currency(record, other, omnet=True, simulate=faster).reasons
    assert why == "omnet/inet has changed" and moved.startswith(
        "INET now gives different values for "
    )


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
    """Literals and preprocessor lines stay unchanged; tokens stay separate."""
    assert code_of(text) == code


def test_parameters_of_the_ned_type_of_a_law_do_not_count(tmp_path: Path) -> None:
    """They are written from the law's header, which counts. All else of the type counts."""
    file = tmp_path / INET / "Toy.ned"
    file.parent.mkdir(parents=True)
    about = "// The window law `toy`, from laws/window/toy.h.\n"
    text = 'simple Toy\n{\n    string law = "toy";\n    double g = default(1);\n}\n'

    def digest(text: str) -> str:
        file.write_text(text)
        return source_digest(tmp_path, (INET,))

    known = digest(about + text)
    more = text.replace("    double g", "    bool b @enum(0) = default(false);\n    double g")
    assert digest(about + more) == known
    assert digest(about + text.replace('"toy"', '"toys"')) != known
    assert digest(about + text.replace("simple", "module")) != known
    assert digest(text) != known


def test_changed_plans_are_probed(made) -> None:
    """Rewritten plans with the same results keep the record current."""
    folder, record = made
    other = msgspec.structs.replace(record.made_of, plans="another")
    record = msgspec.structs.replace(record, made_of=other)
    assert currency(record, folder, simulate=world.other_seeds).current
    assert "its plans have changed" in currency(record, folder, simulate=slower).reasons


def test_a_changed_scenario_makes_a_record_stale(made, tmp_path: Path) -> None:
    """A changed, missing or invalid scenario is named."""
    _, record = made
    other = world.checkout(tmp_path / "other")
    file = other / SCENARIOS / record.scenario
    text = file.read_text()
    file.write_text(text.replace("10 Mbps", "9 Mbps"))
    reasons = currency(record, other, simulate=world.other_seeds).reasons
    assert reasons[:2] == ("its scenario has changed", "its plans have changed")
    file.write_text("version: 9\n")
    (reason,) = currency(record, other).reasons
    assert reason.startswith("its scenario does not load: ")
    file.unlink()
    (reason,) = currency(record, other).reasons
    assert reason.startswith("its scenario does not load: ")


def test_the_engine_holds_to_a_record(made) -> None:
    """The built-in engine is equivalent to its own record with other seeds in every row."""
    folder, record = made
    rows = against(record, built_in(folder))
    assert {row.verdict for row in rows if row.verdict} == {EQUIVALENT}
    assert sum(row.verdict != NOT_JUDGED for row in rows) == 8


@pytest.mark.parametrize("factor", [0.8, 1.2])
@pytest.mark.parametrize("seeds", [4, 10])
def test_figures_a_fifth_off_are_found_different(made, factor: float, seeds: int) -> None:
    """A row recorded 20 % off is different with ten seeds and with four; others are not.

    Rows with a fifth of the mean within 1 packet stay equivalent by their bound.
    """
    folder, record = made
    figures = {s: f for s, f in built_in(folder).items() if s <= seeds}
    for i, row in enumerate(record.rows):
        if row.verdict == NOT_JUDGED or max(row.values) < 1e-2:
            continue
        off = msgspec.structs.replace(row, values=tuple(factor * v for v in row.values))
        changed = (*record.rows[:i], off, *record.rows[i + 1 :])
        found = against(msgspec.structs.replace(record, rows=changed), figures)
        assert found[i].verdict == DIFFERENT, row.row.key
        assert DIFFERENT not in {one.verdict for j, one in enumerate(found) if j != i}


def test_a_market_depends_on_agents_and_economy(tmp_path: Path) -> None:
    """Code of agents and economy counts only for the record of a market."""
    folder = world.checkout(tmp_path / "c")
    agents = folder / "agents" / "ecnomy" / "agents" / "strategy.py"
    agents.parent.mkdir(parents=True)
    market = str(world.ROOT / "configs" / "examples" / "live.yaml")
    before = [made_of(file, (), (1,), folder) for file in (market, "wtp.yaml")]
    agents.write_text("price = 2\n")
    after = [made_of(file, (), (1,), folder) for file in (market, "wtp.yaml")]
    assert before[0].economy != after[0].economy
    assert msgspec.structs.replace(after[0], economy=before[0].economy) == before[0]
    assert after[1] == before[1]


def test_seeds_keep_to_a_budget(made) -> None:
    """The number of seeds follows from recorded CPU times, and is at least four."""
    _, record = made
    times = {BUILT_IN: (1.0, 2.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0)}
    record = msgspec.structs.replace(record, cpu_s=times)
    assert seeds_within(record, BUILT_IN, 100.0) == record.seeds
    assert seeds_within(record, BUILT_IN, 6.0) == (1, 2, 3, 4, 5)
    assert seeds_within(record, BUILT_IN, 0.1) == (1, 2, 3, 4)


def test_what_is_no_record_is_refused(made, tmp_path: Path) -> None:
    """The error names files without JSON, with another format, or with values that do not fit."""
    _, record = made
    file = tmp_path / "a.json"
    for text in ("", "{}", '{"format": 1}', '{"format": 2}'):
        file.write_text(text)
        with pytest.raises(ResultsError, match=r"a\.json"):
            read_record(file)
    write_record(msgspec.structs.replace(record, seeds=(1, 2)), file)
    with pytest.raises(ResultsError, match="one value per seed"):
        read_record(file)


# Exceptions in warm-up and measured window: calls are rare, 100 Mbps are many packets.
# Agents have at least two minutes.
LENGTHS_S = {
    "voip-web": (20, 300),
    "two-classes": (20, 300),
    "reference-dumbbell": (10, 20),
    "rem-links": (2, 10),
    "l4s": (10, 20),
    "l4s-rfc9332": (10, 20),
    "l4s-fq-codel": (10, 20),
    "l4s-docsis": (10, 20),
}


def test_the_index_lists_scenarios_that_load() -> None:
    """Each scenario loads; by default 60 s are measured, with agents at least 120 s."""
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
        if "configs/examples" in entry.file:
            assert length_s >= 120, entry.name
        else:
            assert length_s == wanted_s and document.warmup >= warm_s * 10**12, entry.name
        assert all(source.send_overhead != 0 for source in document.sources)


def test_an_index_fault_is_named(tmp_path: Path) -> None:
    """An unknown key of the index is an error with file, line and path."""
    folder = world.checkout(tmp_path / "c")
    index = folder / "tests" / "validation" / "scenarios" / "index.yaml"
    index.write_text("version: 1\nseeds: 10\nscenarios:\n  - {name: a, file: b.yaml, sets: []}\n")
    with pytest.raises(ScenarioError, match=r"index.yaml:4: scenarios\[0\].sets"):
        read_index(folder)


def test_recording_says_what_is_wrong(monkeypatch, tmp_path: Path, capsys) -> None:
    """Outside a checkout, or for a record not in the index, the command ends with status 2."""
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
