# SPDX-License-Identifier: Apache-2.0
"""Builds `ecnomy_laws_testing`, the test-only module over the laws, with g++ and nanobind.

Objects are kept in the repository's build folder, each under a digest of its inputs
(its source, the headers that it includes, the compiler, nanobind and Python), so that a second run
compiles nothing, a changed law causes only the files that include it to be compiled, and
interpreters do not collide. The code is not optimised, because the tests spend their time in
Python. A module's law files are compiled as one, which is far faster. The full tier's mutants are
modules of one law, and there are so many of them that the standard library's headers are
precompiled once.
"""

from __future__ import annotations

import functools
import os
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import nanobind  # type: ignore[import-not-found, import-untyped, unused-ignore]

from compiling import BUILD, compiler, compiler_version, digest, included, made, run_compiler
from law_api import MODULE

__all__ = ["LAWS", "build_module", "law_headers"]

LAWS: Final = Path(__file__).resolve().parents[2] / "omnet" / "laws"
NATIVE: Final = Path(__file__).resolve().parent / "native"
CACHE: Final = BUILD / "law-tests"
FLAGS: Final = ("-std=c++20", "-O0", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off")
# laws that are registered by their class alone, named after the header; a marking law with the
# method that reads the quantity that it tracks
MARKING: Final = {
    "adaptive_threshold": "threshold_bytes",
    "adaptive_virtual_queue": "capacity_share",
    "blue": "",
    "choke": "",
    "codel": "",
    "flow_projection": "excess_bytes",
    "flow_projection_heuristic": "excess_bytes",
    "load_based": "load",
    "pi": "",
    "pie": "",
    "red": "average",
    "rem": "price",
    "self_configuring_red": "max_probability",
    "sfb": "",
    "sred": "hit_frequency",
    "threshold": "",
    "virtual_queue": "backlog_bytes",
}
WINDOW: Final = (
    *("bbr", "bbr1", "cubic", "dctcp", "prague", "primal", "rem_source", "scream"),
    *("tahoe", "vegas", "wtp", "wtp_sender"),
)
LAW_SOURCES: Final = tuple(
    sorted({*(p.stem for p in NATIVE.glob("*.cc") if p.stem != "binding"), *MARKING, *WINDOW})
)
APART: Final = ("stream_words",)  # renames what others include
Part = tuple[str, list[Path], list[str]]  # name, inputs (the source first), flags


def law_headers(laws: Path = LAWS) -> list[Path]:
    """Every header of the laws, sorted."""
    return sorted(laws.rglob("*.h"))


def build_module(
    laws: Path = LAWS, sources: tuple[str, ...] = LAW_SOURCES, folder: Path = CACHE
) -> Path:
    """Compiles changed files, two at a time, and links the module.

    Args:
        laws: folder with the law headers, the repository's or a changed copy.
        sources: laws of MARKING and WINDOW, and stems of files in native/, to link; the module
            holds only their laws.
        folder: folder for the module; objects are always shared.

    Returns:
        Path of the extension module, in its own folder.
    """
    together = [stem for stem in sources if stem not in APART]
    own = [_group(laws, [stem]) for stem in sources if stem in APART]
    own.append(_group(laws, together) if len(together) > 1 else _law(laws, *together))
    parts = [_nanobind(), _binding(), *own]
    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(_object, parts))
    key = digest(o.name.encode() for o in objects)
    target = folder / key / f"{MODULE}{sysconfig.get_config_var('EXT_SUFFIX')}"
    undefined = ["-undefined", "dynamic_lookup"] if os.uname().sysname == "Darwin" else []
    return made(target, lambda out: run_compiler("-shared", *objects, *undefined, "-o", out))


@functools.cache
def _tools_key() -> bytes:
    python = str(sysconfig.get_config_var("EXT_SUFFIX"))
    return "\n".join(
        [*compiler(), compiler_version(), nanobind.__version__, python, *FLAGS]
    ).encode()


def _nanobind() -> Part:
    source = Path(nanobind.source_dir()) / "nb_combined.cpp"
    robin_map = Path(nanobind.include_dir()).parent / "ext" / "robin_map" / "include"
    flags = ["-DNDEBUG", "-fno-strict-aliasing", *_python_includes(), f"-I{robin_map}"]
    return "nanobind", [source], flags


def _binding() -> Part:
    source = NATIVE / "binding.cc"
    return "binding", [source, NATIVE / "host.h"], ["-DNDEBUG", *_python_includes()]


@functools.cache
def _registration(stem: str) -> Path:
    """The source that registers a law: a file in native/, or one made from MARKING or WINDOW."""
    if stem not in MARKING and stem not in WINDOW:
        return NATIVE / f"{stem}.cc"
    kind = "marking" if stem in MARKING else "window"
    law = f"ecnomy::{stem.title().replace('_', '')}"
    reads = MARKING.get(stem)
    measure = f"[](const {law}& law) {{ return law.{reads}(); }}" if reads else "nullptr"
    text = (
        f'#include "{kind}/{stem}.h"\n#include "{kind}_host.h"\n'
        "namespace ecnomy_testing {\nnamespace {\n"
        f"const bool registered = register_{kind}<{law}>({measure if stem in MARKING else ''});\n"
        "}  // namespace\n}  // namespace ecnomy_testing\n"
    )
    source = CACHE / "objects" / f"{stem}-{digest([text.encode()])}.cc"
    return made(source, lambda out: out.write_text(text))


def _law(laws: Path, stem: str) -> Part:
    source = _registration(stem)
    headers = [path for path in included(source, (laws, NATIVE)) if path != source]
    ahead = ["-include", str(_standard_header())]
    return stem, [source, *headers], [*ahead, f"-I{laws}", f"-I{NATIVE}"]


def _group(laws: Path, stems: list[str]) -> Part:
    """Sources compiled as one file, with a different name of `registered` in each."""
    lines = "".join(
        f'#define registered registered_{stem}\n#include "{_registration(stem)}"\n'
        "#undef registered\n"
        for stem in stems
    )
    source = CACHE / "objects" / f"{stems[0]}-{digest([lines.encode()])}.cc"
    made(source, lambda out: out.write_text(lines))
    files = {file for stem in stems for file in included(_registration(stem), (laws, NATIVE))}
    return f"from-{stems[0]}", [source, *sorted(files)], [f"-I{laws}", f"-I{NATIVE}"]


@functools.cache
def _standard_header() -> Path:
    """Precompile a copy of native/standard.h. The compiler uses NAME.gch in place of NAME."""
    source = NATIVE / "standard.h"
    text = source.read_bytes()
    header = CACHE / "objects" / f"standard-{digest([_tools_key(), text])}.h"
    made(header, lambda out: out.write_bytes(text))
    compiled = header.with_name(f"{header.name}.gch")
    made(compiled, lambda out: run_compiler(*FLAGS, "-x", "c++-header", source, "-o", out))
    return header


def _python_includes() -> list[str]:
    return [f"-I{nanobind.include_dir()}", f"-I{sysconfig.get_path('include')}"]


def _object(part: Part) -> Path:
    name, inputs, flags = part
    contents = [piece for p in inputs for piece in (p.name.encode(), p.read_bytes())]
    target = CACHE / "objects" / f"{name}-{digest([_tools_key(), *contents])}.o"
    return made(target, lambda out: run_compiler(*FLAGS, "-c", inputs[0], *flags, "-o", out))
