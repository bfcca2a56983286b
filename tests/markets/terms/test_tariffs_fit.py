# SPDX-License-Identifier: Apache-2.0
"""Which tariffs fit which meters, and how a user's own tariffs are found."""

from __future__ import annotations

import importlib.metadata

import numpy as np
import pytest

from ecnomy.agents.errors import ScenarioError, TariffError
from ecnomy.markets.economy.tariff_accruers import accruer
from ecnomy.markets.inputs import reading
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.units import PER, USUAL
from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.scenario.tariff_reader import check_fits
from ecnomy.markets.terms import own_tariff as own
from ecnomy.markets.terms.tariffs import Own, Posted, own_kinds
from ecnomy.markets.terms.unit_price import EXAMPLES, METER_UNITS
from tariff_texts import READER, Contract, Meter, read

FITS = {
    "{kind: per-unit, price: 1 money/%s}": "tariff.price",
    "{kind: posted, per: %s}": "tariff.per",
    "{kind: two-part, fee: 1 money/h, price: 1 money/%s}": "tariff.price",
    "{kind: time-of-day, periods: [{from: 1 h, to: 2 h, price: 1 money/%s}], price: 0 money/%s}": (
        "tariff.periods[0].price"
    ),
    "{kind: blocks, blocks: [{price: 1 money/%s}]}": "tariff.blocks[0].price",
    "{kind: menu, choices: {a: {kind: flat, price: 1 money/h}, b: {kind: posted, per: %s}}}": (
        "tariff.choices.b.per"
    ),
}


@pytest.mark.parametrize("unit", METER_UNITS)
@pytest.mark.parametrize("text", FITS)
def test_a_tariff_fits_meters_of_its_unit_only(text: str, unit: str) -> None:
    """A mismatch is one line that names the price; other tariffs are read."""
    for name, (of, _) in PER.items():
        document = f"meter: {unit}\ntariff: {text.replace('%s', name)}\n"
        node = parse(document, "lab.yaml")
        if of == unit:
            assert isinstance(reading.read(node, Contract, "", {}), Contract)
            continue
        with pytest.raises(ScenarioError) as caught:
            reading.read(node, Contract, "", {})
        assert (caught.value.line, caught.value.path) == (2, FITS[text])
        assert f"money/{name}" in caught.value.found
        assert "for what-is-counted" in caught.value.expected


@pytest.mark.parametrize("unit", METER_UNITS)
def test_a_flat_rate_fits_any_meter_and_examples_fit_theirs(unit: str) -> None:
    """The example that a message gives for a meter fits it."""
    check_fits(read("{kind: flat, price: 10 money/h}"), Meter("any", unit))
    check_fits(read(f"{{kind: per-unit, price: {EXAMPLES[unit]}}}"), Meter("any", unit))


def test_a_users_tariff_fits_meters_of_the_unit_it_names() -> None:
    """A class without `unit` fits all."""
    mine = read("{kind: lab_tariffs:StartedMegabytes}")
    check_fits(mine, Meter("bytes", "byte"))
    with pytest.raises(Misfit) as caught:
        check_fits(mine, Meter("marks", "mark"))
    assert (caught.value.key, caught.value.expected) == (
        "tariff.kind",
        "a tariff for marks, measured in mark",
    )
    check_fits(read("{kind: lab_tariffs:Active}"), Meter("marks", "mark"))


def test_a_users_tariff_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tariff named in the group ecnomy.tariffs is read, written back and used."""
    entry = importlib.metadata.EntryPoint("by-time", "lab_tariffs:Active", own.GROUP)
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: [entry] if group == own.GROUP else []
    )
    tariff = read("{kind: by-time}")
    assert tariff == Own(path="by-time")
    assert READER.write(tariff) == {"kind": "by-time"}
    due = accruer(tariff, 1, "mark").due(0, 2 * 10**12, np.array([0]), 0)
    assert due.tolist() == [2]


def test_what_a_tariff_names_of_a_users() -> None:
    """A tariff lists all dotted paths, for digests of the code that a run depends on."""
    text = "{kind: menu, choices: {a: {kind: lab_tariffs:Active}, b: {kind: posted}}}"
    assert list(own_kinds(read(text))) == ["lab_tariffs:Active"]
    assert list(own_kinds(Posted())) == []
    with pytest.raises(TariffError, match="no tariff 'nonesuch'"):
        own.find("nonesuch")


def test_the_table_of_prices_is_of_what_meters_count() -> None:
    """Each price's unit is known without pint, and agrees with the units of its parts."""
    assert set(EXAMPLES) == set(METER_UNITS) == {of for of, _ in PER.values()}
    for name, (of, per) in PER.items():
        worth, base = USUAL[f"money/{name}"]
        each = 10**12 if of == "ps" else 1
        assert (1 / worth * each, base) == (per, "money/s" if of == "ps" else f"money/{of}")
