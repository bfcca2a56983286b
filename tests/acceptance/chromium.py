# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over its DevTools protocol (a WebSocket; solara brings a client)."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

__all__ = ["CHROMIUM", "Tab"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)


class Tab:
    """A browser with one page; time limits are for machines with much else to do."""

    def __init__(self, profile: Path, limit_s: float = 120.0) -> None:
        from websockets.sync.client import connect

        assert CHROMIUM is not None
        self._limit_s, self._numbers = limit_s, itertools.count(1)
        words = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        told = profile / "DevToolsActivePort"
        self._until(lambda: told.exists() and len(told.read_text().splitlines()) > 1, "Chromium")
        port = told.read_text().splitlines()[0]
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/json/list", timeout=limit_s
        ) as answer:
            pages = [one for one in json.load(answer) if one["type"] == "page"]
        self._open = contextlib.ExitStack()
        connection = connect(pages[0]["webSocketDebuggerUrl"], max_size=None)
        self._socket = self._open.enter_context(connection)

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        """Of the page, in pixels; a telephone has two of its own for each."""
        scale = 2 if phone else 1
        numbers = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": phone}
        self.send("Emulation.setDeviceMetricsOverride", **numbers)

    def go(self, url: str) -> None:
        """Open a page."""
        self.send("Page.navigate", url=url)

    def ask(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def wait(self, script: str) -> Any:
        """The value of an expression as soon as it is true."""
        found: list[Any] = []

        def there() -> bool:
            found[:] = [self.ask(script)]
            return bool(found[0])

        self._until(there, script)
        return found[0]

    def press(self, key: str, times: int = 1) -> None:
        """A key, where the focus is."""
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def picture(self, file: Path) -> None:
        """The page as a PNG."""
        told = self.send("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(told["data"]))

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """A command of the protocol and its answer."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv(timeout=self._limit_s))
            if told.get("id") == number:
                assert "error" not in told, told
                answer: dict[str, Any] = told["result"]
                return answer

    def close(self) -> None:
        """End the browser."""
        self._open.close()
        self._process.terminate()
        self._process.wait(30)

    def _until(self, there: Any, what: str) -> None:
        end = time.monotonic() + self._limit_s
        while not there():
            assert time.monotonic() < end, f"waited {self._limit_s:g} s in vain for {what}"
            time.sleep(0.2)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()
