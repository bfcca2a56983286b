# SPDX-License-Identifier: Apache-2.0
"""The reference: every key that users may write, with unit, default, range, meaning and source.

It is derived from the structs and their readers (form, range, default), their docstrings, and the
table of laws (sentences, sources). So no fact is written twice.
"""
