# SPDX-License-Identifier: Apache-2.0
"""Describes a search in the head of a sweep's folder, for pages that show it.

search   verb (`tune` or `calibrate`), aim (maximise, minimise or target), outcome, target (null
         without one, or if a calibration has several points), bounds
places   the number of each run's assignment, because a search repeats the best assignments
         with new seeds
factors  the parameters of a tuning as one factor, because their values do not form a grid
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from ecnomy.markets.sweep.space import Point
from ecnomy.markets.sweep.sweep_file import Sweep
from ecnomy.markets.sweep.tuning import TARGET

__all__ = ["search_of"]


def search_of(sweep: Sweep, points: Sequence[Point]) -> dict[str, Any]:
    """Return the entries of the head that describe a search, or {} for a sweep without one."""
    if sweep.tune is None and sweep.calibrate is None:
        return {}
    numbers: dict[bytes, int] = {}
    encode = msgspec.json.Encoder(order="sorted").encode
    places = [numbers.setdefault(encode(point.params), len(numbers)) for point in points]
    if sweep.calibrate is not None:
        wanted = sweep.calibrate
        alone = len(wanted.targets) == 1 and sweep.places == 1
        target = wanted.targets[0] if alone else None
        search = {"verb": "calibrate", "aim": TARGET, "outcome": wanted.figure, "target": target}
        named = dict.fromkeys((wanted.figure, *sweep.outcomes))
        return {"places": places, "search": {**search, "bounds": ()}, "outcomes": tuple(named)}
    assert sweep.tune is not None
    tuning = sweep.tune
    target = None if math.isnan(tuning.target) else tuning.target
    search = {"verb": "tune", "aim": tuning.aim, "outcome": tuning.outcome, "target": target}
    bounds = [(b.outcome, _end(b.least), _end(b.most)) for b in tuning.bounds]
    named = dict.fromkeys((tuning.outcome, *sweep.outcomes, *(b.outcome for b in tuning.bounds)))
    factor = {"paths": tuning.paths, "levels": len(numbers), "values": (), "labels": ()}
    return {
        "places": places,
        "search": {**search, "bounds": bounds},
        "outcomes": tuple(named),
        "factors": [{**factor, "kind": "tune"}],
    }


def _end(value: float) -> float | None:
    return value if math.isfinite(value) else None
