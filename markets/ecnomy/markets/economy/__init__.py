# SPDX-License-Identifier: Apache-2.0
"""The economy: what is sold, what is owed for it, and who settles with whom."""
