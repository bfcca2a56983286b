# SPDX-License-Identifier: Apache-2.0
"""The documentation site: its generated pages, their links, and the check of a built site."""

from __future__ import annotations

import importlib
import json
import posixpath
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.markets.cli.main import commands
from ecnomy.markets.reference.files import all_entries
from sitegen.check import faults
from sitegen.documents import PAPER, ROOT, page_of, tracked
from sitegen.gallery import commands_for, explanation, picture_of
from sitegen.keys import place
from sitegen.links import Links
from sitegen.markdown import anchors, blocks, code, escaped, slug
from sitegen.pages import all_pages, write_pages
from sitegen.python_api import PACKAGES, with_code
from sitegen.software_paper import cited, references

_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def site() -> tuple[dict[str, str], Links]:
    """All pages, generated once."""
    return all_pages()


@pytest.fixture(scope="module")
def pages(site: tuple[dict[str, str], Links]) -> dict[str, str]:
    """The text of each page."""
    return site[0]


def test_every_link_resolves(site: tuple[dict[str, str], Links]) -> None:
    """Links lead to a page and a heading on it, or to a copied picture."""
    pages, links = site
    known = {page: set(anchors(text)) for page, text in pages.items()}
    broken, checked = [], 0
    for page, text in pages.items():
        prose = "".join(line for is_code, line in blocks(text) if not is_code)
        for target in _LINK.findall(re.sub(r"`+[^`]*`+", "", prose)):
            if re.match(r"[a-z]+:", target):
                continue
            checked += 1
            path, _, anchor = target.partition("#")
            other = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
            other = other if path else page
            if other.startswith("pictures/"):
                missing = other.removeprefix("pictures/") not in links.pictures
            else:
                missing = other not in pages or (bool(anchor) and anchor not in known[other])
            broken += [(page, target)] * missing
    assert broken == []
    assert checked > 500


def test_every_page_is_in_a_list_of_contents(pages: dict[str, str]) -> None:
    """Exceptions are the start page, and pages that only show a file and say so."""
    listed = {"index"}
    for page, text in pages.items():
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.S):
            for line in block.splitlines():
                if line and line[0] != ":":
                    listed.add(posixpath.join(posixpath.dirname(page), line))
    alone = [p for p, text in pages.items() if posixpath.splitext(p)[0] not in listed]
    assert [page for page in alone if not pages[page].startswith("---\norphan: true")] == []


def test_every_document_is_a_page(pages: dict[str, str]) -> None:
    """There is a page for each Markdown file of the repository."""
    documents = [name for name in tracked() if name.endswith(".md")]
    assert len(documents) > 20
    assert len({page_of(name) for name in documents}) == len(documents)
    for name in documents:
        headings = anchors((ROOT / name).read_text(encoding="utf-8"))
        on_page = anchors(pages[page_of(name)])[name == PAPER :]  # the paper's title is in its head
        assert on_page[: len(headings)] == headings, name


def test_the_paper_cites_what_its_bibliography_has(pages: dict[str, str]) -> None:
    """Every reference is cited and listed with its link, and no Pandoc citation is left."""
    paper, page = (ROOT / PAPER).read_text(encoding="utf-8"), pages[page_of(PAPER)]
    known = references((ROOT / PAPER).with_suffix(".bib").read_text(encoding="utf-8"))
    assert sorted(cited(paper)) == sorted(known) and len(known) > 10
    assert "@" not in page and "{" not in page.partition("## References")[2]
    assert "([Kelly et al., 1998; Gibbens and Kelly, 1999](#references))" in page
    listed = page.partition("## References")[2].strip().splitlines()
    assert "Automatica. 35(12). 1969\u20131985. 1999. [https" in page and "RFC 9332. 2023." in page
    assert len(listed) == len(known)
    for line, fields in zip(listed, (known[key] for key in cited(paper)), strict=True):
        assert escaped(fields["title"]) in line and fields.get("doi", "") in line


def test_the_paper_is_in_the_form_of_joss() -> None:
    """Authors and title are as in CITATION.cff, and the paper has at most a thousand words."""
    _, head, body = (ROOT / PAPER).read_text(encoding="utf-8").split("---\n", 2)
    fields, cff = yaml.safe_load(head), yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert [one["name"] for one in fields["authors"]] == [one["name"] for one in cff["authors"]]
    assert fields["title"] == cff["title"] and fields["bibliography"] == "paper.bib"
    indices = {str(one["index"]) for one in fields["affiliations"]}
    assert {str(one["affiliation"]) for one in fields["authors"]} <= indices
    assert f"ecnomy {cff['version']} " in body
    assert {"summary", "statement-of-need", "references"} < set(anchors(body))
    assert 700 <= len(body.split()) <= 1000


