# SPDX-License-Identifier: Apache-2.0
"""The installed OMNeT++, INET and ecnomy's modules, or a reason to skip."""

from __future__ import annotations

import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets.omnet.installation import Installation, find_installation


@pytest.fixture(scope="session")
def omnet() -> Installation:
    """Skip without OMNeT++ and INET. If they exist, `make test` builds ecnomy's modules."""
    try:
        return find_installation()
    except InputError as error:
        pytest.skip(str(error))
