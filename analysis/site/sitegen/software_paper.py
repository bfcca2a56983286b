# SPDX-License-Identifier: Apache-2.0
"""Converts the software paper, analysis/site/paper/paper.md, to a page of the site.

The paper is in the form that JOSS prescribes. JOSS uses Pandoc, which reads the YAML header and
citations such as `[@kelly1998]` from paper.bib. Sphinx supports neither, so the page has names and
years, and a list of references.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import yaml

from sitegen.documents import PAPER
from sitegen.markdown import escaped

__all__ = ["cited", "paper_text", "references"]

_LOADER: Final[Any] = yaml.SafeLoader
_CITED = re.compile(r"\[(@[\w-]+(?:; @[\w-]+)*)\]")
_ENTRY = re.compile(r"^@\w+\{([\w-]+),\n(.*?)^\}", re.M | re.S)
_FIELD = re.compile(r"(\w+) = \{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_ACCENTS: Final = {r"{\'e}": "é", r"{\'a}": "á", r"{\'o}": "ó", r"\&": "&", "--": "\u2013"}
_LAST: Final = "\n# References\n"


def paper_text(root: Path) -> str:
    """Return the paper as Markdown for Sphinx, with links as in the repository."""
    text = (root / PAPER).read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    known = references((root / PAPER).with_suffix(".bib").read_text(encoding="utf-8"))
    names = {key: _label(fields) for key, fields in known.items()}

    def label(match: re.Match[str]) -> str:
        keys = [key.lstrip("@") for key in match[1].split("; ")]
        return f"([{'; '.join(names[key] for key in keys)}](#references))"

    title = yaml.load(head, _LOADER)["title"]
    prose, last, _ = body.partition(_LAST)
    listed = "".join(f"- {_reference(known[key])}\n" for key in cited(body))
    whole = _CITED.sub(label, prose) + f"{last}\n{listed}"
    return f"# The software paper\n\n**{escaped(title)}**\n" + re.sub(
        r"^# ", "## ", whole, flags=re.M
    )


def cited(text: str) -> list[str]:
    """Return the keys that a paper cites, in order and without repeats."""
    keys = [key.lstrip("@") for group in _CITED.findall(text) for key in group.split("; ")]
    return list(dict.fromkeys(keys))


def references(bibtex: str) -> dict[str, dict[str, str]]:
    """Return the fields of each entry of a BibTeX file, as plain text."""
    return {
        key: {n: _plain(v) for n, v in _FIELD.findall(body)} for key, body in _ENTRY.findall(bibtex)
    }


def _plain(value: str) -> str:
    for written, meant in _ACCENTS.items():
        value = value.replace(written, meant)
    return re.sub(r"[{}]", "", value)


def _label(fields: dict[str, str]) -> str:
    names = [name.partition(",")[0] for name in fields["author"].split(" and ")]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who}, {fields['year']}" if "year" in fields else who


def _reference(fields: dict[str, str]) -> str:
    names = [" ".join(reversed(name.split(", "))) for name in fields["author"].split(" and ")]
    parts = [", ".join(names), fields["title"]]
    for name in ("journal", "booktitle", "institution", "howpublished"):
        parts += [fields[name]] if name in fields else []
    if "number" in fields:
        volume, number = fields.get("volume"), fields["number"]
        kind = fields.get("type", "")
        parts.append(f"{volume}({number})" if volume else f"{kind} {number}".strip())
    parts += [fields[name] for name in ("pages", "year") if name in fields]
    text = escaped(". ".join(parts)) + "."
    way = f"https://doi.org/{fields['doi']}" if "doi" in fields else fields.get("url", "")
    return f"{text} [{way}]({way})" if way else text
