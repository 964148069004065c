"""How Sphinx makes the site; `python -m tools.site` gathers its pages and calls it."""

project = "parakin"
author = "The parakin authors"
copyright = author  # noqa: A001
extensions = ["myst_parser", "sphinx.ext.mathjax"]
mathjax_path = "mathjax/tex-svg.js"  # put there by tools/site/mathjax.py: a page loads nothing from elsewhere
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_fence_as_directive = ["math"]  # as code hosts write equations
myst_heading_anchors = 4
exclude_patterns = ["extra", "README.md"]
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures are read, not followed
suppress_warnings = ["ref.python"]  # two classes of one name in a signature
smartquotes = False  # two dashes are an option, not a dash
html_theme = "furo"
html_title = "parakin"
html_static_path = ["static"]
html_extra_path = ["extra"]
html_css_files = ["site.css"]
html_copy_source = False
python_maximum_signature_line_length = 88