def test_the_papers_figures_are_those_of_the_records() -> None:
    """The verdicts on the papers' claims and on both engines, as they are recorded now."""
    body = " ".join((ROOT / PAPER).read_text(encoding="utf-8").split())
    claims = json.loads((ROOT / "tests/validation/papers.json").read_bytes())["records"]
    n = Counter(one["verdict"] for one in claims)
    assert f"Of {len(claims)} claims, {n['confirmed']} are confirmed, {n['refuted']} are" in body
    assert f"and {n['depends']} depend on an open setting. {n['inconclusive']} are" in body
    assert f"{n['not testable']} cannot be tested, {n['reported']} are only reported" in body
    records = [json.loads(p.read_bytes()) for p in (ROOT / "tests/validation/omnet").glob("*.json")]
    n = Counter(row["verdict"] for one in records for row in one["rows"] if row["verdict"])
    assert f"run {len(records)} recorded scenarios" in body
    assert f"judge {n.total()} values" in body and f"{n['equivalent']} are equivalent, one" in body
    assert (n["undecided"], n["different"]) == (1, 0)


def test_every_example_has_a_page(pages: dict[str, str]) -> None:
    """The page has title, explanation, the exact YAML and a command."""
    examples = sorted((ROOT / "configs/examples").glob("*.yaml"))
    assert len(examples) > 30
    for file in examples:
        text = file.read_text(encoding="utf-8")
        page = pages[f"gallery/{file.stem}.md"]
        assert page.startswith(f"# {escaped(str(yaml.safe_load(text)['title']))}\n"), file.name
        assert explanation(text), file.name
        assert code(text, "yaml") in page, file.name
        assert re.search(rf"ecnomy [a-z-]+ configs/examples/{file.name}", page), file.name
        assert f"]({file.stem}.md)" in pages["gallery/index.md"], file.name


def test_examples_show_the_pictures_that_the_list_of_examples_names(pages: dict[str, str]) -> None:
    """Each link to a picture in configs/README.md is found, also if its name is not the file's."""
    readme = (ROOT / "configs/README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| ([a-z0-9-]+)\.yaml \|.*\((examples/[^)]+\.png)\)", readme, re.M)
    assert ("live", "examples/dashboard.png") in named
    for stem, picture in named:
        for page in (f"gallery/{stem}.md", "gallery/index.md"):
            assert f"pictures/configs/{picture})" in pages[page], stem


def test_every_key_of_the_reference_is_on_a_page(pages: dict[str, str]) -> None:
    """Every key has a heading, or a term below the heading of its law, kind or role."""
    parts = {page: _by_heading(text) for page, text in pages.items() if "reference/keys" in page}
    assert len(all_entries()) > 2000
    for one in all_entries():
        page, anchor, written = place(one)
        below = parts[page][anchor]
        assert one.variant or not one.within or f"\n`{written}`\n: " in below, one
        assert escaped(one.about) in below, one


def _by_heading(text: str) -> dict[str, str]:
    sections: dict[str, str] = {}
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        name = slug(part.partition("\n")[0].lstrip("# "))
        sections[name] = sections.get(name, "") + part
    return sections


def test_every_verb_option_and_public_name_is_on_a_page(pages: dict[str, str]) -> None:
    """The pages contain all verbs, options and public names."""
    for verb in commands():
        assert f"ecnomy {verb}" in pages[f"reference/commands/{verb}.md"]
    assert "`--seed" in pages["reference/commands/run.md"]
    assert "## ecnomy report gsp" in pages["reference/commands/report.md"]
    for package in PACKAGES:
        page = pages[f"reference/python/{package}.rst"]
        for name in importlib.import_module(package).__all__:
            assert f"\n{name}\n{'-' * len(name)}\n" in page


def test_every_claim_of_the_papers_is_on_a_page(pages: dict[str, str]) -> None:
    """All claims of the papers appear by entry, in the paper's words."""
    for name in PAPERS:
        for entry in load_paper(name).entries.values():
            for claim in entry.claims.values():
                assert escaped(claim.says) in pages[f"papers/{name}.md"]


