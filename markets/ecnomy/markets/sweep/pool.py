# SPDX-License-Identifier: Apache-2.0
"""Distributes runs to workers, behind the interface of concurrent.futures.

The workers belong to dask.distributed: by default to a local cluster of single-threaded processes,
otherwise to a running scheduler. A dead local worker is replaced, and its runs are repeated on
other workers. A run is abandoned only after several workers have died during it.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import importlib
import logging
import math
import os
import signal
import socket
import ssl
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from typing import Any, Final, Protocol, TypeVar

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.support.temporary import private_folder
from ecnomy.markets.sweep import local_worker
from ecnomy.markets.sweep.local_worker import hush, remove_leavings
from ecnomy.markets.sweep.sweep_file import UNLIMITED, Limits

__all__ = [
    "LOST",
    "RESUME",
    "DaskPool",
    "LazyPool",
    "Pool",
    "PoolError",
    "PoolLost",
    "RunAbandoned",
]

T = TypeVar("T")
_DEATHS: Final = 5  # a run is abandoned after this number of dead workers
_SPARE_BYTES: Final = 10**9  # memory of a worker in addition to the engine's limit
_PATIENCE_S: Final = "20s"
_COUNT_S: Final = 3.0
_GIVEN_UP: Final = "20s"  # after a death, dask waits this long for the worker to return
_GREETING_S: Final = 20.0
_TLS: Final = "certificates of the scheduler's authority in dask's distributed.comm.tls"
_NONE_LEFT_S: Final = 60.0
_NO_WARNING: Final = "ignore:resource_tracker"
RESUME: Final = "run the same command again to resume"
_NO_WORKERS: Final = f"no workers are left; {RESUME}"
LOST: Final = f"the scheduler is gone; {RESUME}"


class PoolError(EcnomyError):
    """No workers are available."""


class PoolLost(PoolError):
    """The scheduler, the executor or all workers are gone. Runs in progress must be repeated."""


class RunAbandoned(Exception):
    """Several processes died during a run."""


class Pool(Protocol):
    """Runs functions on workers.

    Attributes:
        ahead: number of runs to submit per worker, so that workers do not wait for the driver.
    """

    ahead: int

    @property
    def workers(self) -> int:
        """Return the number of runs that can be made in parallel."""

    @property
    def lost(self) -> bool:
        """Return whether the workers are lost, so that no answer can arrive."""

    def submit(self, function: Callable[..., T], task: Any) -> concurrent.futures.Future[T]:
        """Run `function(task)` on a worker. Raise PoolLost if the workers are lost."""

    def close(self) -> None:
        """Release the workers."""


class DaskPool:
    """A pool of dask.distributed workers."""

    ahead = 3

    def __init__(self, scheduler: str, workers: int, limits: Limits) -> None:
        """Connect to the address `scheduler` or, if this is "", start `workers` local processes.

        If `workers` is 0, one process per CPU is started.

        Raises:
            InputError: dask.distributed is not installed, or certificates for tls:// do not fit.
            PoolError: the address does not answer, its scheduler has no worker, or a worker does
                not start.
        """
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise InputError(f"sweeps need dask.distributed; to install, run: {extras()}") from None
        hush()
        self._client: Any = None
        self._cluster: Any = None
        try:
            if scheduler:
                self._client = _connected(distributed, scheduler)
            else:
                self._wanted = workers or os.cpu_count() or 1
                self._start_local(distributed, limits)
        except BaseException:
            self.close()
            raise
        self._workers, self._counted_s = 1, -math.inf
        self._last_worker_s = time.monotonic()

    def _start_local(self, distributed: Any, limits: Limits) -> None:
        with _ctrl_c_later():
            try:
                self._cluster = _local(distributed, self._wanted, limits)
            except RuntimeError as error:  # a worker was killed before it had started
                raise PoolError(f"a worker ended while starting ({error}); {RESUME}") from None
            self._client = distributed.Client(self._cluster, set_as_default=False)

    @property
    def workers(self) -> int:
        """Return the number of threads of all workers, counted at most 3 s ago, but at least 1.

        Raises:
            PoolLost: the scheduler is gone, or has had no workers for a minute.
        """
        now_s = time.monotonic()
        if now_s - self._counted_s > _COUNT_S:
            try:
                threads: dict[str, int] = self._client.nthreads()
            except (OSError, TimeoutError):
                raise PoolLost(LOST) from None
            self._workers, self._counted_s = sum(threads.values()), now_s
            if self._cluster is not None and self._workers < self._wanted:
                self._cluster.scale(self._wanted)  # dask may have abandoned a worker
            self._last_worker_s = now_s if self._workers else self._last_worker_s
            if now_s - self._last_worker_s > _NONE_LEFT_S:
                raise PoolLost(_NO_WORKERS)
        return max(1, self._workers)

    def submit(self, function: Callable[..., T], task: Any) -> concurrent.futures.Future[T]:
        """See Pool.

        Raises:
            PoolLost: the scheduler is gone.
        """
        if self._client.status != "running":
            raise PoolLost(LOST)
        future = self._client.submit(function, task, pure=False, retries=0)
        answer: concurrent.futures.Future[T] = concurrent.futures.Future()
        answer.add_done_callback(lambda one: _give_up(future) if one.cancelled() else None)
        self._client.loop.add_callback(_pass_on, future, answer)
        return answer

    @property
    def lost(self) -> bool:
        """Return whether the scheduler is gone."""
        return bool(self._client.status != "running")

    def close(self) -> None:
        """See Pool."""
        with _ctrl_c_ignored():  # a second Ctrl-C would otherwise leave workers behind
            if self._client is not None:
                with contextlib.suppress(Exception):
                    self._client.close(timeout=5)
            if self._cluster is not None:
                with contextlib.suppress(Exception):
                    self._cluster.close(timeout=10)


def _give_up(future: Any) -> None:
    if future.status != "cancelled":  # the status of every task whose scheduler is gone
        future.cancel()


async def _pass_on(future: Any, answer: concurrent.futures.Future[Any]) -> None:
    """Pass on dask's answer, or PoolLost if the scheduler is gone.

    Dask's own executor reads the state of the task after it has the answer. If the worker died
    in between, the executor mistakes the answer for an exception.
    """
    with contextlib.suppress(concurrent.futures.InvalidStateError):  # the caller may no longer wait
        try:
            answer.set_result(await future)
        except BaseException as error:
            answer.set_exception(PoolLost(LOST) if _is_lost(future, error) else error)


def _is_lost(future: Any, error: BaseException) -> bool:
    """Return whether the error means that the scheduler is gone, and not that the task failed.

    If the connection breaks while an answer is fetched, the client's status may not show this yet.
    """
    broken = isinstance(error, OSError | asyncio.CancelledError | concurrent.futures.CancelledError)
    return broken and future.status != "error"


class LazyPool:
    """A pool that starts its workers when they are first needed."""

    ahead = DaskPool.ahead

    def __init__(self, start: Callable[[], Pool]) -> None:
        self._start = start
        self._pool: Pool | None = None

    def _started(self) -> Pool:
        if self._pool is None:
            self._pool = self._start()
        return self._pool

    @property
    def workers(self) -> int:
        """See Pool."""
        return self._started().workers

    @property
    def lost(self) -> bool:
        """See Pool."""
        return self._started().lost

    def submit(self, function: Callable[..., T], task: Any) -> concurrent.futures.Future[T]:
        """See Pool."""
        return self._started().submit(function, task)

    def close(self) -> None:
        """See Pool."""
        if self._pool is not None:
            self._pool.close()
        else:
            remove_leavings()


def _config() -> None:
    import dask

    dask.config.set(
        {
            "distributed.scheduler.allowed-failures": _DEATHS,
            "distributed.scheduler.work-stealing": False,
            "distributed.scheduler.worker-saturation": 1.5,
            "distributed.worker.daemon": False,
            "distributed.worker.profile.enabled": False,  # 100 unused stacks per second
            "distributed.comm.timeouts.connect": _PATIENCE_S,
            "distributed.deploy.lost-worker-timeout": _GIVEN_UP,
            "distributed.admin.log-length": 0,
        }
    )


def _local(distributed: Any, workers: int, limits: Limits) -> Any:
    """Return a cluster that only this user can reach, because its certificate stays in memory."""
    import dask

    _config()
    try:
        security = distributed.Security.temporary()
    except ImportError:
        raise InputError(f"sweeps need cryptography; to install, run: {extras()}") from None
    temporary = dask.config.get("temporary-directory") or tempfile.gettempdir()
    private = {
        "temporary-directory": private_folder(temporary),
        "distributed.scheduler.http.routes": [],  # its pages show tasks and forward to ports
        "distributed.worker.http.routes": [],
    }
    memory = 0 if limits.memory_bytes == UNLIMITED else limits.memory_bytes + _SPARE_BYTES
    with dask.config.set(private):
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=memory,
            security=security,
            protocol="tls://",
            preload=[local_worker.__name__],
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # avoids port 8787 and a warning
            silence_logs=logging.CRITICAL,
        )


@contextlib.contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """Ignore Ctrl-C, which only the main thread receives, during the body."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heeded)


