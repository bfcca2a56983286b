# SPDX-License-Identifier: Apache-2.0
"""Configures Sphinx for the documentation site, whose pages sitegen writes."""

import importlib.metadata
from typing import Any

from sitegen.python_api import with_code

project = "ecnomy"
author = "The ecnomy authors"
version = release = importlib.metadata.version("ecnomy")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["attrs_inline", "deflist"]
myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_member_order = "bysource"
default_role = "literal"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
html_theme = "pydata_sphinx_theme"
html_title = "ecnomy"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_sidebars = {"play/index": []}
html_theme_options = {
    "header_links_before_dropdown": 10,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def _docstring(_app: Any, _what: str, _name: str, _of: Any, _how: Any, lines: list[str]) -> None:
    lines[:] = with_code(lines)


def setup(app: Any) -> None:
    """Register the handler of docstrings before napoleon, which parses their sections."""
    app.connect("autodoc-process-docstring", _docstring, priority=100)
