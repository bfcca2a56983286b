# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report`: writes pages on runs, sweeps and businesses.

The page on a business shows the query for each amount.
"""
