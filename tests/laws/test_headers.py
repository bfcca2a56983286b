# SPDX-License-Identifier: Apache-2.0
"""Each law header is self-contained: it compiles alone, with warnings as errors.

A header is compiled again only if it, its includes or the compiler change.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from compiling import BUILD, compiler, compiler_version, digest, included, made
from law_build import LAWS, law_headers
from processes import LIMIT_S
from tiers import full

FLAGS: Final = (
    "-std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Werror -ffp-contract=off -x c++".split()
)
STANDARD: Final = frozenset(
    """algorithm array bitset cassert cfloat charconv climits cmath concepts cstddef cstdint
    cstdio cstring deque functional iterator limits map memory numeric optional queue set stdexcept
    string string_view tuple type_traits unordered_map utility variant vector""".split()
)
INCLUDE: Final = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
GUARD: Final = re.compile(r"^#ifndef (ECNOMY_LAWS_\w+_H_)$", re.MULTILINE)
FORBIDDEN: Final = re.compile(
    r"\b(?:std::(?:rand|mt19937|random_device|chrono|cout|cerr|exit|abort)"
    r"|f?printf|f?puts|time|clock)\s*\("
    r"|std::(?:mt19937|random_device|chrono|cout|cerr|\w+_distribution)\b"
)

HEADERS = [pytest.param(h, id=str(h.relative_to(LAWS))) for h in law_headers()]


def compile_only(source: str) -> subprocess.CompletedProcess[str]:
    """The compiler's verdict on a translation unit."""
    command = [*compiler(), *FLAGS, "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, timeout=LIMIT_S)


def test_there_are_headers() -> None:
    """The folder exists where the tests look for it."""
    assert {"parameter.h", "red.h", "wtp.h"} <= {h.name for h in law_headers()}


def compiles(source: str, headers: Iterable[Path]) -> None:
    """A translation unit compiles; earlier results are reused while its includes are unchanged."""
    parts = [f"{path}\n".encode() + path.read_bytes() for path in headers]
    key = digest([source.encode(), compiler_version().encode(), " ".join(FLAGS).encode(), *parts])

    def compiled(mark: Path) -> None:
        done = compile_only(source)
        assert done.returncode == 0, done.stderr
        mark.touch()

    made(BUILD / "law-tests" / "headers" / key, compiled)


@full
@pytest.mark.parametrize("header", HEADERS)
def test_header_compiles_alone(header: Path) -> None:
    """A file that includes only the header compiles with all warnings as errors."""
    compiles(f'#include "{header}"\n', included(header, (LAWS,)))


def test_each_header_includes_what_it_uses_of_the_laws() -> None:
    """Each header compiles twice in a new namespace, after the standard library.

    One file replaces one per header: an #include inside a namespace puts the content there.
    """
    texts = {header: header.read_text() for header in law_headers()}
    standard = {
        name for text in texts.values() for bracket, name in INCLUDE.findall(text) if bracket == "<"
    }
    forget = "".join(
        f"#undef {guard}\n" for text in texts.values() for guard in GUARD.findall(text)
    )
    lines = "".join(f"#include <{name}>\n" for name in sorted(standard))
    for number, header in enumerate(texts):
        include = f'#include "{header}"\n'
        lines += f"{forget}namespace alone_{number} {{\n{include * 2}}}\n"
    compiles(lines, law_headers())


def test_headers_compile_together() -> None:
    """All headers compile in one file, each twice, without a clash or a missing guard."""
    lines = "".join(f'#include "{header}"\n' for header in law_headers())
    compiles(lines * 2, law_headers())


@pytest.mark.parametrize("header", HEADERS)
def test_header_includes_laws_and_the_standard_library_only(header: Path) -> None:
    """An include is a standard header in angles or a file inside laws/ in quotes."""
    for bracket, name in INCLUDE.findall(header.read_text()):
        if bracket == "<":
            assert name in STANDARD, f"{header.name} includes <{name}>"
            continue
        target = (header.parent / name).resolve()
        assert target.is_file() and target.is_relative_to(LAWS), f"{header.name}: {name}"


@pytest.mark.parametrize("header", HEADERS)
def test_header_has_no_clock_generator_or_output(header: Path) -> None:
    """A law does not read a clock or print, and draws only from its argument."""
    code = re.sub(r"//.*", "", header.read_text())
    assert FORBIDDEN.search(code) is None, FORBIDDEN.search(code)


def test_warnings_are_errors_here() -> None:
    """The compiler flags reject code with warnings."""
    assert compile_only("int narrow(double x) { return x; }\n").returncode != 0
    assert compile_only("#include <iostream>\nint f() { return 0; }\n").returncode == 0
    assert FORBIDDEN.search("auto t = std::chrono::steady_clock::now();")
    assert not FORBIDDEN.search("Time on_timer(const QueueView& queue, Time now);")
