# SPDX-License-Identifier: Apache-2.0
"""Section 4.4, a proposal: a provider of guaranteed streams that also owns the network.

The integrated provider knows the mix and the threshold. After a change, it takes the mean cost mu
and the probability p of a broken promise from a run of the new setting with another seed. A
provider that observes only marks takes both from the second half of a run of the old setting. The
integrated provider accepts all calls, while the other provider refuses calls when marks are
frequent. The integrated provider pays itself for marks, so it earns the sum of the incomes of both
firms.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.mixes import mixes
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ACCEPT_ALL", "by_strategy", "draw", "errors", "figures"]

ACCEPT_ALL: Final = "accept-all"
BY_MARKS: Final = "marking-quantile"
_STRATEGY: Final = "market.agents.gsp.strategy"
_STREAM: Final = "stream-3"
_LATE: Final = 0.01  # L^G


def by_strategy(runs: Runs, kind: str) -> Runs:
    """Return the runs with this kind of strategy."""
    [text] = [each for each in runs.values(_STRATEGY) if json.loads(each)["kind"] == kind]
    return runs.at({_STRATEGY: text})


def errors(means: Floats) -> tuple[Floats, Floats]:
    """Return each seed's mean absolute error over all changes, for known and unknown settings.

    Args:
        means: means over each half of a run, [setting, seed, half]. The mean over the second half
            is the true value.
    """
    knowing, blind = [], []
    past = np.roll(means.mean(axis=2), 1, axis=1)
    for new in range(len(means)):
        for old in range(len(means)):
            if old != new:
                knowing.append(np.abs(past[new] - means[new, :, 1]))
                blind.append(np.abs(means[old, :, 1] - means[new, :, 1]))
    return np.mean(knowing, axis=0), np.mean(blind, axis=0)


def _half_means(studies: Studies) -> dict[str, Floats]:
    """Return mu and p, each of shape [setting, seed, half]."""
    halves_of: dict[str, list[Floats]] = {"mu": [], "p": []}
    for mix in mixes(studies["streams"]).values():
        for runs in mix.values():
            rows = {
                "mu": runs.row(f"sample.marking.{_STREAM}"),
                "p": (runs.row(f"sample.late.{_STREAM}") > _LATE).astype(np.float64),
            }
            for name, row in rows.items():
                halves = np.array_split(row, 2, axis=1)
                halves_of[name].append(np.stack([half.mean(axis=1) for half in halves], axis=1))
    return {name: np.array(rows) for name, rows in halves_of.items()}


def _earned(studies: Studies, kind: str) -> Floats:
    runs = by_strategy(studies["sold"], kind)
    return np.asarray(runs.sample("isp_micro") + runs.sample("gsp_micro"))


def figures(studies: Studies) -> Samples:
    """Return errors of estimates with known and unknown settings, and earnings of both firms."""
    samples: dict[str, np.ndarray | float] = {}
    for name, means in _half_means(studies).items():
        knowing, blind = errors(means)
        samples |= {f"error.{name}.integrated": knowing, f"error.{name}.independent": blind}
        samples[f"error.{name}.over_independent"] = knowing / blind
    samples["earned.over_sum"] = _earned(studies, ACCEPT_ALL) / _earned(studies, BY_MARKS)
    for kind, name in ((ACCEPT_ALL, "integrated"), (BY_MARKS, "independent")):
        runs = by_strategy(studies["sold"], kind)
        samples[f"accepted.{name}"] = runs.sample("accepted")
        samples[f"broken.{name}"] = runs.sample("broken")
        samples[f"marks_money.{name}"] = runs.sample("isp_micro") / 1e6
        samples[f"calls_money.{name}"] = runs.sample("gsp_micro") / 1e6
    samples["links_with_classes"] = (
        studies["sold"].frame["links_with_classes"].to_numpy(dtype=float)
    )
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the earnings from calls against those from marks, with and without refused calls."""
    axis = figure.subplots()
    for index, (kind, label) in enumerate(
        ((ACCEPT_ALL, "one firm, no call refused"), (BY_MARKS, "two, calls refused by marks"))
    ):
        runs = by_strategy(studies["sold"], kind)
        marks, calls = (runs.sample(f"{name}_micro") / 1e6 for name in ("isp", "gsp"))
        style = look(index) | {"linestyle": "none"}
        axis.plot(marks, calls, label=label, **style)
    axis.set(xlabel="earned with marks, those of calls included [money]")
    axis.set_ylabel("earned with calls, less their marks [money]")
    axis.legend()
