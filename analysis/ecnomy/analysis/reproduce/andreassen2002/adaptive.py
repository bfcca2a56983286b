# SPDX-License-Identifier: Apache-2.0
"""Compares calls that react to marks with calls that ignore them, in one queue (3.2.3, 3.3).

`all` compares runs in which nearly all calls adapt with runs in which hardly any call adapts.
`half` compares the adapting half of the calls with the other half of the same run.
"""

from __future__ import annotations

from typing import Final

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["STUDY", "figures_of_adaptive"]

STUDY: Final = "adaptive"
_MAX: Final = "network.links.bottleneck.marking.max_threshold"
_IGNORE: Final = "sources.voice.count"


def figures_of_adaptive(studies: Studies) -> dict[str, Floats]:
    """Return ratios of marking rates and charges between adapting and other calls, by threshold."""
    samples: dict[str, Floats] = {}
    runs = studies[STUDY]
    for threshold in sorted(runs.values(_MAX)):
        samples |= _at(runs.at({_MAX: threshold}), f"{threshold:g}")
    return samples


def _at(runs: Runs, at: str) -> dict[str, Floats]:
    least, half, most = (runs.at({_IGNORE: count}) for count in sorted(runs.values(_IGNORE)))
    ignored, adapted = most.sample("voice_marking"), least.sample("adaptive_marking")
    pays, saves = (half.sample(f"{name}_marks_per_s") for name in ("voice", "adaptive"))
    return {
        f"adapts_over_ignores.marking.all.{at}": adapted / ignored,
        f"adapts_over_ignores.marking.half.{at}": (
            half.sample("adaptive_marking") / half.sample("voice_marking")
        ),
        f"ignores_over_adapts.charge.{at}": pays / saves,
        f"control.pps.ignores.{at}": half.sample("voice_pps"),
        f"control.pps.adapts.{at}": half.sample("adaptive_pps"),
        f"control.marking.ignores.{at}": half.sample("voice_marking"),
        f"control.marking.adapts.{at}": half.sample("adaptive_marking"),
        f"control.marking.web.{at}": half.sample("web_marking"),
        f"control.late.ignores.{at}": half.sample("voice_late"),
        f"control.late.adapts.{at}": half.sample("adaptive_late"),
    }
