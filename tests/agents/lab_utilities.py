# SPDX-License-Identifier: Apache-2.0
"""Utilities as a user may write them, and a strategy that takes each family."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Annotated

import numpy as np

from ecnomy.agents import FlowDecision, FlowView, OneOf, Refused, Unit
from ecnomy.agents.utilities import (
    CALL_UTILITIES,
    TIME_UTILITIES,
    UTILITIES,
    RateUtility,
    TransferUtility,
    call_utility_of,
    find_call_utility,
    find_time_utility,
    find_utility,
    time_utility_of,
    utility_of,
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Saturating(RateUtility):
    """U = a (1 - exp(-r / patience)): concave, no closed form given."""

    patience: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.patience <= 0:
            raise Refused("patience", f"{self.patience:g}", "a number above 0")

    def value(self, r: np.ndarray) -> np.ndarray:
        """See Utility."""
        return self.a * -np.expm1(-np.asarray(r) / self.patience)

    def slope(self, r: np.ndarray) -> np.ndarray:
        """See Utility."""
        slope: np.ndarray = self.a / self.patience * np.exp(-np.asarray(r) / self.patience)
        return slope


@dataclasses.dataclass(frozen=True, kw_only=True)
class Logistic(RateUtility):
    """The built-in sigmoid with steepness 8, its demand computed numerically."""

    def value(self, r: np.ndarray) -> np.ndarray:
        """See Utility."""
        low = 1 / (1 + np.exp(8))
        s = 1 / (1 + np.exp(-8 * (np.asarray(r) - 1)))
        value: np.ndarray = self.a * (s - low) / (1 - low)
        return value

    def slope(self, r: np.ndarray) -> np.ndarray:
        """See Utility."""
        low, s = 1 / (1 + np.exp(8)), 1 / (1 + np.exp(-8 * (np.asarray(r) - 1)))
        slope: np.ndarray = self.a * 8 * s * (1 - s) / (1 - low)
        return slope


@dataclasses.dataclass(frozen=True, kw_only=True)
class Unfinished(RateUtility):
    """Defines neither value nor slope."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Flat(RateUtility):
    """Returns a number for a column."""

    def value(self, r: np.ndarray) -> float:  # type: ignore[override]
        """One number for all."""
        return 1.0

    def slope(self, r: np.ndarray) -> np.ndarray:
        """The slope is 0."""
        return 0.0 * np.asarray(r)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Decaying(TransferUtility):
    """V = a up to 2 s, then halved by each further half-life."""

    half_life: Annotated[float, Unit("s")]

    @property
    def best_s(self) -> float:
        """Two seconds."""
        return 2.0

    def value(self, seconds: np.ndarray) -> np.ndarray:
        """See TimeUtility."""
        return self.a * np.exp2(-np.maximum(np.asarray(seconds) - 2.0, 0.0) / self.half_life)

    def slope(self, seconds: np.ndarray) -> np.ndarray:
        """See TimeUtility."""
        falling = np.asarray(seconds) > 2.0
        return np.where(falling, -np.log(2.0) / self.half_life * self.value(seconds), 0.0)


@dataclasses.dataclass
class Everything:
    """A strategy with a utility of each family."""

    rate: Annotated[Mapping[str, object], OneOf(UTILITIES, find_utility)]
    time: Annotated[Mapping[str, object], OneOf(TIME_UTILITIES, find_time_utility)]
    call: Annotated[Mapping[str, object], OneOf(CALL_UTILITIES, find_call_utility)]

    def __post_init__(self) -> None:
        for name, make in (
            ("rate", utility_of),
            ("time", time_utility_of),
            ("call", call_utility_of),
        ):
            try:
                made = make(getattr(self, name))
            except Refused as refused:
                key = f"{name}.{refused.key}"
                raise Refused(key, refused.found, refused.expected) from None
            setattr(self, f"{name}_utility", made)

    def decide(self, view: FlowView) -> FlowDecision:
        """A constant amount."""
        return FlowDecision(willingness_micro_per_s=1_000_000)
