# SPDX-License-Identifier: Apache-2.0
"""The laws as a Python module, built once per session, and only if something has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from law_api import Laws


@pytest.fixture(scope="session")
def laws() -> Laws:
    """The module for the current omnet/laws."""
    from law_api import load_module
    from law_build import build_module

    return load_module(build_module())
