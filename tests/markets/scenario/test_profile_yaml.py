# SPDX-License-Identifier: Apache-2.0
"""Rate profiles as users write them: their values in plans, and refusals."""

from __future__ import annotations

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile import check
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.plan import NO_PROFILE, ProfileStep
from ecnomy.markets.scenario import scenario_from_text

HOUR = 3600 * 10**12
TEXT = """\
version: 1
duration: 2 days
network: {links: [{name: wire, from: a, to: b, rate: 1 Mbps}]}
sources:
  - name: calls
    from: a
    to: b
    traffic: {kind: poisson, rate: 1 packets/s}
    transport: {law: udp}
    profile: {steps: {0 h: 0.3, 8 h: 1.0, 12 h: 1.3, 18 h: 0.8}}
"""


def written(profile: str):
    return scenario_from_text(
        TEXT.replace("{steps: {0 h: 0.3, 8 h: 1.0, 12 h: 1.3, 18 h: 0.8}}", profile)
    )


def plan_of(profile: str):
    return make_plan(written(profile)).sources[0].profile


def test_a_day_of_steps_reaches_the_plan() -> None:
    """Hours become picoseconds, factors millionths; the period is a day."""
    profile = make_plan(scenario_from_text(TEXT)).sources[0].profile
    assert profile.period_ps == 24 * HOUR
    expected = [(0, 300_000), (8 * HOUR, 10**6), (12 * HOUR, 1_300_000), (18 * HOUR, 800_000)]
    assert profile.steps == [ProfileStep(*step) for step in expected]


def test_no_profile_is_none() -> None:
    """A source without a profile, or with null, has a period of -1 and no steps."""
    bare = "".join(line for line in TEXT.splitlines(True) if "profile" not in line)
    assert make_plan(scenario_from_text(bare)).sources[0].profile == NO_PROFILE
    assert plan_of("null") == NO_PROFILE


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("{steps: {6 h: 2, 18 h: 0}}", [(0, 0), (6, 2), (18, 0)]),
        ("{steps: {18 h: 0, 6 h: 2}, offset: 8 h}", [(0, 2), (10, 0), (22, 2)]),
        ("{steps: {0 h: 1, 6 h: 2}, offset: 6 h}", [(0, 2), (18, 1)]),
        ("{steps: {0 h: 1, 6 h: 2}, period: 10 h, offset: 23 h}", [(0, 1), (3, 2), (7, 1)]),
        ("{steps: {0 h: 0.0000014}}", [(0, 0.000001)]),
    ],
)
def test_periods_begin_at_time_zero(text: str, steps: list) -> None:
    """The last step lasts into the next period; `offset` is the time of day at simulated 0."""
    expected = [ProfileStep(at * HOUR, round(f * 10**6)) for at, f in steps]
    assert plan_of(text).steps == expected


def test_a_resolved_scenario_keeps_its_profile() -> None:
    """The manifest's scenario gives the same plan."""
    import json

    scenario = written("{steps: {0 h: 0.3, 90 min: 1.25}, period: 100 min, offset: 3 min}")
    again = scenario_from_text(json.dumps(scenario.resolved()))
    assert make_plan(again) == make_plan(scenario)


def test_demands_have_profiles_too() -> None:
    """Each pair of a demand matrix has the profile of the matrix."""
    text = TEXT[: TEXT.index("sources")] + (
        "demands: [{name: d, matrix: uniform, scale: {total: 1 kbps}, transport: {law: udp},"
        " profile: {steps: {0 h: 0.5}}}]"
    )
    sources = make_plan(scenario_from_text(text)).sources
    assert [s.profile.steps for s in sources] == [[ProfileStep(0, 500_000)]] * 2


def test_a_profile_beyond_the_run_is_doubted() -> None:
    """`check` warns if no step falls into the run; the summary names the profile."""
    scenario = scenario_from_text(TEXT, overrides=["duration=1 h"])
    plan = make_plan(scenario)
    assert any("calls" in w and "0.3" in w for w in check.warnings(scenario, plan))
    assert "profile" in summary(scenario, plan)
    whole = scenario_from_text(TEXT)
    assert not any("profile" in w for w in check.warnings(whole, make_plan(whole)))


@pytest.mark.parametrize(
    ("profile", "path", "found", "expected"),
    [
        ("{}", "profile.steps", "no 'steps'", "such as {0 h: 0.3"),
        ("3", "profile", "3", "a mapping with steps"),
        ("{steps: {}}", "profile.steps", "an empty mapping", "a mapping of times to factors"),
        ("{steps: [1]}", "profile.steps", "a list of 1", "a mapping of times to factors"),
        ("{steps: {0: 1}}", "profile.steps.0", "no unit", "a time"),
        ("{steps: {0 km: 1}}", "profile.steps.'0 km'", "is a unit of another quantity", "a time"),
        ("{steps: {-1 h: 1}}", "profile.steps.'-1 h'", "'-1 h'", "a time"),
        ("{steps: {0 h: -1}}", "profile.steps.'0 h'", "-1", "a factor from 0 to 1000"),
        ("{steps: {0 h: 1001}}", "profile.steps.'0 h'", "1001", "a factor from 0 to 1000"),
        ("{steps: {0 h: much}}", "profile.steps.'0 h'", "'much'", "a factor from 0 to 1000"),
        ("{steps: {0 h: 1e-7}}", "profile.steps.'0 h'", "1e-7", "0.000001 to 1000"),
        ("{steps: {1 h: 1, 60 min: 2}}", "profile.steps.'60 min'", "two steps", "once"),
        ("{steps: {0 h: 0, 1 h: 0}}", "profile.steps", "no factor above 0", "at least one"),
        ("{steps: {24 h: 1}}", "profile.steps", "a step at 86400 s", "the end of the period"),
        ("{steps: {0 h: 1}, period: 0 s}", "profile.period", "'0 s'", "a time above 0"),
        ("{steps: {0 h: 1}, phase: 1 s}", "profile.phase", "unknown key", "steps, period, offset"),
    ],
)
def test_faults_of_profiles(profile: str, path: str, found: str, expected: str) -> None:
    """Each fault is one line with file, line, path, the value found and the values expected."""
    with pytest.raises(ScenarioError) as caught:
        written(profile)
    error = caught.value
    assert error.path == f"sources[0].{path}" and error.line == 10
    assert found in error.found and expected in error.expected
    assert "\n" not in str(error)
