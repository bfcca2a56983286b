# SPDX-License-Identifier: Apache-2.0
"""The rooms and folders that ARCHITECTURE.md draws, and the includes between the C++ folders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rooms

ROOT = Path(__file__).parents[1]
NAMES = "[a-z_]+(?:, [a-z_]+)*"
MAY_INCLUDE = {
    "laws": {"laws"},
    "bridge": {"bridge"},
    "host": {"laws", "bridge", "host"},
    "engine": {"laws", "bridge", "host", "engine"},
    "linux": {"laws", "bridge", "host", "engine", "linux"},
    "browser": {"laws", "bridge", "host", "engine", "browser"},
    "inet": {"laws", "bridge", "host", "inet"},
}


def drawn(part: str) -> list[str]:
    """The names in a part's box: words at a line's start, or followed by a description."""
    lines = (ROOT / "ARCHITECTURE.md").read_text().splitlines()
    top = next(at for at, line in enumerate(lines) if f"┌─ {part}/" in line)
    left = lines[top].index(f"┌─ {part}/")
    cells = (re.split("[│┤├]", line[left + 1 :])[0] for line in lines[top + 1 :])
    labels: list[str] = []
    for cell in cells:
        if cell.startswith("─"):
            return labels
        for first, more in re.findall(rf"^ ({NAMES})(?=  |\s*$)|  ({NAMES})(?=  +\S)", cell):
            labels += (first or more).split(", ")
    raise AssertionError(f"the box {part} has no end")


@pytest.mark.parametrize("package", rooms.PACKAGES)
def test_the_picture_names_every_room(package: str) -> None:
    """Each subpackage is drawn once; other names in its box are modules of the package."""
    home = ROOT / package / "ecnomy" / package
    known = {file.parent.name for file in home.glob("*/__init__.py")}
    names = drawn(package)
    assert len(names) == len(set(names))
    assert known <= set(names)
    assert set(names) - known <= {file.stem for file in home.glob("*.py")}


def test_the_picture_names_the_cpp_folders() -> None:
    """The box of omnet has the folders whose includes are tested, and these exist."""
    assert sorted(drawn("omnet")) == sorted(MAY_INCLUDE)
    assert all((ROOT / "omnet" / folder).is_dir() for folder in MAY_INCLUDE)


def crossings(omnet: Path) -> list[str]:
    """Each include of a file in a folder from which the including file's folder may not take."""
    breaches = []
    for folder, allowed in MAY_INCLUDE.items():
        for path in sorted((omnet / folder).rglob("*.[hc]*")):
            for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(), re.M):
                target = (path.parent / name).resolve()
                if not target.is_file():
                    homes = (omnet, omnet / "inet")
                    target = next((h / name for h in homes if (h / name).is_file()), omnet / name)
                if not target.resolve().is_relative_to(omnet.resolve()):
                    continue
                there = target.resolve().relative_to(omnet.resolve()).parts[0]
                if there in MAY_INCLUDE and there not in allowed:
                    breaches.append(f"{path.relative_to(omnet)} includes {name}")
    return breaches


def test_cpp_folders_include_only_what_is_below_them() -> None:
    """laws and bridge are below host, host is below engine and inet, engine is below linux."""
    assert crossings(ROOT / "omnet") == []


@pytest.mark.parametrize(
    "file, line, refused",
    [
        ("laws/marking/red.h", '#include "host/plan.h"', True),
        ("laws/marking/red.h", '#include "../../bridge/codec.h"', True),
        ("laws/red.h", '#include "engine/simulation.h"', True),
        ("laws/red.h", "#include <cmath>", False),
        ("host/plan.h", '  #  include "engine/simulation.h"', True),
        ("host/plan.h", "#include <engine/simulation.h>", True),
        ("host/tcp/sender.h", '#include "queue/Link.h"', True),  # of inet, by its own path
        ("host/plan.h", '#include "linux/router.h"', True),
        ("host/plan.h", '#include "bridge/codec.h"', False),
        ("bridge/codec.cc", '#include "host/plan.h"', True),
        ("bridge/codec.cc", '#include "codec.h"', False),
        ("engine/simulation.cc", '#include "inet/queue/Link.h"', True),
        ("engine/simulation.cc", '#include "linux/router.h"', True),
        ("engine/simulation.cc", '#include "host/plan.h"', False),
        ("inet/queue/Link.cc", '#include "engine/simulation.h"', True),
        ("inet/queue/Link.cc", '#include "inet/common/Defs.h"', False),
        ("inet/queue/Link.cc", '#include "host/plan.h"', False),
        ("browser/steps.cc", '#include "engine/simulation.h"', False),
        ("browser/steps.cc", '#include "linux/router.h"', True),
        ("linux/router.cc", '#include "engine/simulation.h"', False),
    ],
)
def test_an_include_of_a_higher_folder_is_found(
    tmp_path: Path, file: str, line: str, refused: bool
) -> None:
    """Each planted include is refused, by whatever path; includes of lower folders are not."""
    for name in ("host/plan.h", "bridge/codec.h", "engine/simulation.h", "linux/router.h", file):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "inet/queue").mkdir(parents=True, exist_ok=True)
    (tmp_path / "inet/queue/Link.h").touch()
    (tmp_path / file).write_text(f"{line}\n")
    assert crossings(tmp_path) == ([f"{file} includes {line.split()[-1][1:-1]}"] if refused else [])
