# SPDX-License-Identifier: Apache-2.0
"""Section 7: throughput ratios when the link also drops packets."""

from __future__ import annotations

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.laws import LAWS, MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["figures"]

_BUFFER = "network.links.bottleneck.buffer"
_PACKETS = 180 - 60  # seconds measured; a full link carries 1250 packets/s
_RARE = 0.1  # losses count as rare below this share of the marking probability


def _lost(runs: Runs) -> Floats:
    forwarded = runs.sample("bottleneck.utilization") * _PACKETS * 1250
    share: Floats = runs.sample("bottleneck.drops") / forwarded
    return share


def _groups(studies: Studies) -> dict[str, dict[float, dict[float, Runs]]]:
    wtp, multcp = studies["losses-wtp"], studies["losses-multcp"]
    named = {
        f"wtp_{LAWS[msgspec.json.decode(value)['law']]}": (wtp.at({MARKING: value}), "weight")
        for value in wtp.values(MARKING)
    }
    named["multcp_red"] = (multcp, "flows")
    return {
        name: {
            buffer: {
                r: runs.at({_BUFFER: buffer, f"sources.heavy.transport.{key}": r})
                for r in sorted(runs.values(f"sources.heavy.transport.{key}"))
            }
            for buffer in sorted(runs.values(_BUFFER))
        }
        for name, (runs, key) in named.items()
    }


def figures(studies: Studies) -> Samples:
    """Return throughput ratios divided by r, with rare and frequent losses, and the shares lost."""
    groups = _groups(studies)
    samples: dict[str, Floats] = {}
    for name, buffers in groups.items():
        for buffer, points in buffers.items():
            for r, own in points.items():
                at = f"{name}.B={buffer:g}.r={r:g}"
                lost, marked = _lost(own), own.sample("bottleneck.marking_probability")
                ratio = own.sample("heavy.goodput_bps") / own.sample("light.goodput_bps")
                rare = "rare" if lost.mean() <= _RARE * marked.mean() else "frequent"
                size = "small" if r <= 6 else "large"
                samples[f"{rare}.ratio_over_r.{size}.{at}"] = ratio / r
                samples[f"lost_over_marked.{at}"] = lost / np.maximum(marked, 1e-9)
    least = min(groups["wtp_red"])
    for r, own in groups["wtp_red"][least].items():
        other = groups["multcp_red"][least][r]
        at = f"B={least:g}.r={r:g}"
        samples[f"lost.wtp_minus_multcp.{at}"] = _lost(own) - _lost(other)
        for name, each in (("wtp", own), ("multcp", other)):
            samples[f"lost.{name}.{at}"] = _lost(each)
            samples[f"marked.{name}.{at}"] = each.sample("bottleneck.marking_probability")
            samples[f"load.{name}.{at}"] = each.sample("bottleneck.utilization")
    return samples
