# SPDX-License-Identifier: Apache-2.0
"""Results folders: their tables, how they are written, and how a run hands them back."""
