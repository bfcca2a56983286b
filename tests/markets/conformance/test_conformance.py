# SPDX-License-Identifier: Apache-2.0
"""`ecnomy test-strategy` and `ecnomy strategies`: all planted defects are found, and no others."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import json
import textwrap
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest

from command_line import ecnomy
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.strategies import BUILT_IN, GROUP
from ecnomy.markets.cli.printing import hanging
from ecnomy.markets.conformance import Examined
from ecnomy.markets.conformance import examine as examine_at_full_size
from ecnomy.markets.conformance.situations import FLOWS, observation
from needed_parameters import NEEDED
from test_documented_strategies import blocks
from tiers import full, in_full

ROOT = Path(__file__).parents[3]


FEWER = 100  # flows where there are 5,000, in the fast tier


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the fast tier, no situation has more than FEWER flows."""
    _fewer(monkeypatch)


def _fewer(patch: pytest.MonkeyPatch) -> None:
    few = [
        msgspec.structs.replace(one, counts=tuple(min(n, FEWER) for n in one.counts))
        for one in FLOWS
    ]
    if not in_full():
        module = importlib.import_module("ecnomy.markets.conformance.examine")
        patch.setattr(module, "FLOWS", few)


def examine(kind: str, params: Mapping[str, object] | None = None) -> Examined:
    """Examine a strategy as the command does, in the fast tier with at most FEWER flows."""
    with pytest.MonkeyPatch.context() as patch:
        _fewer(patch)
        return examine_at_full_size(kind, params)


@functools.cache
def faulty(name: str) -> Examined:
    """Examine one of faulty_strategies. Shapeless is wrong from 1,000 flows on."""
    one = f"faulty_strategies:{name}"
    return examine_at_full_size(one) if name == "Shapeless" else examine(one)


@pytest.mark.parametrize(
    ("name", "kind", "where", "what"),
    [
        ("Divides", "raises", "no marks", "ZeroDivisionError"),
        ("Poisoned", "answer", "zero rates", "negative or not finite"),
        ("Clamps", "mutates", "zero rates", "flows.goodput_bps"),
        ("Dice", "random", "a plain market", "Python's global generator at"),
        ("Fresh", "random", "a plain market", "the same seed gives different answers"),
        ("Rare", "random", "a plain market", "numpy's global generator"),
        ("Common", "shared", "a plain market", "Common.decisions"),
        ("Global", "shared", "a plain market", "another object decides in between (TOTAL)"),
        ("Nightly", "clock", "a plain market", "datetime.now at"),
        ("Timed", "clock", "a plain market", "time.monotonic at"),
        ("Shapeless", "answer", "5,000 flows", "of shape (1000,), expected (5000,)"),
        ("Halves", "answer", "a plain market", "must be an integer"),
        ("Greedy", "answer", "the highest price", "must be an integer from 0 to 10^12"),
        ("Undecided", "answer", "a plain market", "answered a call with 1"),
        ("Refusing", "refuses", "a plain market", "not this market"),
        ("Leaving", "raises", "a plain market", "SystemExit"),
        ("Overcharging", "answer", "fees: a plain market", "the fee for 'class-0' must be"),
        (
            "Doorman",
            "answer",
            "fees: one class",
            "answered a request for admission with 1, expected",
        ),
        ("Noting", "answer", "a plain market", "of a column of the table `agents`"),
    ],
)
def test_planted_defects_are_found_and_named(name: str, kind: str, where: str, what: str) -> None:
    """Each defect is reported by kind, situation and message, and nothing else is."""
    defects = [one for one in faulty(name).defects if one.kind == kind and what in one.what]
    assert defects and where in defects[0].situations
    others = {one.kind for one in faulty(name).defects} - {kind}
    assert not others
    assert "\n" not in defects[0].line()


def test_a_place_in_the_strategys_own_file_is_named() -> None:
    """Clocks, generators and exceptions have file and line."""
    for name in ("Dice", "Nightly", "Divides"):
        assert "faulty_strategies.py:" in faulty(name).defects[0].what


def test_only_the_situations_that_show_a_defect_are_blamed() -> None:
    """A division by the marks fails in situations without marks, and passes in the others."""
    (defect,) = faulty("Divides").defects
    assert {"zero rates", "no marks", "inactive flows"} <= set(defect.situations)
    assert not {"a plain market", "5,000 flows", "every packet marked"} & set(defect.situations)


