# SPDX-License-Identifier: Apache-2.0
"""Writes pages that show the other files and folders of the repository to which pages link."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sitegen.links import PICTURES, Links
from sitegen.markdown import code, escaped, link

__all__ = ["file_pages"]

_LANGUAGES: Final = {".yaml": "yaml", ".py": "python", ".h": "cpp", ".cc": "cpp", ".ini": "ini"}
_ORPHAN: Final = "---\norphan: true\n---\n"


def file_pages(root: Path, links: Links) -> dict[str, str]:
    """Return the page of each file and folder to which links lead."""
    made: dict[str, str] = {}
    while missing := [path for path in links.shown if links.page(path) not in made]:
        for path in missing:
            page = links.page(path)
            if page in made:
                raise ValueError(f"{path}: another file already has the page {page}")
            show = _folder if path in links.folders else _file
            made[page] = f"{_ORPHAN}# {escaped(path)}\n\n{show(root, path, page, links)}"
    return made


def _folder(root: Path, path: str, page: str, links: Links) -> str:
    inside = sorted(name for name in links.files if name.startswith(f"{path}/"))
    rows = (link(escaped(name.removeprefix(f"{path}/")), page, links.page(name)) for name in inside)
    return "\n".join(f"- {row}" for row in rows) + "\n"


def _file(root: Path, path: str, page: str, links: Links) -> str:
    if path.endswith(PICTURES):
        return f"![{escaped(path)}]({links.picture(path, page)})\n"
    language = _LANGUAGES.get(Path(path).suffix, "text")
    return code((root / path).read_text(encoding="utf-8"), language)
