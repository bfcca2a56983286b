# SPDX-License-Identifier: Apache-2.0
"""Writes a page for each scenario of configs/examples, with its subject, commands and YAML.

Title and explanation come from the scenario's file. The picture is the one that configs/README.md
names for the file, or else the picture of the same name next to the file.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any, Final

import yaml

from ecnomy.markets.reference.examples import files_of
from sitegen.links import Links
from sitegen.markdown import code, contents, escaped, link

__all__ = ["commands_for", "explanation", "gallery_pages", "picture_of", "row_of"]

FOLDER: Final = "configs/examples"
_LOADER: Final[Any] = yaml.SafeLoader
_VERB: Final = re.compile(r"for `ecnomy ([a-z-]+)`")
_PICTURE: Final = re.compile(r"\[picture\]\(([^)]+)\)")


def explanation(text: str) -> list[str]:
    """Return the paragraphs of the comment at the start of a scenario, without the licence."""
    paragraphs = [""]
    for line in text.splitlines():
        if "SPDX-License-Identifier:" in line:
            continue
        if not line.startswith("#"):
            break
        words = line[1:].strip()
        if words:
            paragraphs[-1] = f"{paragraphs[-1]} {words}".strip()
        elif paragraphs[-1]:
            paragraphs.append("")
    return [one for one in paragraphs if one]


def row_of(example: str, readme: str) -> str:
    """Return the table row on an example in configs/README.md, or ""."""
    name = posixpath.basename(example)
    for line in readme.splitlines():
        cells = line.split("|")
        if len(cells) > 2 and name in cells[1].replace(",", " ").split():
            return line
    return ""


def picture_of(example: str, readme: str, files: frozenset[str]) -> str:
    """Return the path of an example's picture, or ""."""
    if picture := _PICTURE.search(row_of(example, readme)):
        return posixpath.normpath(posixpath.join("configs", picture[1]))
    beside = f"{example[:-5]}.png"
    return beside if beside in files else ""


def commands_for(example: str, readme: str) -> str:
    """Return the commands for an example: the verb in configs/README.md, or run and report."""
    if verb := _VERB.search(row_of(example, readme)):
        return f"ecnomy {verb[1]} {example}"
    out = f"results/{posixpath.basename(example)[:-5]}"
    return f"ecnomy run {example} --out {out}\necnomy report {out}"


def gallery_pages(root: Path, links: Links) -> dict[str, str]:
    """Return the page of each example, and the gallery of all examples."""
    readme = (root / "configs/README.md").read_text(encoding="utf-8")
    examples = sorted(
        name for name in links.files if posixpath.dirname(name) == FOLDER and name[-5:] == ".yaml"
    )
    made, rows = {}, []
    for example in examples:
        page = links.page(example)
        picture = picture_of(example, readme, links.files)
        title, made[page] = _page(root, example, readme, links)
        row = (
            f"- {link(escaped(title), 'gallery/index.md', page)} (`{posixpath.basename(example)}`)"
        )
        if picture:
            row += f"\n\n  ![{escaped(title)}]({links.picture(picture, 'gallery/index.md')})\n"
        rows.append((not picture, row))
    names = [posixpath.basename(links.page(example))[:-3] for example in examples]
    rows.sort(key=lambda row: row[0])
    made["gallery/index.md"] = "\n".join(
        [
            "# Gallery\n",
            f"Each scenario of `{FOLDER}` shows one idea.\n",
            *(row for _, row in rows),
            "",
            contents(names, shown=False),
        ]
    )
    return made


def _page(root: Path, example: str, readme: str, links: Links) -> tuple[str, str]:
    page, picture = links.page(example), picture_of(example, readme, links.files)
    text = (root / example).read_text(encoding="utf-8")
    tree = yaml.load(text, _LOADER)
    title = str(tree["title"])
    parts = [f"# {escaped(title)}\n", *(f"{escaped(one)}\n" for one in explanation(text))]
    if picture:
        parts.append(f"![{escaped(title)}]({links.picture(picture, page)})\n")
    parts += ["## Run it\n", code(commands_for(example, readme), "console"), "## Scenario\n"]
    if "extends" in tree:
        base = posixpath.normpath(posixpath.join(FOLDER, str(tree["extends"])))
        parts.append(f"It extends {link(f'`{base}`', page, links.page(base))}.\n")
    parts += [f"`{example}`\n", code(text, "yaml")]
    used = (
        f"{FOLDER}/{file.name}" for file in files_of(Path(example).stem) if file.suffix == ".py"
    )
    parts += [f"It uses {link(f'`{name}`', page, links.page(name))}.\n" for name in used]
    return title, "\n".join(parts)
