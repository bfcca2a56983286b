# SPDX-License-Identifier: Apache-2.0
"""Many markets at once: any number of processes gives the same results as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import psutil
import pytest
from gymnasium.vector import SyncVectorEnv

import rl_world
from ecnomy.agents.errors import InputError, NotRunningError
from ecnomy.markets.rl import MarketVectorEnv, market_env, vector_env
from processes import wait_for

COUNT, STEPS = 3, 8  # markets; steps, more than an episode has


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of two learners."""
    return rl_world.written(tmp_path_factory.mktemp("rl"))


@pytest.fixture(scope="module")
def envs(file: Path) -> Iterator[MarketVectorEnv]:
    """Three markets in two processes."""
    made = vector_env(file, COUNT, processes=2)
    yield made
    made.close()


def _actions(space: gymnasium.Space, number: int) -> np.ndarray:
    space.seed(number)
    return np.asarray(space.sample())


def test_it_is_gymnasiums_own_vector_of_the_same_markets(file: Path, envs: MarketVectorEnv) -> None:
    """Gymnasium's vector of the same markets gives the same results over several episodes."""
    plain = SyncVectorEnv([lambda: market_env(file)] * COUNT)
    assert envs.observation_space == plain.observation_space
    assert envs.action_space == plain.action_space
    assert envs.metadata["autoreset_mode"] == plain.metadata["autoreset_mode"]
    ended = 0
    given, wanted = envs.reset(seed=11), plain.reset(seed=11)
    for number in range(STEPS):
        _equal(given, wanted)
        actions = _actions(envs.action_space, number)
        given, wanted = envs.step(actions), plain.step(actions)
        ended += int(given[3].sum())
    plain.close()
    assert ended == COUNT, "each episode has ended once"


def _equal(given: object, wanted: object) -> None:
    assert type(given) is type(wanted)
    if isinstance(wanted, tuple | list):
        assert len(given) == len(wanted)
        for one, other in zip(given, wanted, strict=True):
            _equal(one, other)
    elif isinstance(wanted, dict):
        assert given.keys() == wanted.keys()
        for key in wanted:
            _equal(given[key], wanted[key])
    else:
        assert given.dtype == wanted.dtype
        np.testing.assert_array_equal(given, wanted)


def test_markets_have_seeds_of_their_own(envs: MarketVectorEnv) -> None:
    """Each market takes the seed given for it; without seeds, it continues its own sequence."""
    assert envs.reset(seed=[9, 9, 4])[1]["seed"].tolist() == [9, 9, 4]
    first, second, third = envs.reset()[1]["seed"]
    assert first == second != third != 4


def test_wrong_numbers_are_refused(file: Path, envs: MarketVectorEnv) -> None:
    """Wrong numbers of markets, seeds and actions are refused, and the markets can continue."""
    for count, processes in ((0, 1), (2, -1)):
        with pytest.raises(InputError, match="expected 1 or more"):
            vector_env(file, count, processes=processes)
    with pytest.raises(InputError, match="found 2 seeds, expected 3"):
        envs.reset(seed=[1, 2])
    envs.reset(seed=1)
    with pytest.raises(InputError, match="expected 3 rows"):
        envs.step(_actions(envs.action_space, 1)[:2])
    with pytest.raises(InputError, match="action"):
        envs.step(np.full(envs.action_space.shape, np.nan, envs.action_space.dtype))
    envs.reset(seed=2)


def test_a_process_that_dies_is_named_and_none_is_left(file: Path) -> None:
    """At first, seeds count up from the scenario's; after the death, no process runs."""
    others = set(psutil.Process().children())
    envs = vector_env(file, 2, processes=1)
    with pytest.raises(NotRunningError, match="no episode"):
        envs.step(_actions(envs.action_space, 1))
    assert envs.reset()[1]["seed"].tolist() == [5, 6]
    (worker,) = (one for one in psutil.Process().children() if _is_new(one, others))
    mine = worker.children()
    assert len(mine) == 2, "an engine each"
    worker.kill()
    with pytest.raises(NotRunningError, match="a process of the environments has ended"):
        envs.step(_actions(envs.action_space, 1))
    wait_for(lambda: not any(p.is_running() for p in (worker, *mine)), "the end of all")
    with pytest.raises(NotRunningError, match="closed"):
        envs.reset()


def _is_new(process: psutil.Process, others: set[psutil.Process]) -> bool:
    return process not in others and "spawn_main" in " ".join(process.cmdline())
