# SPDX-License-Identifier: Apache-2.0
"""Figure 2, the topologies: they were to be such that nothing is lost."""

from __future__ import annotations

import msgspec

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.laws import MARKING
from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["figures"]


def figures(studies: Studies) -> Samples:
    """Packets dropped by any link within the measured window, over all runs of each study.

    Those of the two variants of the virtual queue also apart.
    """
    found = {f"drops.{name}": _drops(studies[name]) for name in studies.names}
    variants = studies["vq-variant"]
    for value in variants.values(MARKING):
        variant = msgspec.json.decode(value).get("variant", "busy-period")
        found[f"control.drops.{variant}"] = _drops(variants.at({MARKING: value}))
    return found


def _drops(runs: Runs) -> float:
    columns = [name for name in runs.frame if str(name).endswith(".drops")]
    return float(runs.frame[columns].fillna(0).to_numpy().sum())
