# SPDX-License-Identifier: Apache-2.0
"""Figure 2, the topologies: they were to be such that nothing is lost."""

from __future__ import annotations

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["figures"]

_OURS = ("vq-variant",)


def figures(studies: Studies) -> Samples:
    """Packets dropped by any link within the measured window, over all runs of each study.

    The variant of the virtual queue is a run of ours, not of the paper, and is told apart.
    """
    return {
        f"{'ours.' if name in _OURS else ''}drops.{name}": _drops(studies[name])
        for name in studies.names
    }


def _drops(runs: Runs) -> float:
    columns = [name for name in runs.frame if str(name).endswith(".drops")]
    return float(runs.frame[columns].fillna(0).to_numpy().sum())
