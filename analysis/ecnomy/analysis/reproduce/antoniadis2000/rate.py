# SPDX-License-Identifier: Apache-2.0
"""Section 5, rate-based control: the rate of marks received divided by its target."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["figures"]

_LIGHT: Final = "sources.light.transport"
_WANTED: Final = {"light": 25.0, "heavy": 100.0}  # marks/s, from rate-sweep.yaml


def figures(studies: Studies) -> Samples:
    """Return the ratio of marks per second to their target, by gain and flow."""
    runs = studies["rate"]
    samples: dict[str, np.ndarray | float] = {}
    for value in runs.values(_LIGHT):
        kappa = float(str(msgspec.json.decode(value)["kappa"]).split()[0])
        own = runs.at({_LIGHT: value})
        for name, wanted in _WANTED.items():
            marks = own.sample(f"{name}.marks_per_s")
            samples[f"marks_over_wanted.kappa={kappa:g}.{name}"] = marks / wanted
    return samples
