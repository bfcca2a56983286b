# SPDX-License-Identifier: Apache-2.0
"""andreassen2002: the curve of figure 7, adaptive calls, and searched thresholds."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.reproduce import operations
from ecnomy.analysis.reproduce.andreassen2002.adaptive import figures_of_adaptive
from ecnomy.analysis.reproduce.andreassen2002.blocks import ratio, streams_and_blocks
from ecnomy.analysis.reproduce.andreassen2002.calibration import phase_of
from ecnomy.analysis.reproduce.andreassen2002.calls_that_adapt import rates
from ecnomy.analysis.reproduce.andreassen2002.lengths import curve
from ecnomy.analysis.reproduce.studies import Runs
from ecnomy.analysis.run.lateness import late_shares
from tiers import full

PS = 10**12
# Table 5 of the paper, rows above 1e-4: min_th [packets], over 16 ms(B), voice delay rate.
TABLE_5 = """
48 0.624 3.65E-4  60 0.780 2.29E-3  64 0.845 6.04E-3  69 0.901 9.38E-3  72 0.953 1.38E-2
52 0.653 3.63E-4  65 0.799 2.83E-3  68 0.860 5.19E-3  73 0.897 9.70E-3  78 0.949 1.42E-2
70 0.769 1.40E-3  74 0.804 1.21E-3  79 0.911 8.94E-3  84 0.948 1.00E-2  75 0.811 2.25E-3
80 0.813 2.54E-3  86 0.820 1.99E-3  90 0.946 1.11E-2  68 0.638 1.76E-3  88 0.785 2.57E-3
94 0.828 2.39E-3  100 0.800 4.73E-3
"""


def test_the_papers_own_table_lies_on_a_curve() -> None:
    """A fit of its 22 rows by numpy: 0.18 decades against 0.33, R^2 of 0.85 against 0.45."""
    packets, ratios, late = np.array(TABLE_5.split(), dtype=float).reshape(-1, 3).T
    assert len(late) == 22
    for x, rms, r2 in ((ratios, 0.176, 0.846), (packets, 0.334, 0.446)):
        parabola = curve(x, late)
        by_numpy = np.polyfit(x, np.log10(late), 2)
        assert parabola.coefficients == pytest.approx(by_numpy, rel=1e-6)
        assert (parabola.rms, parabola.r2) == pytest.approx((rms, r2), abs=1e-3)


def test_a_curve_that_bends_has_no_scatter() -> None:
    """A parabola is found exactly; rates up to 1e-4 are left out; few points give no curve."""
    x = np.linspace(0.2, 1, 12)
    late = 10 ** (-6 + 2 * x + 3 * x**2)
    parabola = curve(x, late)
    assert parabola.coefficients == pytest.approx([3, 2, -6]) and parabola.r2 == pytest.approx(1)
    assert parabola.rms == pytest.approx(0, abs=1e-9)
    with_more = curve(np.append(x, [0.3, 0.9]), np.append(late, [0.0, 9.9e-5]))
    assert with_more.coefficients == pytest.approx([3, 2, -6])
    assert np.isnan(curve(x[:4], np.full(4, 1e-2)).rms)
    assert np.isnan(curve(np.ones(9), late[:9] + 1e-3).rms)


def _run(**tables: pd.DataFrame) -> SimpleNamespace:
    return SimpleNamespace(
        table=lambda name: tables[name],
        measured=SimpleNamespace(from_ps=10 * PS, to_ps=110 * PS),
        plan=SimpleNamespace(record=SimpleNamespace(delay_thresholds_ps=[16 * 10**9, 10**10])),
    )


def _flows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "source": ["voice", "adaptive", "web", "web"],
            "members": [2.0, 4, 1, 1],
            "delivered": [1000.0, 2000, 300, 700],
            "ce": [20.0, 10, 3, 7],
            "lost": [0.0, 0, 4, 6],
            "late_0": [5.0, 2, 1, 0],
            "late_1": [50.0, 20, 2, 0],
        }
    )


def test_rates_of_a_run(monkeypatch) -> None:
    """Over a hundred seconds, rows of one source are summed, and money is by flow."""
    monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda _: _run(flows=_flows()))
    columns = rates(Path("run"))
    assert columns["voice_marking"] == 0.02 and columns["adaptive_marking"] == 0.005
    assert columns["voice_marks_per_s"] == 0.1 and columns["adaptive_marks_per_s"] == 0.025
    assert columns["voice_pps"] == 5 and columns["web_marking"] == 0.01
    assert columns["web_late"] == pytest.approx(11 / 1010) and columns["adaptive_late"] == 0.001


def test_late_shares_of_a_run(monkeypatch) -> None:
    """Late columns are per source and threshold, and lost packets count as late."""
    monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda _: _run(flows=_flows()))
    shares = late_shares(Path("run"))
    assert shares["voice.late_over_16ms"] == 0.005 and shares["voice.late_over_10ms"] == 0.05
    assert shares["web.late_over_16ms"] == pytest.approx(11 / 1010)
    assert len(shares) == 6


def test_who_adapts_against_who_ignores() -> None:
    """All are compared with all over two runs, and half with half in one, by threshold."""
    rows = [
        (72, 89, 0.04, 0.4, 0.02, 0.1), (72, 45, 0.03, 0.3, 0.02, 0.1), (72, 1, 0.9, 9, 0.01, 0.1),
        (360, 89, 0.4, 4, 0.2, 1), (360, 45, 0.3, 3, 0.2, 1), (360, 1, 9, 9, 0.8, 1),
    ]  # fmt: skip
    columns = ["voice_marking", "voice_marks_per_s", "adaptive_marking", "adaptive_marks_per_s"]
    limit, count = "network.links.bottleneck.marking.max_threshold", "sources.voice.count"
    frame = pd.DataFrame(rows, columns=[limit, count, *columns])
    for name in ("voice_pps", "adaptive_pps", "web_marking", "voice_late", "adaptive_late"):
        frame[name] = 1.0
    frame["replicate"] = 0
    runs = Runs(frame, batches=False, budget=1)
    figures = figures_of_adaptive({"adaptive": runs})  # type: ignore[arg-type]
    assert figures["adapts_over_ignores.marking.all.72"] == pytest.approx([0.25])
    assert figures["adapts_over_ignores.marking.all.360"] == pytest.approx([2])
    assert figures["adapts_over_ignores.marking.half.72"] == pytest.approx([2 / 3])
    assert figures["ignores_over_adapts.charge.72"] == pytest.approx([3])


def test_blocks_of_a_run(monkeypatch) -> None:
    """Counts of streams and of all udp cover full minutes, without a partial minute."""
    at = np.arange(0, 191, 20)  # the warm-up ends at 10 s: reports are 10 s, 30 s ... 190 s
    times = (at + 10) * PS
    flows = pd.DataFrame({"flow": [0, 1, 2], "source": ["stream-1", "voice", "web"]})
    table = pd.concat(
        pd.DataFrame(
            {
                "flow": flow, "t_ps": times, "sent": 100.0 * (flow + 1) * np.arange(10),
                "ce": np.arange(10.0) * flow, "late_1": 0.0, "lost": np.arange(10.0) ** 2,
            }
        )
        for flow in range(3)
    )  # fmt: skip
    run = _run(flows=flows, flow_epochs=table)
    monkeypatch.setattr("ecnomy.markets.results.rawrun.open_raw", lambda _: run)
    blocks = streams_and_blocks(Path("run"))
    assert blocks["block.sent.stream-1"] == [300, 300, 300]
    assert blocks["block.sent.udp"] == [900, 900, 900]
    assert blocks["block.marked.udp"] == [3, 3, 3] and blocks["block.marked.stream-1"] == [0, 0, 0]
    assert blocks["block.late.stream-1"] == [9, 27, 45] and blocks["block.late.udp"] == [18, 54, 90]
    assert blocks["marking.udp"] == pytest.approx(9 / 2700) and "block.sent.web" not in blocks


def test_a_ratio_is_of_rows(monkeypatch) -> None:
    """The ratio is of the counts of two streams over all seeds, drawn from the least seed."""
    frame = pd.DataFrame({"replicate": [0, 1], "seed": [4, 5]})
    for name, marks in (("a", (2.0, 4.0)), ("b", (1.0, 1.0))):
        for block in range(5):
            frame[f"block.marked.{name}[{block}]"] = marks
            frame[f"block.sent.{name}[{block}]"] = 10.0
    bounds = ratio(Runs(frame, batches=False, budget=1), "marking", "a", "b")
    assert (bounds.low, bounds.mean, bounds.high) == pytest.approx((3, 3, 3)) and bounds.n == 10


def test_phases_of_calls() -> None:
    """Phases have the form in which sweeps write them."""
    assert phase_of('{"kind":"voip"}') == "independent"
    assert phase_of('{"kind":"voip","phase":"tick"}') == "tick"
    assert phase_of('{"interval":"100 ms","kind":"cbr","phase":"tick"}') == "step"


def test_counts_of_operations_are_of_their_source() -> None:
    """A change of operations.cc changes the digest of entries."""
    source = Path(operations.__file__).with_name("operations.cc")
    assert operations.SOURCE_SHA256 == hashlib.sha256(source.read_bytes()).hexdigest()


def test_a_compiler_that_hangs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes within the limit, in one line."""
    compiler = tmp_path / "hanging-compiler"
    compiler.write_text("#!/bin/sh\nexec sleep 1000\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setattr(operations, "_LIMIT_S", 0.2)
    with pytest.raises(ResultsError, match="hanging-compiler: .* took longer than 0.2 s"):
        operations.blocks.__wrapped__()


@full
def test_operations_are_counted() -> None:
    """The heuristic costs the same for any number of flows, the reference more for each."""
    costs = operations.blocks()
    assert costs
    heuristic, reference = "flow-projection-heuristic", "flow-projection"
    assert operations.most_over_least(heuristic, "projection") == 1
    assert operations.most_over_least("rem", "packet") == 1
    assert operations.most_over_least("rem", "timer") == 1
    assert operations.most_over_least(reference, "projection") > 30
    timers = {c.flows: c.mean for c in costs if (c.law, c.load) == (heuristic, "timer")}
    assert timers[10000] / timers[1000] == pytest.approx(10, rel=0.1)
    marking = {c.waiting: c.mean for c in costs if c.load == "marking" and c.flows == 10000}
    slopes = np.diff(list(marking.values())) / np.diff(list(marking))
    assert len(marking) == 5 and marking[3000] > 20 * marking[100] and (slopes > 1).all()
    assert np.isnan(operations.most_over_least("red", "packet"))


def test_without_a_compiler_nothing_is_counted(monkeypatch) -> None:
    """Without a compiler, claims on operations are not measured, and there is no traceback."""
    monkeypatch.setenv("CXX", "no-such-compiler")
    operations.blocks.cache_clear()
    assert operations.blocks() == () and np.isnan(operations.slope("rem", "packet", 10))
    operations.blocks.cache_clear()
