"""docs/api.md lists what there is."""

from __future__ import annotations

from pathlib import Path

from tools.api_page import page


def test_the_page_of_public_names_is_current() -> None:
    written = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    assert written == page(), "write it anew: python tools/api_page.py"
