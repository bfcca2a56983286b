# SPDX-License-Identifier: Apache-2.0
"""Table 1: buffers of the two DiffServ classes, and the thresholds that follow from them."""

from __future__ import annotations

from typing import Final

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

__all__ = ["figures"]

_LINK_BPS: Final = 40_000_000
_BUFFER_MS: Final = 50
_CLASSES: Final = {"voice": (7, 142), "web": (90, 1457)}  # per cent of the link, packet bytes
_WEB_THRESHOLDS: Final = (77, 154)  # packets, as the table has them


def figures(studies: Studies) -> Samples:
    """Buffers of 50 ms of each class in bytes and in whole packets; the web class's thresholds."""
    found: dict[str, float] = {}
    for name, (percent, packet_bytes) in _CLASSES.items():
        buffer_bytes = _LINK_BPS * percent * _BUFFER_MS // (100 * 1000 * 8)
        found[f"buffer_bytes.{name}"] = float(buffer_bytes)
        found[f"buffer_packets.{name}"] = float(buffer_bytes // packet_bytes)
    least, most = _WEB_THRESHOLDS
    found["max_threshold_over_buffer.web"] = most / found["buffer_packets.web"]
    found["min_over_max_threshold.web"] = least / most
    return found
