"""What the pages of the site load: nothing may come from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video)\b[^>]*?\bsrc\s*=\s*["']?(?P<src>https?:|//)"""
    r"""|<link\b(?=[^>]*\brel\s*=\s*["']?(?:stylesheet|preload|icon))[^>]*?\bhref\s*=\s*["']?(?P<href>https?:|//)"""
    r"""|@import\s+(?:url\()?["']?(?P<css>https?:|//)""",
    re.IGNORECASE,
)


def remote_resources(site: Path) -> list[str]:
    """Return a line for every place of the site where a page would load something from another host."""
    found: list[str] = []
    for path in sorted((*site.rglob("*.html"), *site.rglob("*.css"))):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if _LOADED.search(line):
                found.append(f"{path.relative_to(site)}:{number}: loads from elsewhere: {line.strip()[:120]}")
    return found
