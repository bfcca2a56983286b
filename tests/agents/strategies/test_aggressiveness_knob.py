# SPDX-License-Identifier: Apache-2.0
"""`aggressiveness-knob` by hand: its step, its bounds, its price estimate, its refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecnomy.agents.decision import LEAVE
from ecnomy.agents.parameters import Refused
from ecnomy.agents.strategies.aggressiveness_knob import AggressivenessKnob
from ecnomy.markets.cli.main import main
from flow_world import observation

LOG = {"kind": "log", "a": 2.0, "x0": 1e6}
FAIR = {"kind": "alpha-fair", "alpha": 2.0, "a": 2.0, "x0": 1e6}
CHECKED = """\
version: 1
duration: 10 s
network: {links: [{name: l, from: a, to: b, rate: 9 Mbps}]}
sources: [{name: x, from: a, to: b, transport: {TRANSPORT}}]
market:
  price_per_mark: 1 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: who, role: price-handler, sources: x, strategy: {kind: aggressiveness-knob, KNOB}}
"""
KNOB = "most: 9, utility: {kind: log, a: 1 money/s, x0: 1 Mbps}"


def met(knob: AggressivenessKnob, weight: float = 1.0) -> AggressivenessKnob:
    """Return the knob after its first decision."""
    knob.decide_many(observation(0.0, 0.0, weight=weight))
    return knob


def turned(knob: AggressivenessKnob, **columns: object) -> float:
    """The weight that the knob chooses 5 s later."""
    column = knob.decide_many(observation(5.0, 5.0, **columns)).weight
    assert column is not None
    return float(column[0])


def test_a_flow_begins_with_the_weight_of_its_transport() -> None:
    """The weight is brought within the knob's bounds; a flow without a weight begins with 1."""
    found = []
    for weight in (3.0, 20.0, 0.0):
        decision = AggressivenessKnob(LOG, most=8.0).decide_many(
            observation(0.0, 0.0, weight=weight)
        )
        found.append(decision.weight)
    assert found == [3.0, 8.0, 1.0]


def test_a_step_goes_to_worth_over_price() -> None:
    """A step goes to x U'(x) / c with c = (weight + marks) / (w t), for a log at once."""
    bill = {"bill_micro": 7_000_000, "standing_micro": 6_000_000, "weight_micro": 4_000_000}
    assert turned(met(AggressivenessKnob(LOG, most=8.0)), goodput_bps=1e6, **bill) == pytest.approx(
        1 / ((4 + 1) / 5)
    )


def test_a_curved_utility_goes_a_part_of_the_way() -> None:
    """With R = 2, w' is the geometric mean of w and x U'(x) / c."""
    knob = met(AggressivenessKnob(FAIR, most=8.0), 2.0)
    bill = {"bill_micro": 10_000_000, "standing_micro": 10_000_000, "weight_micro": 10_000_000}
    weight = turned(knob, goodput_bps=2e6, weight=2.0, **bill)
    assert weight == pytest.approx(np.sqrt(2.0 * (2.0 / 2.0) / 1.0))


def test_a_sated_utility_goes_half_way_to_its_demand() -> None:
    """At 2 x0 and a price below its worth, `target` moves halfway to the weight of x0."""
    knob = met(AggressivenessKnob({"kind": "target", "a": 9.0, "x0": 1e6}, most=8.0), 2.0)
    bill = {"bill_micro": 1_000_000, "standing_micro": 1_000_000, "weight_micro": 1_000_000}
    weight = turned(knob, goodput_bps=2e6, weight=2.0, **bill)
    assert weight == pytest.approx(np.sqrt(2.0 * 1.0))


def test_a_row_of_many_flows_is_billed_together() -> None:
    """The bill covers all flows of the row; rate and weight are per flow."""
    knob = met(AggressivenessKnob(LOG, most=8.0))
    bill = dict.fromkeys(("bill_micro", "standing_micro", "weight_micro"), 10 * 2_500_000)
    assert turned(knob, goodput_bps=1e6, active=10, **bill) == pytest.approx(1 / 0.5)


