# SPDX-License-Identifier: Apache-2.0
"""The strategies of agents/README.md that are placed next to a scenario, as printed there."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import pytest

from ecnomy.markets import load, run
from test_exported_names import ROOT, blocks
from tiers import seeds

DEADLINE_S, SEEDS = 180.0, seeds(3, fast=1)
CROWD = """
extends: deadline.yaml
sources:
  - {name: crowd, count: 5, from: lab, to: town, start: 60 s, stop: 120 s,
     transport: {law: wtp, gain: 0.1, mss: 960 bytes}}
market:
  agents:
    - {name: neighbours, sources: [others, crowd]}
"""


@functools.cache
def files() -> dict[str, str]:
    return blocks((ROOT / "agents" / "README.md").read_text(encoding="utf-8"))


class Sent:
    """One run, from a separate folder: strategies are found next to the scenario.

    Attributes:
        end_s: time at which the file was complete, infinite if never [s].
        paid: payments for the file [money].
        marked: share of packets marked from 60 s to 170 s.
        prices: price of a mark, every second in that time [money].
    """

    def __init__(self, scenario: str, seed: int, *overrides: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**files(), "crowd.yaml": CROWD}.items():
                (Path(folder) / name).parent.mkdir(exist_ok=True)
                (Path(folder) / name).write_text(text, encoding="utf-8")
            given = load(Path(folder) / scenario, overrides=overrides, seed=seed)
            result = run(given, out=Path(folder) / "run")
            done = result.table("transfers").query("flow == 0 and complete == 1")["end_ps"]
            paid = result.raw.ledger.query("debit == 'lab'")["amount_micro"].sum()
            link = result.link_epochs.query("link == 0").set_index("t_ps")
            posted = result.raw.agents.query("name == 'price_micro_per_mark'")
        self.end_s = float(done.iloc[0]) / 1e12 if len(done) else np.inf
        self.paid = float(paid) / 1e6
        change = link.loc[170 * 10**12] - link.loc[60 * 10**12]
        self.marked = float(change["marks"] / change["arrivals"])
        at = np.searchsorted(posted["t_ps"], np.arange(60, 171) * 10**12, side="right") - 1
        self.prices = posted["value"].to_numpy()[at] / 1e6


@functools.cache
def printed(seed: int) -> Sent:
    return Sent("deadline.yaml", seed)


@functools.cache
def constant(charge: str, seed: int, scenario: str = "deadline.yaml") -> Sent:
    strategy = f"{{kind: constant-charge, charge: {charge} money/s}}"
    return Sent(scenario, seed, f"market.agents.lab.strategy={strategy}")


def test_they_are_short() -> None:
    """Each strategy has at most 15 lines, imports included."""
    for name in ("my_lab/deadline.py", "my_lab/steering.py"):
        lines = [line for line in files()[name].splitlines() if line.strip()]
        assert 8 <= len(lines) <= 15, name
        assert lines[0].startswith("from dataclasses import")


@functools.cache
def crowded(seed: int) -> Sent:
    return Sent("crowd.yaml", seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_file_is_there_within_a_percent_of_its_deadline(seed: int) -> None:
    """The file is complete in time, both with the neighbours alone and with a passing crowd."""
    for sent in (printed(seed), crowded(seed)):
        assert 0.99 * DEADLINE_S <= sent.end_s <= DEADLINE_S


@pytest.mark.parametrize("seed", SEEDS)
def test_it_costs_less_than_a_constant_willingness_that_is_in_time(seed: int) -> None:
    """A constant 0.6 money/s is too little. Full speed costs four times as much."""
    own = printed(seed)
    assert constant("0.6", seed).end_s > DEADLINE_S
    before = own.paid
    for charge in ("0.7", "1"):
        early = constant(charge, seed)
        assert early.end_s < 0.95 * DEADLINE_S and early.paid > 1.005 * before, charge
        before = early.paid
    fast = constant("10", seed)
    assert fast.end_s < 60 and fast.paid > 4 * own.paid


def test_who_knows_of_the_crowd_pays_less() -> None:
    """A constant payment chosen in hindsight buys before and after the crowd and costs less."""
    knew = constant("0.8", 1, "crowd.yaml")
    assert 0.9 * DEADLINE_S < knew.end_s < DEADLINE_S
    assert 0.9 * crowded(1).paid < knew.paid < crowded(1).paid


@pytest.mark.parametrize("seed", SEEDS)
def test_the_carrier_keeps_the_share_of_marks(seed: int) -> None:
    """One packet in ten is marked under any load. Twice the crowd pays twice the price."""
    crowd = crowded(seed)
    for sent in (printed(seed), crowd):
        assert sent.marked == pytest.approx(0.1, rel=0.03)
    busy, calm = crowd.prices[40:60].mean(), printed(seed).prices[40:60].mean()
    assert 1.7 < busy / calm < 2.2  # from 100 s to 120 s


def test_the_price_is_what_theory_says() -> None:
    """The whole willingness to pay goes to marks: price x 0.1 x packets per second."""
    for seed in SEEDS:
        sent = printed(seed)
        load = 0.6 + sent.marked / 0.5
        per_s = sent.paid / sent.end_s + 5 * 0.3
        assert sent.prices.mean() == pytest.approx(per_s / (sent.marked * load * 2500), rel=0.05)


def test_the_thrifty_family_changes_tariff_once_films_begin(tmp_path: Path) -> None:
    """The family changes at about 40 s, when the films have cost more than the flat tariff."""
    for name, text in files().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = run(tmp_path / "thrifty.yaml", out=tmp_path / "run")
    said = result.raw.agents.query("name == 'tariff:bytes-charge'")
    (changed,) = set(said["t_ps"] // 10**12)
    assert 30 <= changed <= 45 and sorted(said["flow"]) == [0, 1] and set(said["value"]) == {1.0}
    flat = result.raw.ledger.query("kind == 'bytes-charge' and t_ps > @changed * 10**12")
    assert set(flat.groupby("t_ps")["amount_micro"].sum()) == {2 * 100_000}
