# SPDX-License-Identifier: Apache-2.0
"""Every law against its oracle, on fixed seeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from law_api import Laws
from law_checks import CHECKS

CASES = [
    pytest.param(check, id=f"{law}-{check.__name__.removeprefix('check_')}")
    for law, checks in CHECKS.items()
    for check in checks
]


@pytest.mark.parametrize("check", CASES)
def test_law_agrees_with_its_oracle(laws: Laws, check: Callable[[Laws], None]) -> None:
    """Each law follows its paper's equations step by step."""
    check(laws)


def test_every_law_is_checked(laws: Laws) -> None:
    """Every law of the module has checks."""
    names = {name for table in laws.tables().values() for name in table}
    assert names and names <= CHECKS.keys(), "add the law's checks to CHECKS (law_checks.py)"


def test_check_names_are_unique() -> None:
    """No check shadows another of the same name."""
    names = [check.__name__ for checks in CHECKS.values() for check in checks]
    assert len(names) == len(set(names))
