"""Text from code and files, made fit for Markdown."""

from __future__ import annotations

import re


def plain(text: str) -> str:
    """Return text as one line in which no mark but those of code means anything; fit for a cell of a table."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(_escaped(part, "|") if part.startswith("`") else _escaped(part, "|<*_[]$") for part in parts)


def paragraphs(text: str) -> str:
    """Return a docstring as Markdown: indented blocks and examples are code, angles and dollars are text."""
    lines: list[str] = []
    example = False
    for line in text.splitlines():
        if line.startswith(">>> ") != example and (not example or not line):
            lines.append("```" if example else "```pycon")
            example = not example
        code = example or line.startswith("    ")
        lines.append(line if code else re.sub(r"(`[^`]*`)|([<$])", lambda m: m[1] or f"\\{m[2]}", line))
    return "\n".join([*lines, "```"] if example else lines)


def _escaped(text: str, marks: str) -> str:
    return "".join(f"\\{letter}" if letter in marks else letter for letter in text)