def test_free_weight_goes_to_the_end_by_factors_of_four() -> None:
    """Weight costs nothing, so it is 1, then 4, and then the upper bound."""
    knob = met(AggressivenessKnob(LOG, most=8.0))
    assert turned(knob, goodput_bps=1e6, weight=1.0) == pytest.approx(4.0)
    assert turned(knob, goodput_bps=1e6, weight=4.0) == 8.0


def test_marks_fade_by_half() -> None:
    """m is (M1 / 2 + M2) over (w1 t / 2 + w2 t)."""
    knob = met(AggressivenessKnob(LOG, most=8.0))
    turned(knob, goodput_bps=1e6, weight=1.0, bill_micro=8_000_000)
    weight = turned(knob, goodput_bps=1e6, weight=2.0, bill_micro=0)
    assert weight == pytest.approx(1.0 / (4 / (2.5 + 10)))


IDLE = pytest.mark.parametrize("idle", [{"goodput_bps": 0.0}, {"active": 0}, {"srtt_s": 0.0}])


@IDLE
def test_the_price_of_weight_outlives_a_pause(idle: dict[str, float]) -> None:
    """Marks fade only while a flow sends; the first interval with a pause in it says nothing."""
    knob = met(AggressivenessKnob(LOG, most=8.0))
    turned(knob, goodput_bps=1e6, weight=1.0, bill_micro=8_000_000)
    for _ in range(3):
        turned(knob, **{"goodput_bps": 1e6, "weight": 1.0, **idle})
    after = [turned(knob, goodput_bps=1e6, weight=2.0, bill_micro=0) for _ in range(2)]
    assert next(weight for weight in after if weight != LEAVE) == pytest.approx(1 / (4 / 12.5))


@IDLE
def test_an_interval_without_sending_says_nothing(idle: dict[str, float]) -> None:
    """An interval without sending does not change the weight."""
    columns = {"goodput_bps": 1e6, "weight": 1.0, "bill_micro": 1, **idle}
    assert turned(met(AggressivenessKnob(LOG, most=8.0)), **columns) == LEAVE


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"most": 0.0}, "most"),
        ({"most": np.inf}, "most"),
        ({"most": 2.0, "least": 3.0}, "least"),
        ({"most": 2.0, "least": 0.0}, "least"),
        ({"most": 2.0, "utility": {"kind": "step", "a": 1.0, "x0": 1e6}}, "utility.kind"),
    ],
)
def test_what_a_knob_refuses(given: dict[str, object], key: str) -> None:
    """Bounds that are not an interval above 0, and a utility that is not concave."""
    with pytest.raises(Refused) as refused:
        AggressivenessKnob(**{"utility": LOG, **given})  # type: ignore[arg-type]
    assert refused.value.key == key


@pytest.mark.parametrize(
    ("transport", "knob", "expected"),
    [
        (
            "law: newreno",
            KNOB,
            "9: market.agents[1].sources: found 'x', whose transport newreno has no weight, "
            "expected a source over one of multcp, rem, wtp, wtp-sender for "
            "aggressiveness-knob",
        ),
        (
            "law: multcp, flows: 1",
            KNOB.replace("most: 9", "most: 0"),
            "9: market.agents[1].strategy.most: found 0, expected a finite value above 0",
        ),
    ],
)
def test_check_names_the_place(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    transport: str,
    knob: str,
    expected: str,
) -> None:
    """A fault gives one line with the place, and exit status 2."""
    file = tmp_path / "s.yaml"
    file.write_text(CHECKED.replace("TRANSPORT", transport).replace("KNOB", knob))
    with pytest.raises(SystemExit) as left:
        main(["check", str(file)])
    assert left.value.code == 2
    message, _, hint = capsys.readouterr().err.strip().partition("; ecnomy explain ")
    assert message == f"ecnomy: {file}:{expected}"
    assert hint.replace(".aggressiveness-knob", "") in expected.replace("[1]", "")
