# SPDX-License-Identifier: Apache-2.0
"""Lists the built-in roles, and finds a role by name, dotted path or entry point.

A new built-in role needs one file in this folder and one entry here.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from ecnomy.agents.errors import InputError
from ecnomy.agents.find import Family, find
from ecnomy.agents.roles.preset import PHASES, Preset
from ecnomy.agents.strategies.find import FOR_FLOWS

if TYPE_CHECKING:
    from ecnomy.agents.roles.role import Role

__all__ = ["ROLES", "find_role", "preset_of"]

_HERE: Final = "ecnomy.agents.roles"
_CHARGE: Final = "{kind: constant-charge, charge: 2 money/s}"
_PROMISE: Final = "{price: 0.05 money, max_delay: 15 ms, max_delay_rate: 0.01}"
ROLES: Final[dict[str, Preset]] = {
    "connectivity-provider": Preset(
        f"{_HERE}.connectivity_provider:ConnectivityProvider",
        takes=("links", "nodes", "price_per_mark"),
        asks=("post_price",),
        owns_links=True,
    ),
    "application-provider": Preset(
        f"{_HERE}.application_provider:ApplicationProvider",
        takes=("classes", "marks_paid_by"),
        needs={"classes": "at least one class with a fee"},
        asks=FOR_FLOWS,
    ),
    "customer": Preset(
        f"{_HERE}.customer:Customer",
        takes=("sources",),
        needs={"sources": "the sources whose flows are the customer's"},
        asks=FOR_FLOWS,
        uses=True,
    ),
    "price-handler": Preset(
        f"{_HERE}.price_handler:PriceHandler",
        takes=("sources",),
        needs={
            "sources": "the sources whose flows are the price-handler's",
            "strategy": f"a strategy such as {_CHARGE}",
        },
        asks=FOR_FLOWS,
        strategy_needs={
            "constant-charge": ("charge", "neither 'charge' nor a class with a fee", _CHARGE)
        },
        uses=True,
        pays_itself=True,
    ),
    "guaranteed-stream-provider": Preset(
        f"{_HERE}.guaranteed_stream_provider:GuaranteedStreamProvider",
        takes=(
            "sources",
            "test_streams",
            "tariff",
            "tariffs",
            "elastic",
            "integrated_with",
            "fixed_costs",
        ),
        needs={
            "sources": "the sources whose calls are sold",
            "tariff": f"a tariff such as {_PROMISE}",
        },
        asks=("admit",),
    ),
    "subscriber": Preset(
        f"{_HERE}.subscriber:Subscriber",
        takes=("sources",),
        needs={"sources": "the sources whose calls are the subscriber's"},
        asks=("order",),
        uses=True,
    ),
}

_FAMILY: Final = Family(
    noun="role",
    group="ecnomy.roles",
    methods=("join",),
    error=InputError,
    built_in={word: preset.path for word, preset in ROLES.items()},
)


def preset_of(word: str) -> Preset:
    """Return the YAML keys of a role's entry.

    Raises:
        InputError: the role does not exist (see find_role).
    """
    return ROLES[word] if word in ROLES else find_role(word).preset


@functools.cache
def find_role(word: str) -> type[Role]:
    """Return the class of a role: from ROLES, `module:Class`, or an entry point in `ecnomy.roles`.

    Raises:
        InputError: the class does not exist, cannot be imported, is not a subclass of Role, or has
            an unknown phase.
    """
    role = find(_FAMILY, word)
    if word not in ROLES:
        from ecnomy.agents.roles.role import Role  # here, so that reading a scenario needs no Mesa

        if not issubclass(role, Role):
            base = f"{Role.__module__}.Role"
            raise InputError(f"role {word!r}: the class is not a subclass of {base}")
        if role.phase not in PHASES:
            listed = ", ".join(PHASES)
            raise InputError(
                f"role {word!r}: found the phase {role.phase!r}, expected one of {listed}"
            )
    return role
