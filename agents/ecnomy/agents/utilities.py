# SPDX-License-Identifier: Apache-2.0
"""Utilities: what a rate is worth to its user, in money per second.

With r = x / x0, x the goodput of a flow and x0 a rate of reference (both bit/s of IP packets):

    kind        U(x) [money/s]                     x U'(x)             R = -x U'' / U'
    log         a log(1 + r)                       a r / (1 + r)       r / (1 + r), below 1
    alpha-fair  a r^(1 - alpha) / (1 - alpha)      a r^(1 - alpha)     alpha
                a log(r) for alpha = 1
    sqrt        a sqrt(r)                          a sqrt(r) / 2       1/2

`a` is money per second, so money and rates keep apart. All are concave and grow with the rate. A
user who pays lambda per unit of rate is best off at U'(x) = lambda, that is where what it pays,
lambda x, equals x U'(x). Sources: Antoniadis et al. 2000, 2.2; Kelly, Maulloo, Tan 1998; Mo and
Walrand 2000 for alpha-fair utilities.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Final, Protocol

import numpy as np

from ecnomy.agents.observation import Floats, column
from ecnomy.agents.parameters import Refused, Unit, positive

__all__ = ["UTILITIES", "AlphaFair", "Log", "Sqrt", "Utility", "utility_of"]

_ONE: Final = column(1.0)
STEEPEST: Final = 20.0  # with r in [1e-3, 1e3], r^(1 - alpha) stays a number


class Utility(Protocol):
    """A concave utility of r = x / x0; columns in, columns out, money per second."""

    @property
    def x0(self) -> float | None:
        """The rate of reference, bit/s; None: what the flow's traffic asks for at most."""

    @property
    def curvature(self) -> float:
        """The largest relative curvature -x U''/U' that it has anywhere."""

    @property
    def needs_x0(self) -> bool:
        """Whether x U'(x) depends on x0 at all."""

    def value(self, r: Floats) -> Floats:
        """U."""

    def slope(self, r: Floats) -> Floats:
        """dU/dr; U'(x) is this over x0."""

    def worth(self, r: Floats) -> Floats:
        """x U'(x), which is r dU/dr: the charge per second at which x is the best rate."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Scaled:
    """What all have: the amount `a`, and x0 (None: the flow's own)."""

    a: Annotated[float, Unit("money/s")]
    x0: Annotated[float | None, Unit("bit/s")] = None

    def __post_init__(self) -> None:
        positive("a", self.a, "money/s")
        if self.x0 is not None:
            positive("x0", self.x0, "bit/s")

    @property
    def needs_x0(self) -> bool:
        """See Utility."""
        return True


@dataclasses.dataclass(frozen=True, kw_only=True)
class Log(_Scaled):
    """U = a log(1 + x/x0): elastic, and content without any rate once marks are dear."""

    @property
    def curvature(self) -> float:
        """Below 1 at any rate."""
        return 1.0

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * np.log1p(r)

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a / (1.0 + r)

    def worth(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * r / (_ONE + r)


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlphaFair(_Scaled):
    """U = a r^(1-alpha) / (1-alpha); alpha 1 is a log(x), 2 like TCP, large ones near max-min."""

    alpha: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("alpha", self.alpha)
        if self.alpha > STEEPEST:
            raise Refused("alpha", f"{self.alpha:g}", f"at most {STEEPEST:g}")

    @property
    def curvature(self) -> float:
        """The same at any rate."""
        return self.alpha

    @property
    def needs_x0(self) -> bool:
        """a log(x) makes a constant charge of a, in any unit of rate."""
        return self.alpha != 1.0

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        if self.alpha == 1.0:
            return self.a * np.log(r)
        return self.a * np.power(r, 1.0 - self.alpha) / (1.0 - self.alpha)

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * np.power(r, -self.alpha)

    def worth(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * np.power(r, 1.0 - self.alpha)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sqrt(_Scaled):
    """U = a sqrt(x/x0): the better paid the rate, the more of it is bought."""

    @property
    def curvature(self) -> float:
        """One half at any rate."""
        return 0.5

    def value(self, r: Floats) -> Floats:
        """See Utility."""
        return self.a * np.sqrt(r)

    def slope(self, r: Floats) -> Floats:
        """See Utility."""
        return 0.5 * self.a / np.sqrt(r)

    def worth(self, r: Floats) -> Floats:
        """See Utility."""
        return 0.5 * self.a * np.sqrt(r)


UTILITIES: Final[Mapping[str, type]] = {"log": Log, "alpha-fair": AlphaFair, "sqrt": Sqrt}


def utility_of(params: Mapping[str, object]) -> Utility:
    """The utility that a mapping with `kind` and its parameters describes.

    Raises:
        Refused: an unknown kind, a value out of range, or parameters that the kind does not have.
    """
    kind = params.get("kind")
    if not isinstance(kind, str) or kind not in UTILITIES:
        raise Refused("kind", repr(kind), f"one of {', '.join(UTILITIES)}")
    rest = {key: value for key, value in params.items() if key != "kind"}
    names = [field.name for field in dataclasses.fields(UTILITIES[kind])]
    for key in (key for key in rest if key not in names):
        raise Refused(key, f"a parameter that {kind} does not have", f"one of {', '.join(names)}")
    try:
        made: Utility = UTILITIES[kind](**rest)
    except TypeError as error:
        raise Refused("kind", f"{kind!r} ({error})", "all parameters of that kind") from None
    return made
