# SPDX-License-Identifier: Apache-2.0
"""Scenario 2: dynamic price handlers before, during and after congestion, and five classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.utilities import utility_of
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_CROWD: Final = "sources.background.count"
_CLOCK: Final = "sources.constant.transport.send"
_SEND: Final = "sources.class1.transport.send"
_X0_BPS: Final = 0.5e6  # rate of the constant-throughput strategy in scenario2.yaml
_THRESHOLD: Final = 0.25  # money/s
_STEP_S: Final = 2.0
_PLACES: Final[dict[str, dict[str, float | str]]] = {
    "": {_CROWD: 12, _CLOCK: "ack-clocked"},
    "few.": {_CROWD: 4, _CLOCK: "ack-clocked"},
    "paced.": {_CROWD: 12, _CLOCK: "paced"},
}
_UTILITIES: Final = {
    "log": utility_of({"kind": "log", "a": 0.5, "x0": 1e6}),
    "sqrt": utility_of({"kind": "sqrt", "a": 1.0, "x0": 1e6}),
}


def figures(studies: Studies) -> Samples:
    """Return the ratios rate / x0, charge / threshold, charge / (x U'(x)), and class rate / fee."""
    runs = studies["scenario2"]
    samples: dict[str, np.ndarray | float] = {}
    for prefix, place in _PLACES.items():
        samples |= {prefix + name: v for name, v in _of(runs.at(place)).items()}
    for send in studies["classes"].values(_SEND):
        prefix = "paced." if send == "paced" else ""
        own = studies["classes"].at({_SEND: send})
        rates = np.array([own.sample(f"class{n}.goodput_bps") / n for n in range(1, 6)])
        for n, rate in enumerate(rates, start=1):
            samples[f"{prefix}classes.rate_over_fee.{n}"] = rate / rates.mean(axis=0)
        steps = [np.sign((n + 1) * rates[n] - n * rates[n - 1]) for n in range(1, 5)]
        samples[f"{prefix}classes.ordered"] = np.min(steps, axis=0)
    return samples | _split(studies["who-pays"])


def _of(runs: Runs) -> dict[str, np.ndarray]:
    samples = {"calm.page_time_cv": runs.sample("pages.cv")}
    for phase in ("calm", "crowd", "after"):
        for end in ("least", "most"):
            rate = runs.sample(f"constant.{end}_{phase}_bps") / _X0_BPS
            samples[f"{phase}.{end}_rate_over_x0"] = rate
        charge = runs.sample(f"constant.most_{phase}_charge")
        samples[f"{phase}.most_charge_over_w"] = charge / _THRESHOLD
        samples[f"{phase}.rate_over_x0"] = runs.sample(f"constant.{phase}_bps") / _X0_BPS
    for name, utility in _UTILITIES.items():
        for phase in ("calm", "crowd"):
            rate = runs.sample(f"{name}.{phase}_bps")
            worth = np.asarray(utility.worth(rate / 1e6))
            samples[f"utility.{name}.{phase}"] = runs.sample(f"{name}.{phase}_charge") / worth
    return samples


def _split(runs: Runs) -> dict[str, np.ndarray]:
    """Return rates if the provider pays for marks / rates if users pay, and message rates."""
    samples: dict[str, np.ndarray] = {}
    own = runs.at({_CROWD: max(runs.values(_CROWD))})
    for kind, ending in (("constant", ""), ("log", "-log")):
        for phase in ("calm", "crowd"):
            theirs, ours = (own.sample(f"{n}{ending}.{phase}_bps") for n in ("resold", "direct"))
            samples[f"split.{kind}.provider_over_user.{phase}"] = theirs / ours
        for side, name in (("provider", "resold"), ("user", "direct")):
            samples[f"messages_per_min.{side}.{kind}"] = own.sample(
                f"{name}{ending}.messages_per_min"
            )
            changes = own.sample(f"{name}{ending}.changes_per_min")
            samples[f"changes_per_min.{side}.{kind}"] = changes
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw mean rates over time, and the rates of five classes against their fees."""
    figure.set_size_inches(10, 4.5)
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    runs = studies["scenario2"]
    own = runs.at(_PLACES[""])
    labels = {"constant": "constant throughput", "log": "utility a log(1 + x/x0)"}
    labels["sqrt"] = "utility a sqrt(x/x0)"
    for index, (name, label) in enumerate(labels.items()):
        course = own.row(f"{name}.course_mbps").mean(axis=0)
        times = _STEP_S * np.arange(len(course)) + 1
        left.plot(times, course, label=label, **(look(index) | {"markersize": 3}))
    left.axvspan(60, 120, color="0.9", label="twelve more flows")
    left.set(xlabel="time [s]", ylabel="rate of a flow [Mbps]")
    left.set_ylim(bottom=0)
    left.legend(loc="upper center", fontsize="small")
    samples: dict[str, Any] = dict(figures(studies))
    for index, (prefix, label) in enumerate((("", "ACK-clocked"), ("paced.", "paced"))):
        means = [np.mean(samples[f"{prefix}classes.rate_over_fee.{n}"]) for n in range(1, 6)]
        right.plot(range(1, 6), means, label=label, **look(index))
    right.axhline(1, color="black", linewidth=0.9, linestyle="--")
    right.set(xlabel="class, by its fee", ylabel="rate / fee, over the mean")
    right.set_ylim(bottom=0)
    right.legend()
