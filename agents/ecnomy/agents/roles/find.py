# SPDX-License-Identifier: Apache-2.0
"""Roles by name, built in or by dotted path."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from ecnomy.agents.errors import InputError
from ecnomy.agents.find import Family, find
from ecnomy.agents.roles.presets import PHASES, ROLES, Preset

if TYPE_CHECKING:
    from ecnomy.agents.roles.role import Role

__all__ = ["find_role", "preset_of"]


_FAMILY: Final = Family(
    noun="role",
    group="ecnomy.roles",
    methods=("join",),
    error=InputError,
    built_in={word: preset.path for word, preset in ROLES.items()},
)


def preset_of(word: str) -> Preset:
    """The keys of a role's entry.

    Raises:
        InputError: there is no such role (see find_role).
    """
    return ROLES[word] if word in ROLES else find_role(word).preset


@functools.cache
def find_role(word: str) -> type[Role]:
    """The class of a role: one of ROLES, `module:Class`, or an entry point in `ecnomy.roles`.

    Raises:
        InputError: there is none, it cannot be imported, or it makes no contracts (`join`).
    """
    found = find(_FAMILY, word)
    if word not in ROLES:
        from ecnomy.agents.roles.role import Role  # Mesa, which reading a scenario does without

        if not issubclass(found, Role):
            base = f"{Role.__module__}.Role"
            raise InputError(f"role {word!r}: its class is not a subclass of {base}")
        if found.phase not in PHASES:
            listed = ", ".join(PHASES)
            raise InputError(f"role {word!r}: found the phase {found.phase!r}, expected {listed}")
    return found
