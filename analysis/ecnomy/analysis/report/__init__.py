# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report`: writes pages on a business that show the query behind every amount of money."""
