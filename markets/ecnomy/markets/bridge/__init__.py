# SPDX-License-Identifier: Apache-2.0
"""Connect a market to engines by the messages that omnet/bridge/PROTOCOL.md specifies."""

from __future__ import annotations

from ecnomy.markets.bridge.codec import MAJOR, MINOR, decode_body, encode
from ecnomy.markets.bridge.listen import Listener, listen
from ecnomy.markets.bridge.server import EngineLink

__all__ = ["MAJOR", "MINOR", "EngineLink", "Listener", "decode_body", "encode", "listen"]
