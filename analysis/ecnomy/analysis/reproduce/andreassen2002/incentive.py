# SPDX-License-Identifier: Apache-2.0
"""Section 3.3: the charge to voice users for marks, at a price of 1 each, by marking threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.adaptive import figures_of_adaptive
from ecnomy.analysis.reproduce.andreassen2002.measures import MEGABIT
from ecnomy.analysis.reproduce.andreassen2002.mixes import (
    WEB_USERS,
    columns,
    controls,
    mixes,
    ranks,
)
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def _charges(mix: dict[int, Runs], name: str) -> Floats:
    """Return the marks per second of all users of a kind, [threshold, seed]."""
    packets_per_s = columns(mix, f"{name}_mbps") * MEGABIT / 8 / columns(mix, f"{name}_bytes")
    return np.asarray(columns(mix, f"{name}_marking") * packets_per_s)


def figures(studies: Studies) -> Samples:
    """Return rank correlations of voice charges with the threshold, and ratios of marking rates."""
    samples: dict[str, np.ndarray | float] = {}
    for voice, mix in mixes(studies["thresholds"]).items():
        thresholds = np.array(list(mix), dtype=np.float64)
        charge = _charges(mix, "voice") / voice
        samples[f"charge.rank.{voice}"] = ranks(thresholds, charge)
        samples[f"charge.first_over_last.{voice}"] = charge[0] / charge[-1]
        per_packet = columns(mix, "voice_marking") / columns(mix, "web_marking")
        for threshold, own in zip(mix, per_packet, strict=True):
            samples[f"per_packet.voice_over_web.{voice}.{threshold}"] = own
    return samples | controls(studies["windows"]) | figures_of_adaptive(studies)


def draw(studies: Studies, figure: Figure) -> None:
    """Draw marks per second of a voice user and of a web user against the threshold, by mix."""
    figure.set_size_inches(10, 4.5)
    axes = figure.subplots(1, 2)
    for axis, name in zip(axes, ("voice", "web"), strict=True):
        for index, (voice, mix) in enumerate(mixes(studies["thresholds"]).items()):
            users = voice if name == "voice" else WEB_USERS[voice]
            rows = _charges(mix, name) / users
            band(axis, list(mix), list(rows), index, f"{voice} voice, {WEB_USERS[voice]} web")
        axis.set(xlabel="largest threshold [packets]", ylabel=f"marks of a {name} user [1/s]")
        axis.set_yscale("log")
    axes[0].legend(fontsize="small")
