# SPDX-License-Identifier: Apache-2.0
"""Puts the helpers of this folder (plans, drive, fifo) on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
