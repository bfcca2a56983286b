# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over its DevTools protocol through a pair of pipes.

Messages are JSON, each followed by a zero byte. Chromium reads descriptor 3 and writes to 4.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from processes import LIMIT_S, started, wait_for
from tiers import full

__all__ = ["CHROMIUM", "Tab", "in_browser"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
KEYS = {"ArrowRight": 39}


def in_browser(test: Any) -> Any:
    """Marks a test of a page, which runs only in the full tier and in CI, with Chromium."""
    lacking = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium (chromium) on the path")
    return pytest.mark.browser(full(lacking(test)))


class Tab:
    """A browser with one page. Its time limits allow for busy machines."""

    def __init__(self, profile: Path, limit_s: float = LIMIT_S) -> None:
        assert CHROMIUM is not None
        self._limit_s, self._numbers, self._session = limit_s, itertools.count(1), ""
        (reads, self._out), (self._in, writes) = os.pipe(), os.pipe()
        words = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        numbered = ["bash", "-c", f'exec "$@" 3<&{reads} 4>&{writes}', "bash", *words]
        self._browser = ExitStack()
        browser = started(numbered, stderr=subprocess.DEVNULL, pass_fds=(reads, writes))
        self._process = self._browser.enter_context(browser)
        os.close(reads)
        os.close(writes)
        self._rest = b""
        try:
            self._session = self._open_page()
        except BaseException:
            self.close()
            raise

    def _open_page(self) -> str:
        """Return the session of the page that the browser opens at its start."""
        pages: list[dict[str, Any]] = []

        def there() -> bool:
            targets = self.send("Target.getTargets")["targetInfos"]
            pages[:] = [one for one in targets if one["type"] == "page"]
            return bool(pages)

        self._until(there, "Chromium")
        target = pages[0]["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        session: str = attached["sessionId"]
        return session

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        """Sets the page's size in pixels. A telephone has two device pixels per pixel."""
        scale = 2 if phone else 1
        numbers = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": phone}
        self.send("Emulation.setDeviceMetricsOverride", **numbers)

    def go(self, url: str) -> None:
        """Opens a page."""
        self.send("Page.navigate", url=url)

    def ask(self, script: str) -> Any:
        """The value of an expression in the page."""
        evaluated = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in evaluated, evaluated
        return evaluated["result"].get("value")

    def wait(self, script: str, limit_s: float | None = None) -> Any:
        """The value of an expression once it is true, within the page's time limit or this one."""
        found: list[Any] = []

        def there() -> bool:
            found[:] = [self.ask(script)]
            return bool(found[0])

        self._until(there, script, limit_s)
        return found[0]

    def press(self, key: str, times: int = 1) -> None:
        """Presses a key at the focus."""
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                number = {"windowsVirtualKeyCode": KEYS[key]}  # Vuetify 2 uses this
                self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, **number)

    def picture(self, file: Path, *, whole: bool = False) -> None:
        """The visible part of the page as a PNG, or all of it."""
        screenshot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(screenshot["data"]))

    def media(self, media: str = "", *, grey: bool = False) -> None:
        """Shows the page as on paper ("print"), or without colours."""
        self.send("Emulation.setEmulatedMedia", media=media)
        kind = "achromatopsia" if grey else "none"
        self.send("Emulation.setEmulatedVisionDeficiency", type=kind)

    def paper(self, file: Path) -> None:
        """The page printed on A4."""
        printed = self.send("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        file.write_bytes(base64.b64decode(printed["data"]))

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a command of the protocol and returns its answer."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            reply = json.loads(self._next())
            if reply.get("id") == number:
                assert "error" not in reply, reply
                answer: dict[str, Any] = reply["result"]
                return answer

    def _next(self) -> bytes:
        """The next message."""
        parts = [self._rest]
        while b"\0" not in parts[-1]:
            ready, _, _ = select.select([self._in], [], [], self._limit_s)
            assert ready, f"waited {self._limit_s:g} s in vain for an answer"
            parts.append(os.read(self._in, 1 << 20))
            assert parts[-1], "Chromium has ended"
        whole, _, self._rest = b"".join(parts).partition(b"\0")
        return whole

    def kill(self) -> None:
        """Ends the browser like a crash: pages get no notice."""
        os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Ends the browser."""
        os.close(self._out)
        os.close(self._in)
        self._browser.close()

    def _until(self, there: Callable[[], bool], what: str, limit_s: float | None = None) -> None:
        wait_for(there, what, limit_s or self._limit_s, every_s=0.2)  # pages take their time

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()
