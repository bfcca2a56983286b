# SPDX-License-Identifier: Apache-2.0
"""Markets as environments of PettingZoo and Gymnasium, on the real engine."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

from ecnomy.agents.errors import EngineError, InputError, NotRunningError
from ecnomy.markets import load, run
from ecnomy.markets.rl import MarketEnv, MarketParallelEnv, market_env, parallel_env
from open_world import held, there
from rl_world import ENVIRONMENT, written
from tiers import in_full

LEVELS = ENVIRONMENT.replace(
    "most: 1 money, scale: log}}", "most: 1 money, scale: log, levels: 5}}"
)
MIDDLE = {"isp": np.zeros(1, np.float32), "joe": np.zeros(2, np.float32)}


@pytest.fixture
def env(tmp_path: Path) -> Any:
    """The environment of both learners."""
    made = parallel_env(written(tmp_path))
    yield made
    made.close()


@pytest.mark.parametrize("text", [ENVIRONMENT, LEVELS], ids=["continuous", "levels"])
def test_pettingzoos_own_tests(tmp_path: Path, text: str) -> None:
    """PettingZoo's API test, and its test that environments of one seed are equal."""
    path = written(tmp_path, text)
    env = parallel_env(path)
    parallel_api_test(env, num_cycles=20)
    env.close()
    parallel_seed_test(lambda: parallel_env(path), num_cycles=20)


@pytest.mark.parametrize("text", [ENVIRONMENT, LEVELS], ids=["continuous", "levels"])
@pytest.mark.parametrize("learner", ["isp", "joe"])
def test_gymnasiums_own_test(tmp_path: Path, text: str, learner: str) -> None:
    """Gymnasium's check_env accepts the environment, without rendering."""
    env = market_env(written(tmp_path, text), learner)
    check_env(env, skip_render_check=True)
    env.close()


def test_spaces_are_the_same_objects_and_of_the_declared_form(env: MarketParallelEnv) -> None:
    """Spaces have a number for each quantity, and every call returns the same space."""
    for name, observes, acts in (("isp", 4, 1), ("joe", 3, 2)):
        assert env.observation_space(name) is env.observation_space(name)
        assert env.action_space(name) is env.action_space(name)
        assert env.observation_space(name).shape == (observes,)
        assert env.action_space(name).shape == (acts,)


def test_an_episode_is_truncated_at_its_end_and_its_engine_gone(
    env: MarketParallelEnv, pids: list[int]
) -> None:
    """After six steps no agent is left, and `reset` starts the next episode."""
    env.reset(seed=3)
    for number in range(6):
        assert env.agents == ["isp", "joe"]
        observed, _, ended, truncated, infos = env.step(MIDDLE)
        assert set(truncated.values()) == {number == 5} and not any(ended.values())
        assert observed["isp"][0] == pytest.approx((number + 1) / 6)
        assert infos["isp"]["price"] == 0.1 and infos["isp"]["seed"] == 3
    assert env.agents == [] and not there(pids[0])
    with pytest.raises(NotRunningError, match="reset"):
        env.step({})
    env.reset()
    assert env.agents == ["isp", "joe"] and len(pids) == 2


def test_actions_mean_what_the_file_says(env: MarketParallelEnv) -> None:
    """The middle of a log range is its geometric mean; a price is in force at once."""
    env.reset(seed=3)
    market = env._world._market
    assert market is not None
    env.step({"isp": np.array([1.0], np.float32), "joe": np.array([0.0, -1.0], np.float32)})
    assert market.price_micro == 1_000_000
    assert market.aims.cap_bps.tolist() == [1e5, 1e5, -1.0]
    charges = [env.step(MIDDLE)[4]["joe"]["charge"] for _ in range(5)]
    assert market.price_micro == 100_000
    assert market.aims.cap_bps.tolist() == [2.05e6, 2.05e6, -1.0]
    # Two flows, each of which pays 1 money/s for its marks; over 9 s they are 180 or so
    assert np.mean(charges[2:]) == pytest.approx(2.0, rel=0.2)


def test_rewards_are_those_of_the_books(tmp_path: Path) -> None:
    """A carrier that keeps the price: marks of each measured window, counted from a run's table."""
    path = written(tmp_path)
    env = market_env(path, "isp")
    env.reset(seed=11)
    steps = [env.step(np.zeros(1, np.float32)) for _ in range(6)]
    env.close()
    scenario = load(tmp_path / "market.yaml", overrides=["duration=27 s"], seed=11)
    result = run(scenario, out=tmp_path / "run")
    paid = result.raw.ledger[result.raw.ledger["credit"] == "isp"]
    marks = result.link_epochs.groupby("t_ps")["marks"].sum()
    for number, (_, reward, _, _, info) in enumerate(steps):
        since, until = (2 + 4 * number + 1) * 10**12, (2 + 4 * number + 4) * 10**12
        own = paid[(paid["t_ps"] > since) & (paid["t_ps"] <= until)]
        income = own["amount_micro"].sum() / 1e6 / 3
        assert income > 0.5
        assert info["profit"] == pytest.approx(income) and reward == pytest.approx(income / 2)
        assert info["marks"] == pytest.approx((marks[until] - marks[since]) / 3)


