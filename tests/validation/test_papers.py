# SPDX-License-Identifier: Apache-2.0
"""The recorded outcome of the papers' claims, and twenty of them measured again."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from ecnomy.analysis.reproduce.catalogue import PAPERS, load_paper
from ecnomy.analysis.reproduce.judge import (
    CONFIRMED,
    INCONCLUSIVE,
    PENDING,
    REFUTED,
    REPORTED,
    whole_of,
)
from ecnomy.analysis.reproduce.record import Figure, Recorded, claims_of, read_record
from ecnomy.analysis.reproduce.session import reproduce
from ecnomy.analysis.reproduce.studies import Form
from paper_pool import Here, Quiet

ROUNDED = 1e-8  # the record has nine digits
NOTHING = 1e-12  # what rounding leaves of a zero
HISTORY = Path(__file__).parents[1] / "bench/history"
RECORD = Path(__file__).parent / "papers.json"
# Cheap in their quick form, decided there as in the whole one, and spread over papers and laws.
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


@pytest.fixture(scope="module")
def records() -> dict[str, Recorded]:
    """The record, by claim."""
    return {record.claim: record for record in read_record(RECORD)}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_has_an_outcome(paper: str, records) -> None:
    """Each claim of the catalogue is in the record, with the verdicts there are."""
    claims = claims_of(load_paper(paper))
    assert [claim for claim in claims if claim not in records] == []
    verdicts = {records[claim].verdict for claim in claims}
    assert verdicts <= {CONFIRMED, REFUTED, INCONCLUSIVE, PENDING, REPORTED}


def test_nothing_is_left_over(records) -> None:
    """No outcome of a claim that is no longer there."""
    known = {claim for paper in PAPERS for claim in claims_of(load_paper(paper))}
    assert sorted(set(records) - known) == []


def test_what_is_not_confirmed_has_a_reason(records) -> None:
    """Core claims not confirmed name the controls tried, pending ones what is missing."""
    without = []
    for record in records.values():
        controls = "tried: " in record.reason or "cause unknown" in record.reason
        if record.verdict == PENDING:
            controls = bool(record.reason)
        if (
            record.priority == "core"
            and record.verdict not in (CONFIRMED, REPORTED)
            and not controls
        ):
            without.append(record.claim)
    assert without == []


def test_verdicts_follow_from_figures(records) -> None:
    """Each recorded verdict is what its own figures and regions say."""
    for record in records.values():
        if record.verdict == PENDING:
            continue
        judged = [figure for figure in record.figures if figure.region is not None]
        assert record.verdict == whole_of({_verdict(figure) for figure in judged}), record.claim


def _verdict(figure: Figure) -> str:
    if figure.low is None or figure.high is None or figure.region is None:
        return INCONCLUSIVE
    low, high = figure.region
    if low is None and high is None:
        return REPORTED
    least = float("-inf") if low is None else low
    most = float("inf") if high is None else high
    if least <= figure.low and figure.high <= most:
        return CONFIRMED
    return REFUTED if figure.high < least or figure.low > most else INCONCLUSIVE


def test_all_fits_into_its_time() -> None:
    """All budgets together take two cores at most half of 90 min at the speed `make bench` records.

    The other half is for starting some thousands of runs, which budgets of packets leave out.
    """
    histories = [msgspec.json.decode(file.read_bytes()) for file in sorted(HISTORY.glob("*.json"))]
    curves = [history["curve"]["flows"] for history in histories if "curve" in history]
    speed = min(curve["10"]["packets_per_cpu_s"] for curve in curves)
    budgets = sum(s.budget for name in PAPERS for s in load_paper(name).studies.values())
    assert budgets / speed / 2 < 45 * 60


def test_twenty_claims_are_named() -> None:
    """The list below is as long as it is said to be."""
    assert sum(map(len, NAMED.values())) >= 20


@pytest.mark.parametrize("entry", NAMED)
def test_measured_again(entry: str, records, tmp_path: Path) -> None:
    """In their quick form claims have the recorded verdict and the recorded values.

    The same engine gives the same bytes, but another mathematical library may round otherwise and
    set the trajectories apart: values are the same where intervals overlap.
    """
    name, _, item = entry.partition(".")
    paper = load_paper(name)
    found = reproduce([(paper, item)], Form(tmp_path, quick=True), Here, Quiet())
    outcomes = {outcome.claim: outcome for outcome in found[0].outcomes}
    for number in NAMED[entry]:
        record = records[f"{entry}.{number}"]
        verdict = outcomes[f"{entry}.{number}"].verdict
        assert verdict.verdict == record.quick_verdict == record.verdict, record.claim
        measured = {figure.name: figure.measured for figure in verdict.figures}
        for figure in record.quick:
            if figure.region is None:
                continue
            again = measured[figure.name]
            assert again is not None and figure.low is not None and figure.high is not None
            slack = ROUNDED * abs(again.mean) + NOTHING
            assert again.low <= figure.high + slack, figure.name
            assert figure.low <= again.high + slack, figure.name
