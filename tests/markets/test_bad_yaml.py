# SPDX-License-Identifier: Apache-2.0
"""Every fault of a scenario: one line with file, line, path, what was found, what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.markets.resolve import make_plan
from ecnomy.markets.scenario import load

GOOD = """\
version: 1
duration: 10 s
network:
  links:
    - {name: wire, from: a, to: b, rate: 1 Mbps}
    - name: pipe
      from: b
      to: c
      rate: 10 Mbps
      marking: {law: fixed, probability: 0.1}
sources:
  - name: gold
    count: 2
    from: a
    to: c
    traffic: {kind: greedy}
    transport: {law: wtp}
  - {name: tone, from: a, to: b, traffic: {kind: cbr, rate: 64 kbps}, transport: {law: udp}}
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes: {gold: {fee: 4 money/s, sources: gold}}
"""


def fault(path: Path, overrides: tuple[str, ...] = ()) -> ScenarioError:
    """The error that loading and planning a file ends with, known to be one line."""
    with pytest.raises(ScenarioError) as caught:
        make_plan(load(path, overrides=overrides))
    error = caught.value
    assert isinstance(error, InputError)
    assert error.exit_status == 2
    assert "\n" not in str(error)
    assert str(error).endswith(f"found {error.found}, expected {error.expected}")
    return error


def test_the_good_scenario_is_good(tmp_path: Path) -> None:
    """What the cases below spoil has a plan."""
    file = tmp_path / "good.yaml"
    file.write_text(GOOD)
    assert make_plan(load(file)).flow_names() == ["gold.0", "gold.1", "tone.0"]


# old text, new text, line, path, found, expected (the last two are parts)
CASES = {
    "unknown key": ("    count: 2", "    cout: 2", 13, "sources[0].cout", "unknown key 'cout'", "did you mean 'count'?"),
    "missing key": (
        ", rate: 1 Mbps", "", 5, "network.links[0].rate", "no 'rate'", "a rate above 0 such as 10 Mbps",
    ),
    "duplicate key": ("    to: c", "    from: c", 15, "sources[0].from", "the key 'from' a second time", "it once (first in line 14)"),
    "wrong unit": ("10 Mbps", "10 s", 9, "network.links[1].rate", "'10 s' ('s' measures something else)", "a rate above 0"),
    "unknown unit": ("10 Mbps", "10 mbps", 9, "network.links[1].rate", "no unit 'mbps'", "a rate above 0"),
    "no unit": ("10 Mbps", "1e6", 9, "network.links[1].rate", "1e6 without a unit", "such as 10 Mbps"),
    "negative rate": ("10 Mbps", "-5 Mbps", 9, "network.links[1].rate", "'-5 Mbps'", "a rate above 0"),
    "zero capacity": ("10 Mbps", "0 Mbps", 9, "network.links[1].rate", "'0 Mbps'", "a rate above 0"),
    "unknown law": ("law: fixed,", "law: fixd,", 10, "network.links[1].marking.law", "'fixd'", "did you mean 'fixed'?"),
    "unknown transport": ("law: wtp", "law: cubic", 17, "sources[0].transport.law", "'cubic'", "one of wtp, reno, newreno, udp"),
    "law without name": ("{law: wtp}", "{gain: 1}", 17, "sources[0].transport", "no 'law'", "one of wtp"),
    "unknown node": ("    to: c", "    to: d", 15, "sources[0].to", "unknown node 'd'", "one of a, b, c"),
    "duplicate link": ("name: pipe", "name: wire", 6, "network.links[1].name", "the name 'wire' again", "first in line 5"),
    "duplicate source": ("name: tone", "name: gold", 18, "sources[1].name", "the name 'gold' again", "first in line 12"),
    "duplicate agent": ("name: shop", "name: isp", 23, "market.agents[1].name", "the name 'isp' again", "first in line 22"),
    "nan": ("0.1}", ".nan}", 10, "network.links[1].marking.probability", ".nan", "a finite number"),
    "inf": ("0.1}", "-.inf}", 10, "network.links[1].marking.probability", "-.inf", "a finite number"),
    "overflow": ("0.1}", "1e999}", 10, "network.links[1].marking.probability", "1e999", "a finite number"),
    "nan with a unit": ("10 Mbps", "nan Mbps", 9, "network.links[1].rate", "'nan Mbps'", "a rate"),
    "out of range": ("0.1}", "1.5}", 10, "network.links[1].marking.probability", "1.5", "from 0 to 1"),
    "money as text": ("0.01 money", "cheap", 20, "market.price_per_mark", "'cheap'", "0.002 money"),
    "free marks": ("0.01 money", "0 money", 20, "market.price_per_mark", "'0 money'", "above 0"),
    "half a micro": ("0.01 money", "0.0000005 money", 20, "market.price_per_mark", "'0.0000005 money'", "whole multiples"),
    "fee in marks": ("4 money/s", "4 marks/s", 25, "market.agents[1].classes.gold.fee", "'4 marks/s'", "a fee such as 4 money/s"),
    "unknown source": ("sources: gold", "sources: golf", 25, "market.agents[1].classes.gold.sources", "unknown source 'golf'", "did you mean 'gold'?"),
    "unknown role": ("role: application-provider", "role: shopkeeper", 24, "market.agents[1].role", "'shopkeeper'", "one of connectivity-provider"),
    "no isp": ("{name: isp, role: connectivity-provider}", "{name: me, role: customer, sources: gold}", 22, "market.agents", "no connectivity-provider", "who is paid"),
    "yes for true": ("traffic: {kind: greedy}", "transport: {law: wtp, slow_start: yes}", 16, "sources[0].transport.slow_start", "'yes'", "true or false"),
    "wrong version": ("version: 1", "version: 2", 1, "version", "2", "1"),
    "count as text": ("count: 2", "count: two", 13, "sources[0].count", "'two'", "a whole number"),
    "half a flow": ("count: 2", "count: 2.5", 13, "sources[0].count", "2.5", "a whole number"),
    "true flows": ("count: 2", "count: true", 13, "sources[0].count", "true", "a whole number"),
    "tcp for cbr": ("{law: udp}", "{law: reno}", 18, "sources[1].transport.law", "reno with cbr traffic", "udp"),
    "udp for greedy": ("{law: wtp}", "{law: udp}", 16, "sources[0].traffic.kind", "greedy traffic over udp", "cbr or poisson"),
    "list for mapping": ("traffic: {kind: greedy}", "traffic: [greedy]", 16, "sources[0].traffic", "a list of 1", "a mapping with 'kind'"),
    "fraction of a ps": ("duration: 10 s", "duration: 0.1 ps", 2, "duration", "'0.1 ps'", "whole multiples of ps"),
    "time too long": ("duration: 10 s", "duration: 1000 day", 2, "duration", "'1000 day'", "not as large"),
    "tag": ("count: 2", "count: !!python/object:os.system 2", 13, "sources[0].count", "the tag", "without a tag"),
    "unknown alias": ("count: 2", "count: *two", 13, "sources[0].count", "the alias *two", "an anchor"),
    "recursive alias": ("traffic: {kind: greedy}", "traffic: &t {kind: *t}", 16, "sources[0].traffic.kind", "the recursive alias *t", "a value that ends"),
    "second document": ("market:", "---\nmarket:", 20, "", "a second document", "one document"),
    "red in two units": (
        "{law: fixed, probability: 0.1}", "{law: red, min_threshold: 5 packets, max_threshold: 15 kB}",
        10, "network.links[1].marking.max_threshold", "15000 bytes", "packets, as min_threshold has",
    ),
    "red upside down": (
        "{law: fixed, probability: 0.1}", "{law: red, min_threshold: 5 packets, max_threshold: 4 packets}",
        10, "network.links[1].marking.max_threshold", "4 packets", "at least min_threshold, 5 packets",
    ),
    "windows too small": ("{law: wtp}", "{law: wtp, send: ack-clocked, cwnd_min: 0.5}", 17, "sources[0].transport.cwnd_min", "0.5 packets", "at least 1 packet"),
    "two weights": ("{law: wtp}", "{law: wtp, weight: 4 marks, mark_rate: 3 marks/s}", 17, "sources[0].transport.mark_rate", "both", "one of them"),
    "general without weights": ("{law: wtp}", "{law: wtp, form: general}", 17, "sources[0].transport.w_inc", "no 'w_inc'", "a weight"),
    "no strategy": (
        "connectivity-provider}", "connectivity-provider, strategy: {kind: no-such}}",
        22, "market.agents[0].strategy.kind", "'no-such'", "no strategy 'no-such'",
    ),
    "strategy parameter": (
        "connectivity-provider}", "connectivity-provider, strategy: {kind: qos-knob, patiente: 1 s}}",
        22, "market.agents[0].strategy.patiente", "unknown parameter 'patiente'", "did you mean 'patience'?",
    ),
    "strategy unit": (
        "connectivity-provider}", "connectivity-provider, strategy: {kind: qos-knob, patience: 10 marks}}",
        22, "market.agents[0].strategy.patience", "'10 marks' ('marks' measures something else)", "a quantity in s",
    ),
    "warm-up too long": ("duration: 10 s", "duration: 10 s\nwarmup: 10 s", 3, "warmup", "as long as the run", "less than duration"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_faults_are_named_with_their_place(case: str, tmp_path: Path) -> None:
    """One thing wrong in a good scenario is found where it stands."""
    old, new, line, path, found, expected = CASES[case]
    assert GOOD.count(old) >= 1
    at = GOOD.rfind(old) if case in ("duplicate key", "unknown node") else GOOD.find(old)
    file = tmp_path / "bad.yaml"
    file.write_text(GOOD[:at] + new + GOOD[at + len(old) :])
    error = fault(file)
    assert (error.file, error.line, error.path) == (str(file), line, path)
    assert found in error.found
    assert expected in error.expected
    assert str(error).startswith(f"{file}:{line}: {path}")


def test_unreachable_destination(tmp_path: Path) -> None:
    """A receiver that no links lead to is named with its sender."""
    file = tmp_path / "island.yaml"
    file.write_text(GOOD.replace("      from: b\n      to: c\n", "      from: d\n      to: c\n"))
    error = fault(file)
    assert (error.line, error.path) == (15, "sources[0].to")
    assert error.found == "'c', which 'a' cannot reach"


def test_acks_need_a_way_back(tmp_path: Path) -> None:
    """Over a one-way link TCP is refused, and UDP is not."""
    file = tmp_path / "oneway.yaml"
    file.write_text(GOOD.replace("rate: 1 Mbps", "rate: 1 Mbps, duplex: false"))
    assert fault(file).found == "'c', which cannot send ACKs to 'a'"
    text = GOOD.replace("    to: c\n    traffic", "    to: b\n    traffic")
    text = text.replace("{kind: greedy}", "{kind: poisson, rate: 9 packets/s}")
    text = text.replace("{law: wtp}", "{law: udp}")
    file.write_text(text.replace("rate: 1 Mbps", "rate: 1 Mbps, duplex: false"))
    assert make_plan(load(file)).sources[0].ack_path == []


def test_two_providers_for_one_flow(tmp_path: Path) -> None:
    """A source in two classes is refused at the second."""
    extra = "    - {name: mall, role: application-provider, classes: {best: {fee: 1 money/s, sources: [gold]}}}\n"
    file = tmp_path / "two.yaml"
    file.write_text(GOOD + extra)
    error = fault(file)
    assert (error.line, error.path) == (26, "market.agents[2].classes.best.sources[0]")
    assert error.found == "'gold', which class 'gold' of 'shop' has already"


def test_two_isps(tmp_path: Path) -> None:
    """One price per mark has one owner."""
    file = tmp_path / "isps.yaml"
    file.write_text(GOOD + "    - {name: isp2, role: connectivity-provider}\n")
    assert fault(file).found == "a second connectivity-provider"


@pytest.mark.parametrize(
    ("data", "line", "found"),
    [
        (b"", 1, "an empty document"),
        (b"# only a comment\n", 1, "an empty document"),
        (b"- 1\n", 1, "a list of 1"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", 1, "bytes that are not text"),
        (b"version: 1\ntitle: \x00\n", 2, "control character"),
        (b"version: 1\ntitle: [1, 2\nseed: 1\n", 3, "did not find expected"),
        (b"version: 1\n\ttitle: x\n", 2, "cannot start any token"),
        (b"? [a]\n: 1\n", 1, "a key that is not text"),
        (b"version: 1\ntitle: " + b"[" * 50 + b"]" * 50, 2, "nesting deeper than"),
    ],
)
def test_files_that_are_no_scenario(data: bytes, line: int, found: str, tmp_path: Path) -> None:
    """Empty, binary and broken files are named with the line."""
    file = tmp_path / "odd.yaml"
    file.write_bytes(data)
    error = fault(file)
    assert (error.file, error.line) == (str(file), line)
    assert found in error.found


def test_files_that_are_not_there(tmp_path: Path) -> None:
    """A missing file and a folder are named without a line."""
    error = fault(tmp_path / "none.yaml")
    assert (error.line, error.found) == (None, "no such file")
    assert fault(tmp_path).found == "is a directory"


def test_billion_laughs(tmp_path: Path) -> None:
    """Aliases that multiply are stopped early."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    file = tmp_path / "laughs.yaml"
    file.write_text("\n".join(rows))
    error = fault(file)
    assert "the alias" in error.found
    assert "at most 10000 values" in error.expected


