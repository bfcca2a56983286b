# SPDX-License-Identifier: Apache-2.0
"""Needed everywhere and of no market: printable text, whole files, locks, temporary folders."""
