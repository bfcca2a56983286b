# SPDX-License-Identifier: Apache-2.0
"""NED files: every parameter is documented, and no C++ formatter has changed them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from law_tables import FAMILIES, described, header_of

OMNET = Path(__file__).resolve().parents[2] / "omnet"
FILES = sorted([*OMNET.glob("inet/**/*.ned"), *OMNET.glob("simulations/**/*.ned")])
_DECLARED = re.compile(r"^\s*(?:volatile )?(?:bool|int|double|string|object|xml) (\w+)")
# The words that OMNeT++ understands (Simulation Manual, 4.15; envir's interpolation modes).
MODES = {"none", "sample-hold", "backward-sample-hold", "linear"}


def undocumented(text: str) -> Iterator[str]:
    """Parameters without a comment after them or on the line above."""
    lines = text.splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        declared = _DECLARED.match(line)
        if declared and not re.search(r"//\s*\S", line) and not before.strip().startswith("// "):
            yield declared[1]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_every_parameter_is_documented(file: Path) -> None:
    """Every parameter has a comment next to its declaration, where the IDE and neddoc find it."""
    assert list(undocumented(file.read_text())) == []


def test_a_parameter_without_a_word_is_found() -> None:
    """The test above can fail: a comment two lines above, or an empty one, does not count."""
    text = "    // of a\n    int a;\n    int b = default(1);\n    double c; //\n    bool d; // d\n"
    assert list(undocumented(text)) == ["b", "c"]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_every_type_is_documented(file: Path) -> None:
    """A comment stands directly above each simple or compound module and network."""
    lines = file.read_text().splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if re.match(r"(simple|module|network|moduleinterface|channel) \w", line):
            assert before.startswith("//"), line


@pytest.mark.parametrize("family", described())
def test_every_law_and_parameter_is_explained_in_the_header(family: str) -> None:
    """Sentences end with a full stop. A law's header opens with its formula and source."""
    for law, entry in described()[family].items():
        assert family not in FAMILIES or header_of(family, law)[1]
        sentences = {law: entry["about"]} | {p["name"]: p["about"] for p in entry["parameters"]}
        for name, about in sentences.items():
            assert about.endswith(".") and len(about) > 8, (law, name)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_no_formatter_of_another_language_was_here(file: Path) -> None:
    """Interpolation modes are OMNeT++'s own, statistics on one line, braces on their own."""
    text = file.read_text()
    matches = re.findall(r"interpolationmode\s*=\s*([^;)]*)", text)
    assert set(matches) <= MODES
    statistics = re.findall(r"@statistic\[\w+\]\(.*", text)
    assert all(line.rstrip().endswith(";") for line in statistics)
    assert not re.search(r"^(?:simple|module|network) [^{\n]*\{", text, re.MULTILINE)
    assert "parameters:\n  @" not in text


def test_modes_of_each_kind_are_used() -> None:
    """Interpolation fits counts (points), states (until they change) and rates (backwards)."""
    text = "".join(file.read_text() for file in FILES)
    wanted = {
        "queueLength": "sample-hold", "talking": "sample-hold", "markingProbability": "sample-hold",
        "packetSent": "none", "callBegun": "none", "marks": "none",
        "goodput": "backward-sample-hold",
    }  # fmt: skip
    for name, mode in wanted.items():
        matches = re.findall(rf"@statistic\[{name}\]\(.*interpolationmode=([\w-]+)", text)
        assert matches and set(matches) == {mode}, name


def test_the_formatter_of_c_plus_plus_ignores_ned() -> None:
    """clang-format ignores NED, however it is called."""
    assert "**/*.ned" in (OMNET.parent / ".clang-format-ignore").read_text().splitlines()
