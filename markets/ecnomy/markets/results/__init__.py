# SPDX-License-Identifier: Apache-2.0
"""Results folders: their tables, their writer, and their reader."""
