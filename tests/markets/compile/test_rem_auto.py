# SPDX-License-Identifier: Apache-2.0
"""`auto` of REM as numbers of the plan, and warnings of settings beyond the bound."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.stats

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 10 s
network:
  links:
    - name: pipe
      from: a
      to: b
      rate: 10 Mbps
      delay: 20 ms
      not_ect: pass
      buffer: unlimited
      marking: {law: rem, phi: auto, gamma: auto, alpha: auto}
sources:
  - name: s
    count: 2
    from: a
    to: b
    transport:
      {law: rem, weight: 500 packets/s, phi: auto, max_rate: 1250 packets/s, mss: 960 bytes}
"""
DELAY_S = 0.04 + 0.0008 + 100 / (2 * 625) + 0.02  # round trip, transmission, N marks, T / 0.1
LINK = "network.links.pipe.marking"


def misreading(u: float, rate: float, most: float) -> float:
    """E[(X / x(k) - 1)^2] of a source that reads u = p ln phi from 100 packets."""
    marks = np.arange(101)
    with np.errstate(divide="ignore"):
        read = rate * u / np.abs(np.log1p(-marks / 100))
    chances = scipy.stats.binom.pmf(marks, 100, 1 - math.exp(-u))
    return float(chances @ (rate / np.clip(read, 1.0, most) - 1) ** 2)


def test_phi_is_the_best_for_the_worst_reading() -> None:
    """For one price and for two that differ thirtyfold, no phi on a fine grid is better."""
    u = 0.8 * math.log(make_plan(scenario_from_text(TEXT)).links[0].marking.params["phi"])
    grid = np.geomspace(0.3, 4, 400)
    best = min(misreading(v, 625.0, 1250.0) for v in grid)
    assert misreading(u, 625.0, 1250.0) < 1.01 * best
    assert 1.3 < u < 1.6, "the smallest variance is at 1.59; there, all marked is too likely"
    two = TEXT.replace("count: 2", "count: 1").replace("500 packets/s", "100 packets/s")
    narrow = "    - {name: end, from: b, to: c, rate: 200 kbps, delay: 1 ms, not_ect: pass,\n"
    law = "       buffer: unlimited, marking: {law: rem, phi: auto, gamma: auto, alpha: auto}}\n"
    two = two.replace("sources:\n", f"{narrow}{law}sources:\n")
    other = two[two.index("  - name: s\n") :].replace("name: s\n", "name: t\n")
    plan = make_plan(scenario_from_text(two + other.replace("to: b", "to: c")))
    log_phi = math.log(plan.links[0].marking.params["phi"])
    rates = (1225.0, 25.0)  # packets/s: the slow source fills the narrow link
    prices = (100 / rates[0], 100 / rates[1])

    def worst(log: float) -> float:
        each = zip(prices, rates, strict=True)
        return max(misreading(price * log, rate, 1250.0) for price, rate in each)

    assert worst(log_phi) < 1.01 * min(worst(v / prices[1]) for v in np.geomspace(0.05, 9, 800))


def test_prices_too_far_apart_for_one_phi_are_named() -> None:
    """A link of 50 Mbps and one of 0.5 Mbps have prices a factor of 200 apart."""
    law = "not_ect: pass, buffer: unlimited, marking: {law: rem, phi: auto, gamma: auto}}"
    links = f"    - {{name: fast, from: a, to: b, rate: 50 Mbps, delay: 2 ms, {law}\n"
    links += f"    - {{name: slow, from: b, to: c, rate: 0.5 Mbps, delay: 10 ms, {law}\n"
    rem = "transport: {law: rem, phi: auto, mss: 960 bytes, max_rate: 7000 packets/s, weight:"
    sources = f"  - {{name: s, from: a, to: b, {rem} 100 packets/s}}}}\n"
    sources += f"  - {{name: t, from: b, to: c, {rem} 200 packets/s}}}}\n"
    scenario = scenario_from_text(
        f"version: 1\nduration: 1 s\nnetwork:\n  links:\n{links}sources:\n{sources}"
    )
    (line,) = [w for w in warnings(scenario, make_plan(scenario)) if "phi" in w]
    assert "found auto, a phi of " in line and "packets of s, expected marks on 5 %" in line


