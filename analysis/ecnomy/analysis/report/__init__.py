# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report`: writes pages on runs, sweeps and businesses, with the query for each amount."""
