# SPDX-License-Identifier: Apache-2.0
"""Lists the settings of a run's scenario, and the origin of the numbers on the run's page."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.pages.parts import Block, Cell, Section, Table
from ecnomy.analysis.support.settings import given_settings, leaves
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.support.intact import check_sealed

__all__ = ["provenance_section", "settings_section"]

_DIGITS: Final = 16  # characters of a digest
_OMITTED: Final = ("version", "title", "seed")


def settings_section(run: RawRun) -> Section:
    """Return the section of settings other than defaults; all if the scenario does not load."""
    scenario = run.manifest.scenario or {}
    given = given_settings(scenario)
    whole = given == scenario
    rows = [(Cell(p), Cell(words)) for p, words in leaves(given) if p not in _OMITTED]
    note = "All other settings have their defaults; manifest.json lists all settings."
    if whole:
        note = (
            "All settings and defaults, because classes that the scenario needs are missing here."
        )
    table = Table(
        id="settings-table",
        caption="Settings of the scenario",
        of="manifest.json",
        head=("setting", "value"),
        rows=tuple(rows),
        note=note,
        wide=True,
    )
    return Section("settings", "Settings", (table,))


def provenance_section(run: RawRun, command: Sequence[str]) -> Section:
    """Return the section on the command, seed, versions and machine that gave the numbers."""
    rows = tuple((Cell(name), Cell(text)) for name, text in _facts(run, command))
    table = Table(
        id="provenance-table",
        caption="Sources of this page",
        of="manifest.json; the machine and times: machine.json",
        head=("what", "is"),
        rows=rows,
        wide=True,
    )
    blocks: tuple[Block, ...] = (table,)
    return Section("provenance", "Provenance", blocks)


def _facts(run: RawRun, command: Sequence[str]) -> Iterator[tuple[str, str]]:
    manifest, measured = run.manifest, run.measured
    yield "command", shlex.join(command)
    yield "title", manifest.title
    yield "seed", str(manifest.seed)
    yield "complete", "yes" if run.note is None else str(run.note)
    yield "simulated time", f"{run.plan.duration_ps / PS_PER_S:g} s"
    yield "measured window", f"{measured.from_ps / PS_PER_S:g} s to {measured.to_ps / PS_PER_S:g} s"
    scenario = {k: v for k, v in (manifest.scenario or {}).items() if k != "seed"}
    digest = hashlib.sha256(msgspec.json.encode(scenario, order="sorted")).hexdigest()
    yield "digest of the scenario (sha256, without the seed)", digest[:_DIGITS]
    yield "digest of the plan", manifest.plan_digest[:_DIGITS]
    for name, version in sorted(manifest.versions.items()):
        yield ("engine" if name == "engine" else f"version of {name}"), str(version)
    machine = _machine(run)
    for key in ("began", "host", "system", "python", "cpus"):
        if key in machine:
            yield f"machine: {key}", str(machine[key])
    if isinstance(machine.get("wall_s"), (int, float)):
        yield "the run took", f"{machine['wall_s']:.3g} s"


def _machine(run: RawRun) -> dict[str, Any]:
    """Return the content of machine.json; {} if the file is missing, which is not an error.

    Raises:
        ResultsError: the file has changed since the run wrote it.
    """
    file = run.path / "machine.json"
    try:
        text = file.read_bytes()
    except OSError:
        return {}
    check_sealed(file, text, "run it again")
    return msgspec.json.decode(text, type=dict[str, Any])
