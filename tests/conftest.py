# SPDX-License-Identifier: Apache-2.0
"""Settings of all tests: tiers, limits, Hypothesis without deadlines, and grouping.

The fast tier leaves out the tests marked `full` (tiers.py); `--full` runs them all.

Other work on the machine must not fail a test, so examples have no deadline.

Under `--dist loadgroup` every test without a group may go to any worker, and a fixture of a module
is then made once in each worker. Here the tests of a file go to one worker, which makes the file's
runs once, except files whose tests share nothing (SPREAD). Long folders start first (LONG), so that
workers end at the same time. The laws are compiled for one file; others that need them come later,
when no worker has to wait for the compiler.

Pytest rewrites the assertions of 400 files. It keeps the result beside them, even if
PYTHONDONTWRITEBYTECODE is set, because rewriting again costs each worker 15 s. Of two workers, one
begins with the last folder, so that each finds half of the files rewritten by the other.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, settings

import guard
import ink
import scheduling
import tiers

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadGroupScheduling

sys.dont_write_bytecode = False
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # workers share the cores; NumPy reads it once

TESTS: Final = Path(__file__).parent
SPREAD: Final = frozenset(  # files whose tests go to any worker, one by one
    {
        "acceptance/test_abilene.py",
        "engine/test_memory.py",
        "laws/test_headers.py",
        "laws/test_mutations.py",
        "markets/session/test_serve.py",
        "markets/sweep/test_runs.py",
        "validation/test_omnet_records.py",
    }
)
TOGETHER: Final = frozenset({"tests/bridge"})  # folders whose files compile the same program
FULL_LIMIT_S: Final = 1800.0
BEGUN: Final = time.time()
LONG: Final = (
    *("laws/test_checks.py", "acceptance", "laws", "engine", "markets/sweep", "parity"),
    *("validation", "test_guard.py"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the full tier."""
    parser.addoption("--full", action="store_true", help="everything at full depth")


def pytest_configure(config: pytest.Config) -> None:
    """Sets the tier before test modules are imported; in the fast tier nothing is random."""
    tiers.set_full(config.getoption("full"))
    config.pluginmanager.register(guard)
    config.pluginmanager.register(ink)
    ink.without_ink()
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579" and config.args == ["tests"]:
        config.args = [str(path) for path in sorted(TESTS.iterdir(), reverse=True) if tested(path)]
    settings.register_profile(
        "unhurried",
        deadline=None,
        derandomize=not tiers.in_full(),
        max_examples=tiers.examples(100),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("unhurried")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A suite that has checked the records ends with its findings."""
    if tiers.SAID.is_file() and tiers.SAID.stat().st_mtime >= BEGUN:
        terminalreporter.write_line(tiers.SAID.read_text().rstrip())


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Collected objects are permanent, so garbage collection only visits the tests' objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long files and folders come first, then files by name, however they were collected."""
    if not tiers.in_full():
        left_out = [item for item in items if item.get_closest_marker("full")]
        items[:] = [item for item in items if not item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left_out)
    elif config.getoption("timeout", None) is None:  # one of the command line holds
        for item in items:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(FULL_LIMIT_S))
    items.sort(key=lambda item: (rank_of(item.path), item.path))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling | None:
    """Groups keep their names, else they are by file; they start in the order of the tests."""
    if config.getvalue("dist") != "loadgroup":
        return None
    return scheduling.scheduler(config, log, group_of)


def group_of(nodeid: str) -> str:
    """The file or folder of a test, or the test itself if the file's tests share nothing."""
    file = nodeid.partition("::")[0]
    folder = file.rpartition("/")[0]
    if folder in TOGETHER:
        return folder
    return nodeid if file.endswith(tuple(SPREAD)) else file


def tested(path: Path) -> bool:
    """Whether pytest searches a path for tests: a folder of Python files, or such a file."""
    return path.name.startswith("test_") if path.is_file() else any(path.rglob("test_*.py"))


def rank_of(path: Path) -> int:
    """Position of a file, or of a folder that contains it, in the order in which groups start."""
    file = path.relative_to(TESTS)
    names = [str(each) for each in (file, *file.parents)]
    places = [LONG.index(name) for name in names if name in LONG]
    return min(places, default=len(LONG))
