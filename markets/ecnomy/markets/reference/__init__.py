# SPDX-License-Identifier: Apache-2.0
"""The reference of every key that users may write: unit, default, range, meaning and source.

Forms, ranges and defaults come from structs and their readers. Sentences and sources come from
docstrings and the table of laws. Every fact is thus written only once.
"""
