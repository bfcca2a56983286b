# SPDX-License-Identifier: Apache-2.0
"""A fault in a user's own role, settlement or contract gives one line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.agents.errors import EcnomyError, ScenarioError
from ecnomy.markets import load, run
from ecnomy.markets.scenario import scenario_from_text

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
TEXT = """\
version: 1
duration: 3 s
network:
  links:
    - {name: l, from: a, to: b, rate: 2 Mbps, delay: 5 ms, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: web, count: 3, from: a, to: b, transport: {law: wtp}}
market:
  epoch: 1 s
  settlement: retail
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: ann, role: price-handler, sources: web,
       strategy: {kind: constant-charge, charge: 1 money/s}}
"""
NAMED = r"\(.*own_faults.py:\d+\)"  # where it went wrong


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("Short", "settlement 'own_faults:Short' failed: TypeError: .*takes 2 positional"),
        ("Broken", f"settlement 'own_faults:Broken' failed: ValueError: boom {NAMED}"),
        ("Priceless", f"settlement 'own_faults:Priceless' failed: KeyError: 'x' {NAMED}"),
        ("Silent", "own_faults:Silent': row_price_micro returned None, expected an array of 3"),
        ("Few", r"own_faults:Few': row_price_micro returned shape \(2,\), expected an array of 3"),
    ],
)
def test_a_settlement_that_errs_is_named(rule: str, says: str, tmp_path: Path) -> None:
    """A settlement may fail when it is constructed or called."""
    text = TEXT.replace("settlement: retail", f"settlement: 'own_faults:{rule}'")
    with pytest.raises(EcnomyError, match=says):
        run(scenario_from_text(text), out=tmp_path / "r")


@pytest.mark.parametrize(
    ("role", "says"),
    [
        ("Joining", rf"bob \(own_faults:Joining\) failed: RuntimeError: no way in {NAMED}"),
        ("Acting", rf"bob \(own_faults:Acting\) failed: ZeroDivisionError: .* {NAMED}"),
        ("Posting", r"bob \(own_faults:Posting\) owns no domain"),
        ("Adding", r"bob \(own_faults:Adding\) added a contract of type object, which has no"),
        ("Owing", r"contract of bob \(own_faults:Owing\): due returned int, expected .*Dues"),
    ],
)
def test_a_role_that_errs_is_named(role: str, says: str, tmp_path: Path) -> None:
    """A role may fail when it joins, acts, posts a price or adds a contract."""
    text = TEXT + f"    - {{name: bob, role: 'own_faults:{role}'}}\n"
    with pytest.raises(EcnomyError, match=says):
        run(scenario_from_text(text), out=tmp_path / "r")


@pytest.mark.parametrize(
    ("role", "says"),
    [("Late", "found the phase 'later', expected one of post"), ("Stranger", "not a subclass")],
)
def test_a_role_that_cannot_be_one_is_found_as_it_is_read(role: str, says: str) -> None:
    """A class that cannot be a role is refused with its line when it is read."""
    text = TEXT + f"    - {{name: bob, role: 'own_faults:{role}'}}\n"
    with pytest.raises(ScenarioError, match=f"s.yaml:16: market.agents.2..role: .*{says}"):
        scenario_from_text(text, "s.yaml")


def test_an_unknown_source_of_a_custom_role_is_found_as_it_is_read() -> None:
    """An unknown source of a custom role is refused with its line when it is read."""
    text = TEXT + "    - {name: bob, role: 'own_faults:Joining', sources: [web, gone]}\n"
    says = r"s.yaml:16: market.agents.2..sources.1.: found the unknown source 'gone'"
    with pytest.raises(ScenarioError, match=says):
        scenario_from_text(text, "s.yaml")


@pytest.mark.parametrize(
    ("contracts", "place", "says"),
    [
        ("ann: [{meter: bytes, sources: web}]", "contracts.0..sources", "found 'web', a source of"),
        (
            "isp: [{meter: bytes, sources: web}, {meter: bytes, sources: web}]",
            "contracts.1..name",
            "found two contracts 'bytes-charge' for a source",
        ),
        (
            "isp: [{meter: bytes, sources: web}, {name: bytes-charge, meter: calls, sources: web}]",
            "contracts.1..name",
            "found two contracts 'bytes-charge'",
        ),
    ],
)
def test_contracts_with_oneself_or_twice_are_refused(contracts: str, place: str, says: str) -> None:
    """Agents cannot contract with themselves, and two bills of a source need different names."""
    who, _, contract = contracts.partition(": ")
    contract = contract.replace("sources", "tariff: {kind: flat, price: 1 money/h}, sources")
    text = TEXT.replace(f"name: {who}, ", f"name: {who}, contracts: {contract}, ")
    with pytest.raises(ScenarioError, match=f"{place}: {says}"):
        scenario_from_text(text, "s.yaml")


def test_two_contracts_of_other_names_are_two_bills(tmp_path: Path) -> None:
    """The same tariff under two names is charged twice."""
    tariff = "meter: bytes, tariff: {kind: per-unit, price: 1 money/MB}, sources: web"
    contracts = f"contracts: [{{{tariff}}}, {{name: again, {tariff}}}]"
    given = scenario_from_text(TEXT.replace("name: isp, ", f"name: isp, {contracts}, "))
    sums = run(given, out=tmp_path / "r").raw.ledger.groupby("kind")["amount_micro"].sum()
    assert sums["again"] == sums["bytes-charge"] > 0


def test_the_risk_broker_covers_only_marks_that_users_pay(tmp_path: Path) -> None:
    """The provider of a class pays for its marks, so the risk broker does not cover them."""
    role = "kind: 'risk_broker:RiskBroker', premium: 0.5 money/min, cap: 1 money, period: 10 s"
    broker = f"    - {{name: broker, sources: gold, role: {{{role}}}}}"
    text = f"extends: {EXAMPLES / 'gold-silver.yaml'}\nduration: 90 s\n"
    text += f"market:\n  agents:\n{broker}\n"
    (tmp_path / "risk_broker.py").write_text((EXAMPLES / "risk_broker.py").read_text())
    (tmp_path / "cover.yaml").write_text(text)
    ledger = run(load(tmp_path / "cover.yaml"), out=tmp_path / "r").raw.ledger
    paid = ledger.groupby(["kind", "debit", "credit"])["amount_micro"].sum()
    assert paid["marks", "shop", "isp"] > 50_000_000
    assert paid["premium", "source:gold", "broker"] == 2 * 750_000
    assert not (ledger["kind"] == "pay-back").any()


def test_a_strategy_that_is_not_a_dataclass_is_said_to_be_none() -> None:
    """Parameters need the fields of a dataclass; without parameters any class is accepted."""
    own = TEXT.replace("kind: constant-charge, charge: 1 money/s", "kind: 'own_faults:Plain'XX")
    with pytest.raises(ScenarioError) as fault:
        scenario_from_text(own.replace("XX", ", charge: 1"))
    assert fault.value.found == "'charge' of Plain, which is not a dataclass"
    assert scenario_from_text(own.replace("XX", "")).market is not None


def test_an_environment_is_no_sweep(tmp_path: Path) -> None:
    """`check` of an environment says how to open it."""
    file = tmp_path / "learn.yaml"
    file.write_text("version: 1\nscenario: x.yaml\nlearners: []\n")
    with pytest.raises(
        ScenarioError, match="a key of environments, expected a scenario; to open an"
    ):
        load(file)
