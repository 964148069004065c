"""XML as a tree of elements with their lines, by the standard library, in bounded time and memory.

A document type declaration is refused, and with it every entity that a file could define: robot files need none, and
entities that name each other are how a few lines become gigabytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from parakin.description.values import LARGEST_NUMBER, shown
from parakin.errors import DescriptionError
from parakin.files import open_regular

LARGEST_XML = 2**24
"""Largest size of an XML file [bytes]."""
MOST_ELEMENTS = 200_000
"""Elements that a file has at most."""
MOST_BODIES = 2000
"""Bodies of a file at most; those without mass that only carry a name are none of the mechanism."""
DEEPEST_ELEMENT = 200
"""How deep elements are inside each other at most."""


@dataclass
class Element:
    """An element of an XML file."""

    file: str
    """Name of the file."""
    line: int
    """Line where the element begins."""
    tag: str
    """Its name."""
    attributes: dict[str, str]
    """What its attributes say."""
    children: list[Element] = field(default_factory=list["Element"])
    """The elements inside it."""
    text: str = ""
    """Text directly inside it."""

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        name = self.attributes.get("name")
        return f"<{self.tag}{f' name={shown(name)}' if name else ''}> in line {self.line}"

    def all(self, tag: str) -> list[Element]:
        """Return the elements of a name directly inside it."""
        return [child for child in self.children if child.tag == tag]

    def find(self, *path: str) -> Element | None:
        """Return the one element along a path of names inside it, or None; raise an error where there are two."""
        at: Element | None = self
        for tag in path:
            found = at.all(tag) if at else []
            if len(found) > 1:
                raise found[1].error(f"is the second <{tag}> of the same element: keep one")
            at = found[0] if found else None
        return at

    def walk(self) -> Iterator[Element]:
        """Yield it and every element inside it, in the order of the file."""
        waiting: list[Element] = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting += reversed(one.children)

    def error(self, reason: str) -> DescriptionError:
        """Return the error that something is wrong here."""
        return DescriptionError(self.file, ((self.place, reason),))

    def need(self, attribute: str) -> str:
        """Return what an attribute says that must be there."""
        if attribute not in self.attributes:
            raise self.error(f"needs the attribute '{attribute}'")
        return self.attributes[attribute]

    def numbers(self, attribute: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Return the numbers of an attribute; the default where it is not there, if one is given."""
        if attribute not in self.attributes and default is not None:
            return default
        return parsed_numbers(self, f"'{attribute}'", self.need(attribute), count)

    def number(self, attribute: str, default: float | None = None) -> float:
        """Return the one number of an attribute."""
        return self.numbers(attribute, 1, None if default is None else (default,))[0]

    def content(self, count: int) -> tuple[float, ...]:
        """Return the numbers that its text consists of."""
        return parsed_numbers(self, "its text", self.text, count)


def parsed_numbers(element: Element, what: str, text: str, count: int) -> tuple[float, ...]:
    """Return so many finite numbers in a text of an element, or raise an error that names the place and the value."""
    words = text.split()
    if len(words) != count:
        plural = "number" if count == 1 else "numbers"
        raise element.error(f"{what} must be {count} {plural}, got {shown(text)}")
    values: list[float] = []
    for word in words:
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not abs(value) <= LARGEST_NUMBER:
            raise element.error(f"{what} must be finite numbers in SI units, got {shown(text)}")
        values.append(value)
    return tuple(values)


class _Builder:
    """Takes what expat finds and puts elements together."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.texts: list[list[str]] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.buffer_text = True

    def _error(self, reason: str) -> DescriptionError:
        return DescriptionError(self.file, ((f"line {self.parser.CurrentLineNumber}", reason),))

    def _doctype(self, *_: object) -> None:
        raise self._error("has a document type declaration (<!DOCTYPE>), which may define entities: remove it")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) >= DEEPEST_ELEMENT:
            raise self._error(f"elements are more than {DEEPEST_ELEMENT} deep inside each other: no robot is")
        if self.count > MOST_ELEMENTS:
            raise self._error(f"has more than {MOST_ELEMENTS} elements: leave out what is no robot")
        element = Element(self.file, self.parser.CurrentLineNumber, tag, attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        self.texts.append([])

    def _end(self, _tag: str) -> None:
        self.open.pop().text = "".join(self.texts.pop())

    def _text(self, text: str) -> None:
        self.texts[-1].append(text)


def xml_bytes(path: Path) -> bytes:
    """Return the bytes of a file of bounded size, or raise an error that names it."""
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST_XML + 1)
    except OSError as error:
        raise DescriptionError(str(path), (("", f"cannot be read: {error.strerror}"),)) from error
    if len(data) > LARGEST_XML:
        raise DescriptionError(
            path.name, (("", f"is too large: a file like this has at most {LARGEST_XML >> 20} MiB"),)
        )
    return data


def read_xml(data: bytes, file: str) -> Element:
    """Return the root element of an XML file; `file` names it in messages."""
    builder = _Builder(file)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = f"is not XML: {expat.ErrorString(error.code)} in column {error.offset}"
        raise DescriptionError(file, ((f"line {error.lineno}", reason),)) from error
    except (ValueError, LookupError) as error:  # expat knows encodings of one byte a character, and UTF-8 and UTF-16
        raise DescriptionError(file, (("", f"is not text that can be read, {error}: save it as UTF-8"),)) from error
    assert builder.root is not None, "expat takes no document without an element"
    return builder.root


def refuse_many(bodies: int, file: str, what: str = "bodies") -> None:
    """Raise an error where a file has more bodies, or joints, than any mechanism, before work is done with them."""
    if bodies > MOST_BODIES:
        raise DescriptionError(file, (("", f"has {bodies} {what}: a mechanism has at most {MOST_BODIES // 10}"),))
