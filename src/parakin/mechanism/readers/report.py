"""What an import did with what a file holds: data for programs, one line an entry for people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from parakin.description.loader import MOST_PROBLEMS
from parakin.errors import RefusedImportError
from parakin.mechanism.readers.xml_text import Element


class EntryKind(StrEnum):
    """What became of a thing in an imported file."""

    CHOSEN = "chosen"
    """The file leaves it open, and parakin chose: which body is the output, which joints are driven, names."""
    MERGED = "merged"
    """It is there in another form, without loss: several numbers became one, or MuJoCo computed it."""
    APPROXIMATED = "approximated"
    """It is there, but not exactly, or with a number that the file does not give."""
    DROPPED = "dropped"
    """It is not there, and the mechanism is the same without it: shapes, contacts, sensors, servo gains."""
    REFUSED = "refused"
    """It cannot be said in a mechanism file and the mechanism would be another one without it."""


@dataclass(frozen=True)
class Entry:
    """One line of the report of an import.

    >>> entry = imported.report.entries[0]
    >>> entry.kind.name, entry.words
    ('DROPPED', 'a shape for pictures or contacts, and no mass')
    """

    kind: EntryKind
    """What became of it."""
    place: str
    """Where it stands in the file: element, name and line."""
    words: str
    """What it is, and what was done."""

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.place}: {self.words}"


@dataclass(frozen=True)
class ImportReport:
    """What an import merged, approximated, dropped or refused, and what it had to choose."""

    file: str
    """Name of the file that was read."""
    dialect: str
    """What kind of file it is: MJCF, URDF, SDF, Klipper or Marlin."""
    entries: tuple[Entry, ...]
    """One for each thing that is not in the result exactly as it is in the file."""

    def of(self, kind: EntryKind) -> tuple[Entry, ...]:
        """Return the entries of one kind, in order.

        >>> dropped = imported.report.of(EntryKind.DROPPED)
        >>> [entry.place for entry in dropped[:1]]
        ['<visual> in line 18, and 3 more']
        """
        return tuple(entry for entry in self.entries if entry.kind is kind)

    def __str__(self) -> str:
        if not self.entries:
            return f"{self.file} ({self.dialect}): everything in it was taken as it is"
        lines = [str(entry) for kind in EntryKind for entry in self.of(kind)]
        return "\n".join([f"{self.file} ({self.dialect}):", *(f"  {line}" for line in lines)])


@dataclass
class Journal:
    """The report while it is written."""

    file: str
    """Name of the file that is read."""
    dialect: str
    """What kind of file it is."""
    leave_out: tuple[str, ...] = ()
    """Names of things that the user wants left out although the mechanism is another one without them."""
    entries: list[Entry] = field(default_factory=list[Entry])
    """What was noted so far."""

    def chose(self, place: str, words: str) -> None:
        """Note a choice that the file leaves open."""
        self.entries.append(Entry(EntryKind.CHOSEN, place, words))

    def merged(self, place: str, words: str) -> None:
        """Note what is there in another form, without loss."""
        self.entries.append(Entry(EntryKind.MERGED, place, words))

    def approximated(self, place: str, words: str) -> None:
        """Note what is there, but not exactly."""
        self.entries.append(Entry(EntryKind.APPROXIMATED, place, words))

    def dropped(self, place: str, words: str) -> None:
        """Note what is left out."""
        self.entries.append(Entry(EntryKind.DROPPED, place, words))

    def refuse(self, place: str, words: str, name: str) -> None:
        """Note what cannot be imported; `settle` raises for it, unless the user named it among what to leave out."""
        if name in self.leave_out:
            self.dropped(place, f"{words}; left out, as asked")
        else:
            self.entries.append(Entry(EntryKind.REFUSED, place, f"{words}, or leave it out (--without {name})"))

    def audit(
        self,
        root: Element,
        taken: Mapping[str, Collection[str]],
        words: Mapping[str, str],
        refused: Callable[[Element], bool],
    ) -> None:
        """Note every element that is not read, so that nothing is lost without a word.

        taken: tag -> tags of children that are read; words: what elements of a tag are; refused: whether an element
        was refused, and noted, by the dialect itself.
        """
        dropped: list[Element] = []
        waiting = [root]
        while waiting:
            element = waiting.pop()
            for child in element.children:
                if child.tag in taken.get(element.tag, ()):
                    waiting.append(child)
                elif not refused(child) and (child.tag in words or element.tag in taken):
                    dropped.append(child)
        self.leave(dropped, words)

    def leave(self, elements: Iterable[Element], words: Mapping[str, str]) -> None:
        """Note elements as dropped, those of a name together, and refuse those that nobody knows.

        words: what elements of a name are, without which the mechanism is the same.
        """
        named: dict[str, list[Element]] = {}
        for element in sorted(elements, key=lambda one: one.line):
            named.setdefault(element.tag, []).append(element)
        for tag, found in named.items():
            more = f", and {len(found) - 1} more" if len(found) > 1 else ""
            if tag in words:
                self.dropped(f"{found[0].place}{more}", words[tag])
            else:
                self.refuse(f"{found[0].place}{more}", "parakin does not know this element: remove it", tag)

    def settle(self) -> ImportReport:
        """Return the report, or raise RefusedImportError if anything was refused."""
        report = ImportReport(self.file, self.dialect, tuple(self.entries))
        refused = report.of(EntryKind.REFUSED)
        if refused:
            problems = tuple((entry.place, entry.words) for entry in refused[:MOST_PROBLEMS])
            entries = tuple((entry.kind.value, entry.place, entry.words) for entry in report.entries)
            raise RefusedImportError(self.file, problems, entries)
        return report
