# SPDX-License-Identifier: Apache-2.0
"""Results folders without digests, as in earlier versions, for tests that alter them."""

from __future__ import annotations

import json
from pathlib import Path


def undigested(folder: Path) -> Path:
    """Remove the digests of a folder, so that its files may be altered."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    for name in ("digest", "tables"):
        manifest.pop(name, None)
    file.write_text(json.dumps(manifest))
    return folder
