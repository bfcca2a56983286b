# SPDX-License-Identifier: Apache-2.0
"""Access to a sweep: its runs as a table (open_sweep), columns in words, and SQL (query)."""
