# SPDX-License-Identifier: Apache-2.0
"""Many markets as one Gymnasium VectorEnv, distributed over processes.

The processes run in parallel. Each process steps some of the markets, one after another, with
Gymnasium's SyncVectorEnv. A market uses a fraction of a CPU and has a separate engine, so one
process per CPU suffices for any number of markets. Results do not depend on the number of
processes, because market i of `reset(seed=s)` is the run with seed s + i.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any, Final

import numpy as np

from ecnomy.agents.errors import InputError, NotRunningError
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.rl.single import market_env

try:
    from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:  # pragma: no cover
    raise InputError(f"environments need gymnasium; to install, run: {extras()}") from error

__all__ = ["MarketVectorEnv", "vector_env"]

_CLOSE_S: Final = 10.0
_MASK: Final = "reset_mask"


class MarketVectorEnv(VectorEnv):
    """Several markets of one environment file, with the conventions of Gymnasium's VectorEnv.

    Without a seed, the first `reset` uses the seed of the scenario, and later resets continue each
    market's sequence of seeds. `autoreset_mode` determines when markets are reset automatically, by
    default at the next step.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        count: int,
        *,
        processes: int = 0,
        learner: str = "",
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        """Start the processes. See `vector_env` for the arguments."""
        if count < 1 or processes < 0:
            raise InputError(
                f"found {count} markets and {processes} processes, expected 1 or more markets and "
                "0 or more processes"
            )
        one = market_env(path, learner)
        self._first_seed: int | None = one.scenario_seed
        self.num_envs, self.metadata = count, {**one.metadata, "autoreset_mode": autoreset_mode}
        self.single_observation_space = one.observation_space
        self.single_action_space = one.action_space
        self.observation_space = batch_space(one.observation_space, count)
        self.action_space = batch_space(one.action_space, count)
        workers = min(count, processes or os.cpu_count() or 1)
        bounds = [count * i // workers for i in range(workers + 1)]
        self._parts = [slice(*pair) for pair in zip(bounds, bounds[1:], strict=False)]
        context = multiprocessing.get_context("spawn")
        self._workers: list[tuple[Any, Connection]] = []
        for part in self._parts:
            ours, theirs = context.Pipe()
            settings = os.fspath(path), learner, part.stop - part.start, autoreset_mode
            worker = context.Process(target=_serve, args=(theirs, *settings), daemon=True)
            worker.start()
            theirs.close()
            self._workers.append((worker, ours))

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every market, or in the markets that `options["reset_mask"]` selects.

        Args:
            seed: a seed s for all markets (market i has the seed s + i), or one seed per market.
            options: see Gymnasium's SyncVectorEnv.

        Raises:
            InputError: a seed is invalid, or the number of seeds is wrong.
            EcnomyError: as for open_market.
        """
        seed = self._first_seed if seed is None else seed
        self._first_seed = None
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        seeds = [None] * self.num_envs if seeds is None else list(seeds)
        if len(seeds) != self.num_envs:
            raise InputError(f"seed: found {len(seeds)} seeds, expected {self.num_envs}")
        resets = [{"seed": seeds[part], "options": _options(options, part)} for part in self._parts]
        answers = self._ask("reset", [((), words) for words in resets])
        observations, infos = zip(*answers, strict=True)
        return np.concatenate(observations), _infos(infos, self._parts)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Act in every market, and return the values that Gymnasium's `step` returns for each.

        Raises:
            InputError: the number of actions is wrong, or an action is not in the space.
            NotRunningError: no episode is in progress, or a process has ended.
            EcnomyError: as for Market.step.
        """
        given = np.asarray(actions)
        if given.shape[:1] != (self.num_envs,):
            raise InputError(
                f"found actions of shape {given.shape}, expected {self.num_envs} rows "
                "(one per market)"
            )
        answers = self._ask("step", [((given[part],), {}) for part in self._parts])
        *arrays, infos = zip(*answers, strict=True)
        observations, rewards, ended, truncated = (np.concatenate(of) for of in arrays)
        return observations, rewards, ended, truncated, _infos(infos, self._parts)

    def close_extras(self, **kwargs: Any) -> None:
        """End all markets and processes."""
        for _, ours in self._workers:
            ours.close()
        for worker, _ in self._workers:
            worker.join(_CLOSE_S)
            if worker.is_alive():
                worker.kill()
                worker.join(_CLOSE_S)
        self._workers = []

    def _ask(self, name: str, words: Sequence[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
        """Call a method in all processes in parallel, and return its results."""
        if not self._workers:
            raise NotRunningError("the environments are closed; create new ones")
        answers = []
        try:
            for (_, ours), call in zip(self._workers, words, strict=True):
                ours.send((name, *call))
            answers = [ours.recv() for _, ours in self._workers]
        except (EOFError, OSError):
            self.close()
            raise NotRunningError(
                "a process of the environments has ended; create new ones"
            ) from None
        for fault in (of for of, _ in answers if of is not None):
            raise fault
        return [result for _, result in answers]


def vector_env(
    path: str | os.PathLike[str], count: int, *, processes: int = 0, learner: str = ""
) -> MarketVectorEnv:
    """Return `count` markets of an environment file as a Gymnasium VectorEnv.

    New processes import the main module, so a script must protect its code with
    `if __name__ == "__main__":`.

    Args:
        path: the environment file.
        count: number of markets.
        processes: number of processes; 0 means one per CPU.
        learner: name of the learner, by default the first learner in the file.

    Raises:
        ScenarioError: the file or its scenario is invalid.
        InputError: the file has no learner with this name, `count` is below 1, or `processes` is
            below 0.
    """
    return MarketVectorEnv(path, count, processes=processes, learner=learner)


def _serve(
    pipe: Connection, path: str, learner: str, count: int, autoreset_mode: AutoresetMode
) -> None:
    """Serve the calls for some of the markets, until the main process closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the main process handles Ctrl-C
    envs = SyncVectorEnv([lambda: market_env(path, learner)] * count, autoreset_mode=autoreset_mode)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            name, words, named = pipe.recv()
            answer: tuple[Exception | None, Any]
            try:
                answer = None, getattr(envs, name)(*words, **named)
            except Exception as error:
                answer = _portable(error), None
            pipe.send(answer)
    envs.close()


def _portable(error: Exception) -> Exception:
    """Return the error, or a substitute if the error cannot be sent to another process."""
    with contextlib.suppress(Exception):
        if str(pickle.loads(pickle.dumps(error))) == str(error):
            return error
    return NotRunningError(f"{type(error).__name__}: {error}")


def _options(options: dict[str, Any] | None, part: slice) -> dict[str, Any] | None:
    if options is None or _MASK not in options:
        return options
    return {**options, _MASK: options[_MASK][part]}


def _infos(infos: Sequence[dict[str, Any]], parts: Sequence[slice]) -> dict[str, Any]:
    """Join the infos of all processes into one array per key, with 0 where the key is missing."""
    count = parts[-1].stop
    joined: dict[str, Any] = {}
    for key in dict.fromkeys(key for one in infos for key in one):
        values = [one.get(key) for one in infos]
        if any(isinstance(value, dict) for value in values):
            joined[key] = _infos([value or {} for value in values], parts)
            continue
        like = next(value for value in values if value is not None)
        whole = np.zeros((count, *like.shape[1:]), like.dtype)
        for part, value in zip(parts, values, strict=True):
            if value is not None:
                whole[part] = value
        joined[key] = whole
    return joined
