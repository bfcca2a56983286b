# SPDX-License-Identifier: Apache-2.0
"""Loss recovery against a computation from the RFCs' text (recovery_reference.py)."""

from __future__ import annotations

import numpy as np
import pytest

from compare_recovery import Case, ours, ratio
from recovery_reference import Dumbbell
from tiers import in_full


def test_drops_and_goodput_are_those_of_the_rfcs() -> None:
    """Drops are within 10 %, and goodput within 2 %, of a computation by the RFCs."""
    case = Case(20, 20, 1.0, 30.0, seeds=[1, 2, 3, 4, 5] if in_full() else [1, 2, 3])
    mine = ours(case)
    runs = [
        Dumbbell(case.flows, case.buffer_packets, case.min_rto_s, seed).run(case.duration_s)
        for seed in case.seeds
    ]
    for name, near in (("drops", 0.10), ("goodput_bps", 0.02)):
        theirs = np.array([one[name] for one in runs])
        assert ratio(mine[name], theirs).value == pytest.approx(1.0, abs=near), name
