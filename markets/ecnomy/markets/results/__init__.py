# SPDX-License-Identifier: Apache-2.0
"""Results folders: their tables, writer and reader."""
