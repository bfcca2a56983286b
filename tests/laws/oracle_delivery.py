# SPDX-License-Identifier: Apache-2.0
"""Delivery rate samples of draft-ietf-ccwg-bbr, by its names, in packets and ps.

The records of packets are in a dict, in the order of their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["PS", "Connection", "Packet", "Sample"]

PS: Final = 10**12


@dataclass
class Packet:
    """P, the state of a transmission."""

    seq: int
    send_time: int
    first_send_time: int
    delivered_time: int
    delivered: int
    lost: int
    delivered_ce: int
    tx_in_flight: int
    is_app_limited: bool
    again: bool
    is_lost: bool = False
    is_delivered: bool = False


@dataclass
class Sample:
    """RS, the rate sample of an ACK or of a lost packet."""

    delivered: int = 0
    delivered_ce: int = 0
    lost: int = 0
    tx_in_flight: float = 0
    prior_delivered: int = 0
    newly_acked: int = 0
    is_app_limited: bool = False
    delivery_rate: float = 0.0
    rtt: int = -1


class Connection:
    """C: packets in flight and the sampling of the delivery rate."""

    def __init__(self, first: int) -> None:
        self.packets: dict[int, Packet] = {}
        self.first = first
        self.delivered = self.delivered_time = self.first_send_time = 0
        self.lost = self.delivered_ce = self.app_limited = 0
        self.newest: Packet | None = None
        self.newly_acked = 0
        self.inflight = 0

    def outstanding(self) -> list[Packet]:
        """The packets that are neither delivered nor lost, in order."""
        return [p for p in self.packets.values() if not (p.is_lost or p.is_delivered)]

    def forget(self, acked: int) -> None:
        """Drops the records of packets that are acknowledged."""
        while self.first < acked and self.packets:
            self.packets.pop(self.first, None)
            self.first += 1

    def sent(self, seq: int, now: int, limited: bool) -> None:
        """OnPacketSent."""
        again = seq in self.packets
        if self.newly_acked:
            self.delivered_time = now
        if self.inflight == 0:
            self.first_send_time = self.delivered_time = now
        self.inflight += 1
        self.packets[seq] = Packet(  # a packet sent again keeps its place, so all are in order
            seq=seq,
            send_time=now,
            first_send_time=self.first_send_time,
            delivered_time=self.delivered_time,
            delivered=self.delivered,
            lost=self.lost,
            delivered_ce=self.delivered_ce,
            tx_in_flight=self.inflight,
            is_app_limited=limited or self.app_limited != 0,
            again=again,
        )

    def arrived(self, packet: Packet) -> None:
        """UpdateRateSample."""
        if packet.is_delivered:
            return
        self.inflight -= not packet.is_lost
        packet.is_delivered = True
        self.delivered += 1
        self.newly_acked += 1
        newest = self.newest
        if (
            newest is None
            or packet.send_time > self.first_send_time
            or (packet.send_time == self.first_send_time and packet.seq > newest.seq)
        ):
            self.newest = packet
            self.first_send_time = packet.send_time

    def sample(self, now: int, min_rtt: int) -> Sample:
        """GenerateRateSample."""
        if self.app_limited and self.delivered > self.app_limited:
            self.app_limited = 0
        packet, newly, self.newest, self.newly_acked = self.newest, self.newly_acked, None, 0
        if packet is None:
            return Sample()
        self.delivered_time = now
        interval = max(packet.send_time - packet.first_send_time, now - packet.delivered_time)
        delivered = self.delivered - packet.delivered
        reliable = interval >= min_rtt and interval != 0
        return Sample(
            delivered=delivered,
            delivered_ce=self.delivered_ce - packet.delivered_ce,
            lost=self.lost - packet.lost,
            tx_in_flight=packet.tx_in_flight,
            prior_delivered=packet.delivered,
            newly_acked=newly,
            is_app_limited=packet.is_app_limited,
            delivery_rate=delivered / (interval / PS) if reliable else 0.0,
            rtt=-1 if packet.again else now - packet.send_time,
        )
