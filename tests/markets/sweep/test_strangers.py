# SPDX-License-Identifier: Apache-2.0
"""Workers on this machine serve only their owner: no port or folder is open to others."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import ssl
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import distributed
import psutil
import pytest
from distributed.comm import connect

from ecnomy.markets.support.temporary import private_folder
from ecnomy.markets.sweep.pool import DaskPool, PoolError
from ecnomy.markets.sweep.sweep_file import Limits

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def pool() -> Iterator[DaskPool]:
    """One worker."""
    with contextlib.closing(DaskPool("", 1, Limits())) as started:
        yield started


def members() -> list[int]:
    """Return the ids of this process and its descendants."""
    return [os.getpid(), *(process.pid for process in psutil.Process().children())]


def listening() -> set[int]:
    """Ports at which one of the members listens."""
    links = set()
    for pid in members():
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                links.add(os.readlink(link))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    open_ = [row for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in links]
    return {int(row[1].partition(":")[2], 16) for row in open_}


def greets(address: str, **arguments: Any) -> bool:
    """Whether a dask server accepts these credentials."""

    async def greeted() -> bool:
        try:
            comm = await connect(address, timeout=20, **arguments)
        except (OSError, ValueError, TypeError):
            return False
        comm.abort()
        return True

    return asyncio.run(greeted())


def strangers() -> dict[str, dict[str, Any]]:
    """Credentials of strangers, by scheme: another certificate, or none; they trust all peers."""
    other = distributed.Security.temporary().get_connection_args("client")["ssl_context"]
    bare = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for context in (other, bare):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return {"tcp": {}, "tls": {"ssl_context": other}, "tls:bare": {"ssl_context": bare}}


def test_strangers_are_refused(pool: DaskPool) -> None:
    """Scheduler, nanny and worker refuse strangers. All three accept the owner's certificate."""
    (nanny,) = pool._cluster.workers.values()
    servers = [pool._cluster.scheduler_address, nanny.address, nanny.worker_address]
    owner = pool._cluster.security.get_connection_args("client")
    for server in servers:
        assert greets(server, **owner)
        for scheme, arguments in strangers().items():
            where = scheme.partition(":")[0] + "://" + server.partition("://")[2]
            assert not greets(where, **arguments), (server, scheme)


def test_no_page_is_served(pool: DaskPool) -> None:
    """No port of driver and worker serves a page; dask's pages would show tasks and ports."""
    assert len(listening()) >= 3
    for port in listening():
        for path in ("info/main/workers.html", "json/identity.json", "metrics", "health"):
            with pytest.raises(OSError):  # refused, or an HTTPError
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=20).close()


def test_the_key_is_in_memory_only(pool: DaskPool) -> None:
    """The key is not in a process's arguments or environment, which others may read."""
    key = pool._cluster.security.tls_worker_key.splitlines()[2].encode()
    for pid in members():
        for name in ("cmdline", "environ"):
            assert key not in Path(f"/proc/{pid}/{name}").read_bytes()


def test_modules_come_from_no_shared_folder(pool: DaskPool) -> None:
    """dask's scratch folder is on the module path, so it is in a place only the owner can write.

    A run's temporary files are also there, so those of a killed sweep disappear with the folder.
    """
    scratch = [path for path in sys.path if "dask-scratch-space" in path]
    mine = Path(private_folder(tempfile.gettempdir()))
    assert scratch and all(mine in Path(path).parents for path in scratch)
    assert mine.stat().st_mode & 0o777 == 0o700 and mine.stat().st_uid == os.getuid()
    there = pool.submit(tempfile.mkdtemp, "made-by-a-run").result(60)
    assert mine in Path(there).parents


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_name_that_others_have_taken_is_not_used(tmp_path: Path, kind: str) -> None:
    """In place of a link to another user's folder, or a file, a new folder is made."""
    taken = tmp_path / f"ecnomy-{os.getuid()}"
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    taken.symlink_to(theirs) if kind == "link" else taken.touch()
    folder = Path(private_folder(str(tmp_path)))
    assert folder not in (taken, theirs) and folder.stat().st_mode & 0o777 == 0o700


def test_certificates_that_do_not_fit_are_one_line(pool: DaskPool) -> None:
    """Missing certificates and those of others give exit status 2, without a time-out."""
    from ecnomy.agents.errors import InputError

    address = pool._cluster.scheduler_address
    with pytest.raises(InputError, match="found no certificates"):
        DaskPool(address, 0, Limits())
    import dask

    other = distributed.Security.temporary()
    words = {"ca-file": other.tls_ca_file, "client.cert": other.tls_client_cert}
    words["client.key"] = other.tls_client_key
    with dask.config.set({f"distributed.comm.tls.{name}": word for name, word in words.items()}):
        with pytest.raises(InputError, match="do not fit") as caught:
            DaskPool(address, 0, Limits())
    assert caught.value.exit_status == 2 and "\n" not in str(caught.value)


def test_ctrl_c_does_not_interrupt_the_end_of_workers() -> None:
    """A second Ctrl-C leaves no workers behind, and causes no traceback of dask."""
    heeded, handlers = signal.getsignal(signal.SIGINT), []
    closing = SimpleNamespace(
        close=lambda timeout: handlers.append(signal.getsignal(signal.SIGINT))
    )
    pool = object.__new__(DaskPool)
    pool._client = pool._cluster = closing
    pool.close()
    assert handlers == [signal.SIG_IGN] * 2 and signal.getsignal(signal.SIGINT) == heeded


def test_a_worker_killed_as_it_starts_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is killed as it starts gives one line instead of dask's traceback."""

    def killed(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", killed)
    with pytest.raises(PoolError, match="a worker ended while starting .*; run the same command"):
        DaskPool("", 1, Limits())


@pytest.mark.signals
def test_ctrl_c_is_answered_when_workers_have_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is not lost, and threads that start in the meantime do not receive it."""
    closed, blocked = [], []

    def look() -> None:
        blocked.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))

    def starts(**_: object) -> object:
        signal.raise_signal(signal.SIGINT)
        thread = threading.Thread(target=look)
        thread.start()
        thread.join(60)
        return SimpleNamespace(close=lambda timeout: closed.append("cluster"))

    client = SimpleNamespace(close=lambda timeout: closed.append("client"))
    monkeypatch.setattr(distributed, "LocalCluster", starts)
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: client)
    heeded = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            DaskPool("", 1, Limits())
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, heeded)
    assert closed == ["client", "cluster"] and blocked == [True]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
