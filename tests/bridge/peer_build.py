# SPDX-License-Identifier: Apache-2.0
"""Builds codec_peer, the C++ end of the bridge tests, with warnings as errors.

It is kept in the repository's build folder, under a digest of all its sources.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from compiling import BUILD, compile_all, digest, made, nlohmann_headers
from tiers import in_full

__all__ = ["build_peer"]

_HERE: Final = Path(__file__).resolve().parent
_BRIDGE: Final = _HERE.parents[1] / "omnet" / "bridge"
_FLAGS: Final = ("-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-ffp-contract=off")
_PLAIN: Final = ("-O0",)
_ADDRESS: Final = ("-O0", "-fsanitize=address")
_UNDEFINED: Final = ("-fsanitize=undefined", "-fno-sanitize-recover=all", "-g")  # full tier


def build_peer(*, sanitize: bool = False) -> Path:
    """Path of the peer, compiled if anything in it has changed.

    Raises:
        RuntimeError: with the compiler's output.
    """
    kind: tuple[str, ...] = _PLAIN
    if sanitize:
        kind = (*_ADDRESS, *_UNDEFINED) if in_full() else _ADDRESS
    flags = [*_FLAGS, *kind, *nlohmann_headers(), f"-I{_BRIDGE}"]
    inputs = [p for at in (_HERE, _BRIDGE) for p in sorted([*at.glob("*.cc"), *at.glob("*.h")])]
    contents = [piece for path in inputs for piece in (path.name.encode(), path.read_bytes())]
    key = digest(["\0".join(flags).encode(), *contents])
    sources = [_HERE / "codec_peer.cc", *sorted(_BRIDGE.glob("*.cc"))]
    target = BUILD / "bridge-tests" / key / "codec_peer"
    return made(target, lambda out: compile_all(out, [sources], flags))
