# SPDX-License-Identifier: Apache-2.0
"""The parts of a window, cut at starts and stops of sources and at lifted caps."""

from __future__ import annotations

import numpy as np

from ecnomy.analysis.run.phases import phases_of
from ecnomy.analysis.run.windows import Epochs, Window
from ecnomy.markets.plan import Plan

__all__ = ["parts_of"]


def parts_of(plan: Plan, flows: Epochs, window: Window) -> tuple[Window, ...]:
    """Split a window at the first report at or after the start of each phase.

    Parts include the settling time of flows.
    """
    cuts = [phase.from_ps for phase in phases_of(plan, window.to_ps)[1:]]
    reports = {int(flows.t_ps[np.searchsorted(flows.t_ps, cut)]) for cut in cuts}
    inner = sorted(t for t in reports if window.from_ps < t < window.to_ps)
    edges = [window.from_ps, *inner, window.to_ps]
    return tuple(Window(*ends) for ends in zip(edges, edges[1:], strict=False))
