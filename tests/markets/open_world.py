# SPDX-License-Identifier: Apache-2.0
"""A small scenario for stepped markets, and checks that such a market leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

__all__ = ["SCENARIO", "held", "identity", "manifest", "there"]

SCENARIO = """
version: 1
title: Two classes and a caller
duration: 20 s
warmup: 2 s
seed: 7
network:
  links:
    - {name: l, from: a, to: b, rate: 5 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: gold, count: 2, from: a, to: b, traffic: {kind: greedy}, transport: {law: wtp}}
  - {name: web, from: a, to: b, traffic: {kind: greedy}, transport: {law: wtp}}
market:
  epoch: 1 s
  price_per_mark: 0.25 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes: {gold: {fee: 2 money/s, sources: gold}}
    - {name: ann, role: customer, sources: gold}
    - {name: joe, role: price-handler, sources: web,
       strategy: {kind: constant-charge, charge: 1 money/s}}
"""


def held() -> list[str]:
    """The open files, sockets and pipes of this process."""
    targets = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the listing's own
            targets.append(os.readlink(f"/proc/self/fd/{number}"))
    return sorted(targets)


def there(pid: int) -> bool:
    """Whether a process exists, even as a zombie."""
    return Path(f"/proc/{pid}").exists()


def manifest(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return document


def identity(folder: Path) -> dict[str, bytes]:
    """The files that identify the contents of a results folder."""
    files = [*sorted(folder.glob("*.parquet")), folder / "manifest.json"]
    assert len(files) > 6
    return {file.name: file.read_bytes() for file in files}
