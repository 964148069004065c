"""A page that stands alone: one HTML file with its text, tables and figures, for any browser, with nothing to load."""

from __future__ import annotations

import base64
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from importlib import resources

_STYLE = resources.files("parakin.plots").joinpath("page.css").read_text(encoding="utf-8")

SECTION = 2
"""Level of headings of sections."""


def _anchor(heading: str) -> str:
    """Return the name by which a link finds a heading: its letters and digits, joined by dashes."""
    return "-".join(re.findall(r"\w+", heading.lower()))


@dataclass
class Page:
    """A page that is written from top to bottom. Text is escaped, so that it cannot become markup."""

    title: str
    """Title of the window, and the first heading."""
    _parts: list[str] = field(default_factory=list[str])

    def heading(self, text: str, level: int = 2) -> None:
        """Add a heading, of level 2 for a section, which `contents` can lead to, or 3 for a part of it."""
        anchor = f' id="{_anchor(text)}"' if level == SECTION else ""
        self._parts.append(f"<h{level}{anchor}>{escape(text)}</h{level}>")

    def contents(self, entries: Sequence[tuple[str, str]]) -> None:
        """Add a list of links to sections. entries: (heading of the section, a few words on what is in it)."""
        links = "".join(
            f'<li><a href="#{_anchor(heading)}">{escape(heading)}</a>{f": {escape(words)}" if words else ""}</li>'
            for heading, words in entries
        )
        self._parts.append(f"<nav><ul>{links}</ul></nav>")

    @contextmanager
    def folded(self, summary: str) -> Generator[None]:
        """Fold away what is added inside the `with` block; a reader opens it by its summary."""
        self._parts.append(f"<details><summary>{escape(summary)}</summary>")
        yield
        self._parts.append("</details>")

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self._parts.append(f"<p>{escape(text)}</p>")

    def code(self, text: str) -> None:
        """Add lines in a fixed-width font, as they are."""
        self._parts.append(f"<pre>{escape(text)}</pre>")

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        numbers: Sequence[int] = (),
        classes: Sequence[str] | None = None,
    ) -> None:
        """Add a table.

        numbers: indices of the columns that are set flush right
        classes: the look of each row's last cell, one of good, bad, open
        """

        def cells(tag: str, row: Sequence[str], last: str = "") -> str:
            kinds = ["n" if k in numbers else last if k == len(row) - 1 else "" for k in range(len(row))]
            return "".join(
                f"<{tag}{f' class={kind}' if kind else ''}>{escape(cell)}</{tag}>"
                for kind, cell in zip(kinds, row, strict=True)
            )

        marks = classes or [""] * len(rows)
        body = "".join(f"<tr>{cells('td', row, mark)}</tr>" for row, mark in zip(rows, marks, strict=True))
        self._parts.append(f"<div class=scroll><table><tr>{cells('th', header)}</tr>{body}</table></div>")

    def image(self, data_uri: str, caption: str) -> None:
        """Add an image, whose caption is also its alternative text."""
        alternative = escape(caption, quote=True)
        self._parts.append(
            f'<figure><img src="{data_uri}" alt="{alternative}"><figcaption>{escape(caption)}</figcaption></figure>'
        )

    def picture(self, png: bytes, caption: str) -> None:
        """Add a PNG file as an image."""
        self.image(f"data:image/png;base64,{base64.b64encode(png).decode()}", caption)

    def html(self) -> str:
        """Return the finished file."""
        meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        head = f"{meta}<title>{escape(self.title)}</title><style>{_STYLE}</style>"
        body = "\n".join([f"<h1>{escape(self.title)}</h1>", *self._parts])
        return f'<!doctype html><html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'
