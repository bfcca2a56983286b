# SPDX-License-Identifier: Apache-2.0
"""The Linux engine for tests: its pure parts compiled alone, its program, and short scenarios."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from compiling import BUILD, compiler_version, digest, included, made, run_compiler
from ecnomy.agents.errors import EcnomyError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.engines.linux import find_linux, refusal
from ecnomy.markets.scenario import scenario_from_text
from ecnomy.markets.session.runner import run
from processes import LIMIT_S

__all__ = [
    "LINK",
    "MARKET",
    "answers",
    "by_source",
    "columns",
    "facts",
    "kernel_laws",
    "laws_lack",
    "machine_lacks",
    "program_lacks",
    "simulated",
]

_CONTROLS: Final = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_OMNET: Final = Path(__file__).resolve().parents[2] / "omnet"
_DRIVER: Final = Path(__file__).with_name("header_driver.cc")
LINK: Final = """
version: 1
title: flows on one link
duration: 3 s
network:
  links:
    - name: link
      from: here
      to: there
      rate: 10 Mbps
      delay: 10 ms
      buffer: 100 packets
      marking: {law: red, min_threshold: 5 packets, max_threshold: 15 packets}
sources:
  - {name: flows, count: 2, from: here, to: there, transport: {law: reno, mss: 960 bytes}}
"""
MARKET: Final = (
    LINK[: LINK.index("sources:")]
    + """
sources:
  - name: gold
    count: 2
    from: here
    to: there
    transport: {law: wtp, form: proportional-increase, gain: 0.1, mss: 960 bytes}
  - name: silver
    count: 2
    from: here
    to: there
    transport: {law: wtp, form: proportional-increase, gain: 0.1, mss: 960 bytes}
market:
  epoch: 1 s
  price_per_mark: 0.125 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes:
        gold: {fee: 4 money/s, sources: gold}
        silver: {fee: 1 money/s, sources: silver}
"""
)


def answers(lines: Sequence[str]) -> list[str]:
    """The driver's output lines for input lines."""
    sources = included(_DRIVER, [_OMNET])
    parts = [compiler_version().encode(), *(source.read_bytes() for source in sources)]
    target = BUILD / "linux" / f"header-driver-{digest(parts)}"

    def make(to: Path) -> None:
        run_compiler("-std=c++20", "-O1", "-Wall", "-iquote", _OMNET, _DRIVER, "-o", to)

    done = subprocess.run(
        [made(target, make)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT_S,
    )
    return done.stdout.splitlines()


def program_lacks() -> str:
    """Why the program of the Linux engine is missing; "" if it exists."""
    try:
        find_linux()
    except EcnomyError as error:
        return str(error)
    return ""


def kernel_laws() -> list[str]:
    """The congestion controls of this kernel."""
    return _CONTROLS.read_text().split() if _CONTROLS.exists() else []


def machine_lacks() -> str:
    """Why the Linux engine cannot run here; "" if it can."""
    return program_lacks() or refusal(find_linux())


def laws_lack() -> str:
    """Why the window laws in BPF cannot run here; "" if they can."""
    if reason := machine_lacks():
        return reason
    return refusal(find_linux(), make_plan(scenario_from_text(MARKET, "a test")))


def simulated(text: str, folder: Path, *changes: str) -> Path:
    """The results folder of a scenario on the Linux engine."""
    file = folder / "scenario.yaml"
    file.write_text(text)
    out = folder / "results"
    run(file, overrides=changes, out=out, engine="linux", force=True)
    return out


def columns(results: Path, table: str) -> dict[str, list[Any]]:
    """A table of results, by column."""
    fields: dict[str, list[Any]] = pq.read_table(results / f"{table}.parquet").to_pydict()
    return fields


def by_source(results: Path, column: str) -> dict[str, int]:
    """Sums over the flows of each source."""
    flows = columns(results, "flows")
    sums: dict[str, int] = {}
    for source, value in zip(flows["source"], flows[column], strict=True):
        sums[source] = sums.get(source, 0) + value
    return sums


def facts(results: Path) -> dict[str, Any]:
    """What the engine reported about its run."""
    report: dict[str, Any] = json.loads((results / "machine.json").read_bytes())["engine"]
    return report
