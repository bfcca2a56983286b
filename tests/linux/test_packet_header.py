# SPDX-License-Identifier: Apache-2.0
"""Pure parts of the Linux engine: headers, checksums and sequence numbers of real packets against
computations in Python, and WTP in fixed point against the law in floating point.
"""

from __future__ import annotations

import random
import struct

import pytest

from compiling import missing_compiler
from linux_world import answers

pytestmark = pytest.mark.skipif(bool(missing_compiler()), reason=missing_compiler())


def _checksum(header: bytes) -> int:
    """RFC 791's header checksum, over the whole header."""
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _packet(rng: random.Random, tos: int, options: int, payload: int) -> tuple[bytes, list[int]]:
    """A TCP packet in IPv4 with random fields, and the fields that the engine reads."""
    source, target = rng.getrandbits(32), rng.getrandbits(32)
    ports = rng.getrandbits(16), rng.getrandbits(16)
    seq, ack, flags = rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(8)
    tcp = struct.pack("!HHIIBBHHH", *ports, seq, ack, (5 + options) << 4, flags, 9, 0, 0)
    tcp += bytes(4 * options) + rng.randbytes(payload)
    total = 20 + len(tcp)
    fields = [source, target, *ports, seq, ack, flags, tos & 3, total, payload, 0]
    return _ip_header(tos, total, 6, source, target) + tcp, fields


def _ip_header(tos: int, total: int, protocol: int, source: int, target: int) -> bytes:
    """A header of IPv4 with its checksum."""
    head = struct.pack("!BBHHHBBHII", 0x45, tos, total, 7, 0, 64, protocol, 0, source, target)
    return head[:10] + struct.pack("!H", _checksum(head)) + head[12:]


def _datagram(rng: random.Random, tos: int, payload: int) -> tuple[bytes, list[int]]:
    """A UDP packet in IPv4 with random fields, and the fields that the engine reads."""
    source, target = rng.getrandbits(32), rng.getrandbits(32)
    ports = rng.getrandbits(16), rng.getrandbits(16)
    udp = struct.pack("!HHHH", *ports, 8 + payload, rng.getrandbits(16)) + rng.randbytes(payload)
    fields = [source, target, *ports, 0, 0, 0, tos & 3, 20 + len(udp), payload, 1]
    return _ip_header(tos, 20 + len(udp), 17, source, target) + udp, fields


def test_headers_and_marks() -> None:
    """A mark sets both ECN bits and nothing else, and the checksum is that of the new header."""
    rng = random.Random(7)
    packets = [
        _packet(rng, tos, rng.randrange(0, 6), rng.randrange(0, 40))
        for tos in (*range(256), *(2 for _ in range(500)))
    ]
    packets += [_datagram(rng, tos, rng.randrange(0, 40)) for tos in range(256)]
    lines = answers([f"packet {packet.hex()}" for packet, _ in packets])
    assert len(lines) == len(packets)
    for (packet, fields), line in zip(packets, lines, strict=True):
        *numbers, text = line.split()
        marked = bytes.fromhex(text)
        assert [int(number) for number in numbers] == fields
        assert marked[1] == packet[1] | 3 and _checksum(marked[:20]) == 0
        assert marked[:1] + marked[2:10] + marked[12:] == packet[:1] + packet[2:10] + packet[12:]


def test_other_packets_are_not_read() -> None:
    """IPv6, other protocols, truncated packets and impossible lengths are refused."""
    packet, _ = _packet(random.Random(1), 2, 0, 8)
    datagram, _ = _datagram(random.Random(1), 2, 8)
    broken = [
        b"\x60" + packet[1:],
        packet[:9] + b"\x11" + packet[10:],
        packet[:9] + b"\x01" + packet[10:],
        datagram[:-1],
        datagram[:24] + b"\x00\x0f" + datagram[26:],
        datagram[:3] + b"\x1b" + datagram[4:27],
        packet[:-1],
        packet[:30],
        b"\x4f" + packet[1:],
        packet[:32] + b"\x40" + packet[33:],
        packet[:32] + b"\xf0" + packet[33:],
    ]
    assert answers([f"packet {one.hex()}" for one in broken]) == ["none"] * len(broken)


def test_sequence_numbers_become_segments() -> None:
    """Segment numbers are right beyond 2^32, with retransmissions and a second connection."""
    start = 2**32 - 2500
    at = [(start + 1 + offset) % 2**32 for offset in range(0, 8001, 500)]
    lines = [f"open {start}"]
    lines += [f"send {at[2 * k]} 1000" for k in range(6)]
    lines += [f"send {at[4]} 1000", f"ack {at[4]}", f"ack {at[2]}", f"ack {at[7]}", f"ack {at[12]}"]
    lines += [f"open {start}", f"send {at[12]} 500", "open 9", "send 10 1000", "ack 1010"]
    sent = [f"{k} 0" for k in range(6)]
    acks = ["2 2 2000", "1 0 0", "4 2 1500", "6 2 2500"]
    assert answers(lines) == [*sent, "2 1", *acks, "6 0", "7 0", "8 1 1000"]


@pytest.mark.parametrize("paced", [0, 1])
@pytest.mark.parametrize(
    ("gain", "w_inc", "w_dec", "within"),
    [
        (0.1, 4, 1, 1e-4),
        (0.5, 1, 1, 1e-4),
        (0.5, 1, 8, 1e-4),
        (0.1, 20, 2, 1e-4),
        (0.1, 0.3, 1, 0.02),
    ],
)
def test_fixed_point_follows_the_law(
    gain: float, w_inc: float, w_dec: float, within: float, paced: int
) -> None:
    """Over 2000 ACKs, the kernel's window follows the law's, approximately below one packet."""
    for seed in (1, 2):
        lines = answers([f"wtp {gain} {w_inc} {w_dec} {paced} {seed}"])
        pairs = [tuple(map(float, line.split())) for line in lines]
        assert len(pairs) == 2000
        assert max(abs(mine / law - 1) for mine, law in pairs) < within
        assert max(law for _, law in pairs) > 2
