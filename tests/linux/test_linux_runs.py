# SPDX-License-Identifier: Apache-2.0
"""Runs on the kernel's TCP: books that close, and figures close to the built-in engine's."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ecnomy.markets.session.runner import run
from linux_world import LINK, facts, machine_lacks, simulated
from tiers import full

pytestmark = [
    pytest.mark.skipif(bool(machine_lacks()), reason=machine_lacks()),
    pytest.mark.xdist_group("linux"),  # two at a time would delay each other's packets
]


def _columns(results: Path, table: str) -> dict[str, list[float]]:
    columns: dict[str, list[float]] = pq.read_table(results / f"{table}.parquet").to_pydict()
    return columns


def test_books_close(tmp_path: Path) -> None:
    """Router and kernel count the same packets, and flows, links and pairs agree."""
    results = simulated(LINK, tmp_path)
    flows, pairs = _columns(results, "flows"), _columns(results, "pairs")
    links, kernel = _columns(results, "links"), facts(results)
    delivered, lost, marked = sum(flows["delivered"]), sum(flows["lost"]), sum(flows["ce"])
    assert delivered > 1500
    assert 0 <= kernel["kernel_sent"] - sum(flows["sent"]) <= 40  # between a host and the router
    assert kernel["kernel_received"] == delivered
    assert kernel["kernel_received_ce"] in (0, marked) and marked > 0
    assert links["marks"][0] == pairs["marks"][0] >= marked
    inside = sum(flows["sent"]) - delivered - lost
    assert 0 <= inside <= 200


@full
@pytest.mark.parametrize("count", [1, 4, 10])
def test_reno_as_in_the_simulator(count: int, tmp_path: Path) -> None:
    """Rate, marking and queue of Reno flows; a single flow differs more (PRR)."""
    changes = ("duration=25 s", "warmup=5 s", f"sources.flows.count={count}")
    changes += ("network.links.link.delay=20 ms",)
    linux = _columns(simulated(LINK, tmp_path, *changes), "links")
    run(tmp_path / "scenario.yaml", overrides=changes, out=tmp_path / "builtin")
    builtin = _columns(tmp_path / "builtin", "links")
    rate = [table["utilization"][0] for table in (linux, builtin)]
    assert rate[0] == pytest.approx(rate[1], rel=0.12 if count == 1 else 0.03)
