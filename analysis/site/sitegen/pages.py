# SPDX-License-Identifier: Apache-2.0
"""Collects all pages of the site, with tables of contents, and writes them for Sphinx."""

from __future__ import annotations

import posixpath
import shutil
from pathlib import Path
from typing import Final

from sitegen.cite import cite_page
from sitegen.commands import command_pages
from sitegen.documents import PAPER, ROOT, START, tracked
from sitegen.files import file_pages
from sitegen.gallery import gallery_pages
from sitegen.keys import key_pages
from sitegen.links import Links, picture_file
from sitegen.markdown import contents, link
from sitegen.papers import paper_pages
from sitegen.play import PAGE, play_page
from sitegen.python_api import python_pages
from sitegen.software_paper import paper_text

__all__ = ["all_pages", "write_pages"]

_SECTIONS: Final = {
    "tutorial": "Tutorial",
    "howto": "How-to",
    "concepts": "Concepts",
    "validation": "Validation",
}
_ORDER: Final = ("tutorial", "howto", "gallery", "concepts", "reference", "validation", "papers")


def all_pages(root: Path = ROOT, *, play: bool = False) -> tuple[dict[str, str], Links]:
    """Return the text of each page by its file, and the links with the pictures that pages need.

    Args:
        root: the repository.
        play: whether the site has the page Play, which requires the engine for browsers.
    """
    links = Links(tracked(root))
    made = {}
    documents = {name: page for name, page in links.pages.items() if name.endswith(".md")}
    for name, page in documents.items():
        text = paper_text(root) if name == PAPER else (root / name).read_text(encoding="utf-8")
        made[page] = links.rewrite(text, name, page)
    order = ("play", *_ORDER) if play else _ORDER
    made[START] += "\n" + contents(
        ["Start <self>", *(f"{name}/index" for name in order), "cite"], shown=False
    )
    if play:
        made[PAGE] = play_page()
    for section, title in _SECTIONS.items():
        made[f"{section}/index.md"] = _section(section, title, documents)
    made["reference/index.md"] = _reference(documents, links)
    made |= gallery_pages(root, links) | paper_pages(links)
    made |= key_pages() | command_pages() | python_pages()
    made["cite.md"] = cite_page(root)
    made |= file_pages(root, links)
    return made, links


def write_pages(folder: Path, root: Path = ROOT, *, play: bool = False) -> int:
    """Write all pages and pictures to a folder, and return the number of pages.

    Everything else in the folder is deleted.
    """
    made, links = all_pages(root, play=play)
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in made.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for name in links.pictures:
        file = folder / picture_file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, file)
    return len(made)


def _section(section: str, title: str, documents: dict[str, str]) -> str:
    return f"# {title}\n\n" + contents(_names(section, documents))


def _names(section: str, documents: dict[str, str]) -> list[str]:
    pages = [page for page in documents.values() if posixpath.dirname(page) == section]
    return [posixpath.basename(page)[:-3] for page in pages]


def _reference(documents: dict[str, str], links: Links) -> str:
    page, markets = "reference/index.md", links.page("markets/README.md")
    tables = link("The tables of a results folder", page, markets, "a-results-folder-format-1")
    values = link("the output of `--json`", page, markets, "json")
    entries = ["keys/index", "commands/index", "python/index", *_names("reference", documents)]
    return (
        f"# Reference\n\n{contents(entries)}\n{tables} and {values} are described with markets.\n"
    )
