# SPDX-License-Identifier: Apache-2.0
"""The installed OMNeT++, INET and ecnomy's modules, or a reason to skip; and a stand-in."""

from __future__ import annotations

import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets.omnet.installation import Installation, find_installation
from fake_omnet import stand_in

__all__ = ["stand_in"]


@pytest.fixture(scope="session")
def omnet() -> Installation:
    """Skip without OMNeT++ and INET. If they exist, `make test` builds ecnomy's modules."""
    try:
        return find_installation()
    except InputError as error:
        pytest.skip(str(error))
