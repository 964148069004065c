"""Build the documentation site into build/site: every warning is an error.

python -m tools.site [--draft]     a draft has no live pages and does not run the examples
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tools.site.checks import remote_resources
from tools.site.commands import command_pages
from tools.site.formats import format_pages
from tools.site.gallery import write_gallery
from tools.site.mathjax import write_mathjax
from tools.site.reference import reference_pages
from tools.site.staging import ROOT, stage
from tools.site.tutorials import write_tutorials

SOURCE, SITE = ROOT / "build" / "site_source", ROOT / "build" / "site"


def main(arguments: list[str]) -> int:
    """Gather the pages, generate the others, and let Sphinx make a site of them; return its exit code."""
    from sphinx.cmd.build import main as sphinx

    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.rmtree(SITE, ignore_errors=True)
    stage(SOURCE)
    write_mathjax(SOURCE / "static")
    for pages in (reference_pages(), command_pages(), format_pages()):
        for name, text in pages.items():
            _write(SOURCE / name, text)
    whole = "--draft" not in arguments
    write_tutorials(SOURCE / "tutorials", run=whole)
    write_gallery(SOURCE / "gallery", SOURCE / "extra" / "live", pages=whole)
    failed = sphinx(["-b", "html", "-W", "--keep-going", "-n", "-q", "-j", "2", str(SOURCE), str(SITE)])
    if failed:
        return failed
    elsewhere = remote_resources(SITE)
    for line in elsewhere:
        print(line, file=sys.stderr)
    print(f"written: {SITE.relative_to(ROOT)}/index.html")
    return 1 if elsewhere else 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
