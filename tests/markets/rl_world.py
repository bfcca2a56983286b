# SPDX-License-Identifier: Apache-2.0
"""A small market with two learners: a carrier, and a handler of two flows on its link."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ENVIRONMENT", "SCENARIO", "written"]

SCENARIO = """
version: 1
duration: 1 h
warmup: 2 s
seed: 5
network:
  links:
    - {name: l, from: a, to: b, rate: 4 Mbps, delay: 25 ms,
       marking: {law: load-based, threshold: 0.2, slope: 0.3}}
sources:
  - {name: web, count: 2, from: a, to: b, transport: {law: wtp, gain: 0.1, mss: 960 bytes}}
  - {name: more, from: a, to: b, transport: {law: wtp, gain: 0.1, mss: 960 bytes}}
market:
  epoch: 1 s
  price_per_mark: 0.1 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: joe, role: price-handler, sources: web, decision_interval: 1 s,
       strategy: {kind: constant-charge, charge: 1 money/s}}
    - {name: ann, role: price-handler, sources: more, decision_interval: 1 s,
       strategy: {kind: constant-charge, charge: 2 money/s}}
    - {name: shop, role: application-provider, classes: {gold: {fee: 2 money/s}}}
"""

ENVIRONMENT = """
version: 1
scenario: market.yaml
step: 4 s
settle: 1 s
steps: 6
learners:
  - name: isp
    observations:
      time: {least: 0, most: 1}
      price: {least: 0.01 money, most: 1 money, scale: log}
      profit: {least: -10 money/s, most: 10 money/s}
      marks: {least: 0 marks/s, most: 100 marks/s}
    actions: {price: {least: 0.01 money, most: 1 money, scale: log}}
    reward: {kind: profit, per: 2 money/s}
  - name: joe
    observations:
      goodput: {least: 10 kbps, most: 10 Mbps, scale: log}
      charge: {least: 0 money/s, most: 10 money/s}
      rtt: {least: 0 ms, most: 100 ms}
    actions:
      willingness: {least: 0.1 money/s, most: 10 money/s, scale: log}
      rate_cap: {least: 100 kbps, most: 4 Mbps}
    reward: {kind: surplus, utility: {kind: log, a: 1 money/s, x0: 1 Mbps}}
"""


def written(folder: Path, environment: str = ENVIRONMENT, scenario: str = SCENARIO) -> Path:
    """The environment file, with its scenario beside it."""
    (folder / "market.yaml").write_text(scenario, encoding="utf-8")
    path = folder / "env.yaml"
    path.write_text(environment, encoding="utf-8")
    return path