@pytest.mark.parametrize("name", ["Careful", "Warning"])
def test_nothing_is_invented(name: str) -> None:
    """The agent's random numbers, a stopwatch, a log, a seeded generator and warnings pass."""
    report = faulty(name)
    assert not report.defects and not report.refusals
    assert bool(report.warnings) == (name == "Warning")


SOME = ("best-offer", "constant-charge", "elastic-utility", "revenue-gradient")


def test_money_in_place_of_micro_units_is_suspected() -> None:
    """A strategy that returns money in place of micro-units is suspected."""
    report = examine("faulty_strategies:Money")
    assert not report.defects
    assert [one.line() for one in report.warnings] == [
        "warning: as price-handler, all situations: its willingness to pay is at most "
        "2 micro-units (2e-06 money); 1 money is 1,000,000 micro-units"
    ]


@pytest.mark.parametrize(
    "kind", [kind if kind in SOME else pytest.param(kind, marks=full) for kind in sorted(BUILT_IN)]
)
def test_built_in_strategies_pass(kind: str) -> None:
    """Built-in strategies pass in all of their roles, with few refusals and without warnings."""
    report = examine(kind, NEEDED.get(kind, {}))
    assert not report.defects and not report.warnings
    assert report.situations >= 14 * len(report.roles)
    refused = {where for one in report.refusals for where in one.situations}
    assert refused <= ({"one flow", "an odd number of flows"} if kind == "best-offer" else set())


def test_constant_throughput_without_a_rate_sees_flows_that_have_one() -> None:
    """`check` refuses greedy flows for a strategy with `needs_rate`, so it never meets one."""
    assert not examine("constant-throughput", {"threshold": 1.0}).refusals


def test_strategies_of_the_readme_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code is the README's; the fast tier takes the first and the last."""
    files = blocks((ROOT / "agents" / "README.md").read_text(encoding="utf-8"))
    (tmp_path / "readme_lab").mkdir()
    for file, text in files.items():
        if file.endswith(".py"):
            (tmp_path / file.replace("my_lab", "readme_lab")).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    printed = (
        ("strategies:Patient", {}),
        ("deadline:Deadline", {"deadline": 100.0}),
        ("steering:Steering", {}),
    )
    for path, params in printed if in_full() else printed[::2]:
        report = examine(f"readme_lab.{path}", params)
        assert not report.defects, report.defects


def test_situations_are_finite_and_the_same_every_time() -> None:
    """Values are finite, except the limit of greedy traffic, and arrays are not shared."""
    for situation in FLOWS:
        for step in range(len(situation.counts) + 2):
            one, two = (
                observation(situation, step, 0, np.random.Generator(np.random.Philox(key=1)), 1e6)
                for _ in range(2)
            )
            for name in one.flows.__struct_fields__:
                column, other = getattr(one.flows, name), getattr(two.flows, name)
                assert np.isfinite(column).all() and np.array_equal(column, other), name
                assert len(column) == 0 or not np.shares_memory(column, other)


def test_a_strategy_that_fits_no_role_is_refused() -> None:
    """A requested role that does not fit is refused too."""
    with pytest.raises(StrategyError, match="as customer: expected a strategy for a customer"):
        examine_at_full_size("hill-climbing", {"step": 1.0}, roles=["customer"])


