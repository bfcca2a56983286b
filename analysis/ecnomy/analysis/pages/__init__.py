# SPDX-License-Identifier: Apache-2.0
"""Parts of pages: tables, pictures, words and queries (parts.py), shell and style."""
