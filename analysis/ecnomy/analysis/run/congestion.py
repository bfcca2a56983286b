# SPDX-License-Identifier: Apache-2.0
"""Signs of a congested link: marks, lost packets or delays.

Marks alone are not sufficient, because a drop-tail link marks nothing. If its buffer is large or
its senders have limited windows, it may be busy all the time and yet lose almost nothing. The signs
are

    marks     on at least 0.1 % of the ECN-capable data
    drops     of at least 0.1 % of the packets
    waiting   for at least 5 ms on average (the target of CoDel, RFC 8289) and at least five
              transmission times. A slow link that is 90 % used by independent arrivals therefore
              does not count (M/D/1: rho / (2 (1 - rho)) = 4.5 transmission times at rho = 0.9).
              A transmitter that is busy for at least 98 % of the time also counts if at least one
              packet waits on average, because a permanent queue at a fast link may delay packets
              by less than 5 ms
"""

from __future__ import annotations

from typing import Final

__all__ = ["SIGNS", "congested_by"]

SIGNS: Final = ("marks", "drops", "waiting")
SHARE: Final = 0.001
WAIT_S: Final = 0.005
TRANSMISSIONS: Final = 5.0
BUSY: Final = 0.98
STANDING_PACKETS: Final = 1.0


def congested_by(
    *, utilization: float, marked: float, dropped: float, queue_packets: float, wait_s: float
) -> tuple[str, ...]:
    """Return the signs of congestion of a link in a window; () without congestion.

    By Little's law, the mean wait in transmission times is the mean queue divided by the
    utilisation.

    Args:
        utilization: share of the time for which the link's transmitter was busy.
        marked: share of the link's ECN-capable data that was marked; NaN if there is no such data.
        dropped: share of the link's packets that were lost; NaN if there are no packets.
        queue_packets: mean number of waiting packets, without the one in service.
        wait_s: mean wait of a packet, s; NaN if there are no packets.
    """
    long = wait_s >= WAIT_S and queue_packets >= TRANSMISSIONS * utilization
    standing = utilization >= BUSY and queue_packets >= STANDING_PACKETS
    shown = marked >= SHARE, dropped >= SHARE, long or standing
    return tuple(name for name, there in zip(SIGNS, shown, strict=True) if there)
