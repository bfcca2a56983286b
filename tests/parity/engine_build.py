# SPDX-License-Identifier: Apache-2.0
"""Builds the built-in engine with its law log compiled in.

It is kept in the repository's build folder, under a digest of all its sources.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from compiling import BUILD, compile_all, digest, made, nlohmann_headers

__all__ = ["build_engine"]

_OMNET: Final = Path(__file__).resolve().parents[2] / "omnet"
_PARTS: Final = ("bridge", "host", "engine")
_ALONE: Final = ("tally.cc",)  # it defines a second class `Rows`; CMakeLists.txt also leaves it out
_FLAGS: Final = (
    "-std=c++20",
    "-O0",
    "-ffp-contract=off",
    "-DECNOMY_LAW_LOG",
    '-DECNOMY_VERSION="law log"',
)


def build_engine() -> Path:
    """Path of the engine, compiled if its sources have changed.

    Raises:
        RuntimeError: with the compiler's output.
    """
    flags = [*_FLAGS, f"-I{_OMNET}", *nlohmann_headers()]
    sources = {part: sorted((_OMNET / part).rglob("*.cc")) for part in _PARTS}
    alone = [path for path in sources["host"] if path.name in _ALONE]
    sources["host"] = [path for path in sources["host"] if path.name not in _ALONE]
    inputs = sorted(p for part in (*_PARTS, "laws") for p in (_OMNET / part).rglob("*.*"))
    contents = [piece for path in inputs for piece in (path.name.encode(), path.read_bytes())]
    key = digest(["\0".join(flags).encode(), *contents])
    target = BUILD / "parity-tests" / key / "ecnomy-engine"
    return made(target, lambda out: compile_all(out, [*sources.values(), alone], flags))
