# SPDX-License-Identifier: Apache-2.0
"""Gold and silver over ten seeds: the promises of the first example, and theory."""

from __future__ import annotations

import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ecnomy.analysis import summarize
from ecnomy.analysis.theory import wtp_floor_ratio
from ecnomy.markets import load, run
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.results.run_summary import groups
from tiers import seeds

CONFIG = Path(__file__).parents[2] / "configs" / "examples" / "gold-silver.yaml"
SEEDS = seeds(10)
PS = 10**12
CALM = (10, 60)  # after the warm-up, capped
CROWDED = (70, 180)  # 10 s after the cap is lifted
ACK_CLOCKED = tuple(f"sources.{name}.transport.send=ack-clocked" for name in ("gold", "silver"))
RED = ()
LOAD_BASED = ("network.links.bottleneck.marking={law: load-based, threshold: 0.6, slope: 0.71}",)
VIRTUAL_QUEUE = (
    "network.links.bottleneck.marking={law: virtual-queue, theta: 0.95, buffer: 30 packets}",
)


@dataclass(frozen=True)
class Phase:
    """Means per flow, gold then silver."""

    goodput_bps: np.ndarray
    marks_per_s: np.ndarray
    window: np.ndarray


@functools.cache
def phases(overrides: tuple[str, ...], seed: int) -> tuple[Phase, Phase]:
    with tempfile.TemporaryDirectory() as folder:
        result = run(load(CONFIG, overrides=overrides, seed=seed), out=Path(folder) / "run")
        table = result.flow_epochs.set_index(["t_ps", "flow"]).sort_index()
    return phase(table, CALM), phase(table, CROWDED)


def phase(table, span: tuple[int, int]) -> Phase:
    columns = ["acked_bytes", "ce", "cwnd_integral"]
    first, last = (table.loc[t * PS, columns].to_numpy(float) for t in span)
    over = (last - first) / (span[1] - span[0])
    means = np.array([over[:2].mean(axis=0), over[2:4].mean(axis=0)])
    return Phase(means[:, 0] * 8, means[:, 1], means[:, 2])


def crowded(overrides: tuple[str, ...]) -> list[Phase]:
    return [phases(overrides, seed)[1] for seed in SEEDS]


def ratio(phase: Phase) -> float:
    return float(phase.goodput_bps[0] / phase.goodput_bps[1])


def test_calm_classes_get_the_same() -> None:
    """In the first phase there are no marks, and goodput ratios are in [0.95, 1.05]."""
    for seed in SEEDS:
        calm = phases(RED, seed)[0]
        assert np.all(calm.marks_per_s == 0)
        assert 0.95 <= ratio(calm) <= 1.05
        assert calm.goodput_bps == pytest.approx([0.5e6, 0.5e6], rel=0.02)


def test_crowded_paced_ratio_is_the_fee_ratio() -> None:
    """In the second phase with paced WTP, gold's goodput is within 10 % of 4 times silver's."""
    assert np.mean([ratio(p) for p in crowded(RED)]) == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("marking", [RED, LOAD_BASED, VIRTUAL_QUEUE])
def test_crowded_mark_charge_is_the_fee(marking: tuple[str, ...]) -> None:
    """Each class's mark charge is within 10 % of its fee (0.125 money/mark; 4 and 1 money/s)."""
    charge = np.mean([p.marks_per_s for p in crowded(marking)], axis=0) * 0.125
    assert charge == pytest.approx([4.0, 1.0], rel=0.1)


@pytest.mark.parametrize("marking", [RED, LOAD_BASED])
def test_ack_clocked_ratio_carries_the_floor_bias(marking: tuple[str, ...]) -> None:
    """ACK-clocked, the ratio is within 10 % of (r W - 0.5) / (W - 0.5), with W of silver."""
    found = crowded(ACK_CLOCKED + marking)
    light = float(np.mean([p.window[1] for p in found]))
    assert light > 1.5
    assert np.mean([ratio(p) for p in found]) == pytest.approx(wtp_floor_ratio(4.0, light), rel=0.1)


def test_background_pays_for_its_marks(tmp_path: Path) -> None:
    """Background pays no fee, but all marks: account, tables of `run` and `show`, counted marks."""
    result = run(load(CONFIG, overrides=["duration=90 s"]), out=tmp_path / "run")
    table = result.flow_epochs.merge(result.raw.flows[["flow", "source"]], on="flow")
    ce = table[table["source"] == "background"].groupby("t_ps")["ce"].sum()
    balances = open_raw(result.folder).manifest.balances_micro
    assert balances is not None and balances["source:background"] == -125_000 * ce[90 * PS]
    per_s = 0.125 * (ce[90 * PS] - ce[10 * PS]) / 80
    (row,) = [row for row in groups(result.folder) if row.name == "background"]
    whole = summarize(open_raw(result.folder)).whole
    assert whole is not None and per_s > 0 and row.fee_per_s == 0
    charges = row.all_charge_per_s, row.background_per_s, whole.background_per_s
    assert charges == pytest.approx([per_s] * 3, rel=1e-12)


def test_ack_clocked_on_a_virtual_queue_is_reported(record_property) -> None:
    """The virtual queue's ratio is printed; the papers only say that it is at least r."""
    found = crowded(ACK_CLOCKED + VIRTUAL_QUEUE)
    light = float(np.mean([p.window[1] for p in found]))
    measured = float(np.mean([ratio(p) for p in found]))
    record_property("virtual_queue_ratio", measured)
    record_property("virtual_queue_floor_theory", wtp_floor_ratio(4.0, light))
    assert measured > 4.0
