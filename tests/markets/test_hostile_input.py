# SPDX-License-Identifier: Apache-2.0
"""Hostile input: a quick one-line error that names the file, without control characters."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path

import pytest

from ecnomy.markets.cli.main import main
from ecnomy.markets.cli.printing import print_json
from ecnomy.markets.cli.table_fit import TableConsole
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.engines.registry import find_engine
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.plan.law_table import law_table
from ecnomy.markets.scenario import load
from ecnomy.markets.session.progress import RunProgress
from test_bad_yaml import GOOD, fault

ESCAPES = "red\x1b[31m\x07\x9b2J\u202e"
SHOWN = r"red\x1b[31m\x07\x9b2J\u202e"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A valid scenario."""
    file = tmp_path / "good.yaml"
    file.write_text(GOOD)
    return file


@pytest.mark.parametrize(
    ("new", "found"),
    [
        ("1" * 20_000 + " Mbps", "longer than 400 characters"),
        ("1 " + "m" * 10**6, "longer than 400 characters"),
        ('"1' + " " * 10**6 + 'Mbps"', "longer than 400 characters"),
        ("1" * 20_000, "the number 1111"),
    ],
)
def test_long_quantities_are_refused_unread(tmp_path: Path, new: str, found: str) -> None:
    """Long quantities are refused before any arithmetic or look-up of units."""
    file = tmp_path / "long.yaml"
    file.write_text(GOOD.replace("10 Mbps", new))
    error = fault(file)
    assert (error.line, error.path) == (9, "network.links[1].rate")
    assert found in error.found and len(str(error)) < 400


def test_long_names_are_not_compared_with_known_ones() -> None:
    """The message has no suggestion, and does not list all names if there are many."""
    assert known_name("w" * 10**6, ["wtp"]) == "'wtp'"
    assert known_name("n1", map(str, range(10**5))).endswith(", 99 and 99,900 more")


@pytest.mark.parametrize("size", ["1e308", "1e-308"])
def test_numbers_beyond_any_size_are_refused(good: Path, size: str) -> None:
    """Numbers that are finite as floats, but outside ecnomy's range, are refused."""
    error = fault(good, (f"network.links[1].marking.probability={size}",))
    assert "outside the range of physical quantities" in error.found


@pytest.mark.parametrize(
    ("law", "marking"),
    [
        ("load-based", "{law: load-based, interval: AT}"),
        ("rem", "{law: rem, interval: AT}"),
        ("pi", "{law: pi, reference: 5 packets, a: 1, b: 0.5, interval: AT}"),
        ("flow-projection-heuristic", "{law: flow-projection-heuristic, interval: AT}"),
    ],
)
def test_intervals_have_the_range_of_their_law(good: Path, law: str, marking: str) -> None:
    """The ends of the law's range can be planned; beyond them the scenario is refused."""
    table = {one.name: one for one in law_table()["marking"][law].parameters}["interval_s"]

    def override(at_s: float) -> tuple[str, ...]:
        written = f"network.links[1].marking={marking.replace('AT', f'{at_s:.9f} s')}"
        return ("network.links[1].buffer=60 packets", written)

    for end in (table.min, table.max):
        assert make_plan(load(good, overrides=override(end)))
    for beyond in (table.min * 0.9, table.max * 2):
        assert fault(good, override(beyond)).path == "network.links[1].marking.interval"


def test_the_least_window_is_the_engine_s(good: Path) -> None:
    """The least is a millionth of a packet: engine and check accept exactly the same values."""
    path, file = "sources.gold.transport.cwnd_min", good.with_suffix(".json")
    plan = make_plan(load(good, overrides=(f"{path}=1e-6 packets",))).to_json()
    assert "at least 1e-06 packet" in fault(good, (f"{path}=9.99e-7 packets",)).expected
    for text, status in ((plan, 0), (plan.replace(b'_window":1e-6', b'_window":9.99e-7'), 2)):
        file.write_bytes(text)
        words = [find_engine(), "read", "--plan", file]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == status, done.stderr
    assert "min_window" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a." * 450 + "a", "451 steps"),
        ("." * 3000, "3000 characters"),
        ("sources" + "[0]" * 300, "301 steps"),
    ],
)
def test_long_paths_of_set_are_refused(good: Path, path: str, found: str) -> None:
    """Long paths are refused before they are followed."""
    error = fault(good, (f"{path}=1",))
    assert error.found == found and len(str(error)) < 400


def test_devices_and_pipes(tmp_path: Path) -> None:
    """A device is not read. A pipe is read if a process writes to it."""
    assert fault(Path("/dev/zero")).found == "a device"
    fifo = tmp_path / "fifo.yaml"
    os.mkfifo(fifo)
    assert fault(fifo).found == "a pipe without a writer"
    reading, writing = os.pipe()
    os.write(writing, GOOD.encode())
    os.close(writing)
    try:
        assert load(f"/dev/fd/{reading}").document.duration == 10 * 10**12
    finally:
        os.close(reading)


def test_what_is_too_long_is_not_read_to_its_end(tmp_path: Path) -> None:
    """The message names the limit, also for a list of sizes."""
    file = tmp_path / "long.yaml"
    with file.open("wb") as out:
        out.truncate(10**9)  # sparse
    error = fault(file)
    assert (error.found, "at most 8 MiB" in error.expected) == ("more than 8 MiB", True)
    good = tmp_path / "good.yaml"
    web = "{kind: web, size: list, sizes: /dev/zero}"
    good.write_text(GOOD.replace("{kind: greedy}", web).replace("{law: wtp}", "{law: reno}"))
    assert "(a device)" in fault(good).found


def test_a_base_with_a_name_too_long_is_not_there(tmp_path: Path) -> None:
    """The message is not an error of the operating system."""
    file = tmp_path / "variant.yaml"
    file.write_text(f"extends: {'x' * 5000}\n")
    assert fault(file).path == "extends"


def test_no_control_characters_of_a_file_reach_the_terminal(
    good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Control characters are removed in output of `check`, messages, JSON, tables and progress."""
    quoted = ESCAPES.encode("unicode_escape").decode()
    for title, status in ((f'"{quoted}"', 0), (f'{{"{quoted}": 1, "{quoted}": 1}}', 2)):
        good.write_text(f"title: {title}\n{GOOD}")
        try:
            main(["check", str(good)])
        except SystemExit as left:
            assert (left.code or 0) == status
        printed = "".join(capsys.readouterr())
        assert "x1b" in printed and printed.isascii() and "\x1b" not in printed
    print_json({"title": "\x7f\x9b"})
    assert r'"\u007f\u009b"' in capsys.readouterr().out
    out = io.StringIO()
    TableConsole(file=out, width=200).print(ESCAPES, markup=False)
    progress = RunProgress(stream=out)
    progress.start(ESCAPES, 10**12)
    progress.say(ESCAPES)
    assert out.getvalue().count(SHOWN) == 2 and "\x1b" not in out.getvalue()
