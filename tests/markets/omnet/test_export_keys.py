# SPDX-License-Identifier: Apache-2.0
"""Every number of a plan reaches NED or ini, exactly, as a parameter of a NED module."""

from __future__ import annotations

import math
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecnomy.agents.errors import InputError
from ecnomy.markets.omnet.names import law_parameter, law_type
from ecnomy.markets.omnet.quantities import bits_per_second, number, time
from ecnomy.markets.plan import Law, Plan
from ecnomy.markets.plan.law_table import law_table
from ned_types import TYPES, all_parameters
from omnet_world import everything, ini_values, texts
from plan_changes import changed, leaves

# A project does not contain the version of plans.
UNMAPPED = {"plan"}


def test_every_field_of_a_plan_changes_the_project() -> None:
    """Each field in turn gets another value. If no line changed, the export would lose it."""
    plan = everything()
    before, silent = texts(plan), set()
    assert "voip" in {source.traffic.law for source in plan.sources}
    for path, value in leaves(msgspec.to_builtins(plan)):
        if path[-1] in ("law", "kind") or value is None:
            continue  # a separate test covers laws
        if path[2:3] == ("calls",) and plan.sources[path[1]].traffic.law != "voip":
            continue  # only telephones have calls
        refused = {"repair": "repair: false", "half_duplex": "duplex: half"}
        if path[-1] in refused:
            with pytest.raises(InputError, match=refused[path[-1]]):
                texts(changed(plan, path, value))
            continue
        if texts(changed(plan, path, value)) == before:
            silent.add(path[-1])
    assert silent == UNMAPPED


def test_every_field_of_the_structs_is_in_that_plan() -> None:
    """No list of the plan is empty, so that the test above has seen all of them."""
    tree = msgspec.to_builtins(everything())
    record = tree["record"]
    assert all(record[name] for name in ("series", "delay_thresholds_ps", "histograms", "counts"))
    kinds = {source["transport"]["kind"] for source in tree["sources"]}
    assert kinds == {"tcp", "udp"} and any(s["profile"]["steps"] for s in tree["sources"])
    assert set(tree) == set(Plan.__struct_fields__) and tree["nodes"] and tree["links"]


@pytest.mark.parametrize("family", ["marking", "scheduling", "window", "traffic"])
def test_every_law_reaches_the_project(family: str) -> None:
    """A law's type has its name; parameters have the names and forms of the NED type."""
    plan = everything()
    for name, described in law_table()[family].items():
        table = described.parameters
        kind = TYPES[law_type(family, name)]
        law = Law(name, {p.name: float(p.max if p.unit == "choice" else p.min) for p in table})
        values = ini_values(texts(with_law(plan, family, law))[1])
        (place,) = {k.removesuffix("typename") for k, v in values.items() if v == f'"{kind.name}"'}
        for entry in table:
            name, unit = law_parameter(entry.name, entry.unit)
            value = values[place + name].removesuffix(unit)
            assert name in all_parameters(kind)
            if entry.unit == "choice":
                assert value == f'"{entry.choices[-1]}"'
            elif entry.unit == "flag":
                assert value == "false"
            else:
                assert float(value) == entry.min


def with_law(plan: Plan, family: str, law: Law) -> Plan:
    """The plan with a law at its second link or first source."""
    replace = msgspec.structs.replace
    if family == "marking":
        links = [replace(link, marking=Law("drop-tail", {})) for link in plan.links]
        links[2] = replace(links[2], marking=law)
        others = [i for i, link in enumerate(links) if i != 2]
        other = Law("fixed", {"probability": 0.5}) if law.law == "drop-tail" else None
        for i in others if other else ():
            links[i] = replace(links[i], marking=other)
        return replace(plan, links=links)
    if family == "scheduling":
        one = next(link for link in plan.links if link.scheduler is not None)
        other = replace(one, scheduler=replace(one.scheduler, law=law))
        links = [replace(link, scheduler=None) for link in plan.links]
        links[plan.links.index(one)] = other
        return replace(plan, links=links)
    source = plan.sources[0]
    if family == "window":
        source = replace(source, transport=replace(source.transport, window=law))
    else:
        source = replace(source, traffic=law)
    return replace(plan, sources=[source])


