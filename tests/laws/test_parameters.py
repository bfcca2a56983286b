# SPDX-License-Identifier: Apache-2.0
"""The parameter tables of the C++ headers, for consistency and against the Python structs."""

from __future__ import annotations

import math

import pytest

from ecnomy.markets.plan.law_table import Param, law_table, trait_value
from law_api import Laws, Row

KINDS = ("marking", "window", "traffic", "part", "scheduling", "service")
# Laws without their own parameter table in the headers.
TABLELESS: dict[str, set[str]] = {kind: set() for kind in KINDS} | {"traffic": {"greedy"}}


SCHEDULERS = {"service-class": "class-based", "weighted-class": "deficit-round-robin"}
SCHEDULERS |= {"codepoint-class": "dualpi2", "flow-class": "fq-codel"}
_CLASSES: dict[str, list[list[float]]] = {
    "class-based": [[-1.0, -1.0, 0.0, -1.0, -1.0]],
    "deficit-round-robin": [[1.0, -1.0, -1.0]],
    "dualpi2": [[], []],
    "fq-codel": [[]],
    "docsis": [[], []],
}


def as_row(parameter: Param) -> Row:
    """A Python parameter in the form of a header's; a value without a default is NaN there."""
    default = math.nan if parameter.default is None else float(parameter.default)
    choices = ",".join(parameter.choices)
    bounds = (float(parameter.min), float(parameter.max))
    return (parameter.name, parameter.unit, default, *bounds, choices)


def comparable(row: Row) -> tuple[object, ...]:
    """The row with None for NaN, which never equals itself."""
    return tuple(None if isinstance(v, float) and math.isnan(v) else v for v in row)


@pytest.mark.parametrize("kind", KINDS)
def test_python_has_the_laws_of_the_headers(laws: Laws, kind: str) -> None:
    """Python and the headers name the same laws."""
    known = laws.tables()[kind].keys() | TABLELESS[kind]
    assert law_table()[kind].keys() == known, "register the law in law_build.py"
    assert all(not law_table()[kind][name].parameters for name in TABLELESS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_python_parameters_are_those_of_the_headers(laws: Laws, kind: str) -> None:
    """Name, unit, default, range, choices and order agree for each parameter."""
    for name, rows in laws.tables()[kind].items():
        python = [comparable(as_row(p)) for p in law_table()[kind][name].parameters]
        assert python == [comparable(row) for row in rows], f"{kind} {name}"


def build(laws: Laws, kind: str, name: str, values: list[float]) -> object:
    """Builds the law from its values."""
    if kind == "scheduling":
        return laws.scheduler(values, _CLASSES[name], 10**6, name)
    if kind == "service":
        law = SCHEDULERS[name]
        own = [usable(row) for row in laws.tables()["scheduling"][law]]
        return laws.scheduler(own, [values] * len(_CLASSES[law]), 2**62, law)
    makers = {"marking": laws.marking, "window": laws.window, "traffic": laws.traffic}
    return (makers | {"part": laws.part})[kind](name, values)


def usable(row: Row) -> float:
    """Return the default or, without a default, the geometric mean of the range."""
    return row[2] if not math.isnan(row[2]) else min(max(1.0, row[3]), row[4])


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_lie_in_their_ranges(laws: Laws, kind: str) -> None:
    """Ranges are not empty, contain their defaults, and have as many values as choices."""
    for name, rows in laws.tables()[kind].items():
        assert len({row[0] for row in rows}) == len(rows), f"{name}: a name stands twice"
        for parameter, unit, default, low, high, choices in rows:
            where = f"{name}.{parameter}"
            assert low < high, where
            assert math.isnan(default) or low <= default <= high, where
            assert (unit == "choice") == bool(choices), where
            if unit == "choice":
                assert (low, high) == (0, len(choices.split(",")) - 1), where
            if unit == "flag":
                assert (low, high) == (0, 1), where
        build(laws, kind, name, [usable(row) for row in rows])


@pytest.mark.parametrize("kind", KINDS)
def test_values_out_of_range_are_refused_by_name(laws: Laws, kind: str) -> None:
    """Values below, above, not finite or between choices are refused, naming law and parameter."""
    for name, rows in laws.tables()[kind].items():
        for i, (parameter, unit, _, low, high, _) in enumerate(rows):
            bad = [low - 1, high + max(1.0, abs(high)), math.nan, math.inf, -math.inf]
            bad += [0.5] if unit in ("flag", "choice") else []
            for value in bad:
                values = [usable(row) for row in rows]
                values[i] = value
                with pytest.raises(ValueError, match=f"{name}: {parameter} is"):
                    build(laws, kind, name, values)


@pytest.mark.parametrize(
    ("kind", "name", "values"),
    [
        ("marking", "red", [0, 9, 3, 0.1, 0.002, 1, 1, 1, 0, 1, 0, 1, 0, 1000, -1]),
        ("traffic", "web", [5, 2, 50000, 100, 99, 1.2, 0, -1, 0]),
        ("part", "page", [0.1, 3, 2, 8000, 100, 99, 1.2]),
        ("window", "rem", [0, 9, 1.4, 100, 99, 100, 1, 0.01, 0, 0.1, 0, 0]),
        ("window", "primal", [10, 5, 10, 100, 99]),
    ],
)
def test_crossed_ranges_are_refused(laws: Laws, kind: str, name: str, values: list[float]) -> None:
    """A maximum below its minimum is refused, naming the law and the maximum."""
    with pytest.raises(ValueError, match=f"{name}: .*max.* below"):
        build(laws, kind, name, values)


def test_traits_that_are_expressions() -> None:
    """Every expression has a value, and those with parameters have values computed by hand."""
    for name, law in law_table()["marking"].items():
        values = {one.name: 0.5 if one.default is None else one.default for one in law.parameters}
        for trait in ("ceiling", "late"):
            assert trait_value("marking", name, trait, values) >= 0, f"{name} {trait}"
    load = {"slope": 0.5, "threshold": 0.6}
    assert trait_value("marking", "load-based", "ceiling", load) == pytest.approx(0.2)
    assert trait_value("marking", "load-based", "per_load", load) == 0.5
    assert math.isnan(trait_value("marking", "red", "per_load", {}))
    for variant, ceiling in ((0, 1.0), (1, 0.1)):  # busy-period, per-overflow
        of = {"theta": 0.9, "variant": variant}
        assert trait_value("marking", "virtual-queue", "ceiling", of) == pytest.approx(ceiling)
    late = [trait_value("marking", "threshold", "late", {"scope": scope}) for scope in range(3)]
    assert late == [0, 0, 1]  # arriving, queue, departing
    classic = [trait_value("window", "scream", "classic", {"marks": marks}) for marks in range(2)]
    assert classic == [0, 1]  # l4s, classic
    assert trait_value("window", "prague", "classic", {}) == 0
