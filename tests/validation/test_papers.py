# SPDX-License-Identifier: Apache-2.0
"""The recorded outcomes of the papers' claims; twenty claims are measured again.

A stale record (for other code, scenarios or regions) is named and not used: tests that
would need it are skipped.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
import yaml

from ecnomy.analysis.reproduce.claim_digests import ClaimMade
from ecnomy.analysis.reproduce.currency import stale_lines
from ecnomy.analysis.reproduce.judge import (
    ALPHA,
    CONFIRMED,
    INCONCLUSIVE,
    NOT_TESTABLE,
    PENDING,
    REFUTED,
    REPORTED,
    VERDICTS,
    holm,
    settled,
    whole_of,
)
from ecnomy.analysis.reproduce.papers import PAPERS
from ecnomy.analysis.reproduce.record import claims_of
from ecnomy.analysis.reproduce.record_file import read_record
from ecnomy.analysis.reproduce.recorded import RecordedClaim, RecordedFigure
from ecnomy.analysis.reproduce.session import cost_of, reproduce
from ecnomy.analysis.reproduce.studies import Form
from kept_papers import paper_of
from paper_pool import Here, Quiet
from records import Looked, of_claims, of_engines
from tiers import SAID, full, in_full

ROUNDED = 1e-8  # the record has nine digits
P_ROUNDED = 1e-3  # for three digits of a p-value
NOTHING = 1e-12  # rounding errors of a zero
LINES = 8000
pytestmark = [pytest.mark.xdist_group("papers"), pytest.mark.timeout(900)]  # with due probes
ROOT = Path(__file__).parents[2]
HISTORY = ROOT / "tests/bench/history"
RECORD = Path(__file__).parent / "papers.json"
# Cheap in quick form, decided there as in full form, and spread over papers and laws.
NAMED = {
    "siris2002.fig5": ("c1", "c2", "c3", "c4", "c5"),
    "siris2002.fig6": ("c1", "c2", "c3"),
    "siris2002.fluid-stability": ("c1", "c2", "c3", "c4"),
    "athuraliya2000.table1": ("c1", "c2", "c3", "c5", "c6"),
    "athuraliya2000.fig8a": ("c1",),
    "athuraliya2000.fig1": ("c1", "c2"),
    "antoniadis2000.fig4": ("c1", "c2"),
    "antoniadis2000.echo": ("c1", "c2"),
    "christin2003.pi-tuning": ("c1",),
}
FAST = ("athuraliya2000.fig1", "athuraliya2000.fig8a", "antoniadis2000.fig4")  # a second in all


@pytest.fixture(scope="module")
def records() -> dict[str, RecordedClaim]:
    """The record, by claim."""
    return {record.claim: record for record in read_record(RECORD).records}


@pytest.fixture(scope="module")
def stale() -> Mapping[str, tuple[str, ...]]:
    """Reasons for stale records of claims, which end the suite's output (conftest.py)."""
    looked = Looked(of_engines(), of_claims())
    SAID.parent.mkdir(exist_ok=True)
    SAID.write_text(f"{looked}\n")
    return looked.claims.claims


def current(
    records: dict[str, RecordedClaim], stale: Mapping[str, tuple[str, ...]], names: list[str]
) -> list[RecordedClaim]:
    """The current records of these claims; skips with the others' names if there are none."""
    chosen = [records[name] for name in names if name in records]
    kept = [record for record in chosen if record.claim not in stale]
    if not kept:
        reasons = {record.claim: stale[record.claim] for record in chosen}
        pytest.skip("; ".join(stale_lines(reasons)) + ": make record-papers")
    return kept


def all_claims(paper: str) -> list[str]:
    """The claims of a paper."""
    return claims_of(paper_of(paper))


def test_a_scenario_without_a_record_is_stale(tmp_path: Path) -> None:
    """Each scenario of the index counts, even without a record."""
    index = Path("tests/validation/scenarios/index.yaml")
    (tmp_path / index).parent.mkdir(parents=True)
    shutil.copy(ROOT / index, tmp_path / index)
    counted = of_engines(tmp_path)
    names = [each["name"] for each in yaml.safe_load((ROOT / index).read_text())["scenarios"]]
    assert (counted.current, counted.all) == (0, len(names))
    assert counted.stale == tuple(f"{name} not recorded" for name in sorted(names))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_has_an_outcome(paper: str, records, stale) -> None:
    """A current record of an entry has all its claims, with valid verdicts."""
    kept = current(records, stale, all_claims(paper))
    entries = {record.claim.rpartition(".")[0] for record in kept}
    of_them = [name for name in all_claims(paper) if name.rpartition(".")[0] in entries]
    assert [name for name in of_them if name not in records] == []
    assert {record.verdict for record in kept} <= set(VERDICTS)


