# SPDX-License-Identifier: Apache-2.0
"""Every fault of a scenario gives one line: file, line, path, value found, values expected."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.markets.compile.make import make_plan
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
    """The one-line error of loading and planning a file."""
    with pytest.raises(ScenarioError) as caught:
        make_plan(load(path, overrides=overrides))
    error = caught.value
    assert isinstance(error, InputError)
    assert error.exit_status == 2
    assert "\n" not in str(error)
    assert str(error).endswith(f"found {error.found}, expected {error.expected}")
    return error


def test_the_good_scenario_is_good(tmp_path: Path) -> None:
    """The unmodified scenario of the cases below has a plan."""
    file = tmp_path / "good.yaml"
    file.write_text(GOOD)
    assert make_plan(load(file)).flow_names() == ["gold.0", "gold.1", "tone.0"]


CASES = {
    entry["case"]: entry
    for entry in yaml.safe_load((Path(__file__).parent / "bad_scenarios.yaml").read_text())
}


@pytest.mark.parametrize("case", CASES)
def test_faults_are_named_with_their_place(case: str, tmp_path: Path) -> None:
    """A single fault in a good scenario is reported at its place."""
    entry = CASES[case]
    old, new, line, path = entry["old"], entry["new"], entry["line"], entry["path"]
    assert GOOD.count(old) >= 1
    at = GOOD.rfind(old) if case in ("duplicate key", "unknown node") else GOOD.find(old)
    file = tmp_path / "bad.yaml"
    file.write_text(GOOD[:at] + new + GOOD[at + len(old) :])
    error = fault(file)
    assert (error.file, error.line, error.path) == (str(file), line, path)
    assert entry["found"] in error.found
    assert entry["expected"] in error.expected
    assert str(error).startswith(f"{file}:{line}: {path}")


def test_missing_keys_are_listed_together(tmp_path: Path) -> None:
    """All missing keys are listed together, with their forms or lines."""
    file = tmp_path / "bare.yaml"
    file.write_text("version: 1\n")
    error = fault(file)
    assert (error.path, error.found) == ("", "no 'duration', 'network'")
    assert error.expected == "duration: a time above 0 such as 1 s; network: a mapping"
    source = "  - {name: tone, from: a}\n"
    links = "network:\n  links:\n    - {name: l, from: a, marking: {law: red}}\n"
    file.write_text(f"version: 1\nduration: 1 s\n{links}sources:\n{source}{source}")
    red = "no 'min_threshold', 'max_threshold' in network.links[0].marking (line 5)"
    error = fault(file)
    assert (error.line, error.path) == (5, "network.links[0]")
    assert error.found.startswith(f"no 'to', 'rate'; {red}; no 'transport', 'to' in sources[0]")
    assert error.found.endswith("; no 'transport', 'to' in sources[1] (line 8)")
    assert error.expected == "a value for each"
    file.write_text("version: 1\nduration: 1 s\n" + links + "sources:\n" + source * 9)
    assert fault(file).found.endswith("; missing keys in 5 other mappings")


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
    classes = "classes: {best: {fee: 1 money/s, sources: [gold]}}"
    extra = f"    - {{name: mall, role: application-provider, {classes}}}\n"
    file = tmp_path / "two.yaml"
    file.write_text(GOOD + extra)
    error = fault(file)
    assert (error.line, error.path) == (26, "market.agents[2].classes.best.sources[0]")
    assert error.found == "'gold', which already belongs to class 'gold' of 'shop'"


def test_two_isps(tmp_path: Path) -> None:
    """If there are two carriers, each must name its own links."""
    file = tmp_path / "isps.yaml"
    file.write_text(GOOD + "    - {name: isp2, role: connectivity-provider}\n")
    assert fault(file).path == "market.agents[0].links"
    assert fault(file).found == "neither 'links' nor 'nodes'"


@pytest.mark.parametrize(
    ("data", "line", "found"),
    [
        (b"", 1, "an empty document"),
        (b"# only a comment\n", 1, "an empty document"),
        (b"- 1\n", 1, "a list of 1"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", 1, "bytes that are not valid text"),
        (b"version: 1\ntitle: \x00\n", 2, "control character"),
        (b"version: 1\ntitle: [1, 2\nseed: 1\n", 3, "did not find expected"),
        (b"version: 1\n\ttitle: x\n", 2, "a tab character"),
        (b"version: 1\nnetwork:\n\tlinks: []\n", 3, "a tab character"),
        (b"version: 1\ntitle: Gold: and silver\n", 2, "a second ': ' on the line"),
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
    """A missing file or a folder is named without a line number."""
    error = fault(tmp_path / "none.yaml")
    assert (error.line, error.found) == (None, "no such file")
    assert fault(tmp_path).found == "a folder"
    (tmp_path / "manifest.json").touch()
    assert fault(tmp_path).found == "a results folder"
    assert fault(tmp_path).expected.endswith(f"; `ecnomy show {tmp_path}` shows results")


def test_billion_laughs(tmp_path: Path) -> None:
    """Multiplying aliases are refused early."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    file = tmp_path / "laughs.yaml"
    file.write_text("\n".join(rows))
    error = fault(file)
    assert "the alias" in error.found
    assert "at most 10000 values" in error.expected


def test_lines_of_extended_files(tmp_path: Path) -> None:
    """A fault in the base has a line of the base, a fault in the variant one of the variant."""
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
        ("extends: self.yaml\n", "'self.yaml' twice"),
        ("extends: [a]\n", "a list of 1"),
    ],
)
def test_bases_that_are_none(text: str, found: str, tmp_path: Path) -> None:
    """A base that is missing, circular or not a path is refused at its line."""
    file = tmp_path / "self.yaml"
    file.write_text(text)
    error = fault(file)
    assert (error.line, error.path, error.found) == (1, "extends", found)


@pytest.mark.parametrize(
    ("override", "path", "found", "expected"),
    [
        ("sources.gold.cout=3", "sources[0].cout", "unknown key 'cout'", "'count'"),
        ("sources.gild.count=3", "sources", "'gild'", "one of gold, tone"),
        ("sources[7].count=3", "sources", "[7]", "an index below 2"),
        ("nowhere.at.all=1", "nowhere", "unknown key 'nowhere'", "one of version"),
        ("duration.x=1", "duration", "no keys or items", "a path to a value"),
        ("duration=-1 s", "duration", "'-1 s'", "a time above 0"),
        ("duration=", "duration", "no 'duration'", "a time above 0"),
        ("duration", "", "'duration'", "path=value"),
        ("a..b=1", "", "'a..b'", "a path such as"),
        ("title=[1", "", "a syntax error (did not find", "YAML"),
        ("title=!x 1", "", "the tag", "without a tag"),
    ],
)
def test_overrides_to_nowhere(
    override: str, path: str, found: str, expected: str, tmp_path: Path
) -> None:
    """If a --set cannot be applied or causes a fault, the message names it as the place."""
    good = tmp_path / "good.yaml"
    good.write_text(GOOD)
    error = fault(good, (override,))
    key, equals, value = override.partition("=")
    if equals and not value:
        assert (error.file, error.line) == (str(good), 1)
    else:
        assert (error.file, error.line) == (f"--set {key}" if equals else "--set", None)
    assert error.path == path
    assert found in error.found
    assert expected in error.expected
