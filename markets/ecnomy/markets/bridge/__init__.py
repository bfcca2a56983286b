# SPDX-License-Identifier: Apache-2.0
"""The market's end of the bridge: messages, codec and link, as in omnet/bridge/PROTOCOL.md."""

from __future__ import annotations

from ecnomy.markets.bridge.codec import MAJOR, MINOR, decode_body, encode
from ecnomy.markets.bridge.listen import Listener, listen
from ecnomy.markets.bridge.server import EngineLink

__all__ = ["MAJOR", "MINOR", "EngineLink", "Listener", "decode_body", "encode", "listen"]
