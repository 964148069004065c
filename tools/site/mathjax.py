"""MathJax, which sets the equations of the site, as one file that the site itself serves."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

INSTALLED = Path(sys.prefix) / "mathjax" / "node_modules" / "mathjax" / "es5" / "tex-svg.js"
"""Where `make docs` puts it: the one file that has its fonts inside."""


def write_mathjax(static: Path) -> None:
    """Copy MathJax into the folder of static files of the site; raise FileNotFoundError if it is not installed."""
    if not INSTALLED.exists():
        raise FileNotFoundError(f"{INSTALLED}: MathJax is not installed; `make docs` installs it")
    target = static / "mathjax" / INSTALLED.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(INSTALLED, target)
