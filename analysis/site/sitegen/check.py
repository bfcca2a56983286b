# SPDX-License-Identifier: Apache-2.0
"""Checks a built site: internal links resolve, and pages load nothing from other hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

__all__ = ["faults"]

_LOADS: Final = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("object", "data"),
    ("form", "action"),
}
_PLAIN_LINKS: Final = frozenset({"canonical", "license", "author"})
_IN_STYLE: Final = re.compile(r"(?:url\(\s*|@import\s+)['\"]?((?:https?:)?//[^'\")\s]+)")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        for name in given:
            if (tag, name) in _LOADS and given.get("rel") not in _PLAIN_LINKS:
                self.loads.append(given[name])


def faults(site: Path) -> list[str]:
    """Return a line for each broken link of a built site and each resource from another host."""
    pages = {}
    for file in sorted(site.rglob("*.html")):
        if "_static" in file.relative_to(site).parts:
            continue  # the theme's templates
        pages[file] = _Page()
        pages[file].feed(file.read_text(encoding="utf-8"))
    lines = [line for file in pages for line in _of_page(site, file, pages)]
    for file in sorted(site.rglob("*.css")):
        hosts = _IN_STYLE.findall(file.read_text(encoding="utf-8"))
        lines += [f"{file.relative_to(site)}: loads {host}" for host in hosts]
    return lines


def _of_page(site: Path, file: Path, pages: dict[Path, _Page]) -> Iterator[str]:
    name = file.relative_to(site)
    for target in pages[file].loads:
        if urlsplit(target).netloc:
            yield f"{name}: loads {target}"
    for target in dict.fromkeys([*pages[file].links, *pages[file].loads]):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        other = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        if not other.is_file():
            yield f"{name}: {target}: no such file"
        elif parts.fragment and other in pages and other.suffix == ".html":
            if unquote(parts.fragment) not in pages[other].anchors:
                yield f"{name}: {target}: no such anchor"
