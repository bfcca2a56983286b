# SPDX-License-Identifier: Apache-2.0
"""Figures 5 to 7: windows, backlog and price under PC1, PC2 and PC3 while sources come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.basic import Paths, run_basic
from ecnomy.analysis.reproduce.athuraliya2000.laws import MARKING
from ecnomy.analysis.reproduce.athuraliya2000.periods import ACTIVE, BEGIN_S, PERIOD_S, POINTS
from ecnomy.analysis.reproduce.curve_style import look, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CAPACITY", "RTT_MS", "by_price", "draw", "figures", "theory_window"]

CAPACITY: Final = 12.0  # packets/ms, also the weight of each source
RTT_MS: Final = {1: 7, 2: 13, 3: 11, 4: 9}
GAMMA: Final = {"pc1": 0.005, "pc2": 0.01, "pc3": 0.005}
SHARE: Final = {"pc1": 0.85, "pc2": 1.0, "pc3": 1.0}
Quantities = dict[str, np.ndarray | float]


def by_price(runs: Runs) -> dict[str, Runs]:
    """Return the runs by price rule, or by gamma if there is only one rule."""
    laws = [
        (msgspec.json.decode(value), runs.at({MARKING: value})) for value in runs.values(MARKING)
    ]
    if len({law["price"] for law, _ in laws}) == 1:
        return {f"gamma={law['gamma']:g}": own for law, own in laws}
    return {law["price"]: own for law, own in laws}


def theory_window(rule: str, source: int, active: int) -> float:
    """Return the window (c / n) RTT [packets] for n equal sources.

    c is the rule's target rate, below the capacity under PC1. The RTT under PC2 includes the wait
    for the backlog n / gamma.
    """
    wait_ms = active / GAMMA["pc2"] / CAPACITY if rule == "pc2" else 0.0
    return SHARE[rule] * CAPACITY / active * (RTT_MS[source] + wait_ms)


def figures(studies: Studies) -> Samples:
    """Return windows, backlogs and settling times by price rule and period, per seed."""
    rules = by_price(studies["fig5"])
    samples: Quantities = {}
    for rule, runs in rules.items():
        samples |= _windows(rule, runs)
        cvs = {k: _mean(runs, "window_cv", (1, 2), k) for k in (0, 2, 4)}
        samples |= {f"cv_over_four.{rule}.{k}": cvs[k] - cvs[2] for k in (0, 4)}
    spread = {rule: _spread(runs) for rule, runs in rules.items()}
    samples |= {f"std.pc2_over_{r}": spread["pc2"] / spread[r] for r in ("pc1", "pc3")}
    samples["peak.pc1"] = rules["pc1"].sample("peak")
    late = [rules["pc2"].sample(f"backlog_late.{k}") for k in range(5)]
    samples |= {
        f"pc2.backlog_over_theory.{k}": late[k] * GAMMA["pc2"] / len(ACTIVE[k]) for k in range(5)
    }
    samples |= {f"pc2.backlog_step.{k}": late[k + 1] - late[k] for k in (0, 1)}
    for k in range(5):
        samples[f"pc3.backlog.{k}"] = rules["pc3"].sample(f"backlog.{k}")
        samples[f"use.pc3_minus_pc1.{k}"] = rules["pc3"].sample(f"use.{k}") - rules["pc1"].sample(
            f"use.{k}"
        )
    return samples | _settling(rules) | _by_gamma(studies["fig6-gamma"]) | _tracking(rules["pc3"])


def _windows(rule: str, runs: Runs) -> Quantities:
    """Return windows / theory and, for PC1 and PC3, windows / theory with the measured wait."""
    samples: Quantities = {}
    for k, active in enumerate(ACTIVE):
        wait_ms = (runs.sample(f"backlog_late.{k}") + 1) / CAPACITY  # includes its own transmission
        for source in sorted(active):
            theory = theory_window(rule, source, len(active))
            over = runs.sample(f"s{source}.window.{k}") / theory
            samples[f"window_over_theory.{rule}.s{source}.{k}"] = over
            if rule != "pc2":
                longer = 1 + wait_ms / RTT_MS[source]
                samples[f"control.window_over_theory_with_wait.{rule}.s{source}.{k}"] = (
                    over / longer
                )
    return samples


def _mean(runs: Runs, column: str, sources: Any, k: int) -> np.ndarray:
    samples = [runs.sample(f"s{source}.{column}.{k}") for source in sources]
    return np.asarray(np.mean(samples, axis=0))


def _spread(runs: Runs) -> np.ndarray:
    """Return the standard deviation of windows, averaged over sources and periods."""
    samples = [_mean(runs, "window_std", sorted(a), k) for k, a in enumerate(ACTIVE)]
    return np.asarray(np.mean(samples, axis=0))


def _settling(rules: dict[str, Runs]) -> Quantities:
    return {
        f"settle_s.{rule}.{name}.{k}": rules[rule].sample(f"settle.{name}.{k}")
        for rule in ("pc1", "pc3")
        for name in ("window", "price")
        for k in range(1, 5)
    }


def _by_gamma(runs: Runs) -> Quantities:
    rules = by_price(runs)
    least, middle, most = (rules[f"gamma={g}"] for g in ("0.0025", "0.01", "0.05"))
    cvs = {
        g: np.mean([_mean(own, "window_cv", sorted(a), k) for k, a in enumerate(ACTIVE)], axis=0)
        for g, own in rules.items()
    }
    samples: Quantities = {f"control.cv.{g}": np.asarray(value) for g, value in cvs.items()}
    for g, own in rules.items():
        samples[f"control.backlog_over_theory.{g}.0"] = (
            own.sample("backlog_late.0") * float(g.partition("=")[2]) / len(ACTIVE[0])
        )
    return samples | {
        "gamma.std_large_over_default": _spread(most) / _spread(middle),
        "gamma.backlog_small_minus_default": least.sample("backlog_late.2")
        - middle.sample("backlog_late.2"),
    }


def basic_windows() -> tuple[dict[int, np.ndarray], dict[int, np.ndarray]]:
    """Return the basic algorithm's windows in Figures 5 to 7, from 2 s before the paper's time 0.

    Returns:
        Two mappings, source -> one value per ms: the window, and 1 while the source is active.
    """
    steps = round(1000 * (BEGIN_S + 5 * PERIOD_S))
    active = np.zeros((steps, 4))
    active[:, 0] = 1
    for k, sources in enumerate(ACTIVE):
        start = round(1000 * (BEGIN_S + k * PERIOD_S))
        for source in sources:
            active[start : start + round(1000 * PERIOD_S), source - 1] = 1
    paths = Paths(np.ones((1, 4)), np.array([CAPACITY]), np.full(4, CAPACITY), 0.1, 2 * CAPACITY)
    delays = [RTT_MS[source] for source in (1, 2, 3, 4)]
    ran = run_basic(paths, steps, GAMMA["pc3"], delays=delays, active=active)
    windows = {source: ran.rates[:, source - 1] * RTT_MS[source] for source in RTT_MS}
    return windows, {source: active[:, source - 1] for source in RTT_MS}


def _tracking(runs: Runs) -> Quantities:
    """Return REM's windows / the basic algorithm's, and differences of standard deviations."""
    windows, _ = basic_windows()
    samples: Quantities = {}
    for source in RTT_MS:
        for second in range(10):
            if source in ACTIVE[second // 2]:
                start = round(1000 * (BEGIN_S + second))
                mean = windows[source][start : start + 1000].mean()
                kind = "second" if second % 2 else "first"
                name = f"tracking.{kind}.s{source}.{second}"
                samples[name] = runs.sample(f"s{source}.second.{second}") / mean
    for k in range(5):
        own = windows[1][round(1000 * (BEGIN_S + k * PERIOD_S + 0.5)) :][:1500]
        samples[f"std.rem_minus_basic.{k}"] = runs.sample(f"s1.window_std.{k}") - own.std()
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw windows, backlog and price of the first seed, with one row per price rule."""
    figure.set_size_inches(11, 8.5)
    axes = figure.subplots(3, 3, sharex=True)
    at = (np.arange(POINTS) + 0.5) * 5 * PERIOD_S / POINTS
    for row, (rule, runs) in zip(axes, by_price(studies["fig5"]).items(), strict=True):
        for source in (1, 2, 3, 4):
            path = runs.row(f"path.s{source}")[0]
            style = look(source - 1) | {"markersize": 3, "markevery": 4, "linewidth": 1}
            row[0].plot(at, np.where(path > 0, path, np.nan), label=f"S{source}", **style)
            for k, active in enumerate(ACTIVE):
                if source in active:
                    level = theory_window(rule, source, len(active))
                    ends = [k * PERIOD_S, (k + 1) * PERIOD_S]
                    label = "theory" if source == 4 else None
                    theory_line(row[0], ends, [level] * 2, label or "_nolegend_")
        row[1].plot(at, runs.row("path.backlog")[0], color="black", linewidth=1)
        row[2].plot(at, runs.row("path.price")[0], color="black", linewidth=1)
        steps = [len(active) * SHARE[rule] ** -1 for active in ACTIVE]
        row[2].stairs(steps, np.arange(6) * PERIOD_S, color="black", linestyle="--", label="theory")
        row[0].set(ylabel=f"{rule.upper()}: window, packets")
        row[1].set(ylabel="backlog, packets")
        row[2].set(ylabel="price")
    axes[0][0].legend(ncols=2, fontsize="small")
    axes[0][2].legend()
    for axis in axes[-1]:
        axis.set_xlabel("time, s")
