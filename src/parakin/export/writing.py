"""What exported files share: numbers that read back bit by bit, and what is told of an export."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


@dataclass(frozen=True)
class Exported:
    """The files of an export, and what their format could not say as the robot's file does."""

    files: tuple[Path, ...]
    """What was written."""
    notes: tuple[str, ...]
    """What was said in other words, approximated or left out, in sentences."""


def numbers(values: Iterable[float]) -> str:
    """Return numbers as text that reads back bit by bit, with spaces between them."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def xml_text(root: ElementTree.Element) -> str:
    """Return a document with a line for each element."""
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
