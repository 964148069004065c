"""Which names and files are mechanisms: asked whenever something is loaded, so that little is imported for it."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from parakin.description.loader import LARGEST_FILE, XML_SUFFIXES, file_bytes, is_foreign, is_mechanism, is_path
from parakin.description.text import NotTomlError, tables_of
from parakin.errors import DescriptionError


def mechanism_library() -> tuple[str, ...]:
    """Return the names of the mechanisms that come with parakin.

    >>> [name for name in pk.mechanism_library() if "tripod" in name]
    ['tripod_3prs', 'tripod_3rps']
    """
    folder = resources.files("parakin.mechanism") / "library"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def names_mechanism(name_or_path: str | Path) -> bool:
    """Tell whether a name or a file is a mechanism's; a file that cannot be read is nobody's.

    >>> pk.mechanism.names_mechanism("four_bar"), pk.mechanism.names_mechanism("delta")
    (True, False)
    """
    if not is_path(name_or_path):
        return str(name_or_path) in mechanism_library()
    if is_foreign(name_or_path):
        return Path(name_or_path).suffix.lower() in XML_SUFFIXES
    try:
        return is_mechanism(tables_of(file_bytes(name_or_path), LARGEST_FILE))
    except (NotTomlError, DescriptionError):
        return False
