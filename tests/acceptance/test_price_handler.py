# SPDX-License-Identifier: Apache-2.0
"""Dynamic price handlers on packets: the strategies' promises, against theory and the ledger.

The strategies are those of Antoniadis et al. 2000, 2.2. The paper reports no results of them, so
utilities and figures are chosen here.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq

from ecnomy.agents.utilities import AlphaFair
from ecnomy.analysis.theory import proportional_fair
from ecnomy.markets import load, run
from ecnomy.markets.results.results import Results
from ecnomy.markets.scenario import Scenario, scenario_from_text
from tiers import seeds

EXAMPLE = Path(__file__).parents[2] / "configs" / "examples" / "price-handler.yaml"
PS = 10**12
PRICE = 0.1  # money per mark
BY_LOAD = "{law: load-based, threshold: 0.8, slope: 1.0}"
GIVEN_PRICE = "{law: fixed, probability: 0.05}"
SEEDS = seeds(3, fast=1)
CALM, CROWDED, CALM_AGAIN = (20, 80), (100, 180), (200, 240)
X0_BPS, THRESHOLD = 1e6, 0.5  # values of the example's video flows
WEIGHTS = (1.0, 2.0, 4.0)

HEAD = """\
version: 1
duration: {duration} s
network:
  links: [{{name: link, from: a, to: b, rate: {rate}, delay: 20 ms, marking: {marking}}}]
sources:
"""
SOURCE = "  - {{name: {0}, from: a, to: b, transport: {{law: wtp, gain: 0.2, mss: 960 bytes}}}}\n"
MARKET = """\
market:
  price_per_mark: {price} money
  agents:
    - {{name: isp, role: connectivity-provider}}
"""
AGENT = "    - {{name: of-{0}, role: price-handler, sources: {0}, strategy: {1}}}\n"


def scenario(utilities: tuple[str, ...], **link: object) -> Scenario:
    """One link, and a greedy flow with its own handler per utility."""
    names = [f"flow{i}" for i in range(len(utilities))]
    text = HEAD.format(**link) + "".join(SOURCE.format(name) for name in names)
    text += MARKET.format(price=PRICE)
    for name, utility in zip(names, utilities, strict=True):
        text += AGENT.format(name, f"{{kind: elastic-utility, utility: {utility}}}")
    return scenario_from_text(text)


class Tables:
    """The tables of a run that the tests use."""

    def __init__(self, result: Results) -> None:
        self.epochs = result.flow_epochs.set_index(["t_ps", "flow"]).sort_index()
        raw = result.raw
        self.agents, self.ledger, self.flows = raw.agents, raw.ledger, raw.flows

    def per_s(self, first_s: int, last_s: int) -> pd.DataFrame:
        """Goodput [bit/s] and mark charge [money/s] of each flow between two times."""
        columns = ["acked_bytes", "mark_charge_micro"]
        a, b = (self.epochs.loc[t * PS, columns].astype(float) for t in (first_s, last_s))
        grown = (b - a) / (last_s - first_s)
        charge = grown.mark_charge_micro / 1e6
        return pd.DataFrame({"rate": 8 * grown.acked_bytes, "charge": charge})

    def log_pay(self, flow: int, since_s: int) -> np.ndarray:
        """Logarithms of the successive w of a flow."""
        t = self.agents
        at = (t.name == "willingness_micro_per_s") & (t.flow == flow) & (t.t_ps >= since_s * PS)
        return np.log(t[at].value.to_numpy())


def simulate(made: Scenario, seed: int) -> Tables:
    with tempfile.TemporaryDirectory() as folder:
        return Tables(run(made, seed=seed, out=Path(folder) / "run"))


@functools.cache
def elastic(
    utilities: tuple[str, ...],
    seed: int,
    marking: str = BY_LOAD,
    rate: str = "10 Mbps",
    duration: int = 300,
) -> Tables:
    return simulate(scenario(utilities, marking=marking, rate=rate, duration=duration), seed)


@functools.cache
def example(seed: int) -> Tables:
    return simulate(load(EXAMPLE), seed)


def video(seed: int, first_s: int, last_s: int) -> pd.DataFrame:
    """The example's two flows of constant throughput."""
    table = example(seed)
    rows = table.flows.flow[table.flows.source == "video"]
    return table.per_s(first_s, last_s).loc[rows]


def logs(a: tuple[float, ...]) -> tuple[str, ...]:
    return tuple(f"{{kind: alpha-fair, alpha: 1, a: {x} money/s}}" for x in a)


def steep(a: tuple[float, ...]) -> tuple[str, ...]:
    return tuple(f"{{kind: alpha-fair, alpha: 3, a: {x} money/s, x0: 2 Mbps}}" for x in a)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("span", [CALM, CALM_AGAIN])
