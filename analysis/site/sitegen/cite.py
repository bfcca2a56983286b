# SPDX-License-Identifier: Apache-2.0
"""Writes the page on how to cite ecnomy, from CITATION.cff."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml

from sitegen.markdown import code, contents, escaped

__all__ = ["cite_page"]

_LOADER: Final[Any] = yaml.SafeLoader


def cite_page(root: Path) -> str:
    """Return the page, with the citation as BibTeX and the file CITATION.cff."""
    text = (root / "CITATION.cff").read_text(encoding="utf-8")
    cff: dict[str, Any] = yaml.load(text, _LOADER)
    authors = " and ".join(_name(one) for one in cff["authors"])
    fields = {"author": f"{{{authors}}}", "title": cff["title"], "version": cff["version"]}
    fields |= {key: cff[key] for key in ("doi", "url", "license") if key in cff}
    rows = (f"  {key} = {{{value}}}," for key, value in fields.items())
    bibtex = "\n".join(["@software{ecnomy,", *rows, "}"])
    return "\n".join(
        [
            "# Cite\n",
            f"{escaped(cff['message'])}\n",
            f"{escaped(cff['abstract'])}\n",
            contents(["paper"]),
            "## BibTeX\n",
            code(bibtex, "bibtex"),
            "## CITATION.cff\n",
            code(text, "yaml"),
        ]
    )


def _name(author: dict[str, str]) -> str:
    if "name" in author:
        return author["name"]
    return f"{author['family-names']}, {author['given-names']}"
