# SPDX-License-Identifier: Apache-2.0
"""Figure 6: marking probability against queue length in packets and bytes, and gentle RED.

The marking law counts packets. If packets have mean length l, then q bytes are q / l packets.
Source: andreassen2002 3.1.2 and 3.2.4. Gentle RED's largest threshold is half the law's, so that
both mark every packet above the same queue length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis import theory
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_LEAST: Final = 60.0  # packets, min_threshold
_MOST: Final = 360.0
_GENTLE: Final = (0.1, 0.2)  # max_probability
_BYTES: Final = {"700": 1022.48, "1100": 692.96}  # mean packet lengths of two mixes, table 5
_PACKETS: Final = np.arange(0.0, 481.0)
_AT_BYTES: Final = 150_000.0


def _law(packets: Floats) -> Floats:
    return np.array([theory.red_probability(q, _LEAST, _MOST, 1.0, gentle=False) for q in packets])


def _gentle(most: float) -> Floats:
    return np.array([theory.red_probability(q, _LEAST, _MOST / 2, most) for q in _PACKETS])


def figures(studies: Studies) -> Samples:
    """Return the shape of the marking curve, the effect of packet size, and gentle RED's error."""
    law = _law(_PACKETS)
    between = (_PACKETS >= _LEAST) & (_PACKETS <= _MOST)
    slopes = np.diff(law[between])
    of_mix = {mix: float(_law(np.array([_AT_BYTES / size]))[0]) for mix, size in _BYTES.items()}
    figures_: dict[str, float] = {
        "most_below": float(law[_PACKETS < _LEAST].max()),
        "least_beyond": float(law[_PACKETS > _MOST].min()),
        "bend_between": float(np.ptp(slopes)),
        "rise_between": float(slopes.sum()),
        "same_bytes.1100_minus_700": of_mix["1100"] - of_mix["700"],
    }
    for most in _GENTLE:
        figures_[f"gentle.largest_difference.max_p={most:g}"] = float(
            np.abs(law - _gentle(most)).max()
        )
    return figures_


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the curve and gentle RED against packets, and the curve against bytes for two mixes."""
    figure.set_size_inches(9.5, 4.2)
    left, right = figure.subplots(1, 2, sharey=True)
    plain = {"marker": ""}
    left.plot(_PACKETS, _law(_PACKETS), label="as in the paper", **(look(0) | plain))
    for index, most in enumerate(_GENTLE, start=1):
        label = f"gentle RED, max. probability {most:g}"
        left.plot(_PACKETS, _gentle(most), label=label, **(look(index) | plain))
    for index, (mix, size) in enumerate(_BYTES.items()):
        style = look(index) | plain
        right.plot(_PACKETS * size / 1e3, _law(_PACKETS), label=f"{mix} voice users", **style)
    left.set(xlabel="queue [packets]", ylabel="marking probability")
    right.set(xlabel="queue [kB]")
    left.legend(fontsize="small")
    right.legend(fontsize="small")
