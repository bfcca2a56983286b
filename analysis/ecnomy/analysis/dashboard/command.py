# SPDX-License-Identifier: Apache-2.0
"""`ecnomy dashboard CONFIG`: serves the live page of a scenario until Ctrl-C.

Solara's server imports the page's module by name, so the arguments are passed in an environment
variable as JSON. Every browser tab has a separate market and engine, which end with the tab.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import secrets
import signal
import socket
import warnings
from pathlib import Path
from types import FrameType
from typing import Annotated, Final

import msgspec
import typer

from ecnomy.agents.errors import InputError
from ecnomy.analysis.dashboard.access import Guard
from ecnomy.markets.cli.options import Changes, Config, EngineName, Seed
from ecnomy.markets.engines.registry import DEFAULT_ENGINE
from ecnomy.markets.inputs.missing_packages import extras
from ecnomy.markets.support.temporary import temporary_folder

__all__ = ["SHOWN", "PageArguments", "dashboard_command"]

SHOWN: Final = "ECNOMY_DASHBOARD"
_PAGE: Final = "ecnomy.analysis.dashboard.page"
_NEEDED: Final = ("solara", "altair")  # packages that Mesa's page needs
# time in which a page can reconnect, which a crashed browser never does
_LOST: Final = "15s"
_TOKEN_BYTES: Final = 16
_SLOW_S: Final = 120.0  # longest time without a message from a browser on a busy machine

Host = Annotated[
    str, typer.Option(help="Address to listen on. Use 0.0.0.0 to let other machines connect.")
]
Port = Annotated[
    int, typer.Option(help="Port to listen on. Use 0 for any free port.", min=0, max=65535)
]
Browser = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]


class PageArguments(msgspec.Struct, frozen=True):
    """The arguments of the command that determine the page."""

    config: str
    changes: tuple[str, ...] = ()
    seed: int | None = None
    engine: str = DEFAULT_ENGINE


def dashboard_command(
    config: Config,
    set_: Changes = None,
    seed: Seed = None,
    engine: EngineName = DEFAULT_ENGINE,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    browser: Browser = False,
) -> None:
    """Watch and steer a running market in the browser."""
    lacking = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        needs = " and ".join(lacking)
        raise InputError(f"the live page needs {needs}; to install, run: {extras()}")
    shown = PageArguments(str(config.resolve()), tuple(set_ or ()), seed, engine)
    _check(config, shown)
    sock = _listening(host, port)
    token = secrets.token_hex(_TOKEN_BYTES)
    url = f"http://{host}:{sock.getsockname()[1]}/?token={token}"
    os.environ[SHOWN] = msgspec.json.encode(shown).decode()
    print(f"{url}  (stop with Ctrl-C)", flush=True)
    with temporary_folder() as folder:
        if browser:
            _open(url, folder)
        _serve(sock, token)


def _open(url: str, folder: Path) -> None:
    """Open the browser through a private file, because every user can see command lines."""
    import webbrowser

    file = folder / "page.html"
    file.write_text(f'<meta http-equiv="refresh" content="0; url={url}">\n', encoding="utf-8")
    webbrowser.open(file.as_uri())


def _check(config: Path, shown: PageArguments) -> None:
    from ecnomy.markets.compile.make import make_plan
    from ecnomy.markets.scenario import load

    scenario = load(config, overrides=shown.changes, seed=shown.seed)
    if scenario.market is None:
        raise InputError(f"{config}: missing 'market': expected a scenario with a market")
    make_plan(scenario)


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except OSError as error:
        where = f"{host}:{port}"
        free = "; use --port 0 to find a free port" if error.errno == errno.EADDRINUSE else ""
        raise InputError(f"cannot listen on {where}: {error.strerror or error}{free}") from error


def _serve(sock: socket.socket, token: str) -> None:
    """Run Solara's server without its start message until SIGINT or SIGTERM."""
    os.environ.setdefault("SOLARA_TELEMETRY_MIXPANEL_ENABLE", "false")
    os.environ.setdefault("SOLARA_KERNEL_CULL_TIMEOUT", _LOST)
    os.environ.setdefault("SOLARA_THEME_SHOW_BANNER", "false")  # the banner would cover the page
    os.environ["SOLARA_APP"] = _PAGE
    # This feature checks the style of Mesa's code, and would require secure cookies without https.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"solara\.")
    import uvicorn
    from solara.server import starlette

    config = uvicorn.Config(
        Guard(starlette.app, sock.getsockname()[1], token),
        log_level="warning",
        timeout_graceful_shutdown=2,
        ws_ping_timeout=_SLOW_S,
    )
    server = uvicorn.Server(config)
    end = server.handle_exit

    def end_once(number: int, frame: FrameType | None) -> None:
        if not server.should_exit:  # a second signal would cut off the shutdown with a traceback
            end(number, frame)

    server.handle_exit = end_once
    try:
        server.run(sockets=[sock])
    except KeyboardInterrupt:
        pass  # uvicorn has ended in good order and raises the interrupt again
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sock.close()