def test_constant_throughput_is_constant_while_cheap(span: tuple[int, int], seed: int) -> None:
    """Before and after the crowd every mean over 10 s is within 5 % of x0."""
    for t in range(*span, 10):
        assert video(seed, t, t + 10).rate.to_numpy() == pytest.approx(X0_BPS, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_constant_throughput_gives_way_at_its_threshold(seed: int) -> None:
    """In the crowd a flow sends well below x0. Its marks cost at most 1.1 times the threshold."""
    crowded = video(seed, *CROWDED)
    assert (crowded.rate < 0.8 * X0_BPS).all()
    assert (crowded.charge <= 1.1 * THRESHOLD).all()
    assert crowded.charge.mean() == pytest.approx(THRESHOLD, rel=0.1)
    at_x0 = crowded.charge * X0_BPS / crowded.rate
    assert (at_x0 > THRESHOLD).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rate", ["10 Mbps", "6 Mbps"])
def test_log_utility_is_a_constant_charge(rate: str, seed: int) -> None:
    """A user with U = a log x pays a per second at any rate."""
    charge = elastic(logs(WEIGHTS), seed, rate=rate).per_s(80, 300).charge
    assert charge.to_numpy() == pytest.approx(WEIGHTS, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_log_utilities_share_in_proportion(seed: int) -> None:
    """Rates are proportionally fair for the served rate, within 10 %."""
    rates = elastic(logs(WEIGHTS), seed).per_s(80, 300).rate.to_numpy()
    fair = proportional_fair([[0]] * len(WEIGHTS), [float(rates.sum())], WEIGHTS)
    assert rates == pytest.approx(fair, rel=0.1)


@pytest.mark.parametrize("seed", SEEDS)
def test_shifted_log_utilities_are_at_their_optimum(seed: int) -> None:
    """U = a log(1 + x/x0): rates are a/lambda - x0, with lambda for the served rate."""
    a, x0 = np.array([2.0, 4.0, 3.0, 6.0]), np.array([1.0, 1.0, 0.5, 2.0])
    pairs = zip(a, x0, strict=True)
    utilities = tuple(f"{{kind: log, a: {m} money/s, x0: {x} Mbps}}" for m, x in pairs)
    rates = elastic(utilities, seed, duration=400).per_s(150, 400).rate.to_numpy() / 1e6

    def excess(price: float) -> float:
        return float(np.maximum(0, a / price - x0).sum() - rates.sum())

    price = brentq(excess, 1e-3, 1e3)
    assert rates == pytest.approx(a / price - x0, rel=0.1)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("marking", "rate"), [(BY_LOAD, "10 Mbps"), (GIVEN_PRICE, "50 Mbps")])
def test_steep_utility_settles_where_it_should(marking: str, rate: str, seed: int) -> None:
    """With alpha = 3 and any price, U'(x) is the price per unit rate within 10 %."""
    table = elastic(steep(WEIGHTS), seed, marking, rate)
    per_s = table.per_s(100, 300)
    slope = np.array(WEIGHTS) / 2e6 * (per_s.rate / 2e6) ** -3
    assert slope.to_numpy() == pytest.approx((per_s.charge / per_s.rate).to_numpy(), rel=0.1)
    assert max(np.std(table.log_pay(flow, 100)) for flow in range(len(WEIGHTS))) < 0.12


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("marking", "rate"), [(BY_LOAD, "6 Mbps"), (GIVEN_PRICE, "50 Mbps")])
def test_quadratic_utility_settles_where_it_should(marking: str, rate: str, seed: int) -> None:
    """With saturation at 3 Mbps and any price, U'(x) is the price within 10 % of U'(0).

    The price comes from the marks of 200 s; the tolerance has two standard errors of these.
    """
    utilities = tuple(f"{{kind: quadratic, a: {a} money/s, x0: 3 Mbps}}" for a in WEIGHTS)
    table = elastic(utilities, seed, marking, rate)
    per_s, a = table.per_s(100, 300), np.array(WEIGHTS)
    slope = 2 * a / 3e6 * np.maximum(1 - per_s.rate / 3e6, 0)
    price = per_s.charge / per_s.rate
    chance = 2 * price / np.sqrt(200 * per_s.charge / PRICE)
    assert (np.abs(slope - price) < 0.1 * 2 * a.min() / 3e6 + chance).all()
    assert (per_s.rate < 3e6).all()


def test_steep_utility_would_cycle_unsmoothed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a gain of 1 instead of 1/3, the same flows' w oscillate three times as far."""
    made = scenario(steep(WEIGHTS), marking=GIVEN_PRICE, rate="50 Mbps", duration=300)
    calm = elastic(steep(WEIGHTS), 1, GIVEN_PRICE, "50 Mbps")
    monkeypatch.setattr(AlphaFair, "curvature", property(lambda utility: 1.0))
    wild = simulate(made, 1)
    for flow in range(len(WEIGHTS)):
        steps = np.diff(wild.log_pay(flow, 100))
        assert np.std(wild.log_pay(flow, 100)) > 3 * np.std(calm.log_pay(flow, 100))
        assert np.mean(steps[1:] * steps[:-1] < 0) > 0.6


def test_handlers_pay_for_their_marks_exactly() -> None:
    """Each handler pays the ISP the price x CE delivered, per flow and posting."""
    table = example(1)
    ledger, price_micro = table.ledger, 100_000
    last = table.epochs.loc[240 * PS]
    assert set(ledger.kind.astype(str)) == {"marks"} and set(ledger.credit.astype(str)) == {"isp"}
    assert (ledger.price_micro == price_micro).all()
    paid = ledger.groupby("flow").amount_micro.sum()
    assert paid.to_dict() == (last.ce[last.ce > 0] * price_micro).to_dict()
    pairs = zip(ledger.debit, ledger.flow, strict=True)
    owners = {(str(payer), table.flows.source[flow]) for payer, flow in pairs}
    assert owners == {(f"{name}-users", name) for name in ("bulk", "video", "work", "crowd")}


def test_each_flow_has_its_own_willingness_on_record() -> None:
    """The table `agents` has w per flow from t = 0 on, and the caps of constant throughput."""
    table = example(1).agents
    pay = table[table.name == "willingness_micro_per_s"]
    assert set(pay.flow[pay.t_ps == 0]) == set(range(9))
    caps = table[table.name == "rate_cap_bps"]
    assert caps.value.to_list() == [X0_BPS, X0_BPS] and set(caps.agent) == {"video-users"}
    work = pay[(pay.agent == "work-users") & (pay.t_ps > 100 * PS)]
    assert work.groupby("flow").value.nunique().min() > 3
    assert work.groupby("t_ps").value.nunique().max() == 2
