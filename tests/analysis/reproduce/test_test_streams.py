# SPDX-License-Identifier: Apache-2.0
"""Test streams of andreassen2002: samples, correlations, blocking and tariffs, worked by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ecnomy.analysis.reproduce.andreassen2002.byte_red import line_of
from ecnomy.analysis.reproduce.andreassen2002.correlations import accepted_over_all
from ecnomy.analysis.reproduce.andreassen2002.guaranteed import beta_fits
from ecnomy.analysis.reproduce.andreassen2002.ideal import blocking_point
from ecnomy.analysis.reproduce.andreassen2002.integrated import by_strategy, errors
from ecnomy.analysis.reproduce.andreassen2002.marks_and_lates import lowered_by
from ecnomy.analysis.reproduce.andreassen2002.runs_of_marks import mean_run, packets
from ecnomy.analysis.reproduce.andreassen2002.sales import earned, of_calls
from ecnomy.analysis.reproduce.andreassen2002.samples import of_counts, streams, with_the_one_before
from ecnomy.analysis.reproduce.andreassen2002.stream_sets import of_set, off_in_errors
from ecnomy.analysis.reproduce.andreassen2002.tariff import profit_off, straightness
from ecnomy.analysis.reproduce.cross.gsp_laws import apart
from ecnomy.analysis.reproduce.studies import Runs
from ecnomy.analysis.statistics.intervals import correlation

PS = 10**12


def test_samples_are_of_whole_steps() -> None:
    """A sample has three epochs; the seventh epoch and counts before the first are left out."""
    sent = np.array([50.0, 60, 70, 80, 90, 100, 110, 999])
    marked = np.array([5.0, 5, 8, 8, 8, 8, 9, 99])
    late = np.array([1.0, 2, 3, 4, 4, 4, 4, 99])
    samples = of_counts(sent, marked, late, steps=3)
    assert samples.marking.tolist() == [0.1, 1 / 30]
    assert samples.late.tolist() == [0.1, 0]


def test_correlations_look_one_back() -> None:
    """A series that repeats the previous sample exactly has a correlation of 1 with that one."""
    before = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 0.0])
    late = np.concatenate([[9.0], before[:-1]])
    assert with_the_one_before(late, before) == pytest.approx(1)
    assert with_the_one_before(before, late) < 0.9
    assert np.isnan(correlation(np.ones(5), before[:5]))
    assert np.isnan(correlation(before[:2], late[:2]))


def test_streams_of_a_run(monkeypatch) -> None:
    """Figures of eighteen epochs of 20 s agree with those by hand, with summed rows."""
    times = [at * 20 * PS for at in range(20)]
    growth = np.arange(20)
    rows = [
        pd.DataFrame(
            {
                "t_ps": times, "flow": flow, "sent": 100 * growth, "lost": 0 * growth + flow,
                "ce": marks * growth, "late_0": 90 * growth, "late_1": 10 * growth,
            }
        )
        for flow, marks in ((0, 1), (1, 3), (2, 2))
    ]  # fmt: skip
    tables = {
        "flow_epochs": pd.concat(rows),
        "flows": pd.DataFrame({"flow": [0, 1, 2], "source": ["voice", "voice", "stream-1"]}),
    }
    measured = SimpleNamespace(from_ps=20 * PS, to_ps=380 * PS)
    run = SimpleNamespace(measured=measured, table=lambda name: tables[name])
    monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda results: run)
    columns = streams(Path("unused"))
    assert columns["sample.marking.stream-1"] == pytest.approx([0.02, 0.02])
    assert columns["sample.late.stream-1"] == pytest.approx([0.1, 0.1])
    assert columns["marking.voice"] == pytest.approx(4 / 200)
    assert columns["marks.udp"] == pytest.approx(6 * 18)
    assert columns["marking.udp"] == pytest.approx(6 / 300)
    assert columns["short.both.stream-1"] is None


def test_blocking_helps_only_where_the_sample_before_tells() -> None:
    """The only late sample follows the one with many marks, and only it is not accepted."""
    marking = np.array([1.0, 1.0, 9.0, 1.0, 1.1, 1.0, 0.9, 1.0, 1.0, 1.0, 1.0]) / 1000
    late = np.array([0.1, 0.1, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    assert accepted_over_all(marking, late) == pytest.approx(0.1 / 0.18)
    assert accepted_over_all(marking, np.full(11, 0.2)) == pytest.approx(1)
    assert np.isnan(accepted_over_all(np.zeros(11), late))


def test_rejecting_the_most_marked_tenth() -> None:
    """Of ten samples the most marked one has half of all late packets: 1 - (5 / 9) / 1."""
    marking = np.arange(10.0)
    late = np.array([5 / 9] * 9 + [5.0])
    assert lowered_by(marking, late) == pytest.approx(1 - (5 / 9) / 1)
    assert lowered_by(marking[::-1], late) == pytest.approx(1 - (8 * 5 / 9 + 5) / 9)


def test_a_tariff_sold_to_what_it_was_set_on_earns_what_is_wanted() -> None:
    """V is (0.2 + 1) / (1 - 2 / 4) mu at one broken promise in four, and undefined at two."""
    learnt = np.full(4, 2e-3), np.array([0.02, 0.001, 0.001, 0.001])
    assert profit_off(learnt, learnt) == pytest.approx(0, abs=1e-12)
    cheaper = np.full(4, 1e-3), learnt[1]
    assert profit_off(learnt, cheaper) == pytest.approx(0.5)
    kept = learnt[0], np.zeros(4)
    assert profit_off(learnt, kept) == pytest.approx(1.2 / 0.5 - 1 - 0.2)
    assert np.isnan(profit_off((learnt[0], np.array([0.02, 0.02, 0, 0])), learnt))
    assert np.isnan(profit_off((np.zeros(4), np.zeros(4)), learnt))


def test_a_line_is_straight() -> None:
    """R^2 is 1 for a line, and 0 for a symmetric bump."""
    x = np.array([-1.0, 0.0, 1.0])
    assert straightness(x, 3 * x + 1) == pytest.approx(1)
    assert straightness(x, np.array([0.0, 1.0, 0.0])) == pytest.approx(0)


def test_means_in_their_errors() -> None:
    """Mean 2 and deviation 1 of three values give 2 sqrt(3)."""
    assert off_in_errors(np.array([1.0, 2.0, 3.0])) == pytest.approx(2 * np.sqrt(3))


def test_the_blocking_point_leaves_room_for_the_noise() -> None:
    """L / M is 3, 4 and 5, at most 5 / 4 of its mean, so 0.01 / 5 is the last safe M."""
    marking = np.array([1.0, 2.0, 3.0])
    assert blocking_point(marking, marking * [3.0, 4.0, 5.0], 0.01) == pytest.approx(0.002)


def test_a_beta_fits_its_own_quantiles_and_not_two_values() -> None:
    """Quantiles of a Beta are close to it (at a distance of 1 / 60); two values are not."""
    from scipy.stats import beta

    levels = (np.arange(30) + 0.5) / 30
    assert beta_fits(beta(4, 3000).ppf(levels)) > 0.9
    assert beta_fits(np.array([0.0, 1 / 1800] * 15)) < 0.01
    assert np.isnan(beta_fits(np.zeros(30)))


def test_sets_are_distinguished() -> None:
    """Each name means one of the six runs of a seed."""
    link, voice = "network.links.bottleneck.marking.byte_mark", "sources.voice"
    endless = '{"kind":"cbr","interval":"100 ms"}'
    rows = [
        ("rate", 10240.0, 100.0, 700.0, '{"kind":"voip"}', "False"),
        ("size", 10240.0, 300.0, 700.0, '{"kind":"voip"}', "False"),
        ("large", 81920.0, 100.0, 700.0, '{"kind":"voip"}', "False"),
        ("steady", 10240.0, 100.0, 91.0, endless, "False"),
        ("step", 10240.0, 100.0, 91.0, endless.replace("}", ',"phase":"tick"}'), "False"),
        ("bytes", 10240.0, 300.0, 700.0, '{"kind":"voip"}', "True"),
    ]
    stream = "sources.stream"
    columns = [f"{stream}-1.traffic.rate", f"{stream}-3.transport.payload"]
    columns += [f"{voice}.count", f"{voice}.traffic", link]
    frame = pd.DataFrame(rows, columns=["name", *columns])
    runs = Runs(frame, batches=False, budget=1.0)
    for name in frame["name"]:
        assert of_set(runs, name).frame["name"].tolist() == [name]


def test_runs_of_marks() -> None:
    """Runs of 1, 2 and 3 average 2, including those at the first and the last packet."""
    marked = np.array([1, 0, 1, 1, 0, 0, 1, 1, 1], dtype=bool)
    assert mean_run(marked) == 2
    assert np.isnan(mean_run(np.zeros(3, dtype=bool)))


def test_packets_of_a_run(monkeypatch) -> None:
    """A run with two adjacent marks among four packets has the figures worked by hand."""
    ce = [1, 0, 1, 1, 0]
    trace = pd.DataFrame(
        {"t_ps": [0, 5, 6, 7, 8], "event": 1, "link": 1, "flow": 0, "seq": 0, "bytes": 1, "ce": ce}
    )
    other = trace.assign(link=0, ce=1)
    histograms = pd.DataFrame(
        {
            "name": "delay", "subject": ["voice"] * 3 + ["web"], "bin": [0, 1, 2, 0],
            "low": [0.0, 0.001, 0.002, 0.0], "count": [3, 0, 1, 99],
        }
    )  # fmt: skip
    tables = {"trace": pd.concat([trace, other]), "histograms": histograms}
    links = [SimpleNamespace(name="access"), SimpleNamespace(name="bottleneck")]
    run = SimpleNamespace(
        plan=SimpleNamespace(links=links),
        measured=SimpleNamespace(from_ps=5, to_ps=9),
        table=lambda name: tables[name],
    )
    monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda results: run)
    figures = packets(Path("unused"))
    assert (figures["mean_run"], figures["marking"]) == (2, 0.5)
    assert figures["delay_ms"] == pytest.approx(1.0)
    assert figures["delay_sd_ms"] == pytest.approx(np.sqrt(0.75))
    assert figures["delay.cdf"][:3] == pytest.approx([0.75, 0.75, 1])


def test_how_far_laws_are_apart() -> None:
    """By means b is highest and c lowest, even if single seeds differ."""
    rows = {"a": np.array([0.5, 0.5]), "b": np.array([0.4, 0.8]), "c": np.array([0.5, 0.1])}
    assert apart(rows) == pytest.approx([-0.1, 0.7])


def test_a_line_through_delay_rates() -> None:
    """The rate grows tenfold per 0.1, to 1e-2 at 0.4; a point without late packets is left out."""
    rates = {0.1: np.array([1e-5, 0.0, 0.0]), 0.2: np.array([1e-4, 1e-4, 0.0])}
    line = line_of({**rates, 0.3: np.array([1e-3, 1e-3, 1e-3])})
    assert line.f_at(1e-2)[:2] == pytest.approx([0.4, 0.4])
    assert line.rate_at(np.array([0.25, 0.3, 0.3]))[:2] == pytest.approx([10**-3.5, 1e-3])
    assert np.isnan(line.slope[2])


def test_who_bears_the_risk_of_a_call() -> None:
    """Two calls at a price of 6 have 0 and 4 marks, one is refunded; others do not count."""
    calls = pd.DataFrame(
        {
            "accepted": [1, 1, 0, 1],
            "complete": [1, 1, 1, 0],
            "charge_micro": [6, 6, 0, 9],
            "reimbursement_micro": [0, 6, 0, 0],
            "ce": [0, 4, 0, 99],
        }
    )
    assert of_calls(calls) == pytest.approx(
        {
            "charge_variation": 0,
            "cost_variation": 1,
            "net_variation": 1,
            "broken": 0.5,
            "calls": 2,
        }
    )


def test_what_a_party_earns() -> None:
    """A provider that receives 60 and pays 10 and 5 earns 45."""
    ledger = pd.DataFrame(
        {
            "debit": ["source:voice", "gsp", "gsp", "source:web"],
            "credit": ["gsp", "isp", "source:voice", "isp"],
            "amount_micro": [60, 10, 5, 7],
        }
    )
    assert (earned(ledger, "gsp"), earned(ledger, "isp")) == (45, 17)


def test_errors_with_and_without_knowing_the_setting() -> None:
    """Means of 1 and 3 in both seeds: a blind guess errs by 2, a known setting by drift."""
    steady = np.array([[[1.0, 1.0], [1.0, 1.0]], [[3.0, 3.0], [3.0, 3.0]]])
    knowing, blind = errors(steady)
    assert (knowing.tolist(), blind.tolist()) == ([0, 0], [2, 2])
    drifting = steady + np.array([0.0, 0.5])
    knowing, blind = errors(drifting)
    assert (knowing.tolist(), blind.tolist()) == ([0.25, 0.25], [2, 2])


def test_runs_by_strategy() -> None:
    """The run whose strategy has that kind, with any parameters."""
    column = "market.agents.gsp.strategy"
    texts = ['{"kind":"accept-all"}', '{"kind":"marking-quantile","quantile":0.9}']
    runs = Runs(pd.DataFrame({column: texts, "at": [0, 1]}), batches=False, budget=1.0)
    assert by_strategy(runs, "marking-quantile").frame["at"].tolist() == [1]