def test_the_surplus_by_hand(tmp_path: Path) -> None:
    """The surplus is U(x) = log(1 + x / x0) of each of two flows, less the cost of marks."""
    text = ENVIRONMENT.replace(
        "least: 10 kbps, most: 10 Mbps, scale: log", "least: 0 bit/s, most: 10 Mbps"
    )
    env = market_env(written(tmp_path, text), "joe")
    env.reset(seed=2)
    market = env._world._market
    assert market is not None
    env.step(np.zeros(2, np.float32))
    look = env._world._latest["joe"]
    assert look.flows is not None and look.dt_s == 3.0
    rates = look.flows.flows.goodput_bps
    worth = sum(np.log(1 + x / 1e6) for x in rates.tolist())
    cost = look.flows.flows.charge_micro.sum() / 1e6 / 3
    assert cost > 0 and env._world.reward("joe") == pytest.approx(worth - cost)
    env.close()


def test_the_same_seed_gives_the_same_episode(env: MarketParallelEnv) -> None:
    """Episodes of one seed are equal to the bit. Other seeds and episodes differ."""

    def course(seed: int | None) -> list[float]:
        env.reset(seed=seed)
        return [env.step(MIDDLE)[1]["isp"] for _ in range(6)]

    first, second = course(4), course(None)
    assert first != second
    assert course(4) == first and course(None) == second
    assert course(5) != first


def test_sixty_four_in_one_process(tmp_path: Path, pids: list[int]) -> None:
    """Each environment earns the same in turn as alone, and all end."""
    path, before, count = written(tmp_path), held(), 64 if in_full() else 16
    alone = market_env(path, "isp")
    alone.reset(seed=count - 1)
    rewards = [alone.step(np.zeros(1, np.float32))[1] for _ in range(2)]
    alone.close()
    envs = [market_env(path, "isp") for _ in range(count)]
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    earned = [[env.step(np.zeros(1, np.float32))[1] for env in envs] for _ in range(2)]
    assert len(set(zip(*earned, strict=True))) > 3 / 4 * count and len(pids) == 1 + count
    assert [of[-1] for of in earned] == rewards
    for env in envs:
        env.close()
    assert not any(there(pid) for pid in pids)
    assert held() == before


def test_an_engine_that_dies_is_an_error_with_its_last_words(
    env: MarketParallelEnv, pids: list[int]
) -> None:
    """The error gives the cause and the time; no agent is left, and `reset` starts again."""
    env.reset(seed=1)
    env.step(MIDDLE)
    os.kill(pids[0], signal.SIGKILL)
    with pytest.raises(EngineError, match=r"killed by SIGKILL at simulated time \d+ s"):
        env.step(MIDDLE)
    assert env.agents == []
    with pytest.raises(NotRunningError):
        env.step(MIDDLE)
    env.reset(seed=1)
    env.step(MIDDLE)


def test_an_environment_that_is_forgotten_ends_its_engine(tmp_path: Path, pids: list[int]) -> None:
    """The engine ends even without close()."""
    env: MarketEnv | None = market_env(written(tmp_path), "joe")
    assert env is not None
    env.reset(seed=1)
    assert there(pids[0])
    env = None
    gc.collect()
    assert not there(pids[0])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({"isp": MIDDLE["isp"]}, "joe: found no action"),
        (MIDDLE | {"isp": np.array([1.5], np.float32)}, "isp: found the action"),
        (MIDDLE | {"isp": np.array([np.nan], np.float32)}, "isp: found the action"),
        (MIDDLE | {"joe": np.zeros(1, np.float32)}, "joe: found the action"),
    ],
)
def test_actions_outside_their_space_are_refused(
    env: MarketParallelEnv, actions: dict[str, Any], message: str
) -> None:
    """The error names the action, and the episode can go on."""
    env.reset(seed=1)
    with pytest.raises(InputError, match=message):
        env.step(actions)
    env.step(MIDDLE)


def test_wrong_names_and_seeds(tmp_path: Path) -> None:
    """The error lists the agents that may learn."""
    path = written(tmp_path)
    with pytest.raises(InputError, match="found 'bob', expected one of isp, joe"):
        market_env(path, "bob")
    env = parallel_env(path, ["isp"])
    assert env.possible_agents == ["isp"]
    with pytest.raises(InputError, match="seed: found -1"):
        env.reset(seed=-1)
