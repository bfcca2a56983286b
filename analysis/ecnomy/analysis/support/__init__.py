# SPDX-License-Identifier: Apache-2.0
"""Needed everywhere: digits, whole files, settings as people read them, parts of scipy."""
