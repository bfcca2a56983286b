# SPDX-License-Identifier: Apache-2.0
"""Tests whether marking predicts delay, by the correlation of M and L in test streams.

    M = marked / sent,   L = (lost or later than the tariff's max_delay) / sent,   in a sample

Shares in samples of few packets vary by chance. For n packets with a share x, x (1 - x) / (n - 1)
is an unbiased estimate of the variance due to chance. The rest of the observed variance v is due to
the shares themselves:

    reliability = 1 - mean(x (1 - x) / (n - 1)) / v
    r corrected = r / sqrt(reliability of M x reliability of L)

Source: Andreassen 2002, 4.3.3 (samples); Spearman 1904 (attenuation). The chance variations of M
and L are assumed to be independent, although both concern the same packets.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.flow_reports import flow_reports
from ecnomy.analysis.gsp_report.opened_runs import ReportRun, provider_of
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.gsp_report.tariffs import Tariff
from ecnomy.analysis.pages.parts import Block, Cell, Picture, Section, Table, Words, number, percent
from ecnomy.analysis.pages.queries import literal
from ecnomy.analysis.run.guarantors import Provider, flows_of
from ecnomy.analysis.statistics.intervals import LEVEL, correlation
from ecnomy.analysis.support.first_use import scipy_part
from ecnomy.analysis.support.number_text import minus
from ecnomy.markets.bridge.columns import late_column

__all__ = [
    "LEAST",
    "TestStreamSamples",
    "corrected",
    "fisher",
    "reliability",
    "samples_of",
    "scatter",
]

LEAST: Final = 10  # samples needed to report a correlation
_ALL: Final = "all together"


class TestStreamSamples(NamedTuple):
    """Samples of a test stream: packets sent, M, and L, each with a value per sample."""

    sent: Floats
    marking: Floats
    bad: Floats


def reliability(shares: Floats, sent: Floats) -> float:
    """Return the share of variance that is not chance.

    It is NaN for fewer than three shares, or if all shares are equal.
    """
    if len(shares) < 3 or np.ptp(shares) == 0:
        return math.nan
    chance = float(np.mean(shares * (1 - shares) / (sent - 1)))
    return 1 - chance / float(np.var(shares, ddof=1))


def corrected(raw: float, of_m: float, of_l: float) -> float:
    """Return a correlation corrected for chance; NaN if all variation of M or L is chance."""
    both = of_m * of_l
    return raw / math.sqrt(both) if of_m > 0 and of_l > 0 else math.nan


def samples_of(
    db: Database, made: ReportRun, provider: Provider, tariff: Tariff, length_s: float
) -> dict[str, TestStreamSamples]:
    """Return each test stream's samples of at least two packets in the measured window.

    With several streams, the key `all together` has the samples of their sums. The result is empty
    without test streams, or if the run did not count the packets beyond the tariff's `max_delay`.
    """
    run = made.run
    assert run is not None
    thresholds = run.plan.record.delay_thresholds_ps
    if not provider.stream_sources or tariff.max_delay_ps not in thresholds:
        return {}
    counted = ("sent", "ce", "lost", late_column(thresholds.index(tariff.max_delay_ps)))
    every = flows_of(run, provider.stream_sources)
    reports = flow_reports(db, run, every, counted)
    edges = _edges(
        reports.t_ps, run.measured.from_ps, run.measured.to_ps, round(length_s * PS_PER_S)
    )
    if len(edges) < 2:
        return {}
    sent, marks, lost, later = (reports.differences(n, edges) for n in counted)
    samples = {}
    groups = {name: flows_of(run, (name,)) for name in provider.stream_sources}
    if len(groups) > 1:
        groups[_ALL] = every
    for name, own in groups.items():
        flows = np.searchsorted(every, own)
        packets, marked, bad = (x[:, flows].sum(axis=1) for x in (sent, marks, lost + later))
        some = packets >= 2
        n = packets[some]
        if not len(n):
            continue
        samples[name] = TestStreamSamples(n, marked[some] / n, bad[some] / n)
    return samples


def _edges(t_ps: Integers, low: int, high: int, step: int) -> Integers:
    """Return the last report times at or before low, low + step, ..., high, without repeats."""
    wanted = np.arange(low, high + 1, max(step, 1))
    at = np.searchsorted(t_ps, wanted, side="right") - 1
    return np.unique(t_ps[at[at >= 0]])


def scatter(db: Database, answer: Answer) -> Section | None:
    """Return the samples of each tariff as plots and tables; None without samples."""
    blocks: list[Block] = []
    for tariff in db.tariffs(answer.provider, answer.runs):
        length_s = tariff.sample_s
        parts = [
            samples_of(db, m, provider_of(m, answer.provider), tariff, length_s)
            for m in answer.runs
        ]
        streams = {name: _joined([p[name] for p in parts if name in p]) for name in parts[0]}
        if not streams:
            continue
        blocks += [
            _picture(db, answer, tariff, streams, length_s),
            _table(answer, tariff, streams, length_s),
        ]
    if not blocks:
        return None
    blocks.append(
        Words.of(
            "Samples lie in the measured window of the runs. The reliability of a share is the "
            "part of its variance that is not due to the chance of few packets (binomial). The "
            "correlation is corrected: it is divided by the root of the reliabilities' product. "
            "It is unknown (-) if a share varies by chance only, and its estimate may exceed 1. "
            f"Fewer than {LEAST} samples give no correlation. The interval of the raw correlation "
            f"is Fisher's."
        )
    )
    return Section(f"{answer.provider}-streams", "Does marking predict delay?", tuple(blocks))


def _joined(parts: list[TestStreamSamples]) -> TestStreamSamples:
    return TestStreamSamples(*(np.concatenate(rows) for rows in zip(*parts, strict=True)))


def _raw(marking: Floats, bad: Floats) -> float:
    return correlation(marking, bad) if len(marking) >= LEAST else math.nan


def _table(
    answer: Answer, tariff: Tariff, streams: dict[str, TestStreamSamples], length_s: float
) -> Table:
    rows = []
    for name, (sent, marking, bad) in streams.items():
        raw, of_m, of_l = (
            _raw(marking, bad),
            reliability(marking, sent),
            reliability(bad, sent),
        )
        values = (raw, of_m, of_l, corrected(raw, of_m, of_l))
        low, high = fisher(raw, len(sent))
        between = "-" if math.isnan(low) else f"{_two(low)} to {_two(high)}"
        rows.append(
            (
                Cell(name),
                Cell(number(len(sent)), value=len(sent)),
                Cell(percent(float(marking.mean()), 2), value=float(marking.mean())),
                Cell(percent(float(bad.mean()), 2), value=float(bad.mean())),
                *(Cell(_two(v), value=v) for v in values),
                Cell(between),
            )
        )
    return Table(
        id=f"{answer.provider}-{tariff.name}-streams",
        caption=f"Test streams, samples of {length_s:g} s{_named(answer, tariff)}",
        of="flow_epochs",
        head=(
            "stream",
            "samples",
            "mean M",
            "mean L",
            "correlation, raw",
            "reliability of M",
            "of L",
            "correlation, corrected",
            "raw, 95 %",
        ),
        rows=tuple(rows),
    )


def fisher(raw: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a raw correlation by Fisher's z; NaN if it is undefined.

    It is undefined below LEAST samples, and for a correlation of NaN, -1 or 1. Source: Fisher 1921.
    The interval assumes independent and nearly normal samples.
    """
    if count < LEAST or math.isnan(raw) or abs(raw) >= 1:
        return math.nan, math.nan
    half = float(scipy_part("special").ndtri((1 + LEVEL) / 2)) / math.sqrt(count - 3)
    return math.tanh(math.atanh(raw) - half), math.tanh(math.atanh(raw) + half)


