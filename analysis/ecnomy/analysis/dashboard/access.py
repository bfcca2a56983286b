# SPDX-License-Identifier: Apache-2.0
"""Controls access to the live page, because every user of the machine can reach its port.

The printed address ends in a token, which is new for each server. In exchange for the token, the
server sets a cookie that all later requests carry, including the page's websocket. Other requests
get status 403.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qsl

__all__ = ["Guard"]

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]
_REFUSED: Final = b"Open the address that `ecnomy dashboard` printed, with its token.\n"
_POLICY_VIOLATION: Final = 1008  # RFC 6455; before the handshake, the server sends it as a 403


class Guard:
    """An ASGI application that protects another ASGI application.

    Args:
        app: the application to protect.
        port: the port of the server, which is part of the cookie's name, because browsers share
            cookies among all ports of a host.
        token: the secret that the address contains as `?token=`.
    """

    def __init__(self, app: _App, port: int, token: str) -> None:
        self._app, self._token = app, token.encode()
        self._cookie = f"ecnomy-{port}={token}"

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Forward the request, exchange its token for the cookie, or refuse it."""
        if scope["type"] == "lifespan" or self._is_known(scope):
            await self._app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        elif self._is_invited(scope):
            kept = f"{self._cookie}; Path=/; HttpOnly; SameSite=Lax"
            await _answer(send, 303, b"", location="/", set_cookie=kept)
        else:
            await _answer(send, 403, _REFUSED)

    def _is_known(self, scope: _Message) -> bool:
        cookies = (value for name, value in scope["headers"] if name == b"cookie")
        pairs = (pair.strip() for value in cookies for pair in value.split(b";"))
        wanted = self._cookie.encode()
        return any(hmac.compare_digest(pair, wanted) for pair in pairs)

    def _is_invited(self, scope: _Message) -> bool:
        given = parse_qsl(scope["query_string"].decode("latin-1"))
        return any(k == "token" and hmac.compare_digest(v.encode(), self._token) for k, v in given)


async def _answer(send: _Send, status: int, body: bytes, **headers: str) -> None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named |= {"content-type": "text/plain", "cache-control": "no-store"}
    lines = [(name.encode(), value.encode()) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})
