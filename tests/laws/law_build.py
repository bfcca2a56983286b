# SPDX-License-Identifier: Apache-2.0
"""Builds `ecnomy_laws_testing`, the test-only module over the laws, with g++ and nanobind.

Objects are kept under the repository's build folder, each under a hash of all it is made from (its
sources, every law header, the compiler, nanobind and Python), so that a second run compiles nothing
and two interpreters do not meet. No optimisation: the tests spend their time in Python. The
standard library's headers are compiled ahead, once, for all the laws' files.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Final, cast

import nanobind  # type: ignore[import-not-found, import-untyped, unused-ignore]

from law_api import Laws

__all__ = ["LAWS", "REPOSITORY", "build_module", "compiler", "law_headers", "load_module"]

REPOSITORY: Final = Path(__file__).resolve().parents[2]
LAWS: Final = REPOSITORY / "omnet" / "laws"
NATIVE: Final = Path(__file__).resolve().parent / "native"
CACHE: Final = REPOSITORY / "build" / "law-tests"
MODULE: Final = "ecnomy_laws_testing"
FLAGS: Final = ("-std=c++17", "-O0", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off")
LAW_SOURCES: Final = tuple(sorted(p.stem for p in NATIVE.glob("*.cc") if p.stem != "binding"))


@functools.cache
def compiler() -> str:
    """The C++ compiler: $CXX, else g++.

    Raises:
        RuntimeError: there is none; the message names the Debian package.
    """
    name = os.environ.get("CXX", "g++")
    if shutil.which(name.split()[0]) is None:
        raise RuntimeError(f"{name} not found: apt install g++")
    return name


def law_headers(laws: Path = LAWS) -> list[Path]:
    """Every header of the laws, sorted."""
    return sorted(laws.rglob("*.h"))


def build_module(
    laws: Path = LAWS, sources: tuple[str, ...] = LAW_SOURCES, cache: Path = CACHE
) -> Path:
    """Compiles what has changed and links the module.

    Args:
        laws: folder with the law headers, the repository's or a changed copy.
        sources: stems of the files in native/ to link; the module holds their laws only.
        cache: where the laws' objects and the module go; the rest is always shared.

    Returns:
        Path of the extension module, in a folder of its own.
    """
    objects = [_nanobind_object(), _binding_object()]
    objects += [_law_object(laws, stem, cache) for stem in sources]
    key = _digest([o.name.encode() for o in objects])
    target = cache / key / f"{MODULE}{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not target.exists():
        undefined = ["-undefined", "dynamic_lookup"] if os.uname().sysname == "Darwin" else []
        _make(target, ["-shared", *map(str, objects), *undefined])
    return target


@functools.cache
def load_module(path: Path) -> Laws:
    """Imports the module at `path`; a process can hold one such module."""
    loader = importlib.machinery.ExtensionFileLoader(MODULE, str(path))
    spec = importlib.util.spec_from_loader(MODULE, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return cast(Laws, module)


def _digest(parts: list[bytes]) -> str:
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(hashlib.sha256(part).digest())
    return hashed.hexdigest()[:20]


@functools.cache
def _tools_key() -> bytes:
    version = subprocess.run(
        [*compiler().split(), "--version"], capture_output=True, text=True, check=True
    ).stdout
    python = str(sysconfig.get_config_var("EXT_SUFFIX"))
    return "\n".join([compiler(), version, nanobind.__version__, python, *FLAGS]).encode()


def _nanobind_object() -> Path:
    source = Path(nanobind.source_dir()) / "nb_combined.cpp"
    robin_map = Path(nanobind.include_dir()).parent / "ext" / "robin_map" / "include"
    includes = [*_python_includes(), f"-I{robin_map}"]
    return _object("nanobind", source, [], ["-DNDEBUG", "-fno-strict-aliasing", *includes])


def _binding_object() -> Path:
    source = NATIVE / "binding.cc"
    inputs = [source, NATIVE / "host.h"]
    return _object("binding", source, inputs, ["-DNDEBUG", *_python_includes()])


def _law_object(laws: Path, stem: str, cache: Path) -> Path:
    source = NATIVE / f"{stem}.cc"
    inputs = [source, *sorted(NATIVE.glob("*.h")), *law_headers(laws)]
    ahead = ["-include", str(_standard_header())]
    return _object(stem, source, inputs, [*ahead, f"-I{laws}", f"-I{NATIVE}"], cache)


@functools.cache
def _standard_header() -> Path:
    """native/standard.h, compiled beside a copy of it: the compiler takes NAME.gch for NAME."""
    source = NATIVE / "standard.h"
    text = source.read_bytes()
    header = CACHE / "objects" / f"standard-{_digest([_tools_key(), text])}.h"
    compiled = header.with_name(f"{header.name}.gch")
    if not compiled.exists():
        _make(compiled, ["-x", "c++-header", str(source)])
        header.write_bytes(text)
    return header


def _python_includes() -> list[str]:
    return [f"-I{nanobind.include_dir()}", f"-I{sysconfig.get_path('include')}"]


def _object(
    name: str, source: Path, inputs: list[Path], flags: list[str], cache: Path = CACHE
) -> Path:
    contents = [part for p in inputs for part in (p.name.encode(), p.read_bytes())]
    target = cache / "objects" / f"{name}-{_digest([_tools_key(), *contents])}.o"
    if not target.exists():
        _make(target, ["-c", str(source), *flags])
    return target


def _make(target: Path, arguments: list[str]) -> None:
    """Runs the compiler; the target appears whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    command = [*compiler().split(), *FLAGS, *arguments, "-o", str(partial)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    partial.replace(target)
