# SPDX-License-Identifier: Apache-2.0
"""Demand curves: the share of users that take part at a price, and each user's price limit.

    kind        share D(q) of users at a price q        user v takes part up to, v uniform in (0, 1)
    isoelastic  min(1, (q / at)^-elasticity)            at v^(-1 / elasticity)           (Pareto)
    logit       1 / (1 + exp((q - at) / spread))        at + spread log(1 / v - 1)       (logistic)
    linear      max(0, 1 - q / choke)                   choke (1 - v)                    (uniform)

A demand curve is the distribution of users' willingness to pay: D(q) is the share of users with a
limit of q or more (Varian 1992, chapter 9). Prices are in money per MB of data.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, ClassVar, Final, Protocol

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.parameters import Refused, Unit, positive

__all__ = ["DEMANDS", "TIMES", "Demand", "Isoelastic", "Linear", "Logit", "TimeDraw"]


class Demand(Protocol):
    """The demand of users: the share that takes part at a price."""

    def share(self, price: Floats) -> Floats:
        """Return D(q) at each price q [money/MB]."""

    def limit(self, v: Floats) -> Floats:
        """Return the price limit [money/MB] of the user at v; D(limit(v)) is v."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Isoelastic:
    """The share is 1 up to the price `at`, from which it falls as a power of the price.

    Attributes:
        at: cost of a MB, with all charges, up to which all users take part.
        elasticity: power with which the share falls above `at` [above 0].
    """

    at: Annotated[float, Unit("money/MB")]
    elasticity: float

    def __post_init__(self) -> None:
        positive("at", self.at, "money/MB")
        positive("elasticity", self.elasticity)

    def share(self, price: Floats) -> Floats:
        """See Demand."""
        return (np.maximum(price, self.at) / self.at) ** -self.elasticity

    def limit(self, v: Floats) -> Floats:
        """See Demand."""
        return self.at * np.asarray(v) ** (-1 / self.elasticity)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Logit:
    """Half of the users take part at the price `at`, and a quarter of them at `at` + 1.1 `spread`.

    Attributes:
        at: cost of a MB, with all charges, at which half of the users take part.
        spread: scale of the logistic distribution of the users' limits around `at`.
    """

    at: Annotated[float, Unit("money/MB")]
    spread: Annotated[float, Unit("money/MB")]

    def __post_init__(self) -> None:
        positive("at", self.at, "money/MB")
        positive("spread", self.spread, "money/MB")

    def share(self, price: Floats) -> Floats:
        """See Demand."""
        return 0.5 * (1 - np.tanh((np.asarray(price) - self.at) / (2 * self.spread)))

    def limit(self, v: Floats) -> Floats:
        """See Demand; negative for users who do not take part even at a price of 0."""
        return self.at + self.spread * np.log(1 / np.asarray(v) - 1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Linear:
    """All users take part at a price of 0; the share falls linearly to 0 at the price `choke`.

    Attributes:
        choke: lowest cost of a MB, with all charges, at which no user takes part.
    """

    choke: Annotated[float, Unit("money/MB")]

    def __post_init__(self) -> None:
        positive("choke", self.choke, "money/MB")

    def share(self, price: Floats) -> Floats:
        """See Demand."""
        return np.maximum(0.0, 1 - np.asarray(price) / self.choke)

    def limit(self, v: Floats) -> Floats:
        """See Demand."""
        return self.choke * (1 - np.asarray(v))


DEMANDS: Final[dict[str, type]] = {"isoelastic": Isoelastic, "logit": Logit, "linear": Linear}


@dataclasses.dataclass(frozen=True, kw_only=True)
class TimeDraw:
    """A fixed time, and the base class of random times.

    Attributes:
        mean: mean of the times drawn.
    """

    mean: Annotated[float, Unit("s")]
    kind: ClassVar[str] = "fixed"

    def __post_init__(self) -> None:
        if not 0 <= self.mean < math.inf:
            raise Refused("mean", f"{self.mean:g} s", "a finite time of 0 s or more")

    def draw(self, random: np.random.Generator, count: int) -> Floats:
        """Draw `count` times [s]."""
        return np.full(count, self.mean)


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Exponential(TimeDraw):
    """Times with an exponential distribution."""

    kind: ClassVar[str] = "exponential"

    def draw(self, random: np.random.Generator, count: int) -> Floats:
        """See TimeDraw."""
        return random.exponential(self.mean, count)


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Uniform(TimeDraw):
    """Times with a uniform distribution from 0 to twice the mean."""

    kind: ClassVar[str] = "uniform"

    def draw(self, random: np.random.Generator, count: int) -> Floats:
        """See TimeDraw."""
        return random.uniform(0, 2 * self.mean, count)


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Pareto(TimeDraw):
    """Times with a heavy tail: P(T > t) = (least / t)^shape, least = mean (shape - 1) / shape.

    Attributes:
        shape: shape of the tail; smaller values give a heavier tail [above 1].
    """

    shape: float = 1.5
    kind: ClassVar[str] = "pareto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 < self.shape < math.inf:
            raise Refused("shape", f"{self.shape:g}", "a finite number above 1")

    def draw(self, random: np.random.Generator, count: int) -> Floats:
        """See TimeDraw."""
        least = self.mean * (self.shape - 1) / self.shape
        return least * (1 + random.pareto(self.shape, count))


TIMES: Final[dict[str, type]] = {
    cls.kind: cls for cls in (TimeDraw, _Exponential, _Uniform, _Pareto)
}