def _two(value: float) -> str:
    return "-" if math.isnan(value) else minus(f"{value:.2f}")


def _named(answer: Answer, tariff: Tariff) -> str:
    del answer
    return "" if tariff.name == "calls" else f", tariff {tariff.name}"


def _picture(
    db: Database,
    answer: Answer,
    tariff: Tariff,
    streams: dict[str, TestStreamSamples],
    length_s: float,
) -> Picture:
    shown = {name: each for name, each in streams.items() if name != _ALL}
    rows = tuple(
        (name, int(n), float(m), float(bad))
        for name, each in shown.items()
        for n, m, bad in zip(*each, strict=True)
    )
    whole = streams.get(_ALL) or next(iter(streams.values()))
    raw = _raw(whole.marking, whole.bad)
    correlation_text = "not known" if math.isnan(raw) else f"{raw:.2f}"
    count = sum(len(each.sent) for each in shown.values())
    return Picture(
        id=f"{answer.provider}-{tariff.name}-scatter",
        caption=f"A point is a sample of {length_s:g} s of a test stream{_named(answer, tariff)}",
        alt=f"Scatter of {count} samples: share of packets lost or late over share marked. "
        f"Raw correlation of the streams together {correlation_text}.",
        of="flow_epochs; threshold: agents",
        svg=business_plots.points(
            {name: (each.marking, each.bad) for name, each in shown.items()},
            tariff.max_delay_rate,
            _threshold(db, answer),
        ),
        head=("stream", "packets", "M", "L"),
        rows=rows,
    )


def _threshold(db: Database, answer: Answer) -> float | None:
    values: list[float] = []
    for made in answer.runs:
        assert made.run is not None
        file = made.run.file("agents")
        if file.is_file():
            noted = db.arrays(
                f"select value from read_parquet({literal(str(file))})\n"
                f"where agent = {literal(answer.provider)} and name = 'blocking_threshold'"
            )
            values += noted["value"].tolist()
    return float(np.mean(values)) if values else None
