# SPDX-License-Identifier: Apache-2.0
"""A scenario that uses every feature of a plan, and files of exported projects."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ecnomy.markets import make_plan
from ecnomy.markets.omnet.export import INI, NED, simulation
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import scenario_from_text

__all__ = ["CONFIGS", "EVERYTHING", "everything", "ini_values", "texts"]

CONFIGS: Final = Path(__file__).resolve().parents[2] / "configs"
EVERYTHING: Final = """
version: 1
title: Something of everything
duration: 30 s
warmup: 5 s
seed: 11
network:
  positions: {a: [0, 0], b-1: [10, 5], c: [20, 0]}
  links:
    - name: near
      from: a
      to: b-1
      rate: 100 Mbps
      delay: 1 ms
      framing: 7 bytes
      marking: {law: load-based}
    - name: out
      from: b-1
      to: c
      rate: 2.5 Mbps
      delay: 12.345 us
      buffer: 90 kB
      not_ect: pass
      duplex: false
      marking: {law: red, min_threshold: 5 packets, max_threshold: 15 packets}
    - name: home
      from: c
      to: b-1
      rate: 1 Mbps
      delay: 3 ns
      buffer: 9 packets
      duplex: false
      scheduler:
        kind: class-based
        classes:
          - {name: slow, delay: 10 ms, loss: 0.01, rate: 500 kbps}
          - {delay_ratio: 0.5}
          - {}
    - name: spare
      from: c
      to: b-1
      rate: 1 Mbps
      delay: 5 ns
      buffer: 8 packets
      duplex: false
      scheduler:
        kind: deficit-round-robin
        quantum: 142 bytes
        classes:
          - {name: slow, share: 0.07, buffer: 17.5 kB}
          - {share: 0.9, buffer: 9 packets,
             marking: {law: red, min_threshold: 7 packets, max_threshold: 9 packets,
                       above_max: drop}}
sources:
  - {name: files, count: 3, from: a, to: c, rows: together, start: 1 s, stagger: 1 us, spread: 2 s,
     stop: 25 s, traffic: {kind: web, patience: 4 s}, transport: {law: reno, sack: true}}
  - {name: gold, from: a, to: c, traffic: {kind: rate-capped, rate: 1 Mbps, until: 3 s},
     transport: {law: wtp, reference_rtt: 80 ms, receiver_window: 20 packets},
     profile: {period: 20 s, steps: {0 s: 1, 10 s: 0.5}}}
  - {name: phones, count: 2, from: a, to: c, transport: {law: udp},
     traffic: {kind: voip, longest: 200 s, speech: {}}}
  - {name: surfers, from: a, to: c, transport: {law: reno},
     traffic: {kind: web, size: list, sizes: [1 kB, {size: 20 kB, weight: 0.3}],
               sessions: {pages: 7}, page: {objects: 3}}}
  - {name: films, from: a, to: c, traffic: {kind: video}, transport: {law: udp}}
  - {name: probes, class: slow, from: c, to: a, traffic: {kind: cbr, rate: 8 kbps},
     transport: {law: udp}}
record:
  series: [cwnd, queue]
  every: 100 ms
  delay_thresholds: [15 ms, 20 ms]
  trace: true
  histograms: {delay: {width: 1 ms, bins: 40}, queue: {width: 1 packets, bins: 20}}
  counts: {of: [marks, drops], every: 1 s}
"""


def everything() -> Plan:
    """The plan of the scenario above."""
    return make_plan(scenario_from_text(EVERYTHING))


def texts(plan: Plan) -> tuple[str, str]:
    """Return the texts of network.ned and omnetpp.ini."""
    files = simulation(plan)
    return files[NED], files[INI]


def ini_values(ini: str) -> dict[str, str]:
    """Key -> value of the lines of an ini file in all sections, except descriptions."""
    matches = re.findall(r"^(?!description)([^#\n=]+?) = (.*)$", ini, re.MULTILINE)
    assert len(dict(matches)) == len(matches), "a key twice"
    return dict(matches)
