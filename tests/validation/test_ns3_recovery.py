# SPDX-License-Identifier: Apache-2.0
"""Loss recovery against ns-3's registry build, if installed (`pip install .[bench]`)."""

from __future__ import annotations

import numpy as np
import pytest

from compare_recovery import Case, Ratio, from_ns3, ours, ratio

NEAR = 0.10


def differs(measured: Ratio) -> bool:
    """Whether the whole interval lies beyond 10 %."""
    return measured.value - measured.half > 1 + NEAR or measured.value + measured.half < 1 - NEAR


def test_a_ratio_of_twice_as_many_differs() -> None:
    """A ratio of 2 differs, 1.05 does not, and 1.2 with a wide interval is undecided."""
    values = np.array([9.0, 10.0, 11.0, 10.0])
    assert ratio(values, values).value == pytest.approx(1.0)
    assert differs(ratio(2 * values, values))
    assert not differs(ratio(1.05 * values, values))
    assert not differs(Ratio(1.2, 0.15))


@pytest.mark.full
@pytest.mark.parametrize("case", [Case(10, 20, 1.0, 30.0)], ids=lambda case: case.name)
def test_goodput_under_losses_is_that_of_ns3(case: Case) -> None:
    """Goodput per flow is, or may be, within 10 % of ns-3's.

    Drops and timeouts are compared with recovery_reference.py: in some of these cells ns-3 drops
    more than twice as many as the RFCs imply, for unknown reasons (README.md).
    """
    theirs = from_ns3(case)
    if isinstance(theirs, str):
        pytest.skip(theirs)
    assert not differs(ratio(ours(case)["goodput_bps"], theirs["goodput_bps"]))
