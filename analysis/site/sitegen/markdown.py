# SPDX-License-Identifier: Apache-2.0
"""Formats and reads Markdown: escaped text, anchors, code blocks, links and tables of contents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

__all__ = ["anchors", "blocks", "code", "contents", "escaped", "link", "relative", "slug"]

_FENCE = re.compile(r"^(`{3,}|~{3,})")
_SPAN = re.compile(r"(`+[^`]*`+)")
_SPECIAL = re.compile(r"([\\*_<>\[\]|#])")


def escaped(text: str) -> str:
    """Return plain text as Markdown, with special characters escaped except in code spans."""
    parts = _SPAN.split(" ".join(text.split()))
    return "".join(part if part[:1] == "`" else _SPECIAL.sub(r"\\\1", part) for part in parts)


def code(text: str, language: str = "text") -> str:
    """Return a code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def blocks(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the lines of Markdown, each with whether it belongs to a code block."""
    fence, blank, indented = "", True, False
    for line in text.splitlines(keepends=True):
        fence_line = _FENCE.match(line)
        if fence:
            yield True, line
            if fence_line and fence_line[1].startswith(fence):
                fence = ""
            continue
        indented = line.startswith("    ") and (blank or indented)
        blank = not line.strip()
        if fence_line:
            fence = fence_line[1]
        yield bool(fence) or indented, line


def slug(heading: str) -> str:
    """Return the anchor of a heading as GitHub and MyST generate it."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).replace("`", "")
    return re.sub(r"[^\w\- ]", "", words.replace("\\", "").lower()).replace(" ", "-")


def anchors(text: str) -> list[str]:
    """Return the anchors of all headings; repeated anchors end in a number."""
    names: list[str] = []
    for is_code, line in blocks(text):
        heading = re.match(r"#{1,6} (.*)", line)
        if heading and not is_code:
            name = slug(heading[1])
            again = sum(
                one == name or re.fullmatch(rf"{re.escape(name)}-\d+", one) is not None
                for one in names
            )
            names.append(f"{name}-{again}" if again else name)
    return names


def relative(page: str, other: str) -> str:
    """Return the relative path from the file of one page to another page."""
    return os.path.relpath(other, os.path.dirname(page) or ".")


def link(text: str, page: str, other: str, anchor: str = "") -> str:
    """Return a link from one page to another."""
    return f"[{text}]({relative(page, other)}{'#' if anchor else ''}{anchor})"


def contents(entries: Iterable[str], shown: bool = True, title: str = "") -> str:
    """Return a table of contents for Sphinx, with entries relative to the page."""
    options = [":maxdepth: 1"] if shown else [":hidden:"]
    if title:
        options.append(f":caption: {title}")
    return "\n".join(["```{toctree}", *options, "", *entries, "```", ""])
