# SPDX-License-Identifier: Apache-2.0
"""One random stream per agent: Philox keyed by (seed, agent name).

A stream depends only on its key, so adding an agent does not change the draws of other agents.
"""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["agent_stream"]


def agent_stream(seed: int, name: str) -> np.random.Generator:
    """Return the random stream of the agent `name` in the run with `seed` (uint64)."""
    text = seed.to_bytes(8, "little") + b"agent/" + name.encode()
    key = np.frombuffer(hashlib.blake2b(text, digest_size=16).digest(), dtype="<u8")
    return np.random.Generator(np.random.Philox(key=key.astype(np.uint64)))