@contextlib.contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Delay Ctrl-C until the end of the body, so that the driver handles it.

    Ctrl-C stays blocked in threads and processes that start in the body, and in workers that
    dask starts later. Otherwise their tracebacks would reach the terminal.
    """
    heeded = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or heeded is signal.SIG_IGN:
        yield
        return
    _start_tracker()  # this unblocks signals in the thread that starts it
    signals: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: signals.append(number))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        signal.signal(signal.SIGINT, heeded)
        if signals:
            signal.raise_signal(signal.SIGINT)


def _start_tracker() -> None:
    """Start Python's resource tracker so that it ignores SIGHUP, as it ignores Ctrl-C and SIGTERM.

    Otherwise a closed terminal ends the tracker, and the next tracker prints a traceback per
    semaphore. If the driver is killed, the tracker removes the driver's semaphores without a
    warning.
    """
    heeded = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    sys.warnoptions.append(_NO_WARNING)  # passed on to the tracker
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(_NO_WARNING)
        signal.signal(signal.SIGHUP, heeded)


def _connected(distributed: Any, scheduler: str) -> Any:
    _config()
    _check_certificates(distributed, scheduler)
    try:
        client = distributed.Client(scheduler, timeout=_PATIENCE_S, set_as_default=False)
        client.wait_for_workers(1, timeout=_PATIENCE_S)
    except Exception as error:  # its kind depends on the address and the network
        reason = " ".join(str(error).split())[:200]
        raise PoolError(f"--scheduler {scheduler}: no workers available ({reason})") from None
    return client


def _check_certificates(distributed: Any, scheduler: str) -> None:
    """Test the certificates for a scheduler at tls://, because dask would only report a timeout.

    Raises:
        InputError: certificates are missing, or one side refuses the other's certificate.
    """
    if not scheduler.startswith("tls://"):
        return
    from distributed.comm.addressing import get_address_host_port

    try:
        context = distributed.Security().get_connection_args("client")["ssl_context"]
        if context is None:
            raise InputError(f"--scheduler {scheduler}: found no certificates, expected {_TLS}")
        where = get_address_host_port(scheduler)
        with socket.create_connection(where, _GREETING_S) as plain:
            with context.wrap_socket(plain) as encrypted:
                encrypted.recv(1)  # an accepting scheduler speaks first
    except (ssl.SSLError, FileNotFoundError) as error:
        reason = getattr(error, "reason", None) or error.strerror
        raise InputError(
            f"--scheduler {scheduler}: found certificates that do not fit ({reason}), "
            f"expected {_TLS}"
        ) from None
    except (OSError, ValueError):
        return  # not due to certificates; the client tries longer and reports why