def test_nothing_is_left_over(records) -> None:
    """An entry's current record has no outcomes of removed claims."""
    known = {claim for paper in PAPERS for claim in all_claims(paper)}
    old = {claim for claim, record in records.items() if record.made_of == ClaimMade()}
    assert sorted(set(records) - known - old) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_not_confirmed_has_a_reason(paper: str, records, stale) -> None:
    """Unconfirmed core claims name tried controls or what flips them, others what is missing."""
    without = []
    for record in current(records, stale, all_claims(paper)):
        reasons = ("tried: ", "cause unknown", " as chosen; ", "cannot discriminate")
        reason = any(words in record.why for words in reasons)
        if record.verdict in (PENDING, NOT_TESTABLE):
            reason = bool(record.reason)
        if record.priority == "core" and record.verdict not in (CONFIRMED, REPORTED) and not reason:
            without.append(record.claim)
    assert without == []


@pytest.mark.parametrize("paper", PAPERS)
def test_verdicts_follow_from_figures(paper: str, records, stale) -> None:
    """Each recorded verdict follows from its figures, p-values, controls and grid."""
    for record in current(records, stale, all_claims(paper)):
        if record.verdict in (PENDING, NOT_TESTABLE):
            continue
        alone = whole_of(judged(record, ""))
        controlled = any(figure.of == "control" for figure in record.figures)
        if alone == CONFIRMED and controlled and whole_of(judged(record, "control")) != REFUTED:
            alone = INCONCLUSIVE
        grid = [(under.setting, under.verdict) for under in record.grid]
        assert (alone, *settled(alone, grid)) == (
            record.alone,
            record.verdict,
            record.depends,
        ), record.claim


def judged(record: RecordedClaim, of: str) -> set[str]:
    """The recomputed verdicts on the figures of a claim, or of its control."""
    figures = [f for f in record.figures if f.of == of and f.region is not None and f.verdict]
    tested = [figure for figure in figures if figure.p is not None]
    steps = holm([(figure.p or 0.0) * (1 - P_ROUNDED) for figure in tested], ALPHA)
    outside = {id(figure) for figure, refuted in zip(tested, steps, strict=True) if refuted}
    return {REFUTED if id(figure) in outside else verdict_of(figure) for figure in figures}


def verdict_of(figure: RecordedFigure) -> str:
    """The verdict of a figure by itself; p-values refute only by Holm's steps."""
    if figure.measured is None or figure.region is None:
        return INCONCLUSIVE
    if figure.region == (None, None):
        return REPORTED
    least = float("-inf") if figure.region[0] is None else figure.region[0]
    most = float("inf") if figure.region[1] is None else figure.region[1]
    _, low, high, _ = figure.measured
    if least <= low and high <= most:
        return CONFIRMED
    beyond = high < least or low > most
    return REFUTED if figure.p is None and beyond else INCONCLUSIVE


def test_a_figure_is_a_line() -> None:
    """Reviewers read the record: some thousand lines, with each figure on its own line."""
    lines = RECORD.read_text().splitlines()
    figures = sum(len(record.figures) + len(record.grid) for record in read_record(RECORD).records)
    assert sum(line.startswith("  {") for line in lines) == figures
    assert len(lines) < LINES


def test_all_fits_into_its_time() -> None:
    """All budgets with grids take at most half of 2 h on two cores at the speed of `make bench`.

    The other half is for starting some thousands of runs, which budgets of packets leave out. The
    fast tier counts no grid.
    """
    histories = [msgspec.json.decode(file.read_bytes()) for file in sorted(HISTORY.glob("*.json"))]
    curves = [history["curve"]["flows"] for history in histories if "curve" in history]
    speed = min(curve["10"]["packets_per_cpu_s"] for curve in curves)
    entries = [(paper, item) for paper in map(paper_of, PAPERS) for item in paper.entries]
    own, grid = cost_of(entries, Form(Path(), grid=in_full()))
    assert (own.packets + grid.packets) / speed / 2 < 60 * 60


def test_twenty_claims_are_named() -> None:
    """The list below has at least twenty claims."""
    assert sum(map(len, NAMED.values())) >= 20


AGAIN = [name if name in FAST else pytest.param(name, marks=full) for name in NAMED]


@pytest.mark.parametrize("entry", AGAIN)
def test_measured_again(entry: str, records, stale, tmp_path: Path) -> None:
    """In quick form claims have the recorded verdicts and values.

    The same engine gives the same bytes, but other mathematical libraries may round differently and
    separate the trajectories: values count as the same if intervals overlap.
    """
    name, _, item = entry.partition(".")
    paper = paper_of(name)
    kept = current(records, stale, [f"{entry}.{number}" for number in NAMED[entry]])
    reproduction = reproduce([(paper, item)], Form(tmp_path, quick=True), Here, Quiet())
    outcomes = {outcome.claim: outcome for outcome in reproduction[0].outcomes}
    for record in kept:
        verdict = outcomes[record.claim].verdict
        assert verdict.verdict == record.quick_verdict == record.alone, record.claim
        measured = {figure.name: figure.measured for figure in verdict.figures}
        for figure in record.figures:
            if figure.region is None or figure.of or not figure.quick_verdict:
                continue
            again = measured[figure.name]
            assert again is not None and figure.quick is not None
            _, low, high, _ = figure.quick
            slack = ROUNDED * abs(again.mean) + NOTHING
            assert again.low <= high + slack, figure.name
            assert low <= again.high + slack, figure.name
