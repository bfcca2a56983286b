# SPDX-License-Identifier: Apache-2.0
"""Access to a sweep: its table of runs (open_sweep), column names in words, and SQL (query)."""
