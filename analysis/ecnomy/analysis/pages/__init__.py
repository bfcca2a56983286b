# SPDX-License-Identifier: Apache-2.0
"""What pages are made of: tables, pictures, words and queries (parts), their shell and style."""