@pytest.mark.usefixtures("few")
def test_the_command_tells_each_defect_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status is 1 with defects, else 0; parameters are written as in YAML."""
    assert ecnomy("test-strategy", "faulty_strategies:Divides") == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("defect: raises: as price-handler, zero rates (and ")
    assert last == "faulty_strategies:Divides as price-handler: 1 defect in 26 situations"
    assert ecnomy("test-strategy", "qos-knob", "--param", "patience=20 s") == 0
    assert "qos-knob as customer: no defects" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_lab:Patient"], "found 'no_lab:Patient', expected a strategy"),
        (["qos-knob", "--param", "patience=3"], "expected a quantity in s"),
        (["qos-knob", "--param", "patients=3 s"], "--param patients: patients: found the unknown"),
        (["qos-knob", "--param", "patience"], "--param: found 'patience'"),
        (["qos-knob", "--param", "satisfied=7"], "satisfied: found 7, expected from 0 to 1"),
        (["hill-climbing"], "step: found no 'step', expected a quantity in money"),
        (["qos-knob", "--role", "king"], "no role 'king'"),
        (["qos-knob", "--role", "price-handler"], "expected a strategy for a price-handler"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown strategy, parameter or role gives one line and status 2."""
    assert ecnomy("test-strategy", *arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


@pytest.mark.usefixtures("few")
def test_a_strategy_beside_the_working_directory_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A strategy is found as by scenarios; quantities arrive in the units that it declares."""
    (tmp_path / "beside_lab.py").write_text(
        textwrap.dedent("""
        import dataclasses
        from typing import Annotated, ClassVar
        from ecnomy.agents import FlowDecision, FlowView, Unit

        @dataclasses.dataclass
        class Fixed:
            roles: ClassVar[tuple[str, ...]] = ("price-handler",)
            pay: Annotated[float, Unit("money/s")] = 1.0
            def decide(self, view: FlowView) -> FlowDecision:
                assert self.pay == 120.0
                return FlowDecision(self.pay)
        """)
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere", *__import__("sys").path])
    assert ecnomy("test-strategy", "beside_lab:Fixed", "--param", "pay=2 money/ms") == 1
    assert ecnomy("test-strategy", "beside_lab:Fixed", "--param", "pay=0.12 money/ms") == 0


def test_strategies_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The list has built-in strategies and entry points, faulty ones with the reason."""
    entries = [
        importlib.metadata.EntryPoint("careful", "faulty_strategies:Careful", GROUP),
        importlib.metadata.EntryPoint("lost", "no_such_lab:Lost", GROUP),
    ]
    original = importlib.metadata.entry_points
    monkeypatch.setattr(
        importlib.metadata,
        "entry_points",
        lambda group: entries if group == GROUP else original(group=group),
    )
    assert ecnomy("strategies", "--json") == 0
    listed = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert set(listed) == {*BUILT_IN, "careful", "lost"}
    assert listed["careful"]["origin"] == "faulty_strategies:Careful"
    assert listed["careful"]["roles"] == ["price-handler"]
    assert "no_such_lab" in listed["lost"]["fault"]
    knob = listed["qos-knob"]
    assert knob["roles"] == ["customer"] and knob["answers"] == ["a Decision for all flows"]
    patience, _, budget = knob["parameters"]
    assert patience == {"name": "patience", "takes": "s", "required": False, "default": 10.0}
    assert budget["default"] is None and budget["takes"] == "money/s"
    assert all(one["does"] for one in listed.values() if not one["fault"])
    assert ecnomy("strategies") == 0
    table = capsys.readouterr().out
    sells = listed["expected-profit"]
    assert sells["roles"] == ["guaranteed-stream-provider"]
    assert sells["answers"] == ["for each call, whether it is admitted", "a price per call"]
    by_name = {line.split()[0]: line for line in table.splitlines() if line.startswith("  ")}
    assert {*BUILT_IN, "careful", "lost"} == set(by_name)
    assert sells["does"] in by_name["expected-profit"] and "no_such_lab" in by_name["lost"]
    assert ecnomy("strategies", "expected-profit") == 0
    printed = capsys.readouterr().out
    assert "learning [int] = 10" in printed and "sample [s] = 180" in printed
    assert ecnomy("strategies", "unheard-of") == 2
    assert capsys.readouterr().err.startswith("ecnomy: unheard-of: no such strategy; ")


def test_names_and_sentences_fit_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """80 columns suffice, and wrapped text is indented."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    lines = hanging("  name  ", "a word " * 30).splitlines()
    assert max(len(line) for line in lines) <= 80 and len(lines) == 3
    assert all(
        line.startswith("        a word") or line.startswith("        w") for line in lines[1:]
    )


def test_a_name_without_a_text_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An example is a column of a sweep that is empty in a run."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert hanging("  reason  ", "") == "  reason"


def test_what_check_says_fits_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Long lines wrap without losing a word; a pipe gets one line each."""
    gsp = ROOT / "configs/examples/gsp.yaml"
    assert ecnomy("check", gsp) == 0
    piped = capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    assert ecnomy("check", gsp) == 0
    shown = capsys.readouterr().out
    assert max(map(len, piped.splitlines())) > 80 >= 60 >= max(map(len, shown.splitlines()))
    assert shown.split() == piped.split() and "\n      marking-quantile" in shown
