# SPDX-License-Identifier: Apache-2.0
"""Settings of all tests: Hypothesis without deadlines, and which tests one worker makes together.

Other work on the machine is no fault of what is tested, so that no example has a deadline.

Under `--dist loadgroup` every test without a group may go to any worker, and a fixture of a module
is then made once in each worker. Here the tests of a file go to one worker, which makes the file's
runs once; so do those of a folder whose tests share a build by the compiler. Long folders start
first, so that the workers end together.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadGroupScheduling

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

TESTS: Final = Path(__file__).parent
ONE_BUILD: Final = frozenset({"bridge", "laws"})  # folders
LONG: Final = ("laws", "acceptance", "engine", "sweeps", "parity")  # folders, in this order


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long folders come first; within a folder the order stays as it is."""
    items.sort(key=lambda item: rank_of(item.path))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling | None:
    """Groups by name as they are, else by file or folder; they start in the order of the tests."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Together(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            return group if group != nodeid else group_of(nodeid)

    config.option.loadscopereorder = False  # by the number of tests: says little of how long
    return Together(config, log)


def group_of(nodeid: str) -> str:
    """The file of a test, or the folder where that has one build."""
    file = nodeid.partition("::")[0]
    folder = Path(file).parent
    return str(folder) if folder.name in ONE_BUILD else file


def rank_of(path: Path) -> int:
    """Position of a file's folder in the order in which groups start."""
    folder = path.relative_to(TESTS).parts[0]
    return LONG.index(folder) if folder in LONG else len(LONG)
