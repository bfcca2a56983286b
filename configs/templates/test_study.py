# SPDX-License-Identifier: Apache-2.0
"""Test that every point of the study is a valid scenario."""

from pathlib import Path

from ecnomy.markets.sweep.config import load_sweep

STUDY = Path(__file__).parent / "study.yaml"


def test_every_point_is_a_scenario() -> None:
    """The quick form of the study has three prices per mark, with two seeds each."""
    sweep = load_sweep(STUDY, quick=True)
    points = sweep.points()
    assert len(points) == 6
    for point in points:
        assert sweep.scenario_at(point.params, point.seed).seed == point.seed
    prices = {sweep.written_value(point.params, "market.price_per_mark") for point in points}
    assert prices == {"0.0625 money", "0.125 money", "0.25 money"}
