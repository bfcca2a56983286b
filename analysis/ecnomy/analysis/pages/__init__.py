# SPDX-License-Identifier: Apache-2.0
"""Parts of HTML pages: tables, pictures, text and queries, with the common template and style."""