def test_every_key_is_a_parameter_of_the_module_it_is_for() -> None:
    """Every line of the ini sets an existing parameter; types and submodules are read from NED."""
    values = ini_values(texts(everything())[1])
    chosen = {key: value for key, value in values.items() if key.endswith(".typename")}
    types = {key.removesuffix(".typename"): TYPES[v.strip('"')] for key, v in chosen.items()}
    types["Scenario.market"] = TYPES["ecnomy.market.MarketBridge"]
    seen = set()
    for key in values:
        module, _, name = key.rpartition(".")
        if module in types and name != "typename":
            assert name in all_parameters(types[module]), key
            seen.add(types[module].name)
        elif re.fullmatch(r"Scenario\.\w+", module):
            assert name in {*all_parameters(TYPES["ecnomy.node.MarketNode"]), *NODE}, key
        elif re.fullmatch(r"Scenario\.\w+\.ppp\[\d+\]", module):
            assert name in all_parameters(TYPES["ecnomy.node.MarketPppInterface"]), key
    assert len(seen) >= 14


KNOBS = {"weight", "willingness"}  # turned by hand, while it runs
NODE = {"hasTcp", "hasUdp", "numApps"}  # of INET's own nodes


def test_every_parameter_of_sources_and_market_is_set() -> None:
    """No NED default decides a value of the plan, apart from its connections."""
    values = ini_values(texts(everything())[1])
    for module, name, left in (
        ("Scenario.market", "ecnomy.market.MarketBridge", {"socket", "token", "warmup"}),
        ("Scenario.a.app[0]", "ecnomy.traffic.TcpSource", {"sourceIndex", *KNOBS}),
        ("Scenario.a.app[2]", "ecnomy.traffic.CallSource", {"sourceIndex"}),
        ("Scenario.c.app[5]", "ecnomy.traffic.UdpSource", {"sourceIndex"}),
    ):
        wanted = all_parameters(TYPES[name]) - left
        given = {key.rpartition(".")[2] for key in values if key.startswith(f"{module}.")}
        assert wanted <= given, name


FACTORS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}


@given(st.integers(0, 15 * 10**14) | st.integers(0, 4 * 10**6).map(lambda s: s * 10**12))
def test_times_come_back_exactly(ps: int) -> None:
    """Times are converted as in OMNeT++, into seconds and back, without a change."""
    value, unit = re.fullmatch(r"([\d.e-]+?)([munp]?s)", time(ps)).groups()  # type: ignore[union-attr]
    seconds = float(value) * FACTORS[unit]
    assert round(seconds / 1e-12) == ps
    assert math.floor(seconds * 1e12 + 0.5) == ps


def test_times_that_no_double_is_are_refused() -> None:
    """Times that doubles cannot represent are refused, a missing time is -1s."""
    with pytest.raises(InputError, match="10800000000000001 ps"):
        time(3 * 3600 * 10**12 + 1)
    assert [time(ps) for ps in (-1, 0, 18 * 10**9, 12_345, 7)] == [
        *("-1s", "0s", "18ms", "12345ps", "7ps")
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back_exactly(value: float) -> None:
    """The text of a double is read as the same double."""
    assert float(number(value)) == value


@given(st.integers(1, 2**53))
def test_rates_come_back_exactly(rate: int) -> None:
    """Rates are in the largest unit that divides them."""
    value, unit = re.fullmatch(r"(\d+)([kMG]?)bps", bits_per_second(rate)).groups()  # type: ignore[union-attr]
    assert int(value) * {"": 1, "k": 1000, "M": 10**6, "G": 10**9}[unit] == rate


def test_seeds_keep_their_bits() -> None:
    """NED's integers are signed, so a seed beyond 2^63 is the negative number of equal bits."""
    plan = everything()
    for seed, text in (
        (0, "0"),
        (2**63 - 1, "9223372036854775807"),
        (2**63, "-9223372036854775807 - 1"),
        (2**64 - 1, "-1"),
    ):
        values = ini_values(texts(msgspec.structs.replace(plan, seed=seed))[1])
        assert values["Scenario.market.seed"] == text
