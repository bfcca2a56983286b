# SPDX-License-Identifier: Apache-2.0
"""A page that begins with an answer and facts in large letters, followed by the evidence."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ecnomy.analysis.pages.parts import Section
from ecnomy.analysis.pages.shell import environment
from ecnomy.analysis.support.whole_file import write_whole

__all__ = ["AnswerPage", "write_answer"]


class AnswerPage(msgspec.Struct, frozen=True):
    """The content of a page that begins with an answer.

    Attributes:
        verdict: yes, no or undecided; selects the colour of the answer.
        facts: amount and label of each fact in large letters.
    """

    title: str
    verdict: str
    opens: str
    sentence: str
    sure: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


def write_answer(page: AnswerPage, folder: Path, file: Path) -> None:
    """Write a page with the template `page.html` of a folder, which extends `answer_page.html`.

    Raises:
        InputError: jinja2 is missing.
    """
    template = environment(folder).get_template("page.html")
    text = template.render(page=page, kind=lambda block: type(block).__name__.lower())
    write_whole(file, text.encode())
