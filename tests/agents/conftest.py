# SPDX-License-Identifier: Apache-2.0
"""Puts the helpers of this folder (lab_strategies) on the path."""

from __future__ import annotations

import sys
from pathlib import Path

# Strategies are found by import, and pytest's importlib mode leaves this folder off the path.
sys.path.append(str(Path(__file__).parent))
