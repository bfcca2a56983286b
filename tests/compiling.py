# SPDX-License-Identifier: Apache-2.0
"""Compiled parts of the tests. Each is built once, by one worker, until its sources change.

A part's file name holds a digest of all its sources. Workers that need the same part wait
for the worker that makes it; a part appears complete or not at all.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from filelock import FileLock

__all__ = [
    "BUILD",
    "compile_all",
    "compiler",
    "compiler_version",
    "digest",
    "included",
    "made",
    "missing_compiler",
    "nlohmann_headers",
    "run_compiler",
]

BUILD: Final = Path(__file__).resolve().parents[1] / "build"
LIMIT_S: Final = 280.0  # for one compiler run, or for another worker's build; below pytest's limit
_INCLUDE: Final = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def missing_compiler() -> str:
    """The tools that a build lacks on this machine, as text; "" if it lacks none."""
    name = compiler()[0]
    return "" if shutil.which(name) else f"{name} is not installed (Debian: apt install g++)"


def compiler() -> list[str]:
    """The C++ compiler as words: $CXX, else g++."""
    return os.environ.get("CXX", "g++").split()


@functools.cache
def compiler_version() -> str:
    """The compiler's version text."""
    command = [*compiler(), "--version"]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=LIMIT_S
    ).stdout


def run_compiler(*arguments: str | Path) -> None:
    """Runs the compiler.

    Raises:
        RuntimeError: with the command and the compiler's output.
    """
    command = [*compiler(), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")


def made(target: Path, make: Callable[[Path], object]) -> Path:
    """The target, made if it does not exist: `make` writes it to the given path.

    One process makes it; others wait for it, at most LIMIT_S.
    """
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_name(f"{target.name}.lock"), timeout=LIMIT_S):
        if not target.exists():
            partial = target.with_name(f"partial-{os.getpid()}-{target.name}")
            make(partial)
            partial.replace(target)
    return target


def compile_all(target: Path, units: Iterable[Sequence[Path]], flags: Sequence[str]) -> None:
    """One executable from groups of sources, each group compiled as one file, two at a time.

    Headers take most of a compilation, and a group reads them once.
    """
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        files = []
        for number, unit in enumerate(units):
            files.append(Path(name) / f"{number}.cc")
            files[-1].write_text("".join(f'#include "{source}"\n' for source in unit))
        objects = [file.with_suffix(".o") for file in files]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda s, o: run_compiler(*flags, "-c", s, "-o", o), files, objects))
        run_compiler(*flags, *objects, "-o", target)


def digest(parts: Iterable[bytes]) -> str:
    """The digest of contents in order, as 20 hexadecimal digits."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(hashlib.sha256(part).digest())
    return hashed.hexdigest()[:20]


def included(source: Path, folders: Sequence[Path]) -> list[Path]:
    """The source and every header that it includes in quotes, directly or not, in sorted order.

    Headers are looked for beside the file that names them, then in the folders.
    """
    files: dict[Path, None] = {}
    waiting = [source.resolve()]
    while waiting:
        path = waiting.pop()
        if path in files:
            continue
        files[path] = None
        for name in _INCLUDE.findall(path.read_bytes()):
            places = [folder / name.decode() for folder in (path.parent, *folders)]
            waiting += [place.resolve() for place in places if place.is_file()][:1]
    return sorted(files)


def nlohmann_headers() -> list[str]:
    """nlohmann's headers, from the nlohmann-json wheel or in the compiler's path."""
    spec = importlib.util.find_spec("nlohmann_json")
    if spec is None or spec.origin is None:
        return []
    return ["-isystem", str(Path(spec.origin).parent / "include")]
