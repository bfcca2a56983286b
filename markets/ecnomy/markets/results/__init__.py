# SPDX-License-Identifier: Apache-2.0
"""Results folders, with their tables, writer and reader."""
