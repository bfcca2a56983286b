# SPDX-License-Identifier: Apache-2.0
"""antoniadis2000 and andreassen2002: arithmetic by hand, and their catalogues."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ecnomy.agents.observation import FlowColumns, Observation, Offer
from ecnomy.analysis.reproduce.andreassen2002.guaranteed import keep_books
from ecnomy.analysis.reproduce.andreassen2002.lengths import fit
from ecnomy.analysis.reproduce.andreassen2002.mixes import ranks
from ecnomy.analysis.reproduce.andreassen2002.sessions import downloads
from ecnomy.analysis.reproduce.antoniadis2000.fig5 import states_of
from ecnomy.analysis.reproduce.antoniadis2000.knobs import Timed
from ecnomy.analysis.reproduce.antoniadis2000.sender import round_change
from ecnomy.analysis.reproduce.antoniadis2000.stability import gain_bound
from ecnomy.analysis.reproduce.antoniadis2000.traces import latched_echoes, waiting_before
from ecnomy.analysis.reproduce.antoniadis2000.windows import autocorrelation_peak, settled_after_s
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.entries import code_of
from ecnomy.analysis.reproduce.studies import Form, load_study
from kept_papers import paper_of

PAPERS = [paper_of("antoniadis2000"), paper_of("andreassen2002")]
SEND, DELIVER, ACK = 0, 4, 5


def test_a_ramp_has_settled_once_its_moving_mean_is_near_the_end() -> None:
    """For 0, 1, ... 9, then 10, the first mean of five of at least 9 ends the rise."""
    values = np.array([*range(10), *[10.0] * 30])
    means = [values[i - 5 : i].mean() for i in range(5, 41)]
    first = next(i for i, mean in enumerate(means) if mean >= 9)
    assert settled_after_s(values, 1.0, within=0.1) == pytest.approx(first + 5)


def test_what_never_stays_takes_all_the_time() -> None:
    """A series that steps away in its last second has not settled."""
    values = np.array([10.0] * 39 + [100.0])
    assert settled_after_s(values, 1.0, within=0.1, over_s=1.0) == pytest.approx(41.0)


def test_a_sine_repeats_itself_and_a_ramp_does_not() -> None:
    """The autocorrelation of 10 periods peaks at one period, near 1 - 1/10; a ramp has no peak."""
    steps = np.arange(200)
    sine = np.sin(2 * np.pi * steps / 20)
    peak = autocorrelation_peak(sine, 0.1, from_s=1.0, to_s=5.0)
    assert peak == pytest.approx(0.9, abs=0.01)
    assert autocorrelation_peak(steps * 1.0, 0.1, from_s=1.0, to_s=5.0) == 0.0
    assert autocorrelation_peak(np.ones(50), 0.1, from_s=1.0, to_s=2.0) == 0.0


def test_a_tariff_earns_what_is_wanted_where_nothing_changes() -> None:
    """On the samples that set it, the tariff V earns P up to rounding; on cheaper ones, more."""
    rng = np.random.Generator(np.random.Philox(key=7))
    marks = rng.beta(4.0, 3000.0, 500)
    learnt = marks, np.where(rng.random(500) < 0.05, 0.02, 0.001)
    assert 0 < keep_books(learnt, learnt).broken < 0.1
    assert keep_books(learnt, learnt).profit_over_wanted == pytest.approx(1, rel=1e-9)
    cheap = keep_books(learnt, (marks / 2, learnt[1]))
    assert cheap.profit_over_wanted > 1.5
    assert cheap.blocked < keep_books(learnt, learnt).blocked


def test_downloads_by_hand(monkeypatch) -> None:
    """Of four downloads in a window of 10 s, one is in progress at its end, and one is closed."""
    second = 10**12
    table = pd.DataFrame(
        {
            "start_ps": [9 * second, 10 * second, 12 * second, 14 * second, 19 * second],
            "end_ps": [11 * second, 11 * second, 15 * second, 16 * second, -1],
            "complete": [1, 1, 1, 0, 0],
        }
    )
    measured = SimpleNamespace(from_ps=10 * second, to_ps=20 * second)
    run = SimpleNamespace(measured=measured, table=lambda name: {"transfers": table}[name])
    monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda results: run)
    assert downloads(Path("unused")) == pytest.approx(
        {"jobs_per_s": 0.4, "download_ms": 2000, "longest_ms": 3000, "closed_share": 1 / 3}
    )


def test_a_fifo_by_hand() -> None:
    """Packets at 0, 0, 0, 1 and 10 s, one served per second, find 0, 0, 1, 1 and 0 waiting."""
    times = np.array([0.0, 0.0, 0.0, 1.0, 10.0])
    assert waiting_before(times, np.ones(5)).tolist() == [0, 0, 1, 1, 0]


def test_a_latching_receiver_echoes_until_cwr() -> None:
    """The first of four packets is marked and the fifth carries CWR: four echoes, not one."""
    syn = [(SEND, False), (ACK, False)]
    sent = [(SEND, False)] * 4
    first = [(DELIVER, True), (ACK, False), (SEND, False)]
    rest = [(DELIVER, False), (DELIVER, False), (DELIVER, False), (DELIVER, False)]
    assert latched_echoes([*syn, *sent, *first, *rest]) == 4
    assert latched_echoes([*syn, *sent, *[(DELIVER, False)] * 4]) == 0


def test_both_senders_agree_when_half_is_marked() -> None:
    """With half of the packets marked, both senders change W = 10 by (2 - 5) / 2."""
    args = Fraction(10), Fraction(2), Fraction(1, 2)
    assert round_change(*args, sender=True) == round_change(*args, sender=False) == Fraction(-3, 2)


def test_states_of_ratios_that_fall_apart() -> None:
    """Three pairs of starts lie below r = 6 and one above; without data there is no median."""
    apart = states_of(np.array([0.8, 19.0, 0.9, 1.2]), 6)
    assert apart == {"share_above_r": 0.25, "median_above_r": 19.0, "median_below_r": 0.9}
    assert states_of(np.array([0.8, 0.9]), 6) == {
        "share_above_r": 0.0,
        "median_below_r": pytest.approx(0.85),
    }


def test_the_bound_of_equation_2() -> None:
    """The bound is 1 / (21 e) at Q / sigma^2 = 10, and 1 / e without a queue."""
    assert gain_bound(10) == pytest.approx(1 / (21 * np.e))
    assert gain_bound(0) == pytest.approx(1 / np.e)


@pytest.mark.parametrize(("second", "wanted"), [(0, 1), (80, 0), (99, 0), (100, 1)])
def test_the_timed_knob(second: int, wanted: int) -> None:
    """The timed knob is at Gold from 80 s to 100 s, and otherwise at Silver."""
    column = np.zeros(2, dtype=np.int64)
    flows = FlowColumns(
        *([column] * 2), column * 1.0, *([column] * 3), *([column * 1.0] * 2), column
    )
    offers = (Offer("shop", "gold", 4), Offer("shop", "silver", 1))
    observation = Observation(second * 10**12, 10**12, 1, offers, flows)
    decided = Timed(up=80.0, down=100.0).decide_many(observation).offer
    assert decided is not None
    assert decided.tolist() == [wanted, wanted]


def test_a_fit_finds_the_line_it_was_given() -> None:
    """log10 of rates is 5 x - 6 exactly; the rate at 0.8 is 0.01; a rate below 1e-4 is left out."""
    x = np.array([0.1, 0.5, 0.7, 0.9, 0.6])
    at, residual, correlation = fit(x, 10 ** (5 * x - 6))
    assert at == pytest.approx(0.01)
    assert residual == pytest.approx(0, abs=1e-9)
    assert correlation == pytest.approx(1)
    assert np.isnan(fit(x, np.full(5, 1e-5))[0])


def test_ranks_per_seed() -> None:
    """The first seed rises with the threshold, the second falls, the third stays."""
    rows = np.array([[1.0, 3.0, 2.0], [2.0, 2.0, 2.0], [3.0, 1.0, 2.0]])
    assert ranks(np.array([1.0, 2.0, 3.0]), rows).tolist() == [1, -1, 0]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.paper)
@pytest.mark.parametrize("quick", [False, True])
def test_all_studies_load(paper: Paper, quick: bool) -> None:
    """Every sweep loads with runs in both forms; every entry that is judged has its module."""
    for name in paper.studies:
        assert len(load_study(paper, name, Form(Path("unused"), quick))) > 0
    for entry in paper.entries.values():
        judged = [claim for claim in entry.claims.values() if not claim.pending]
        assert bool(judged) == bool(entry.module)
        assert not judged or callable(code_of(paper, entry).figures)
        assert all(claim.expect for claim in judged)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.paper)
def test_findings_are_about_claims(paper: Paper) -> None:
    """Every finding belongs to an existing claim."""
    claims = {f"{item}.{c}" for item, entry in paper.entries.items() for c in entry.claims}
    assert set(paper.findings) <= claims
