# SPDX-License-Identifier: Apache-2.0
"""Tariffs as users write them: their values, their resolved text, and refusals."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ecnomy.agents.errors import ScenarioError
from ecnomy.agents.times import PS_PER_DAY
from ecnomy.markets.inputs import reading
from ecnomy.markets.inputs.units import PER, decimal_text, number
from ecnomy.markets.inputs.yamlfile import parse
from ecnomy.markets.terms.tariffs import (
    KINDS,
    Block,
    Blocks,
    Flat,
    Limit,
    Menu,
    Own,
    Period,
    PerUnit,
    Posted,
    Tariff,
    TimeOfDay,
    TwoPart,
)
from ecnomy.markets.terms.unit_price import Price, PriceReader
from processes import LIMIT_S
from tariff_texts import HOUR, READER, Contract, read

GIB = Price(2_000_000, 10**9, "byte")
GOOD: dict[str, Tariff] = {
    "{kind: per-unit, price: 2 money/GB}": PerUnit(price=GIB),
    "{kind: per-unit, price: 0.01 money/mark}": PerUnit(price=Price(10_000, 1, "mark")),
    "{kind: per-unit, price: 1e-6 money/packet}": PerUnit(price=Price(1, 1, "packet")),
    "{kind: per-unit, price: 0.05 money / call}": PerUnit(price=Price(50_000, 1, "call")),
    "{kind: per-unit, price: 0.2 money/transfer}": PerUnit(price=Price(200_000, 1, "transfer")),
    "{kind: posted}": Posted(),
    "{kind: posted, per: MB}": Posted(per="MB"),
    "{kind: flat, price: 10 money/h}": Flat(price=Price(10**7, HOUR, "ps")),
    "{kind: flat, price: 0.1 money/minute}": Flat(price=Price(100_000, HOUR // 60, "ps")),
    "{kind: two-part, fee: 1 money/h, price: 0.1 money/MB}": TwoPart(
        fee=Price(10**6, HOUR, "ps"), price=Price(100_000, 10**6, "byte")
    ),
    "{kind: time-of-day, periods: [{from: 8 h, to: 18 h, price: 2 money/GB}], price: 0 money/GB}": (
        TimeOfDay(
            day=PS_PER_DAY,
            periods=(Period(begin=8 * HOUR, end=18 * HOUR, price=GIB),),
            price=Price(0, 10**9, "byte"),
        )
    ),
    "{kind: time-of-day, day: 2 h, offset: 30 min, periods: [{from: 1 h, to: 0.5 h, price: "
    "2 money/GB}, {from: 0.5 h, to: 1 h, price: 2 money/GB}]}": TimeOfDay(
        day=2 * HOUR,
        offset=HOUR // 2,
        periods=(
            Period(begin=HOUR, end=HOUR // 2, price=GIB),
            Period(begin=HOUR // 2, end=HOUR, price=GIB),
        ),
    ),
    "{kind: blocks, cap: 20 money, "
    "blocks: [{up_to: 1 GB, price: 2 money/GB}, {price: 3 money/GB}]}": (
        Blocks(
            blocks=(
                Block(up_to=Limit(10**9, "byte"), price=GIB),
                Block(price=Price(3_000_000, 10**9, "byte")),
            ),
            cap_micro=20_000_000,
        )
    ),
    "{kind: blocks, blocks: [{up_to: 2 h, price: 0 money/h}, {price: 1 money/h}]}": Blocks(
        blocks=(
            Block(up_to=Limit(2 * HOUR, "ps"), price=Price(0, HOUR, "ps")),
            Block(price=Price(10**6, HOUR, "ps")),
        )
    ),
    "{kind: menu, choices: {light: {kind: per-unit, price: 2 money/GB}, heavy: {kind: posted}}}": (
        Menu(choices={"light": PerUnit(price=GIB), "heavy": Posted()})
    ),
    "{kind: lab_tariffs:StartedMegabytes, price: 2 money/GB}": Own(
        path="lab_tariffs:StartedMegabytes", params={"price": 0.002}
    ),
    "{kind: menu, choices: {own: {kind: lab_tariffs:Active}}}": Menu(
        choices={"own": Own(path="lab_tariffs:Active")}
    ),
}


@pytest.mark.parametrize("text", GOOD)
def test_tariffs_are_read_and_written_back(text: str) -> None:
    """The resolved text loads as the same tariff, and resolves to the same text."""
    tariff = read(text)
    assert tariff == GOOD[text]
    written = yaml.safe_dump(READER.write(tariff))
    assert read(written) == tariff
    assert yaml.safe_dump(READER.write(read(written))) == written


def test_every_kind_is_among_them() -> None:
    """The table above has all kinds."""
    assert {type(tariff) for tariff in GOOD.values()} == {*KINDS.values(), Own}


def test_resolved_text() -> None:
    """A price keeps its unit: 0.1 money/min is not a whole number of micro-units a second."""
    blocks = read(
        "{kind: blocks, cap: 20 money, blocks: [{up_to: 1 GB, price: 2 money/GB}, "
        "{price: 0.000003 money/byte}]}"
    )
    assert READER.write(blocks) == {
        "kind": "blocks",
        "blocks": [
            {"up_to": "1000000000 byte", "price": "2 money/GB"},
            {"price": "0.000003 money/byte"},
        ],
        "cap": "20 money",
    }
    assert READER.write(read("{kind: flat, price: 0.1 money/min}"))["price"] == "0.1 money/min"


@given(st.integers(0, 10**12), st.sampled_from(sorted(PER)))
def test_every_price_that_can_be_written_is_read_exactly(micro: int, name: str) -> None:
    """All prices in whole micro-units are read exactly, for every unit."""
    text = f"{decimal_text(number(str(micro)) / 10**6)} money/{name}"
    price = PriceReader().read(parse(repr(text), "lab.yaml"), "price")
    unit, per = PER[name]
    assert price == Price(micro, per, unit)
    assert str(price) == text


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("3 money/Mbit", Price(24, 1, "byte")),
        ("0.1 money/kbit", Price(800, 1, "byte")),
        ("0.0000003 money/Mbit", Price(2400, 10**9, "byte")),
        ("0.0000001 money/GB", Price(100, 10**12, "byte")),
        ("2 money/days", Price(2_000_000, PS_PER_DAY, "ps")),
    ],
)
def test_prices_in_other_units_are_exact(text: str, price: Price) -> None:
    """Prices are stored per smallest unit of the table in which they are integers."""
    kept = PriceReader().read(parse(text, "lab.yaml"), "price")
    assert kept == price
    assert PriceReader().read(parse(str(kept), "lab.yaml"), "price") == kept


BAD = [
    ("3", "", "found 3", "a tariff such as"),
    ("{price: 2 money/GB}", ".kind", "no 'kind'", "one of per-unit, posted"),
    ("{kind: 3}", ".kind", "found 3", "one of per-unit, posted"),
    ("{kind: perunit}", ".kind", "'perunit'", "'per-unit'"),
    ("{kind: per-unit}", ".price", "no 'price'", "a price such as 2 money/GB"),
    ("{kind: per-unit, prize: 1}", ".prize", "unknown key 'prize'", "'price'"),
    ("{kind: per-unit, price: 2}", ".price", "2 without a unit", "a price such as"),
    ("{kind: per-unit, price: [2]}", ".price", "a list of 1", "a price such as"),
    (
        "{kind: per-unit, price: 2 money}",
        ".price",
        "'money' is a unit of another quantity",
        "a price",
    ),
    ("{kind: per-unit, price: 2 EUR/GB}", ".price", "no unit 'EUR/GB'", "a price such as"),
    ("{kind: per-unit, price: 2 money/km}", ".price", "is a unit of another quantity", "a price"),
    ("{kind: per-unit, price: much}", ".price", "not a number with a unit", "a price such as"),
    ("{kind: per-unit, price: -1 money/GB}", ".price", "'-1 money/GB'", "a price such as"),
    ("{kind: per-unit, price: 1e-7 money/mark}", ".price", "'1e-7", "multiples of 1/1000000"),
    ("{kind: per-unit, price: 2e6 money/GB}", ".price", "'2e6", "at most 1000000 money/GB"),
    ("{kind: posted, per: apple}", ".per", "'apple'", "one of ms, s, min"),
    ("{kind: posted, price: 1 money/GB}", ".price", "unknown key 'price'", "'per'"),
    ("{kind: flat, price: 2 money/GB}", ".price", "'money/GB' is a unit", "such as 6 money/h"),
    ("{kind: two-part, price: 2 money/GB}", ".fee", "no 'fee'", "such as 6 money/h"),
    ("{kind: time-of-day, periods: []}", ".periods", "no periods", "at least one"),
    (
        "{kind: time-of-day, periods: [{from: 8 h, to: 18 h, price: 1 money/h}]}",
        ".price",
        "no 'price'",
        "a price for the time outside the periods",
    ),
    (
        "{kind: time-of-day, periods: [{from: 24 h, to: 18 h, price: 1 money/h}]}",
        ".periods[0].from",
        "24 h",
        "within the day of 24 h",
    ),
    (
        "{kind: time-of-day, day: 12 h, periods: [{from: 8 h, to: 18 h, price: 1 money/h}]}",
        ".periods[0].to",
        "18 h",
        "within the day of 12 h",
    ),
    (
        "{kind: time-of-day, periods: [{from: 8 h, to: 8 h, price: 1 money/h}]}",
        ".periods[0].to",
        "an end equal to its start",
        "another time",
    ),
    (
        "{kind: time-of-day, periods: [{from: 17 h, to: 18 h, price: 1 money/h}, "
        "{from: 20 h, to: 17.5 h, price: 1 money/h}], price: 1 money/h}",
        ".periods[0]",
        "overlapping periods",
        "periods that do not overlap",
    ),
    (
        "{kind: time-of-day, periods: [{from: 8 h, to: 9 h, price: 1 money/h}, "
        "{from: 9 h, to: 10 h, price: 1 money/GB}], price: 1 money/h}",
        ".periods[1].price",
        "1 money/GB and 1 money/h",
        "prices for the same",
    ),
    (
        "{kind: time-of-day, periods: [{from: 8 h, to: 9 h, price: 1 money/h}], price: 1 money/GB}",
        ".price",
        "1 money/GB and 1 money/h",
        "prices for the same",
    ),
    ("{kind: blocks, blocks: []}", ".blocks", "no blocks", "at least one"),
    (
        "{kind: blocks, blocks: [{price: 1 money/GB}, {price: 2 money/GB}]}",
        ".blocks[0].up_to",
        "no 'up_to'",
        "only the last block has no end",
    ),
    (
        "{kind: blocks, blocks: [{up_to: 1 GB, price: 1 money/GB}]}",
        ".blocks[0].up_to",
        "a last block with an end",
        "applies to the rest",
    ),
    (
        "{kind: blocks, blocks: [{up_to: 2 h, price: 1 money/GB}, {price: 1 money/GB}]}",
        ".blocks[0].up_to",
        "a limit on time at a price of 1 money/GB",
        "a limit on bytes",
    ),
    (
        "{kind: blocks, blocks: [{up_to: 2 apples, price: 1 money/GB}, {price: 1 money/GB}]}",
        ".blocks[0].up_to",
        "no unit 'apples'",
        "a quantity above 0",
    ),
    (
        "{kind: blocks, blocks: [{up_to: 2 GB, price: 1 money/GB}, "
        "{up_to: 2 GB, price: 1 money/GB}, {price: 1 money/GB}]}",
        ".blocks[1].up_to",
        "a quantity that does not exceed the previous block's",
        "a larger quantity",
    ),
    (
        "{kind: blocks, blocks: [{up_to: 2 GB, price: 1 money/GB}, {price: 1 money/h}]}",
        ".blocks[1].price",
        "1 money/h and 1 money/GB",
        "prices for the same",
    ),
    ("{kind: blocks, cap: 0 money, blocks: [{price: 1 money/h}]}", ".cap", "0 money", "above 0"),
    ("{kind: menu}", ".choices", "no 'choices'", "a mapping of names to tariffs"),
    ("{kind: menu, choices: {}}", ".choices", "an empty mapping", "a mapping of names to tariffs"),
    ("{kind: menu, choice: {}}", ".choice", "unknown key 'choice'", "'choices'"),
    ("{kind: menu, choices: {a b: {kind: posted}}}", ".choices.'a b'", "'a b'", "a name of"),
    (
        "{kind: menu, choices: {a: {kind: menu, choices: {b: {kind: posted}}}}}",
        ".choices.a.kind",
        "'menu'",
        "one of per-unit",
    ),
    ("{kind: menu, choices: {a: {kind: posted, per: x}}}", ".choices.a.per", "'x'", "one of"),
    ("{kind: no_such_lab:Mine}", ".kind", "'no_such_lab:Mine'", "tried no_such_lab:Mine"),
    ("{kind: lab_tariffs:np}", ".kind", "'lab_tariffs:np'", "is not a class"),
    ("{kind: lab_tariffs:Column}", ".kind", "Column", "is not a class"),
    ("{kind: lab_tariffs:Refused}", ".kind", "Refused", "must define the method due"),
    ("{kind: lab_tariffs:OldDue}", ".kind", "OldDue", "method due(self, from_ps, to_ps, quantity"),
    ("{kind: lab_tariffs:OddUnit}", ".kind", "OddUnit", "'parsec', expected one of ps"),
    ("{kind: lab_tariffs:Unreadable}", ".kind", "Unreadable", "readable annotations (NameErr"),
    (
        "{kind: lab_tariffs:StartedMegabytes, price: 0 money/MB}",
        ".price",
        "0 money/MB",
        "a price above 0",
    ),
    (
        "{kind: lab_tariffs:StartedMegabytes, price: 1 money/h}",
        ".price",
        "is a unit of another quantity",
        "a quantity in money/MB",
    ),
    (
        "{kind: lab_tariffs:StartedMegabytes, prize: 1}",
        ".prize",
        "the unknown parameter 'prize'",
        "'price'",
    ),
]


@pytest.mark.parametrize(("text", "path", "found", "expected"), BAD)
def test_a_bad_tariff_is_one_line(text: str, path: str, found: str, expected: str) -> None:
    """The error has file, line, path, the value found and the values expected."""
    with pytest.raises(ScenarioError) as caught:
        reading.read(parse(f"tariff:\n  {text}\n", "lab.yaml"), Contract, "", {})
    error = caught.value
    assert "\n" not in str(error)
    assert (error.file, error.line, error.path) == ("lab.yaml", 2, f"tariff{path}")
    assert found in str(error).partition(", expected ")[0]
    assert expected in error.expected


def test_a_fault_within_a_long_tariff_has_its_own_line() -> None:
    """The place is that of the value, not of the tariff."""
    text = "kind: blocks\nblocks:\n  - up_to: 2 GB\n    price: 1 money/GB\n  - price: 1 money/h\n"
    with pytest.raises(ScenarioError) as caught:
        read(text)
    assert (caught.value.line, caught.value.path) == (5, "tariff.blocks[1].price")


def test_reading_tariffs_loads_neither_numpy_nor_pint() -> None:
    """`ecnomy check` stays quick: accruers and rare units are loaded on first use."""
    code = (
        "import sys; from ecnomy.markets.scenario.tariff_reader import TariffReader; "
        "from ecnomy.markets.inputs.yamlfile import parse; "
        f"[TariffReader().read(parse(t, 'x'), '') for t in {[t for t in GOOD if 'lab_' not in t]!r}"
        " if 'minute' not in t]; "
        "assert 'pint' not in sys.modules; assert 'numpy' not in sys.modules"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], check=False, timeout=LIMIT_S).returncode == 0
    )
