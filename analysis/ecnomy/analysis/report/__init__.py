# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report`: pages on a business, with the query behind every amount of money."""
