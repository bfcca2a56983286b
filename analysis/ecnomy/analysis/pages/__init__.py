# SPDX-License-Identifier: Apache-2.0
"""Parts of pages: tables, pictures, words and queries (parts), shell and style."""
