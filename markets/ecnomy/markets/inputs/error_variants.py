# SPDX-License-Identifier: Apache-2.0
"""The laws and kinds, such as `law: red`, whose mappings contain a fault.

Readers add them to the error as it propagates, so that the message can refer to the page of a law.
They are stored as notes of the exception, which Python shows in tracebacks.
"""

from __future__ import annotations

from typing import Final

from ecnomy.agents.errors import ScenarioError

__all__ = ["add_variant", "variants_of"]

_HEAD: Final = "in a mapping with "


def add_variant(error: ScenarioError, selector: str, word: str) -> None:
    """Note that the fault is in the mapping of a law or kind. Add the innermost mapping first."""
    error.add_note(f"{_HEAD}{selector}: {word}")


def variants_of(error: BaseException) -> tuple[str, ...]:
    """Return the laws and kinds that contain a fault, from the outermost inwards."""
    notes = reversed(getattr(error, "__notes__", ()))
    return tuple(note.removeprefix(_HEAD) for note in notes if note.startswith(_HEAD))
