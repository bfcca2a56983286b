# SPDX-License-Identifier: Apache-2.0
"""Builds codec_peer, the C++ end of the bridge tests, with warnings as errors.

It is kept under the repository's build folder, under a hash of all that it is made from.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

__all__ = ["build_peer", "missing", "nlohmann_headers"]

_HERE: Final = Path(__file__).resolve().parent
_ROOT: Final = _HERE.parents[1]
_BRIDGE: Final = _ROOT / "omnet" / "bridge"
_CACHE: Final = _ROOT / "build" / "bridge-tests"
_FLAGS: Final = ("-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-ffp-contract=off")
_PLAIN: Final = ("-O2",)
_SANITIZED: Final = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def missing() -> str:
    """What the build lacks on this machine, in words; "" if nothing."""
    return "" if shutil.which("g++") else "g++ is not installed (Debian: apt install g++)"


def build_peer(*, sanitize: bool = False) -> Path:
    """Path of the peer, compiled if anything in it has changed.

    Raises:
        RuntimeError: with the compiler's words.
    """
    flags = [
        *_FLAGS,
        *(_SANITIZED if sanitize else _PLAIN),
        *nlohmann_headers(),
        "-I",
        str(_BRIDGE),
    ]
    sources = [_HERE / "codec_peer.cc", *sorted(_BRIDGE.glob("*.cc"))]
    target = _CACHE / _key(flags) / "codec_peer"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    objects = [target.with_name(f"{s.stem}-{os.getpid()}.o") for s in sources]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda s, o: _gxx(*flags, "-c", s, "-o", o), sources, objects))
    # Under its name only when whole: another test process may be waiting for the same file.
    partial = target.with_name(f"codec_peer-{os.getpid()}")
    _gxx(*flags, *objects, "-o", partial)
    partial.replace(target)
    for one in objects:
        one.unlink()
    return target


def nlohmann_headers() -> list[str]:
    """nlohmann's headers: of the nlohmann-json wheel, else where the compiler looks."""
    spec = importlib.util.find_spec("nlohmann_json")
    if spec is None or spec.origin is None:
        return []
    return ["-isystem", str(Path(spec.origin).parent / "include")]


def _key(flags: list[str]) -> str:
    hashed = hashlib.sha256("\0".join(flags).encode())
    for folder in (_HERE, _BRIDGE):
        for path in sorted([*folder.glob("*.cc"), *folder.glob("*.h")]):
            hashed.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()[:20]


def _gxx(*arguments: str | Path) -> None:
    done = subprocess.run(["g++", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
