# SPDX-License-Identifier: Apache-2.0
"""Tests go to workers in groups. A worker that dies loses only the test that it ran.

pytest-xdist 3.8 requeues all tests of a dead worker, including the test that ended it and
finished groups, and gives a new worker one test although it waits for two: the run never ends
(its issues 1323, 1327 and 1378).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest
    from xdist.remote import Producer
    from xdist.scheduler import LoadGroupScheduling
    from xdist.workermanage import WorkerController

__all__ = ["scheduler"]


def scheduler(
    config: pytest.Config, log: Producer, group_of: Callable[[str], str]
) -> LoadGroupScheduling:
    """Groups keep their names, else they are `group_of` a test, in the order of the tests."""
    from xdist.scheduler import LoadGroupScheduling

    class Together(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            return group if group != nodeid else group_of(nodeid)

        def remove_node(self, node: WorkerController) -> str | None:
            """Return the test in which a worker died. The tests after it go to other workers."""
            work = self.assigned_work.pop(node)
            left = [(g, t) for g, tests in work.items() for t, done in tests.items() if not done]
            for group, test in left[1:]:
                self.workqueue.setdefault(group, {})[test] = False
            if left:
                for other in self.assigned_work:
                    self._reschedule(other)
            return left[0][1] if left else None

        def _reschedule(self, node: WorkerController) -> None:
            """Give a worker more than two tests, since it waits for two, or the end of tests."""
            if node.shutting_down or node not in self.registered_collections:
                return
            while self.workqueue and self._pending_of(self.assigned_work[node]) <= 2:
                self._assign_work_unit(node)
            if not self.workqueue:
                node.shutdown()

    config.option.loadscopereorder = False  # by number of tests, not by time
    return Together(config, log)
