# SPDX-License-Identifier: Apache-2.0
"""Common helpers: number formats, atomic files, readable settings and lazy imports of scipy."""
