# SPDX-License-Identifier: Apache-2.0
"""`ecnomy report RUN`: the page on a run."""
