# SPDX-License-Identifier: Apache-2.0
"""Generates the pages of the documentation site from the repository's files.

documents   which Markdown files are pages, and where
links       links in these files, rewritten to pages
files       pages that show other files of the repository
gallery, keys, commands, python_api, papers, cite      pages made from data
software_paper, play    the software paper, and the page on which markets run
markdown    Markdown, read and formatted
pages       all pages, with their tables of contents
check       links of the built site
"""
