# SPDX-License-Identifier: Apache-2.0
"""The command that an error in a scenario suggests."""

from __future__ import annotations

import os

from ecnomy.agents.errors import InputError, ScenarioError
from ecnomy.markets.reference.examples import examples_folder, packaged
from ecnomy.markets.reference.files import all_entries
from ecnomy.markets.reference.lookup import known_path

__all__ = ["hint"]


def hint(error: ScenarioError) -> str:
    """Return the end of an error message: `ecnomy explain` for a key, `ecnomy example` for the name
    of an example or a file of configs/ that is not here, or "".
    """
    if error.path:
        key = known_path(error.path, all_entries())
        return f"; ecnomy explain {key}".rstrip()  # without a key, it lists all keys
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
