# SPDX-License-Identifier: Apache-2.0
"""Formats the numbers of a sweep: digits that match their intervals, and readable units."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from ecnomy.analysis.support.number_text import minus, percent
from ecnomy.analysis.sweeps.outcome_names import called
from ecnomy.markets.sweep.main_outcomes import unit_of

__all__ = ["OutcomeScale", "percent_of", "q_text", "scale_of"]


class OutcomeScale(msgspec.Struct, frozen=True):
    """The scale on which an outcome is shown: its values times `by`, in the unit `unit`."""

    outcome: str
    by: float
    unit: str

    @property
    def axis(self) -> str:
        """The outcome in words, with its unit."""
        name = called(self.outcome)
        return f"{name} [{self.unit}]" if self.unit else name

    def number(self, value: float, half: float = math.nan, sign: str = "") -> str:
        """Return a value to two digits of its half-width; without one, to three digits."""
        if not math.isfinite(value):
            return "-"
        value, half = value * self.by, abs(half * self.by)
        of = half if math.isfinite(half) and half > 0 else value
        digits = 1 if of is half else 2
        decimals = digits - _magnitude(of) if of else 0
        decimals = min(max(decimals, 0), 9)
        return minus(f"{value:{sign}z,.{decimals}f}")  # z: no minus sign before 0

    def between(self, mean: float, half: float, sign: str = "") -> str:
        """Return a mean with its half-width."""
        if not math.isfinite(half):
            return self.number(mean, sign=sign)
        return f"{self.number(mean, half, sign)} \u00b1 {self.number(half, half)}"

    def with_unit(self, text: str) -> str:
        """Return a number's text, followed by the unit."""
        return f"{text} {self.unit}".strip()


def _magnitude(value: float) -> int:
    """Return the power of ten of the first digit, after rounding to two digits."""
    return int(f"{abs(value):.1e}".split("e")[1])


def scale_of(outcome: str, values: Any) -> OutcomeScale:
    """Return the scale that suits an outcome with the given values."""
    unit = unit_of(outcome)
    finite = np.abs(values[np.isfinite(values)])
    most = float(finite.max()) if finite.size else 0.0
    if unit == "bit/s":
        return OutcomeScale(outcome, *((1e-6, "Mbit/s") if most >= 1e6 else (1e-3, "kbit/s")))
    if unit == "s" and 0 < most < 0.5:
        return OutcomeScale(outcome, 1e3, "ms")
    return OutcomeScale(outcome, 1.0, unit)


def q_text(q: float) -> str:
    """Return a q-value as text, to two digits; "-" for NaN."""
    if math.isnan(q):
        return "-"
    return "< 0.001" if q < 0.001 else f"{q:.2g}" if q < 0.995 else "1"


def percent_of(share: float) -> str:
    """Return a share in percent; a negative share, which is due to chance, is shown as 0."""
    return percent(share if math.isnan(share) else max(share, 0.0), 0)
