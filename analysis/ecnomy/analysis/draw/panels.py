# SPDX-License-Identifier: Apache-2.0
"""Common parts of pictures: colours, style, legends, phases along a time axis, and files."""

from __future__ import annotations

import importlib
import io
import math
import sys
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.phases import Phase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "PANEL_INCHES",
    "WIDTH_INCHES",
    "legend_beside",
    "panel_style",
    "save",
    "shade_phases",
    "shortened",
    "svg_of",
]

PANEL_INCHES: Final = 2.1
WIDTH_INCHES: Final = 10.5
# Okabe and Ito's colours; neighbours also differ in lightness, for prints in grey
COLOURS: Final = ("#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")


def panel_style() -> AbstractContextManager[None]:
    """Return a context that gives panels their style while they are drawn and saved."""
    from matplotlib import style

    own = {"font.size": 9, "axes.titlesize": 9.5, "legend.fontsize": 8.5}
    return style.context(["default", _seaborn().axes_style("whitegrid"), own])


def _seaborn() -> Any:
    """Import seaborn without packages that its styles do not need (about 30 MB).

    Its notebook widgets would load IPython. Without scipy.stats, seaborn uses its built-in density
    estimate.
    """
    optional = () if "seaborn" in sys.modules else ("ipywidgets", "scipy.stats")
    hidden = [name for name in optional if name not in sys.modules]
    sys.modules |= dict.fromkeys(hidden)  # type: ignore[arg-type]
    try:
        return importlib.import_module("seaborn")
    finally:
        for name in hidden:
            sys.modules.pop(name, None)


def save(figure: Figure, file: str | Path | BinaryIO) -> None:
    """Write a figure as a PNG of 150 dpi without a date or version.

    Letters that the font lacks, as in a Chinese title, become boxes without a warning.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from ", category=UserWarning)
        figure.savefig(file, dpi=150, format="png", metadata={"Software": None})


def svg_of(figure: Figure) -> bytes:
    """Return a figure as SVG without a date, with identifiers that depend only on the drawing."""
    import matplotlib

    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "ecnomy", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def legend_beside(axis: Axes, title: str) -> None:
    """Draw a panel's legend, with its title, to the right of the panel."""
    axis.legend(
        *axis.get_legend_handles_labels(),  # explicit, because an empty panel would warn
        title=title,
        title_fontproperties={"weight": "bold", "size": 8.5},
        alignment="left",
        loc="upper left",
        bbox_to_anchor=(1.005, 1.02),
        frameon=False,
        handlelength=3,
    )


def shade_phases(
    axes: Sequence[Axes], phases: Sequence[Phase], warmup_ps: int, end_ps: int
) -> None:
    """Shade every other phase, hatch the warm-up, and label phases above the top panel.

    More than six phases get no labels.
    """
    end_s, warm_s = end_ps / PS_PER_S, warmup_ps / PS_PER_S
    phases = [phase for phase in phases if phase.to_ps > phase.from_ps]
    for axis in axes:
        if warm_s > 0:
            axis.axvspan(
                0, min(warm_s, end_s), facecolor="none", edgecolor="0.8", hatch="///", lw=0
            )
        for phase in phases[1:]:
            start = phase.from_ps / PS_PER_S
            axis.axvline(start, color="0.35", linewidth=1)
            if phase.number % 2 == 0:
                axis.axvspan(start, phase.to_ps / PS_PER_S, color="#EEF2F6", zorder=0)
    if warm_s > 0.04 * end_s:
        _above(axes[0], warm_s / 2, "warm-up")
    if len(phases) > 6:
        return
    for phase in phases:
        middle = (phase.from_ps + phase.to_ps) / 2 / PS_PER_S
        width = max(math.floor(105 * (phase.to_ps - phase.from_ps) / PS_PER_S / end_s), 8)
        number = f"phase {phase.number}: " if len(phases) > 1 else ""
        _above(axes[0], middle, _wrapped(number + phase.label, width))


def _wrapped(text: str, width: int) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, width))


def _above(axis: Axes, x_s: float, text: str) -> None:
    axis.annotate(
        text,
        (x_s, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 4),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=8.5,
        annotation_clip=False,
    )


def shortened(name: str, most: int = 28) -> str:
    """Shorten a name to at most `most` letters by cutting out its middle.

    The ends stay, because names differ there.
    """
    tail = (most - 3) // 2
    return name if len(name) <= most else f"{name[: most - 3 - tail]}...{name[-tail:]}"
