# SPDX-License-Identifier: Apache-2.0
"""Section 3.2.3: marks of voice compared with marks of web, per packet and per byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.andreassen2002.adaptive import figures_of_adaptive
from ecnomy.analysis.reproduce.andreassen2002.mixes import (
    WEB_USERS,
    columns,
    controls,
    mixes,
    ranks,
)
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def figures(studies: Studies) -> Samples:
    """Return ratios of marking rates, voice / web, by mix and threshold, and for adaptive calls."""
    samples: dict[str, np.ndarray | float] = {}
    for voice, mix in mixes(studies["thresholds"]).items():
        ratio = columns(mix, "voice_marking") / columns(mix, "web_marking")
        size = "most_voice" if voice == max(WEB_USERS) else "to_1000"
        for threshold, own in zip(mix, ratio, strict=True):
            samples[f"ratio.{size}.{voice}.{threshold}"] = own
        samples[f"first_minus_last.{size}.{voice}"] = ratio[0] - ratio[-1]
        samples[f"rank.{voice}"] = ranks(np.array(list(mix), dtype=np.float64), ratio)
        samples[f"least.{size}.{voice}"] = ratio.min(axis=0)
        sizes = columns(mix, "web_bytes") / columns(mix, "voice_bytes")
        samples[f"per_byte_over_per_packet.{voice}"] = sizes.mean(axis=0)
    return samples | controls(studies["windows"]) | figures_of_adaptive(studies)


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the ratio of marking rates against the threshold, one curve per mix."""
    axis = figure.subplots()
    for index, (voice, mix) in enumerate(mixes(studies["thresholds"]).items()):
        ratio = columns(mix, "voice_marking") / columns(mix, "web_marking")
        band(axis, list(mix), list(ratio), index, f"{voice} voice, {WEB_USERS[voice]} web")
    axis.axhline(1, color="black", linewidth=0.9, linestyle="--")
    axis.set(xlabel="largest threshold [packets]", ylabel="marking rate, voice / web")
    axis.set_ylim(bottom=0)
    axis.legend()
