# SPDX-License-Identifier: Apache-2.0
"""Controlled runs behind the findings: ratios or curves after one change."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.judge import interval_of
from ecnomy.analysis.reproduce.siris2002.curves import (
    COUNT,
    curve_of,
    load_at,
    pseudo_values,
    r_squared,
    slope,
)
from ecnomy.analysis.reproduce.siris2002.laws import LAWS, MARKING
from ecnomy.analysis.reproduce.studies import Runs
from ecnomy.analysis.theory.wtp import wtp_floor_ratio

__all__ = ["curve_controls", "ratio_controls"]

_FORM: Final = "sources.light.transport.form"
_OWN: Final = {
    "send": "sources.light.transport.send",
    "mss": "sources.light.transport.mss",
    "overhead": "sources.light.send_overhead",
    "gain": "sources.light.transport.gain",
}
R: Final = 10.0  # ratio in the ratio controls


def ratio_controls(runs: Runs, form: str) -> dict[str, Floats | float]:
    """Return throughput and mark ratios at r = 10 for one form of WTP, by marking and change."""
    samples: dict[str, Floats | float] = {}
    if form not in runs.values(_FORM):
        return samples
    for columns in _settings(runs.at({_FORM: form}), ("send", "mss", "overhead")):
        own = runs.at({_FORM: form, **columns})
        name = f"{_law_name(columns[MARKING])}.{_ratio_change(columns)}"
        ratio = own.sample("heavy.goodput_bps") / own.sample("light.goodput_bps")
        marks = own.sample("heavy.marks_per_s") / own.sample("light.marks_per_s")
        floor = [wtp_floor_ratio(R, window) for window in own.sample("light.mean_cwnd")]
        samples[f"control.ratio_over_r.{name}"] = ratio / R
        interval = interval_of(ratio / R)
        if interval is not None:
            samples[f"control.half_width.{name}"] = interval.half_width
        samples[f"control.ratio_over_floor.{name}"] = ratio / np.array(floor)
        samples[f"control.marks_over_throughput.{name}"] = marks / ratio
        samples[f"control.dispersion.{name}"] = own.sample("bottleneck.marks_dispersion")
    return samples


def _settings(runs: Runs, names: tuple[str, ...]) -> list[dict[str, Any]]:
    columns = [MARKING, *(_OWN[name] for name in names)]
    rows = runs.frame[columns].drop_duplicates()
    return [dict(zip(columns, row, strict=True)) for row in rows.itertuples(index=False)]


def _law_name(text: str) -> str:
    law = msgspec.json.decode(text)
    name = str(LAWS.get(law["law"], law["law"]))
    if name == "red":
        name += f"_{str(law['min_threshold']).split()[0]}_{str(law['max_threshold']).split()[0]}"
    extras = [key for key in ("wait", "mark_on_empty") if key in law]
    extras += [str(law[key]) for key in ("variant", "service") if key in law]
    if "theta" in law and not str(law["buffer"]).startswith("30"):
        extras.append(f"B={str(law['buffer']).split()[0]}")
    return ".".join([name, *extras])


def _ratio_change(columns: dict[str, Any]) -> str:
    if columns[_OWN["send"]] == "paced":
        return "paced"
    if str(columns[_OWN["overhead"]]) == "none":
        return "no_overhead"
    return "as_is" if float(str(columns[_OWN["mss"]]).split()[0]) > 500 else "500_bytes"


def curve_controls(runs: Runs) -> dict[str, Floats]:
    """Return straightness, slope, loads and waits of the curves, by marking and change."""
    samples: dict[str, Floats] = {}
    for columns in _settings(runs, ("gain", "send")):
        own = runs.at(columns)
        change = "as_is" if float(columns[_OWN["gain"]]) > 0.1 else "small_gain"
        change = "paced" if columns[_OWN["send"]] == "paced" else change
        name = f"{_law_name(columns[MARKING])}.{change}"
        curve = curve_of(own)
        samples[f"control.r_squared.{name}"] = pseudo_values(r_squared, curve)
        samples[f"control.slope.{name}"] = pseudo_values(slope, curve)
        samples[f"control.load_at_p=0.1.{name}"] = pseudo_values(load_at(0.1), curve)
        for n in sorted(own.values(COUNT)):
            point = own.at({COUNT: n})
            samples[f"control.load.{name}.flows={2 * n:g}"] = point.sample("load")
            samples[f"control.wait_ms.{name}.flows={2 * n:g}"] = 1000 * point.sample("wait_s")
    return samples
