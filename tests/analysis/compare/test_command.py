# SPDX-License-Identifier: Apache-2.0
"""`ecnomy compare` as users call it, with the built-in engine under both names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import compare_world as world
from ecnomy.analysis.compare import runs
from ecnomy.markets.cli.main import main

CONFIG = str(world.SCENARIOS / "wtp.yaml")
SHORT = ("--set", "duration=6 s", "--warmup", "2 s")


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the built-in engine for both names."""
    monkeypatch.setattr(runs, "_engine_argument", lambda engine: {})


def status(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["compare", *words])
    return int(left.value.code or 0)


@pytest.mark.drawn
def test_compare_shows_both_engines(both: None, tmp_path: Path, capsys) -> None:
    """`compare` prints a row per quantity with ratio and verdict, and writes its files."""
    out = tmp_path / "c"
    assert status(CONFIG, "--seeds", "3", "--out", str(out), *SHORT) == 0
    said = capsys.readouterr()
    for word in ("builtin", "omnet / builtin", "link bottleneck", "mean queue, packets", "± 5 %"):
        assert word in said.out
    assert "rows judged over 3 seeds at 90 %: 8 equivalent, 0 different, 0 undecided" in said.out
    assert "means over 2 s to 6 s" in said.out
    document = json.loads((out / "compare.json").read_text())
    assert document["window_ps"] == [2 * 10**12, 6 * 10**12]
    assert document["engines"] == ["builtin", "omnet"] and document["seeds"] == [1, 2, 3]
    assert {row["ratio"]["mean"] for row in document["rows"] if row["ratio"]} == {1.0}
    picture = (out / "compare.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 10_000


def test_compare_goes_on_and_keeps_results(both: None, tmp_path: Path, capsys) -> None:
    """More seeds only make the missing runs; --keep leaves results folders that open."""
    from ecnomy.markets.results.rawrun import open_raw

    out = str(tmp_path / "c")
    assert status(CONFIG, "--seeds", "2", "--out", out, *SHORT) == 0
    assert not (tmp_path / "c" / "results").exists()
    assert status(CONFIG, "--seeds", "3", "--out", out, "--keep", *SHORT) == 0
    assert "4 of 6 runs reused" in capsys.readouterr().err
    assert status(CONFIG, "--seeds", "3", "--out", out, "--json", *SHORT) == 0
    written = (tmp_path / "c" / "compare.json").read_text()
    assert json.loads(capsys.readouterr().out) == json.loads(written)
    kept = sorted(folder.name for folder in (tmp_path / "c" / "results").iterdir())
    assert kept == ["builtin-3", "omnet-3"]
    assert open_raw(tmp_path / "c" / "results" / "omnet-3").manifest.complete


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--engines", "builtin"), "--engines: found 'builtin', expected two of builtin, omnet"),
        (("--engines", "builtin,builtin"), "expected two of builtin, omnet"),
        (("--engines", "builtin,ns3"), "engine: found 'ns3', expected one of builtin, omnet"),
        (("--warmup", "soon"), "--set warmup"),
        (("--set", "sources.light.count=none"), "sources[0].count"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], said: str, both, tmp_path, capsys) -> None:
    """An error is one line on standard error with exit status 2; nothing is written."""
    assert status(CONFIG, "--seeds", "2", "--out", str(tmp_path / "c"), *words) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and said in lines[0]
    assert not (tmp_path / "c").exists()
