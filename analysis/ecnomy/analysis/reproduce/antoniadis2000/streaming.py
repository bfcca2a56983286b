# SPDX-License-Identifier: Apache-2.0
"""Section 5, streaming: variation of rates with a target mean, with WTP, and with a rate limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_OVER: Final = "market.agents.stream-users.strategy.over"
_THRESHOLD: Final = "market.agents.stream-users.strategy.threshold"
_SEND: Final = "sources.stream.transport.send"
_REQUESTED_MBPS: Final = 0.5  # from streaming.yaml
_RTT_MS: Final = 40
_FIRST_S: Final = 40.0  # start of the course
_STEP_S: Final = 0.2
_LABELS: Final = {
    "stream": "a mean of 0.5 Mbps over 5 round trips",
    "capped": "at most 0.5 Mbps",
    "plain": "WTP, the same charge",
}


def figures(studies: Studies) -> Samples:
    """Return variations of the rates of a stream, WTP and a capped flow, and their ratios."""
    runs, ample, paced = _split(studies)
    samples: dict[str, np.ndarray | float] = {}
    for over_ms in runs.values(_OVER):
        own, trips = runs.at({_OVER: over_ms}), round(over_ms / _RTT_MS)
        name, column = f"trips={trips}", f"cv_{trips}_trips"
        stream = own.sample(f"stream.{column}")
        samples[f"cv.stream.{name}"] = stream
        samples[f"cv.wtp.{name}"] = own.sample(f"plain.{column}")
        samples[f"cv.capped.{name}"] = own.sample(f"capped.{column}")
        samples[f"cv.stream_over_wtp.{name}"] = stream / own.sample(f"plain.{column}")
        samples[f"cv.stream_over_capped.{name}"] = stream / own.sample(f"capped.{column}")
        for source, of in (("stream", "mean"), ("capped", "capped_mean")):
            samples[f"{of}_over_asked.{name}"] = own.sample(f"{source}.mbps") / _REQUESTED_MBPS
        samples[f"wtp_mbps.{name}"] = own.sample("plain.mbps")
        samples[f"cv_epoch.wtp.{name}"] = own.sample("plain.cv_epoch")
    for place, own in (("ample", ample), ("paced", paced)):
        samples[f"control.{place}.mean_over_asked"] = own.sample("stream.mbps") / _REQUESTED_MBPS
        samples[f"control.{place}.cv"] = own.sample("stream.cv_5_trips")
    return samples


def _split(studies: Studies) -> tuple[Runs, Runs, Runs]:
    """Return the runs of the claim, those with an ample threshold, and those of a paced stream."""
    whole = studies["streaming"]
    thresholds = sorted(whole.values(_THRESHOLD))
    clocked = whole.at({_SEND: "ack-clocked"})
    claimed, ample = (clocked.at({_THRESHOLD: value}) for value in thresholds)
    return claimed, ample, whole.at({_SEND: "paced"})


def draw(studies: Studies, figure: Figure) -> None:
    """Draw ten seconds of one run, and the variation of rates as a mean over seeds."""
    figure.set_size_inches(10, 4.5)
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    runs, _, _ = _split(studies)
    own = runs.at({_OVER: min(runs.values(_OVER))})
    for index, (name, label) in enumerate(_LABELS.items()):
        course = own.row(f"{name}.course_mbps")[0]
        times = _FIRST_S + _STEP_S * np.arange(len(course))
        left.plot(times, course, label=label, **(look(index) | {"markersize": 2}))
        values = [own.sample(f"{name}.{column}").mean() for column in ("cv_epoch", "cv_5_trips")]
        values.append(own.sample(f"{name}.cv_10_trips").mean())
        right.plot([1.25, 5, 10], values, label=label, **look(index))
    left.set(xlabel="time [s]", ylabel="rate of a flow in 200 ms [Mbps]")
    left.set_ylim(bottom=0)
    left.legend(loc="upper left", fontsize="small")
    right.set(xlabel="window [round trips]", ylabel="coefficient of variation")
    right.set_ylim(bottom=0)
