# SPDX-License-Identifier: Apache-2.0
"""Figure 2: the topologies, in which no packet should be lost."""

from __future__ import annotations

from typing import Final

import msgspec

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.laws import MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["figures"]

_VARIANTS: Final = "vq-variant"


def figures(studies: Studies) -> Samples:
    """Return the number of packets dropped by all links in the measured window, by study.

    The two variants of the virtual queue are counted separately, because the paper has only one
    variant.
    """
    samples = {f"drops.{n}": _drops(studies[n]) for n in studies.names if n != _VARIANTS}
    variants = studies[_VARIANTS]
    for value in variants.values(MARKING):
        variant = msgspec.json.decode(value).get("variant", "busy-period")
        samples[f"control.drops.{variant}"] = _drops(variants.at({MARKING: value}))
    return samples


def _drops(runs: Runs) -> float:
    columns = [name for name in runs.frame if str(name).endswith(".drops")]
    return float(runs.frame[columns].fillna(0).to_numpy().sum())
