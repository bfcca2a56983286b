# SPDX-License-Identifier: Apache-2.0
"""Results folders: their tables, writing them, and returning them from a run."""
