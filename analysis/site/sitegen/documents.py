# SPDX-License-Identifier: Apache-2.0
"""Assigns the Markdown files of the repository to pages and sections of the site.

A section lists files or patterns. Every tracked Markdown file belongs to exactly one section,
except README.md (the first page) and the software paper.
"""

from __future__ import annotations

import fnmatch
import subprocess
from pathlib import Path
from typing import Final

__all__ = ["DOCUMENTS", "PAPER", "ROOT", "START", "page_of", "pages_of_documents", "tracked"]

ROOT: Final = Path(__file__).resolve().parents[3]
START: Final = "index.md"
PAPER: Final = "analysis/site/paper/paper.md"
_MADE: Final = ("build", "dist", "results")
DOCUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "tutorial": ("configs/tutorial/README.md",),
    "howto": (
        "configs/README.md",
        "configs/tutorial/linux.md",
        "markets/README.md",
        "agents/README.md",
        "analysis/README.md",
        "configs/studies/*/README.md",
        "omnet/README.md",
        "omnet/simulations/README.md",
        "omnet/simulations/*/README.md",
        "omnet/samples/README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
    ),
    "concepts": (
        "ARCHITECTURE.md",
        *(f"{part}/decisions.md" for part in ("omnet", "agents", "markets", "analysis")),
    ),
    "reference": ("omnet/bridge/PROTOCOL.md", "CHANGELOG.md"),
    "validation": (
        "tests/validation/README.md",
        "tests/validation/linux/README.md",
        "tests/README.md",
        "tests/decisions.md",
        "tests/bench/README.md",
    ),
}


def tracked(root: Path = ROOT) -> tuple[str, ...]:
    """Return the files that git tracks or, without git, visible files that are not generated."""
    words = ["git", "-C", str(root), "ls-files"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == 0:
        names = done.stdout.splitlines()
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*")]
        names = [name for name in names if name[0] != "." and name.split("/")[0] not in _MADE]
    return tuple(sorted(name for name in set(names) if (root / name).is_file()))


def page_of(document: str) -> str:
    """Return the page of a Markdown file of the repository.

    Raises:
        KeyError: the file does not belong to a section.
    """
    if document == "README.md":
        return START
    if document == PAPER:
        return "paper.md"
    for section, patterns in DOCUMENTS.items():
        if any(fnmatch.fnmatchcase(document, pattern) for pattern in patterns):
            name = document.removesuffix(".md").removesuffix("/README")
            return f"{section}/{name.replace('/', '-').replace('_', '-').lower()}.md"
    raise KeyError(
        f"{document}: not in any section of the site; add it to a section in sitegen/documents.py"
    )


def pages_of_documents(files: tuple[str, ...]) -> dict[str, str]:
    """Return the page of each Markdown file, in the order of the sections."""
    documents = [name for name in files if name.endswith(".md")]
    patterns = ["README.md", *(one for some in DOCUMENTS.values() for one in some)]

    def place(name: str) -> int:
        return next((n for n, one in enumerate(patterns) if fnmatch.fnmatchcase(name, one)), -1)

    return {name: page_of(name) for name in sorted(documents, key=lambda n: (place(n), n))}
