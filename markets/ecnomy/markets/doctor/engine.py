# SPDX-License-Identifier: Apache-2.0
"""Check the presence, the version and the laws of the packet engine, and make a short run."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import EcnomyError, EngineError
from ecnomy.markets.doctor.finding import Finding
from ecnomy.markets.engines.registry import BINARY, VARIABLE, find_engine
from ecnomy.markets.plan.law_table import law_table
from ecnomy.markets.support.temporary import temporary_folder

__all__ = ["engine_findings"]

_PATIENCE_S: Final = 10.0
_TINY: Final = """
version: 1
title: one second
duration: 1 s
network:
  links:
    - name: link
      from: here
      to: there
      rate: 100 Mbps
      delay: 1 ms
      buffer: 100 packets
      marking: {law: red, min_threshold: 5 packets, max_threshold: 15 packets}
sources:
  - {name: flows, count: 4, from: here, to: there, transport: {law: wtp, slow_start: true}}
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes: {gold: {fee: 2 money/s, sources: flows}}
"""


def engine_findings() -> list[Finding]:
    """Check the engine's version, its laws and a short run. Stop at the first fault."""
    try:
        binary = find_engine()
    except EngineError as error:
        return [_fault("engine", str(error))]
    version = _version(binary)
    if not version.well:
        return [version]
    laws = _laws(binary)
    return [version, laws, _round_trip()] if laws.well else [version, laws]


def _remedy() -> str:
    if os.environ.get(VARIABLE):
        return f"unset {VARIABLE}, or set it to an {BINARY} built from this version"
    return "pip install --force-reinstall ecnomy (in its source tree: pip install .)"


def _fault(what: str, found: str) -> Finding:
    return Finding(what=what, found=" ".join(found.split()), well=False, remedy=_remedy())


def _said(binary: Path, word: str) -> str:
    """Run the engine with an argument, and return its output.

    Raises:
        EngineError: the engine cannot be started, fails, or does not end in time.
    """
    try:
        done = subprocess.run(
            [str(binary), word], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except OSError as error:
        raise EngineError(f"{binary}: cannot be started ({error.strerror})") from error
    except subprocess.TimeoutExpired:
        raise EngineError(f"{binary} {word}: no answer in {_PATIENCE_S:g} s") from None
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise EngineError(f"{binary} {word}: status {done.returncode}, {last}")
    return done.stdout


def _version(binary: Path) -> Finding:
    try:
        said = _said(binary, "--version").strip()
    except EngineError as error:
        return _fault("engine", str(error))
    try:
        wanted = f"{BINARY} {importlib.metadata.version('ecnomy')}"
    except importlib.metadata.PackageNotFoundError:
        return Finding(what="engine", found=f"{said}, {binary}")
    if said != wanted:
        return _fault("engine", f"{binary} prints {said[:60]!r}, expected {wanted!r}")
    return Finding(what="engine", found=f"{said}, {binary}")


def _laws(binary: Path) -> Finding:
    try:
        theirs: Any = json.loads(_said(binary, "describe"))
    except (EngineError, ValueError) as error:
        return _fault("laws", str(error))
    ours: dict[str, Any] = json.loads(msgspec.json.encode(law_table()))
    if difference := _difference(ours, theirs):
        return _fault("laws", difference)
    counts = ", ".join(f"{len(laws)} {kind}" for kind, laws in ours.items())
    return Finding(what="laws", found=f"{counts}: engine and market agree")


def _difference(ours: dict[str, Any], theirs: Any) -> str:
    """Describe the first difference between two tables of laws, or return "" if they are equal."""
    if not isinstance(theirs, dict):
        return "the engine lists no laws"
    for kind in {**ours, **theirs}:
        mine, other = ours.get(kind, {}), theirs.get(kind, {})
        for law in {**mine, **other}:
            if law not in other or law not in mine:
                return (
                    f"{kind} law {law!r} is unknown to the {'engine' if law in mine else 'market'}"
                )
            if mine[law] != other[law]:
                return (
                    f"{kind} law {law!r} has different parameters in the engine and in the market"
                )
    return ""


def _round_trip() -> Finding:
    from ecnomy.markets.scenario import scenario_from_text
    from ecnomy.markets.session.runner import run

    try:
        with temporary_folder() as folder:
            out = folder / "run"
            run(scenario_from_text(_TINY, "the doctor's scenario"), out=out)
            machine = json.loads((out / "machine.json").read_bytes())
    except EcnomyError as error:
        return _fault("round trip", str(error))
    except Exception as error:  # report any exception of a broken package
        return _fault("round trip", f"{type(error).__name__}: {error}")
    events, cpu_s = machine["engine"]["events"], machine["engine"]["cpu_s"]
    speed = f"{events / cpu_s / 1e6:.2g} million per CPU second" if cpu_s > 0 else "too few to time"
    counts = f"{events:,} events, {speed}, {machine['wall_s']:.2f} s in total"
    summary = f"1 s simulated with a market: {counts}"
    return Finding(what="round trip", found=summary)
