"""Names that every tool takes: letters, digits and underscores, each used once.

No name given here has two underscores in a row: names that writers make of it have, and so are unlike all of these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

RESERVED = ("world", "output_frame")
"""The base and the output frame, in every dialect."""


@dataclass
class Identifiers:
    """The names that a file has used so far."""

    used: set[str] = field(default_factory=set[str])
    """All of them."""

    def of(self, text: str) -> str:
        """Return an identifier for a name, unlike all that were given before."""
        plain = re.sub(r"[\W_]+", "_", text, flags=re.ASCII) or "part"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        name, number = plain, 2
        while name in self.used or name in RESERVED:
            name, number = f"{plain}_{number}", number + 1
        self.used.add(name)
        return name
