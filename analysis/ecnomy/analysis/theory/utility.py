# SPDX-License-Identifier: Apache-2.0
"""Utility functions of rates, and the demand at a price.

    kind       U(x)                    U'(x)          demand at price p
    log        w log x                 w / x          w / p
    power      w x^(1-a) / (1-a)       w x^-a         (w / p)^(1/a)
    quadratic  -(M - x)^2 / (2 w)      (M - x) / w    M - w p, 0 beyond p = M / w
    distorted  (1+e) U(x / (1+e))      U'(x / (1+e))  (1+e) demand of U

Log and quadratic: Athuraliya, Low 2000, section I-B. Distorted is the apparent utility of a source
with the relative round-trip error e (Eq. 15 and 16 of that paper). Power with a = 2 is U = -w / x
(Mo, Walrand 2000). Parameters are numbers, or arrays with one entry per flow. Prices are per unit
of rate.
"""

from __future__ import annotations

from typing import Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError

__all__ = [
    "DistortedUtility",
    "FlowUtility",
    "LogUtility",
    "MixedUtility",
    "PowerUtility",
    "QuadraticUtility",
]

Parameter = float | Floats


class FlowUtility(Protocol):
    """Strictly concave utilities of flows; arguments and results have shape (..., flows)."""

    def value(self, rates: Floats) -> Floats:
        """Return U(x), flow by flow."""

    def marginal(self, rates: Floats) -> Floats:
        """Return U'(x)."""

    def demand(self, prices: Floats) -> Floats:
        """Return the rate at which U'(x) equals the price.

        At price 0, the rate is infinite if U' is positive everywhere.
        """


def _positive(name: str, value: Parameter) -> None:
    numbers = np.asarray(value, dtype=np.float64)
    if not (np.isfinite(numbers) & (numbers > 0)).all():
        raise InputError(f"{name} must be positive and finite, got {value}")


def _floats(values: npt.ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


class LogUtility(msgspec.Struct, frozen=True):
    """The utility w log x; w is the flow's payment per unit of time."""

    weight: Parameter

    def __post_init__(self) -> None:
        _positive("weight", self.weight)

    def value(self, rates: Floats) -> Floats:
        """See Utility."""
        return _floats(self.weight * np.log(rates))

    def marginal(self, rates: Floats) -> Floats:
        """See Utility."""
        return _floats(self.weight / rates)

    def demand(self, prices: Floats) -> Floats:
        """See Utility."""
        with np.errstate(divide="ignore"):
            return _floats(np.divide(self.weight, prices))


class PowerUtility(msgspec.Struct, frozen=True):
    """The utility w x^(1-a) / (1-a) with weight w and exponent a, which must not be 1."""

    weight: Parameter
    exponent: float

    def __post_init__(self) -> None:
        _positive("weight", self.weight)
        _positive("exponent", self.exponent)
        if self.exponent == 1:
            raise InputError("the exponent 1 gives the logarithm: use LogUtility")

    def value(self, rates: Floats) -> Floats:
        """See Utility."""
        return _floats(self.weight * np.power(rates, 1 - self.exponent) / (1 - self.exponent))

    def marginal(self, rates: Floats) -> Floats:
        """See Utility."""
        return _floats(self.weight * np.power(rates, -self.exponent))

    def demand(self, prices: Floats) -> Floats:
        """See Utility."""
        with np.errstate(divide="ignore"):
            return _floats(np.power(np.divide(self.weight, prices), 1 / self.exponent))


class QuadraticUtility(msgspec.Struct, frozen=True):
    """The utility -(M - x)^2 / (2 w) on [0, M], with its maximum at `ceiling`, M."""

    ceiling: Parameter
    weight: Parameter

    def __post_init__(self) -> None:
        _positive("ceiling", self.ceiling)
        _positive("weight", self.weight)

    def value(self, rates: Floats) -> Floats:
        """See Utility."""
        return _floats(-((self.ceiling - rates) ** 2) / (2 * self.weight))

    def marginal(self, rates: Floats) -> Floats:
        """See Utility."""
        return _floats((self.ceiling - rates) / self.weight)

    def demand(self, prices: Floats) -> Floats:
        """See Utility."""
        return _floats(np.maximum(self.ceiling - self.weight * prices, 0.0))


class DistortedUtility(msgspec.Struct, frozen=True):
    """The apparent utility of a source whose round-trip estimate is 1 + error times the true value.

    The source converts its rate to a window with the wrong round trip, so it sends (1 + error)
    times its intended rate. Only the relative error matters.
    """

    base: FlowUtility
    error: Parameter

    def __post_init__(self) -> None:
        _positive("1 + error", 1 + self.error)

    def value(self, rates: Floats) -> Floats:
        """See Utility."""
        return _floats((1 + self.error) * self.base.value(_floats(rates / (1 + self.error))))

    def marginal(self, rates: Floats) -> Floats:
        """See Utility."""
        return self.base.marginal(_floats(rates / (1 + self.error)))

    def demand(self, prices: Floats) -> Floats:
        """See Utility."""
        return _floats((1 + self.error) * self.base.demand(prices))


class MixedUtility(msgspec.Struct, frozen=True):
    """Different utilities for different flows; `parts` are in the order of the flows."""

    parts: tuple[FlowUtility, ...]

    def value(self, rates: Floats) -> Floats:
        """See Utility."""
        return self._each("value", rates)

    def marginal(self, rates: Floats) -> Floats:
        """See Utility."""
        return self._each("marginal", rates)

    def demand(self, prices: Floats) -> Floats:
        """See Utility."""
        return self._each("demand", prices)

    def _each(self, name: str, column: Floats) -> Floats:
        if column.shape[-1] != len(self.parts):
            raise InputError(
                f"expected a utility per flow, got {len(self.parts)} for {column.shape[-1]} flows"
            )
        values = [getattr(part, name)(column[..., i]) for i, part in enumerate(self.parts)]
        return np.stack(values, axis=-1)
