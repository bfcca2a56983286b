# SPDX-License-Identifier: Apache-2.0
"""Common helpers: printable text, atomic files, locks and temporary folders."""
