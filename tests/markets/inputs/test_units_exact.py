# SPDX-License-Identifier: Apache-2.0
"""Units: exact conversion, the table of usual spellings against pint, and refusals."""

from __future__ import annotations

import itertools
import math
import re
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecnomy.markets.inputs import units
from ecnomy.markets.plan.truncated_pareto import lower_bound, mean
from processes import LIMIT_S


@pytest.mark.parametrize("unit", sorted(units.USUAL))
def test_usual_spellings_are_worth_what_the_registry_says(unit: str) -> None:
    """The table that saves importing pint agrees with pint on every entry."""
    worth, base = units.USUAL[unit]
    assert units._by_pint(unit, base) == worth


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("0.1 s", "ps", 10**11),
        ("1e-12 s", "ps", 1),
        ("10 Mbps", "bit/s", 10**7),
        ("10Mbps", "bit/s", 10**7),
        ("8 kbit/s", "bit/s", 8000),
        ("1 MB/s", "bit/s", 8 * 10**6),
        ("1.5 kB", "byte", 1500),
        ("12000 bit", "byte", 1500),
        ("2 h", "s", 7200),
        ("1 day", "min", 1440),
        ("3 µs", "ns", 3000),
        ("0.002 money", "money", Fraction(2, 1000)),
        ("6 money/min", "money/s", Fraction(1, 10)),
        ("36 marks/s", "mark/s", 36),
        ("5 1/s", "1/s", 5),
        ("5 /s", "1/s", 5),
        ("2 km", "m", 2000),
    ],
)
def test_quantities_are_exact(text: str, unit: str, value: Fraction) -> None:
    """A decimal number of a unit is converted without rounding."""
    assert units.quantity(text, unit) == value


@pytest.mark.parametrize(
    ("text", "unit", "reason"),
    [
        ("10", "s", "no unit"),
        ("ten s", "s", "not a number with a unit"),
        ("10 mbps", "bit/s", "no unit 'mbps'"),
        ("10 s", "bit/s", "'s' is a unit of another quantity"),
        ("1 packet", "byte", "'packet' is a unit of another quantity"),
        ("1 mark", "money", "'mark' is a unit of another quantity"),
        ("nan s", "s", "not a number with a unit"),
        ("inf s", "s", "not a number with a unit"),
        ("1e999999999 s", "s", "outside the range of physical quantities"),
        ("1 s**2", "s", "not a number with a unit"),
        ("__import__ s", "s", "not a number with a unit"),
    ],
)
def test_other_quantities_are_refused(text: str, unit: str, reason: str) -> None:
    """Texts that are not quantities of the unit are refused with the reason."""
    with pytest.raises(units.UnitError) as caught:
        units.quantity(text, unit)
    assert reason in str(caught.value)


@given(st.text(max_size=30))
def test_any_text_is_a_quantity_or_refused(text: str) -> None:
    """Every text gives a number or a UnitError."""
    try:
        assert isinstance(units.quantity(text, "s"), Fraction)
    except units.UnitError as error:
        assert str(error)


@given(st.integers(-(10**18), 10**18), st.integers(0, 12))
def test_decimal_text_is_the_inverse_of_number(numerator: int, digits: int) -> None:
    """A decimal fraction survives being written and read."""
    value = Fraction(numerator, 10**digits)
    assert units.number(units.decimal_text(value)) == value


def test_usual_units_do_not_load_pint() -> None:
    """Only rare units load pint, which takes a quarter of a second."""
    code = (
        "import sys; from ecnomy.markets.inputs.units import quantity; quantity('1 ms', 'ps'); "
        "assert 'pint' not in sys.modules; "
        "quantity('1 Tbps', 'bit/s'); assert 'pint' in sys.modules"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], check=False, timeout=LIMIT_S).returncode == 0
    )


@given(st.floats(0.2, 5), st.floats(10, 1e5), st.floats(2, 1e4))
def test_truncated_pareto_mean_is_the_integral(shape: float, low: float, ratio: float) -> None:
    """The closed form equals the integral of the quantile function, done numerically."""
    high = low * ratio
    steps = 4000
    # Midpoints in log x; the density is proportional to x^-(shape + 1).
    xs = [low * ratio ** ((i + 0.5) / steps) for i in range(steps)]
    weights = [(x / low) ** -shape for x in xs]
    expected = math.fsum(x * w for x, w in zip(xs, weights, strict=True)) / math.fsum(weights)
    assert mean(low, high, shape) == pytest.approx(expected, rel=1e-4)


@given(st.floats(0.3, 4), st.floats(1e3, 1e9), st.floats(0.01, 0.99))
def test_lower_bound_gives_the_wanted_mean(shape: float, high: float, share: float) -> None:
    """A Pareto distribution truncated at the computed bound has the requested mean."""
    low = lower_bound(share * high, high, shape)
    assert 0 < low < share * high
    assert mean(low, high, shape) == pytest.approx(share * high, rel=1e-9)


def test_shape_one_is_the_limit_of_its_neighbours() -> None:
    """The special case is continuous with the general one."""
    assert mean(10, 1000, 1) == pytest.approx(mean(10, 1000, 1 + 1e-7), rel=1e-4)


KINDS = ("ps", "bit/s", "byte", "packet", "packet/s", "mark", "mark/s", "call", "transfer", "money")
PRICES = ("money/s", "money/byte", "money/packet", "money/mark", "1/s", "s/m")


def accepted(given_unit: str, wanted: str) -> bool:
    """Whether a unit converts to another."""
    try:
        units.quantity(f"1 {given_unit}", wanted)
    except units.UnitError:
        return False
    return True


def spelt() -> list[str]:
    """Names of units with real and false prefixes, plurals and cases."""
    names = sorted(name for name in units._names() if not name.endswith("-"))
    prefixes = [name[:-1] for name in units._names() if name.endswith("-")]
    assert {"day", "byte", "B", "µs", "money"} < set(names) and {"k", "kilo"} < set(prefixes)
    parts = itertools.product(["", "kk", "m", "K", *prefixes], names, ["", "s", "ss", "es"])
    return sorted({"".join(each) for each in parts}) + ["dimensionless", "DAY", "parsec", "EUR"]


@pytest.mark.parametrize("wanted", [*KINDS, *PRICES])
def test_the_pattern_of_a_unit_has_exactly_the_accepted_spellings(wanted: str) -> None:
    """A schema neither refuses a unit that `check` accepts, nor accepts one that it refuses."""
    some = ["s", "kilodays", "ss", "Mbps", "Bpss", "bytes", "B", "packets", "marks", "kcall"]
    some += ["transfer", "money", "moneys", "km", "dimensionless", "mbps", "kilobit", "bit"]
    pairs = [f"{a}{over}{b}" for a, b in itertools.product(some, some) for over in ("/", " / ")]
    inverse = [f"{over}{one}" for over in ("/", "1/", "1 / ") for one in (*some, *pairs[::2])]
    pattern, matches = re.compile(units.pattern(wanted)), 0
    for one in (*spelt(), *pairs, *(one for one in inverse if one.count("/") <= 2)):
        fits = pattern.fullmatch(one) is not None
        assert fits == accepted(one, wanted), one
        matches += fits
    assert matches >= 2
