# SPDX-License-Identifier: Apache-2.0
"""The command that an error in a scenario suggests."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.markets.inputs.error_variants import variants_of
from ecnomy.markets.reference.entry import Entry
from ecnomy.markets.reference.examples import examples_folder, packaged
from ecnomy.markets.reference.files import all_entries
from ecnomy.markets.reference.lookup import known_path, sections

__all__ = ["hint"]


def hint(error: ScenarioError) -> str:
    """Return the end of an error message: `ecnomy explain` for a key, `ecnomy example` for the name
    of an example or a file of configs/ that is not here, or "".
    """
    if error.path:
        entries = all_entries()
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


def _section(error: ScenarioError, entries: Sequence[Entry]) -> str:
    """Return the top-level key that the message suggests first for an unknown key, or ""."""
    names = (one.name for one in sections(entries))
    return next((name for name in names if error.expected.startswith(repr(name))), "")
