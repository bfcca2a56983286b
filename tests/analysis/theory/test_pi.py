# SPDX-License-Identifier: Apache-2.0
"""The PI controller's gains against the printed ones and against their control loop."""

from __future__ import annotations

import math

import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory


@pytest.mark.parametrize(
    ("flows", "rtt_s", "a", "b"),
    [(50, 0.3, 0.2395e-4, 0.2388e-4), (60, 0.18, 1.643e-4, 1.628e-4)],
)
def test_the_printed_constants(flows: int, rtt_s: float, a: float, b: float) -> None:
    """The constants of christin2003's two tunings agree to the four digits printed."""
    got = theory.pi_gains(flows, rtt_s, 2500)
    assert [float(f"{x:.3e}") for x in got] == [a, b]


@pytest.mark.parametrize(("flows", "rtt_s", "rate"), [(50, 0.3, 2500), (7, 0.05, 900)])
def test_the_loop_crosses_one_at_the_zero(flows: int, rtt_s: float, rate: float) -> None:
    """Controller times plant has modulus 1 at the controller's zero, and is stable there."""
    a, b = theory.pi_gains(flows, rtt_s, rate, 1e6)
    # With such fast sampling, (a - b) f is the integral gain and b the proportional gain.
    integral, proportional = (a - b) * 1e6, b
    zero = integral / proportional
    assert zero == pytest.approx(2 * flows / (rtt_s**2 * rate), rel=1e-4)
    s = 1j * zero
    plant = rate**2 / (2 * flows) / ((s + zero) * (s + 1 / rtt_s))
    loop = (proportional + integral / s) * plant
    assert abs(loop) == pytest.approx(1, rel=1e-3)
    phase = math.atan2(loop.imag, loop.real) - zero * rtt_s
    assert -math.pi < phase < 0


def test_what_it_refuses() -> None:
    """`pi_gains` refuses arguments that are not positive, and zeros beyond the sampling's reach."""
    for bad in ((0, 0.1, 1e3, 160), (5, -1, 1e3, 160), (5, 0.1, math.inf, 160), (5, 0.1, 1e3, 0)):
        with pytest.raises(InputError, match="positive and finite"):
            theory.pi_gains(*bad)
    with pytest.raises(InputError, match="too few for a zero at 1000 rad/s"):
        theory.pi_gains(50, 0.01, 1000)
