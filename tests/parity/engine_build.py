# SPDX-License-Identifier: Apache-2.0
"""Builds the built-in engine with its law log compiled in.

It is kept under the repository's build folder, under a hash of all that it is made from.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from peer_build import nlohmann_headers

__all__ = ["build_engine", "missing"]

_OMNET: Final = Path(__file__).resolve().parents[2] / "omnet"
_PARTS: Final = ("bridge", "host", "engine")
_CACHE: Final = _OMNET.parent / "build" / "parity-tests"
_FLAGS: Final = (
    "-std=c++20",
    "-O0",
    "-ffp-contract=off",
    "-DECNOMY_LAW_LOG",
    '-DECNOMY_VERSION="law log"',
)


def missing() -> str:
    """What the build lacks on this machine, in words; "" if nothing."""
    return "" if shutil.which("g++") else "g++ is not installed (Debian: apt install g++)"


def build_engine() -> Path:
    """Path of the engine, compiled if anything in it has changed.

    Raises:
        RuntimeError: with the compiler's words.
    """
    flags = [*_FLAGS, f"-I{_OMNET}", *nlohmann_headers()]
    target = _CACHE / _key(flags) / "ecnomy-engine"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    sources = [path for part in _PARTS for path in sorted((_OMNET / part).rglob("*.cc"))]
    objects = [target.with_name(f"{s.parent.name}-{s.stem}-{os.getpid()}.o") for s in sources]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda s, o: _gxx(*flags, "-c", s, "-o", o), sources, objects))
    # Under its name only when whole: another test process may be waiting for the same file.
    partial = target.with_name(f"ecnomy-engine-{os.getpid()}")
    _gxx(*objects, "-o", partial)
    partial.replace(target)
    for one in objects:
        one.unlink()
    return target


def _key(flags: list[str]) -> str:
    hashed = hashlib.sha256("\0".join(flags).encode())
    for path in sorted(p for part in (*_PARTS, "laws") for p in (_OMNET / part).rglob("*.*")):
        hashed.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()[:20]


def _gxx(*arguments: str | Path) -> None:
    done = subprocess.run(["g++", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
