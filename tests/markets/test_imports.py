# SPDX-License-Identifier: Apache-2.0
"""Every module of the packages can be imported, by each supported Python."""

from __future__ import annotations

import importlib
import pkgutil

import pytest


@pytest.mark.parametrize("package", ["agents", "markets", "markets.rl", "analysis"])
def test_every_public_name_can_be_imported(package: str) -> None:
    """Packages import their public names at the first use."""
    module = importlib.import_module(f"ecnomy.{package}")
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("package", ["agents", "markets", "analysis"])
def test_every_module_can_be_imported(package: str) -> None:
    """Solara's page is not imported, because it is a script of its server."""
    top = importlib.import_module(f"ecnomy.{package}")
    names = [module.name for module in pkgutil.walk_packages(top.__path__, f"{top.__name__}.")]
    assert len(names) > 40
    for name in names:
        if not name.endswith((".__main__", ".dashboard.page")):
            importlib.import_module(name)