def test_lines_of_extended_files(tmp_path: Path) -> None:
    """A fault of the base is placed in the base, one of the variant in the variant."""
    base, variant = tmp_path / "base.yaml", tmp_path / "variant.yaml"
    base.write_text(GOOD.replace("rate: 10 Mbps", "rate: 10 kg"))
    variant.write_text("extends: base.yaml\n\nseed: 3\n")
    error = fault(variant)
    assert (error.file, error.line) == (str(base), 9)
    base.write_text(GOOD)
    variant.write_text("extends: base.yaml\n\nsources:\n  - name: gold\n    count: none\n")
    error = fault(variant)
    assert (error.file, error.line, error.path) == (str(variant), 5, "sources[0].count")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("extends: other.yaml\n", "'other.yaml', no such file"),
        ("extends: self.yaml\n", "'self.yaml' again"),
        ("extends: [a]\n", "a list of 1"),
    ],
)
def test_bases_that_are_none(text: str, found: str, tmp_path: Path) -> None:
    """A base that is missing, circular or no path is refused at its line."""
    file = tmp_path / "self.yaml"
    file.write_text(text)
    error = fault(file)
    assert (error.line, error.path, error.found) == (1, "extends", found)


@pytest.mark.parametrize(
    ("override", "file", "path", "found", "expected"),
    [
        ("sources.gold.cout=3", "--set sources.gold.cout", "sources[0].cout", "unknown key 'cout'", "'count'"),
        ("sources.gild.count=3", "--set sources.gild.count", "sources", "'gild'", "one of gold, tone"),
        ("sources[7].count=3", "--set sources[7].count", "sources", "[7]", "an index below 2"),
        ("nowhere.at.all=1", "--set nowhere.at.all", "nowhere", "nothing there", "one of version"),
        ("duration.x=1", "--set duration.x", "duration", "nothing inside", "a path to something"),
        ("duration=-1 s", "--set duration", "duration", "'-1 s'", "a time above 0"),
        ("duration=", "--set duration", "duration", "no 'duration'", "a time above 0"),
        ("duration", "--set", "", "'duration'", "path=value"),
        ("a..b=1", "--set a..b", "", "'a..b'", "a path such as"),
        ("title=[1", "--set title", "", "did not find expected", "YAML syntax"),
        ("title=!x 1", "--set title", "", "the tag", "without a tag"),
    ],
)  # fmt: skip
def test_overrides_to_nowhere(
    override: str, file: str, path: str, found: str, expected: str, tmp_path: Path
) -> None:
    """A --set that cannot be applied, or brings a fault, is itself the place."""
    good = tmp_path / "good.yaml"
    good.write_text(GOOD)
    error = fault(good, (override,))
    if override == "duration=":
        assert error.file == str(good)
    else:
        assert (error.file, error.line) == (file, None)
    assert error.path == path
    assert found in error.found
    assert expected in error.expected
