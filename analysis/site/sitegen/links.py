# SPDX-License-Identifier: Apache-2.0
"""Rewrites links of the repository's Markdown to pages of the site.

A link to a document or to an example goes to its page. Any other file or folder gets a page that
shows it. Pictures are copied to the site.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final

from sitegen.documents import pages_of_documents
from sitegen.markdown import blocks, relative

__all__ = ["PICTURES", "Links", "picture_file"]

PICTURES: Final = (".png", ".svg", ".jpg")
_FOREIGN: Final = re.compile(r"[a-z]+:|#")
_TARGET: Final = re.compile(r"\]\(([^)\s]+)\)")


def picture_file(path: str) -> str:
    """Return the path in the site's source to which a picture of the repository is copied."""
    return f"pictures/{path}"


class Links:
    """Rewrites links, and records the pictures, files and folders that they need.

    Attributes:
        pages: page of each document and example of the repository, and of their folders.
        shown: files and folders to which links lead and which have no other page.
        pictures: pictures that pages show.
    """

    def __init__(self, files: tuple[str, ...]) -> None:
        """Assign pages to documents, examples and their folders."""
        self.files = frozenset(files)
        self.folders = {folder for name in files for folder in _above(name)}
        self.pages = pages_of_documents(files)
        self.pages |= {
            posixpath.dirname(name): page
            for name, page in self.pages.items()
            if name.endswith("/README.md")
        }
        for name in files:
            if name.startswith("configs/examples/") and name.endswith(".yaml"):
                self.pages[name] = f"gallery/{posixpath.basename(name)[:-5]}.md"
        self.pages |= {"configs/examples": "gallery/index.md", "configs/papers": "papers/index.md"}
        self.shown: dict[str, None] = {}
        self.pictures: set[str] = set()

    def page(self, path: str) -> str:
        """Return the page for a file or folder of the repository.

        Raises:
            KeyError: the repository has no such file or folder.
        """
        if path in self.pages:
            return self.pages[path]
        if path not in self.files and path not in self.folders:
            raise KeyError(f"{path}: the repository has no such file or folder")
        self.shown[path] = None
        if path in self.folders:
            for name in sorted(self.files):
                if name.startswith(f"{path}/") and name not in self.pages:
                    self.shown[name] = None
        return f"files/{re.sub(r'[^A-Za-z0-9]+', '-', path).strip('-').lower()}.md"

    def picture(self, path: str, page: str) -> str:
        """Return the path from a page to a picture, and record the picture for copying."""
        if path not in self.files:
            raise KeyError(f"{path}: the repository has no such picture")
        self.pictures.add(path)
        return relative(page, picture_file(path))

    def rewrite(self, text: str, document: str, page: str) -> str:
        """Return the text of a document with its links rewritten for its page."""
        kinds = list(blocks(text))
        prose, parts = "", []
        for is_code, line in [*kinds, (True, "")]:
            if not is_code:
                prose += line
                continue
            parts += [self._prose(prose, document, page), line]
            prose = ""
        return "".join(parts)

    def _prose(self, text: str, document: str, page: str) -> str:
        def target(match: re.Match[str]) -> str:
            return f"]({self._target(match[1], _is_picture(text, match.start()), document, page)})"

        return _TARGET.sub(target, text)

    def _target(self, target: str, drawn: bool, document: str, page: str) -> str:
        if _FOREIGN.match(target):
            return target
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document), path))
        if drawn:
            return self.picture(path, page)
        way = relative(page, self.page(path))
        return f"{way}#{anchor}" if anchor else way


def _above(name: str) -> list[str]:
    steps = name.split("/")
    return ["/".join(steps[:n]) for n in range(1, len(steps))]


def _is_picture(text: str, end: int) -> bool:
    depth = 0
    for at in range(end, -1, -1):
        depth += {"]": 1, "[": -1}.get(text[at], 0)
        if not depth:
            return text[at - 1 : at] == "!"
    return False
