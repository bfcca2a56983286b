# SPDX-License-Identifier: Apache-2.0
"""Writes a page for each verb of the command line, from the help of its typer app."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import typer

from ecnomy.markets.cli.main import app
from sitegen.markdown import code, contents, escaped, link

__all__ = ["FOLDER", "command_pages", "verbs"]

FOLDER: Final = "reference/commands"


def verbs() -> dict[str, Any]:
    """Return verb -> the context of its command."""
    return dict(_children(_whole()))


def command_pages() -> dict[str, str]:
    """Return a page for each verb, and the index of all verbs."""
    whole = _whole()
    made, rows = {}, []
    for name, context in _children(whole):
        page = f"{FOLDER}/{name}.md"
        made[page] = f"# ecnomy {name}\n\n{_command(context)}" + "".join(
            f"\n## ecnomy {name} {inner}\n\n{_command(below)}"
            for inner, below in _children(context)
        )
        first = (context.command.help or "").strip().partition("\n")[0]
        rows.append(f"- {link(f'`ecnomy {name}`', f'{FOLDER}/index.md', page)}: {escaped(first)}")
    made[f"{FOLDER}/index.md"] = "\n".join(
        ["# Commands\n", _command(whole), *rows, "", contents(verbs(), shown=False)]
    )
    return made


def _whole() -> Any:
    return typer.Context(typer.main.get_command(app), info_name="ecnomy")


def _children(context: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and contexts of a command's visible subcommands."""
    group = context.command
    for name in getattr(group, "list_commands", lambda _: ())(context):
        command = group.get_command(context, name)
        if not command.hidden:
            yield name, typer.Context(command, info_name=name, parent=context)


def _command(context: Any) -> str:
    command = context.command
    pieces = " ".join(command.collect_usage_pieces(context))
    paragraphs = (command.help or "").replace("\b", "").split("\n\n")
    parts = [*(f"{escaped(one)}\n" for one in paragraphs)]
    parts.append(code(f"{context.command_path} {pieces}", "console"))
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record and "--help" not in record[0]:
            parts.append(f"`{record[0]}`\n: {escaped(record[1]) or '&nbsp;'}\n")
    return "\n".join(parts)
