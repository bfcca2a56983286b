# SPDX-License-Identifier: Apache-2.0
"""The verb `explain`, which explains the keys and values of input files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ecnomy.markets.cli.printing import Json, print_json

if TYPE_CHECKING:
    from ecnomy.markets.reference.entry import Entry
    from ecnomy.markets.reference.lookup import KeyGroup

__all__ = ["explain_command"]

Word = Annotated[
    str | None,
    typer.Argument(
        metavar="WORD",
        help="A law, kind, role or strategy (e.g. red), a key (e.g. market.settlement) or `units`.",
    ),
]
Search = Annotated[
    str | None,
    typer.Option(
        "--search", metavar="WORDS", help="List the entries whose description contains these words."
    ),
]
Schema = Annotated[
    bool,
    typer.Option(
        "--schema",
        help="Print the JSON Schema of scenario files, for editors. For sweep or "
        "environment files, add `sweep` or `environment`.",
    ),
]


def explain_command(
    word: Word = None, search: Search = None, schema: Schema = False, as_json: Json = False
) -> None:
    """Explain a law, kind, key or section of scenario, sweep and environment files."""
    from ecnomy.agents.errors import InputError

    if schema:
        return print_json(_schema_of(word or "scenario"))
    from ecnomy.markets.cli import explain_page
    from ecnomy.markets.reference import lookup
    from ecnomy.markets.reference.files import all_entries

    if word == "units" and search is None and not as_json:
        return explain_page.show_units()
    entries = all_entries()
    if search is not None:
        selection = lookup.search(search, entries)
        if not selection:
            raise InputError(
                f"--search: no entry contains {search[:60]!r}; use fewer or other words"
            )
    else:
        selection = _entries_of(word, entries) if word else lookup.sections(entries)
    groups = lookup.grouped(selection)
    if as_json:
        print_json([_plain(group, entries) for group in groups])
    elif search is None and word is not None:
        explain_page.show_groups(groups, entries)
    else:
        explain_page.show_list(groups)


def _entries_of(word: str, entries: Sequence[Entry]) -> list[Entry]:
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.cli.main import commands
    from ecnomy.markets.reference.lookup import lookup

    try:
        return lookup(word, entries)
    except InputError:
        if word not in commands():
            raise
        raise InputError(f"{word!r} is a command; see `ecnomy {word} --help`") from None


def _schema_of(file: str) -> dict[str, Any]:
    """Return the JSON schema for a kind of file (scenario, sweep or environment)."""
    from ecnomy.agents.errors import InputError
    from ecnomy.markets.inputs.reading import known_name
    from ecnomy.markets.reference.schema import scenario_schema
    from ecnomy.markets.reference.sweep_schema import environment_schema, sweep_schema

    made = {
        "scenario": scenario_schema,
        "sweep": sweep_schema,
        "environment": environment_schema,
    }
    if file not in made:
        raise InputError(f"--schema: found {file[:60]!r}, expected {known_name(file, made)}")
    return made[file]()


def _plain(group: KeyGroup, entries: Sequence[Entry]) -> dict[str, Any]:
    """Return an entry with its paths and the names of its contents."""
    import msgspec

    from ecnomy.markets.reference.lookup import below

    fields: dict[str, Any] = msgspec.to_builtins(group.entry)
    inside = [one.name for one in below(group.entry, entries)]
    return fields | {"paths": list(group.paths), "below": list(dict.fromkeys(inside))}