def test_auto_on_one_link_is_the_closed_form() -> None:
    """For p* = 0.8 and x = 625/s, gamma is 1 / (4 D c / p*) and alpha T / (16 D)."""
    plan = make_plan(scenario_from_text(TEXT))
    params, source = plan.links[0].marking.params, plan.sources[0].transport.window.params
    assert params["gamma"] == pytest.approx(0.8 / (4 * DELAY_S * 1250), rel=1e-3)
    assert params["alpha"] == pytest.approx(0.002 / (16 * DELAY_S), rel=1e-3)
    assert source["phi"] == params["phi"]


def test_auto_of_a_link_without_a_price_counts_the_link_itself() -> None:
    """Behind the pipe, 40 Mbps are never full, but the bound must hold if its price rises.

    The paths then have two priced links, so gamma = 1 / (4 x 2 D c / p*). The pipe counts alone.
    """
    text = TEXT.replace("    to: b\n    transport", "    to: c\n    transport")
    wide = "network:\n  links:\n    - {name: wide, from: b, to: c, rate: 40 Mbps, delay: 20 ms,\n"
    law = "not_ect: pass, buffer: unlimited, marking: {law: rem, phi: auto, gamma: auto}}\n"
    text = text.replace("network:\n  links:\n", f"{wide}       {law}")
    links = {link.name: link.marking.params for link in make_plan(scenario_from_text(text)).links}
    delay_s = DELAY_S + 0.04 + 0.0002
    assert links["pipe"]["gamma"] == pytest.approx(0.8 / (4 * delay_s * 1250), rel=1e-3)
    assert links["wide"]["gamma"] == pytest.approx(0.8 / (4 * 2 * delay_s * 1250), rel=1e-3)


def test_the_scenario_keeps_the_word() -> None:
    """A manifest says auto, and reproduces the same plan."""
    scenario = scenario_from_text(TEXT)
    again = scenario_from_text(json.dumps(scenario.resolved()))
    assert make_plan(again) == make_plan(scenario)
    assert scenario.resolved()["network"]["links"][0]["marking"]["gamma"] == "auto"


def test_auto_is_above_doubt_and_phi_follows_the_one_written() -> None:
    """`auto` causes no warning, and a phi of the sources applies to the links too."""
    scenario = scenario_from_text(TEXT)
    assert not [w for w in warnings(scenario, make_plan(scenario)) if "or auto" in w]
    given = scenario_from_text(TEXT, overrides=["sources.s.transport.phi=3"])
    assert make_plan(given).links[0].marking.params["phi"] == 3


@pytest.mark.parametrize(
    ("override", "bound"),
    [
        (f"{LINK}.gamma=0.1", math.pi / 2 * 0.8 / (DELAY_S * 1250)),
        (f"{LINK}.alpha=0.1", 0.002 / DELAY_S),
        ("sources.s.transport.phi=1.001", math.exp(-math.log(0.95) / 0.8)),
    ],
)
def test_what_is_beyond_the_bound_is_one_line(override: str, bound: float) -> None:
    """The warning names the place, the value, the bound and auto."""
    scenario = scenario_from_text(TEXT, overrides=[override])
    (only,) = [w for w in warnings(scenario, make_plan(scenario)) if "or auto" in w]
    path, value = override.split("=")
    name = path.rsplit(".", 1)[-1]
    assert f"{name}: found {value}" in only
    assert f"{bound:.6g} to" in only if name == "phi" else f"at most {bound:.3g}," in only
    assert "\n" not in only


@pytest.mark.parametrize(
    ("override", "part"),
    [
        ("sources.s.transport={law: reno}", "and no REM source"),
        ("sources.s.transport.weight=0.01 packets/s", "larger weights"),
    ],
)
def test_auto_without_enough_to_go_by_is_refused(override: str, part: str) -> None:
    """One line gives the place and the reason."""
    with pytest.raises(ScenarioError, match=part):
        make_plan(scenario_from_text(TEXT, overrides=[override]))
