# SPDX-License-Identifier: Apache-2.0
"""Mutated plans, frames and handshakes, under sanitizers: refused by name or accepted.

The target is for libFuzzer; if clang has it, the full tier runs it for a minute:

    clang++ -fsanitize=fuzzer,address,undefined ... tests/fuzz/target.cc    then: fuzz CORPUS

Without it, main.cc mutates the same corpus by a seed. The corpus consists of the plans of
examples and the bridge's sample messages, and so covers all their features.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from compiling import BUILD, compile_all, digest, included, made, missing_compiler, nlohmann_headers
from ecnomy.markets import load, make_plan
from ecnomy.markets.bridge import encode
from ecnomy.markets.bridge import messages as m
from tiers import full

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
SANITIZED: Final = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FLAGS: Final = ("-std=c++20", f"-I{ROOT / 'omnet'}", *nlohmann_headers())
SOURCES: Final = (
    HERE / "target.cc",
    *(ROOT / "omnet/host" / f"{name}.cc" for name in ("plan", "plan_text", "registry")),
    ROOT / "omnet/host/traffic_parts.cc",
    *sorted((ROOT / "omnet/bridge").glob("*.cc")),
)
EXAMPLES: Final = ("gold-silver", "gsp", "two-classes", "rem", "switching")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of inputs. Each begins with the letter of its kind."""
    folder = tmp_path_factory.mktemp("fuzz") / "corpus"
    folder.mkdir()
    for name in EXAMPLES:
        plan = make_plan(load(ROOT / f"configs/examples/{name}.yaml"))
        (folder / f"plan-{name}").write_bytes(b"P" + plan.to_json())
    flows = {"flow": np.array([0, 7])}
    floats = {name: np.array([2.5, -1.0]) for name in ("mark_rate", "rate_cap_bps", "weight")}
    whole = {"mark_cap": np.array([-1, 9]), "active": np.array([0, 1])}
    links = {"link": np.array([1]), "param": np.array([0]), "value": np.array([0.5])}
    said = [encode(m.Welcome((1, 3))), encode(m.Show('{"a": 1}'))]
    said += [encode(m.Decide(0, {**flows, **floats, **whole}, links))]
    said += [
        encode(m.Verdict(0, True)),
        encode(m.Refuse("no")),
        encode(m.Error("x")),
        encode(m.Bye()),
    ]
    for number, frame in enumerate(said):
        (folder / f"frame-{number}").write_bytes(b"D" + frame[4:])
    (folder / "handshake").write_bytes(b"H" + b"".join(said))
    (folder / "refused").write_bytes(b"H" + said[4])
    return folder


def build(name: str, sources: tuple[Path, ...], flags: tuple[str, ...]) -> Path:
    """The target, compiled if its sources have changed."""
    inputs = sorted({file for source in sources for file in included(source, [ROOT / "omnet"])})
    key = digest(["\0".join(flags).encode(), *(file.read_bytes() for file in inputs)])
    units = [sources[:1], sources[1:5], sources[5:]]
    return made(BUILD / "fuzz" / key / name, lambda out: compile_all(out, units, flags))


@full
def test_mutated_inputs(corpus: Path) -> None:
    """Seeded mutations cause no failure. On failure, the message shows the input."""
    if lack := missing_compiler():
        pytest.skip(lack)
    program = build("fuzz", (*SOURCES, HERE / "main.cc"), (*FLAGS, *SANITIZED))
    words = [program, "20000", "1", corpus]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1500, check=False)
    last = corpus.parent / "last"
    assert done.stdout == "done\n", f"{done.stderr[-3000:]}\n{last.read_bytes()[:3000]!r}"


@full
def test_libfuzzer(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute of fuzzing, guided by coverage, finds no failure."""
    clang = shutil.which("clang++")
    if clang is None:
        pytest.skip("clang++ is not installed (Debian: apt install clang)")
    monkeypatch.setenv("CXX", clang)
    flags = (*FLAGS, *SANITIZED, "-fsanitize=fuzzer")
    try:
        program = build("libfuzzer", SOURCES, flags)
    except RuntimeError as lack:
        pytest.skip(f"clang++ has no -fsanitize=fuzzer: {str(lack)[-200:]}")
    words = [program, corpus, "-max_total_time=60", "-max_len=65536", "-timeout=20"]
    environment = os.environ | {"ASAN_OPTIONS": "allocator_may_return_null=1"}
    done = subprocess.run(
        words, cwd=corpus.parent, capture_output=True, text=True, timeout=600, env=environment
    )
    assert done.returncode == 0, done.stderr[-4000:]
