# SPDX-License-Identifier: Apache-2.0
"""Writes a page for each paper of `ecnomy reproduce`, with its entries and claims."""

from __future__ import annotations

from typing import Final

from ecnomy.analysis.reproduce.catalogue import Claim, Paper, PaperEntry
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from sitegen.links import Links
from sitegen.markdown import code, contents, escaped, link

__all__ = ["FOLDER", "paper_pages"]

FOLDER: Final = "papers"


def paper_pages(links: Links) -> dict[str, str]:
    """Return a page for each paper, and the index of all papers."""
    papers = [load_paper(name) for name in PAPERS]
    made = {f"{FOLDER}/{one.paper}.md": _paper(one, links) for one in papers}
    index = f"{FOLDER}/index.md"
    rows = [
        f"- {link(f'`{one.paper}`', index, f'{FOLDER}/{one.paper}.md')}: {escaped(one.cites)}; "
        f"{len(one.entries)} entries, {sum(len(e.claims) for e in one.entries.values())} claims"
        for one in papers
    ]
    state = link(
        "current or stale", index, links.page("tests/validation/README.md"), "current-or-stale"
    )
    made[index] = "\n".join(
        [
            "# Papers\n",
            "`ecnomy reproduce` tests the claims of these papers one by one. Records of the "
            f"verdicts are {state}.\n",
            *rows,
            "",
            contents(PAPERS, shown=False),
        ]
    )
    return made


def _paper(paper: Paper, links: Links) -> str:
    page = f"{FOLDER}/{paper.paper}.md"
    data = f"configs/papers/{paper.paper}/claims.yaml"
    parts = [
        f"# {paper.paper}\n",
        f"{escaped(paper.cites)}\n",
        code(f"ecnomy reproduce {paper.paper} --quick", "console"),
        f"The expected values are in {link(f'`{data}`', page, links.page(data))}.\n",
    ]
    if paper.headlines:
        parts += ["## Main results\n", *(f"- {escaped(one.says)}" for one in paper.headlines), ""]
    parts += [_entry(paper.paper, item, entry) for item, entry in paper.entries.items()]
    return "\n".join(parts)


def _entry(paper: str, item: str, entry: PaperEntry) -> str:
    names = ", ".join(f"`{paper}.{name}`" for name in entry.ids(item))
    rows = [f"- {number}: {escaped(one.says)}{_state(one)}" for number, one in entry.claims.items()]
    return "\n".join([f"## {item}: {escaped(entry.title)}\n", f"{names}\n", *rows, ""])


def _state(claim: Claim) -> str:
    if claim.pending:
        return f" *Pending: {escaped(claim.pending)}*"
    return f" *Not testable: {escaped(claim.not_testable)}*" if claim.not_testable else ""
