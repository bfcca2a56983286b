# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of two groups of web users who compete with calls: download times and rates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from ecnomy.agents.times import PS_PER_S

__all__ = ["downloads_of"]

_BITS: Final = 8


def downloads_of(results: Path) -> Mapping[str, float | None]:
    """Return columns of files that begin in the measured window, by source and for both (`all_`).

    Returns:
        `<group>_ms`, the mean download time of complete files, and `<group>_mbps`, their bits
        divided by their download times (both None without complete files); `<group>_begun`, the
        number of files requested; `<group>_asked_mbps`, the rate at which they are requested;
        `<group>_marking`, the share of packets marked; voice_late (share of packets later than 16
        ms, host to host) and voice_marking.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    flows: Any = run.table("flows")
    seconds = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    table: Any = run.table("transfers")
    table = table[table["start_ps"] >= run.measured.from_ps]
    source = flows.set_index("flow")["source"].loc[table["flow"]].to_numpy()
    columns: dict[str, float | None] = {}
    for name in ("web", "knob", "all"):
        own = table if name == "all" else table[source == name]
        files = flows[flows["source"].isin(["web", "knob"] if name == "all" else [name])]
        whole = own[own["complete"] == 1]
        times = (whole["end_ps"] - whole["start_ps"]).to_numpy(dtype=np.float64) / PS_PER_S
        sent = float(whole["bytes"].sum())
        columns[f"{name}_ms"] = 1e3 * float(times.mean()) if len(times) else None
        columns[f"{name}_mbps"] = _BITS * sent / float(times.sum()) / 1e6 if len(times) else None
        columns[f"{name}_begun"] = float(files["files"].sum())
        columns[f"{name}_asked_mbps"] = _BITS * float(files["file_bytes"].sum()) / seconds / 1e6
        columns[f"{name}_marking"] = float(files["ce"].sum() / files["delivered"].sum())
    voice = flows[flows["source"] == "voice"].sum(numeric_only=True)
    columns["voice_late"] = float(voice["late_0"] / voice["delivered"])
    columns["voice_marking"] = float(voice["ce"] / voice["delivered"])
    return columns
