"""Sphinx configuration of the documentation site. `build.py` writes the sources that it reads."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import shoal

project = "shoal"
author = "the shoal authors"
copyright = "the shoal authors"
version = release = shoal.__version__
html_title = f"shoal {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docstrings", "table_entries"]
root_doc = "index"
nitpicky = True
# Annotations name classes of other packages and internal ones, which have no entry here.
nitpick_ignore_regex = [(r"py:(class|obj|exc|data)", r"(?!shoal\.\w+$).*")]
suppress_warnings = ["misc.highlighting_failure"]  # examples that are shortened with `...`

myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline"]

smartquotes = False  # options begin with two hyphens
toc_object_entries = False  # headings are enough, and the navigation of every page is made from them
default_role = "literal"  # docstrings mark code with single backticks
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_admonition_for_examples = False

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "tango"
pygments_dark_style = "monokai"
