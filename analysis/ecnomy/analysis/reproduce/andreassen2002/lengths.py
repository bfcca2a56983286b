# SPDX-License-Identifier: Apache-2.0
"""Table 5, Figures 7 to 10: thresholds in packets, and in bytes relative to those sent in 15 ms.

Source: andreassen2002 3.2.4. A threshold in bytes is min_threshold times the mean length of all
packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.mixes import (
    BYTES_15_MS,
    WEB_USERS,
    columns,
    controls,
    mixes,
    ranks,
)
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Parabola", "curve", "draw", "figures", "fit"]

_LEAST: Final = 1e-4  # smaller delay rates do not count, as in the catalogue
_AT: Final = 0.8
_FEWEST: Final = 5  # points needed to fit a parabola
_NONE: Final = float("nan")
_PANELS: Final = (
    ("Figure 7, and 9 left", "voice delay rate", "log"),
    ("Figure 8", "voice delay rate", "log"),
    ("Figure 9 right", "download time [ms]", "linear"),
    ("Figure 10 left", "voice marking rate", "log"),
    ("Figure 10 right", "marking rate, web / voice", "linear"),
)


def fit(x: Floats, rates: Floats) -> tuple[float, float, float]:
    """Return measures of the line fitted to log10 of the delay rates above 1e-4.

    Returns:
        The rate of the line at x = 0.8, the residual standard deviation in decades, and Spearman's
        correlation; NaN for fewer than three points.
    """
    from scipy.stats import spearmanr

    kept = rates > _LEAST
    if np.count_nonzero(kept) < 3:
        return _NONE, _NONE, _NONE
    own, logs = x[kept], np.log10(rates[kept])
    slope, zero = np.polyfit(own, logs, 1)
    residual = logs - (slope * own + zero)
    deviation = float(np.sqrt((residual**2).sum() / (len(own) - 2)))
    return float(10 ** (slope * _AT + zero)), deviation, float(spearmanr(own, logs).statistic)


class Parabola(NamedTuple):
    """A least-squares parabola through log10 of delay rates.

    Attributes:
        coefficients: coefficients of x^2, x and 1.
        rms: root mean square of the residuals [decades].
        r2: share of the logarithms' variance that the parabola explains.
    """

    coefficients: Floats
    rms: float
    r2: float


def curve(x: Floats, rates: Floats) -> Parabola:
    """Return the parabola fitted to log10 of rates above 1e-4; NaN for too few or equal points."""
    kept = rates > _LEAST
    own, logs = x[kept], np.log10(rates[kept])
    if len(own) < _FEWEST or len(np.unique(own)) < 3 or np.ptp(logs) == 0:
        return Parabola(np.full(3, _NONE), _NONE, _NONE)
    middle, width = own.mean(), own.std()  # on this scale, squares are not larger than other terms
    design = np.vander((own - middle) / width, 3)
    coefficients = np.linalg.lstsq(design, logs, rcond=None)[0]
    left = float(((logs - design @ coefficients) ** 2).sum())
    whole = float(((logs - logs.mean()) ** 2).sum())
    square, slope, zero = coefficients[0] / width**2, coefficients[1] / width, coefficients[2]
    shifted = (square, slope - 2 * square * middle, zero - slope * middle + square * middle**2)
    return Parabola(np.array(shifted), float(np.sqrt(left / len(own))), 1 - left / whole)


def _curves(ratio: Floats, packets: Floats, late: Floats) -> dict[str, Floats]:
    """Return the scatter around a parabola on each axis; `ratio` and `late` are [point, seed]."""
    samples: dict[str, Floats] = {}
    for name, x in (("bytes", ratio), ("packets", np.broadcast_to(packets[:, None], late.shape))):
        curves = [curve(own, rates) for own, rates in zip(x.T, late.T, strict=True)]
        samples[f"curve.rms.{name}"] = np.array([each.rms for each in curves])
        samples[f"curve.r2.{name}"] = np.array([each.r2 for each in curves])
    rms, r2 = "curve.rms.bytes", "curve.r2.bytes"
    samples[f"{rms}_over_packets"] = samples[rms] / samples["curve.rms.packets"]
    samples[f"{r2}_minus_packets"] = samples[r2] - samples["curve.r2.packets"]
    return samples


def _axes(studies: Studies) -> dict[int, tuple[Floats, Floats, Floats]]:
    """Return by mix: thresholds in packets, thresholds / bytes sent in 15 ms, voice delay rates."""
    axes = {}
    for voice, mix in mixes(studies["thresholds"]).items():
        packets = np.array(list(mix), dtype=np.float64) / 6
        ratio = packets[:, None] * columns(mix, "packet_bytes") / BYTES_15_MS
        axes[voice] = (packets, ratio, columns(mix, "voice_late"))
    return axes


def figures(studies: Studies) -> Samples:
    """Return fits of the delay rate on both axes, and rank correlations within each mix."""
    own = _axes(studies)
    ratio = np.concatenate([r for _, r, _ in own.values()])
    late = np.concatenate([rates for *_, rates in own.values()])
    packets = np.concatenate([p for p, *_ in own.values()])
    in_bytes = np.array([fit(x, y) for x, y in zip(ratio.T, late.T, strict=True)])
    in_packets = np.array([fit(packets, y) for y in late.T])
    samples: dict[str, np.ndarray | float] = {
        "residual.bytes": in_bytes[:, 1],
        "residual.bytes_over_packets": in_bytes[:, 1] / in_packets[:, 1],
        "spearman.bytes": in_bytes[:, 2],
        "spearman.bytes_minus_packets": in_bytes[:, 2] - in_packets[:, 2],
        "delay_rate_at_0.8": in_bytes[:, 0],
    }
    samples |= _curves(ratio, packets, late)
    downloads = {}
    for voice, mix in mixes(studies["thresholds"]).items():
        axis, axis_bytes, rates = own[voice]
        samples[f"axes.{voice}"] = ranks(axis, axis_bytes)
        samples[f"delay.rank.{voice}"] = ranks(axis_bytes, rates)
        downloads[voice] = columns(mix, "download_ms")
        samples[f"download.rank.{voice}"] = ranks(axis_bytes, downloads[voice])
        samples[f"marking.rank.{voice}"] = ranks(axis_bytes, columns(mix, "voice_marking"))
        web_over_voice = columns(mix, "web_marking") / columns(mix, "voice_marking")
        samples[f"web_over_voice.rank.{voice}"] = ranks(axis_bytes, web_over_voice)
        samples[f"web_over_voice.first.{voice}"] = web_over_voice[0]
    most, least = downloads[min(downloads)], downloads[max(downloads)]
    samples["download.many_over_few"] = most.mean(axis=0) / least.mean(axis=0)
    samples |= controls(studies["windows"])
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw delay rates (Figures 7, 8), download times, marking rates and their ratio (9, 10)."""
    figure.set_size_inches(13, 7.5)
    axes = figure.subplots(2, 3)
    for index, (voice, mix) in enumerate(mixes(studies["thresholds"]).items()):
        packets, ratio, late = _axes(studies)[voice]
        x, label = ratio.mean(axis=1), f"{voice} voice, {WEB_USERS[voice]} web"
        marking = columns(mix, "voice_marking")
        _points(axes[0, 0], x, late, index, label)
        _points(axes[0, 1], packets, late, index, label)
        _points(axes[0, 2], x, columns(mix, "download_ms"), index, label)
        _points(axes[1, 0], x, marking, index, label)
        _points(axes[1, 1], x, columns(mix, "web_marking") / marking, index, label)
    own = _axes(studies).values()
    late = np.concatenate([rates.mean(axis=1) for *_, rates in own])
    _drawn(axes[0, 0], np.concatenate([ratio.mean(axis=1) for _, ratio, _ in own]), late)
    _drawn(axes[0, 1], np.concatenate([packets for packets, *_ in own]), late)
    for axis, (title, label, scale) in zip(axes.flat, _PANELS, strict=False):
        axis.set(xlabel="min. threshold in bytes / sent in 15 ms", ylabel=label, title=title)
        axis.set_yscale(scale)
        if scale == "linear":
            axis.set_ylim(bottom=0)
    axes[0, 1].set_xlabel("min. threshold [packets]")
    axes[1, 1].axhline(1, color="black", linewidth=0.9, linestyle="--")
    axes[1, 2].set_axis_off()
    axes[1, 2].legend(*axes[0, 0].get_legend_handles_labels(), loc="center")


def _points(axis: Axes, x: Floats, rows: Floats, index: int, label: str) -> None:
    means = rows.mean(axis=1)
    shown = means > 0
    axis.plot(x[shown], means[shown], label=label, **look(index))


def _drawn(axis: Axes, x: Floats, late: Floats) -> None:
    """Draw the parabola through the seed means of all mixes, within the range of its points."""
    parabola = curve(x, late)
    own = x[late > _LEAST]
    if not np.isfinite(parabola.rms):
        return
    at = np.linspace(own.min(), own.max(), 60)
    text = f"all mixes: {parabola.rms:.2f} decades, $R^2$ {parabola.r2:.2f}"
    axis.plot(at, 10 ** np.polyval(parabola.coefficients, at), color="black", linewidth=1)
    axis.annotate(text, (0.97, 0.04), xycoords="axes fraction", ha="right", fontsize="small")
