# SPDX-License-Identifier: Apache-2.0
"""The reference of every key that users may write: unit, default, range, meaning and source.

The reference is derived from structs and their readers (form, range, default), from docstrings and
the table of laws (sentences, sources). Every fact is thus written once.
"""
