# SPDX-License-Identifier: Apache-2.0
"""A sweep opened: its runs as a table (open_sweep), its columns in words, SQL (query)."""
