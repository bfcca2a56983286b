# SPDX-License-Identifier: Apache-2.0
"""Suggests a command to the user for an error in a scenario."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.markets.inputs.error_variants import variants_of
from ecnomy.markets.reference.entry import Entry
from ecnomy.markets.reference.examples import examples_folder, packaged
from ecnomy.markets.reference.files import all_entries
from ecnomy.markets.reference.lookup import known_path, sections

__all__ = ["hint"]

_UNKNOWN: Final = re.compile(r"the unknown key '([^']+)'")
_MOST_PLACES: Final = 3


def hint(error: ScenarioError) -> str:
    """Return the end of an error message, which suggests a command, or "".

    The command is `ecnomy explain` for a key, and `ecnomy example` for a missing file of configs/
    or the name of an example. For a key in the wrong place, the end also names the right places.
    """
    if error.path:
        entries = all_entries()
        if elsewhere := _elsewhere(error, entries):
            return elsewhere
        key = known_path(error.path, entries, variants_of(error)) or _section(error, entries)
        return f"; ecnomy explain {key}".rstrip()  # without a key, the command lists all keys
    if os.path.exists(error.file):
        return ""
    name = error.file.removesuffix(".yaml")
    if error.file == name and os.path.isfile(f"{name}.yaml"):
        return f"; did you mean {name}.yaml?"
    try:
        if os.path.normpath(error.file) in packaged():
            return "; `ecnomy example --all` copies configs/ here"
        known = os.path.basename(name) == name and (examples_folder() / f"{name}.yaml").is_file()
    except (InputError, OSError, ValueError):  # not installed, or no file name
        return ""
    return f"; `ecnomy example {name}` copies the example here" if known else ""


def _elsewhere(error: ScenarioError, entries: Sequence[Entry]) -> str:
    """Return a hint at the places where an unknown key is valid, or "" for none or too many."""
    unknown = _UNKNOWN.fullmatch(error.found)
    if unknown is None:
        return ""
    key = unknown[1]
    matches = [one for one in entries if one.name == key and not one.variant and "." in one.path]
    places = list(dict.fromkeys(_place(one) for one in matches))
    if not 0 < len(places) <= _MOST_PLACES:
        return ""
    return f"; {key!r} is a key of {', '.join(places)}; ecnomy explain {key}"


def _place(one: Entry) -> str:
    """Return the law or kind that has the key, or the mapping that contains it."""
    if one.within:
        return one.within[-1].partition(": ")[2]
    return ".".join(step for step in one.path.split(".")[:-1] if step[0] != "<")


def _section(error: ScenarioError, entries: Sequence[Entry]) -> str:
    """Return the top-level key that the message suggests first for an unknown key, or ""."""
    names = (one.name for one in sections(entries))
    return next((name for name in names if error.expected.startswith(repr(name))), "")
