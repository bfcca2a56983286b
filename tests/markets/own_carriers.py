# SPDX-License-Identifier: Apache-2.0
"""A custom role that owns links."""

from __future__ import annotations

import msgspec

from ecnomy.agents.roles import ROLES
from ecnomy.agents.roles.connectivity_provider import ConnectivityProvider

__all__ = ["Carrier"]


class Carrier(ConnectivityProvider):
    """A connectivity provider under another name."""

    preset = msgspec.structs.replace(ROLES["connectivity-provider"], path="")