def test_links_are_rewritten_in_prose_only() -> None:
    """Links to pages, shown files and pictures are rewritten; code and external links stay."""
    files = ("README.md", "a.png", "agents/README.md", "agents/x.py", "configs/examples/b.yaml")
    links = Links(files)
    text = "[a](agents/README.md#x) [b](configs/examples/b.yaml) [c](agents/x.py)\n![d](a.png)\n"
    text += "[e\nf](a.png) [g](https://example.org) [h](#here) [i](agents/)\n\n    x = a[0](b)\n"
    assert links.rewrite(text, "README.md", "index.md") == (
        "[a](howto/agents.md#x) [b](gallery/b.md) [c](files/agents-x-py.md)\n"
        "![d](pictures/a.png)\n[e\nf](files/a-png.md) [g](https://example.org) [h](#here) "
        "[i](howto/agents.md)\n\n    x = a[0](b)\n"
    )
    assert links.pictures == {"a.png"} and list(links.shown) == ["agents/x.py", "a.png"]


def test_a_link_to_nothing_is_refused() -> None:
    """A Markdown file outside all sections is also refused."""
    with pytest.raises(KeyError, match="gone.py"):
        Links(("README.md",)).rewrite("[x](gone.py)", "README.md", "index.md")
    with pytest.raises(KeyError, match="not in any section"):
        page_of("notes/new.md")


def test_text_is_escaped_and_headings_have_anchors_as_on_github() -> None:
    """Spans of code are not escaped; a repeated heading gets a number."""
    assert escaped("a_b * `c_d` <name>\n[1]") == r"a\_b \* `c_d` \<name\> \[1\]"
    assert slug("A results folder, format 1") == "a-results-folder-format-1"
    assert anchors("# A\n\n## b `c.d`\n\n    # no\n\n## A\n") == ["a", "b-cd", "a-1"]


def test_pictures_and_commands_of_examples_follow_the_list_of_examples() -> None:
    """A picture may have another name, and a command another verb than `run`."""
    readme = "| live.yaml | for `ecnomy dashboard`: x ([picture](examples/d.png)) |\n"
    files = frozenset({"configs/examples/one.png"})
    assert picture_of("configs/examples/live.yaml", readme, files) == "configs/examples/d.png"
    assert picture_of("configs/examples/one.yaml", readme, files) == "configs/examples/one.png"
    assert picture_of("configs/examples/two.yaml", readme, files) == ""
    shown = commands_for("configs/examples/live.yaml", readme)
    assert shown == "ecnomy dashboard configs/examples/live.yaml"
    assert (
        commands_for("a/b.yaml", "")
        == "ecnomy run a/b.yaml --out results/b\necnomy report results/b"
    )


def test_indented_blocks_of_docstrings_are_code() -> None:
    """Such a block follows an empty line; sections such as `Args:` stay unchanged."""
    lines = [
        "Open.",
        "",
        "    run = open()",
        "    run.x",
        "",
        "Args:",
        "    a: one.",
        "        more.",
    ]
    assert with_code(lines) == ["Open.", "", "::", "", *lines[2:]]


def test_a_built_site_is_checked(tmp_path: Path) -> None:
    """The check finds missing files and anchors, and anything loaded from another host."""
    (tmp_path / "a.html").write_text(
        '<p id="x"></p><a href="#x"></a><a href="b.html#y"></a><a href="https://example.org"></a>'
        '<a href="#z"></a><a href="c.html"></a><a href="b.html#z"></a>'
        '<script src="https://cdn.example.org/a.js"></script><link rel="stylesheet" href="s.css">'
    )
    (tmp_path / "b.html").write_text('<h1 id="y"></h1>')
    (tmp_path / "s.css").write_text("a { background: url('//cdn.example.org/a.woff2') }")
    assert faults(tmp_path) == [
        "a.html: loads https://cdn.example.org/a.js",
        "a.html: #z: no such anchor",
        "a.html: c.html: no such file",
        "a.html: b.html#z: no such anchor",
        "s.css: loads //cdn.example.org/a.woff2",
    ]


def test_pages_are_written_anew(tmp_path: Path) -> None:
    """Pages are written with their pictures, and files of an earlier build are removed."""
    old = tmp_path / "pages/old.md"
    old.parent.mkdir()
    old.write_text("old")
    assert write_pages(tmp_path / "pages") > 100
    assert not old.exists()
    assert (tmp_path / "pages/pictures/configs/examples/gold-silver.png").is_file()


@pytest.mark.full
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """Sphinx builds it if the extra `site` is installed."""
    for module in ("sphinx", "myst_parser", "pydata_sphinx_theme"):
        pytest.importorskip(module, reason="needs the extra `site`")
    words = [sys.executable, str(ROOT / "analysis/site/build.py"), str(tmp_path / "site")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken or foreign links" in done.stdout
