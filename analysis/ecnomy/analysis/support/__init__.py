# SPDX-License-Identifier: Apache-2.0
"""Common helpers: digits, atomic files, readable settings, and lazy imports of scipy."""
