"""Names that every tool takes: letters, digits and underscores, each used once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Identifiers:
    """The names that a file has used so far."""

    used: set[str] = field(default_factory=set[str])
    """All of them; "world" is the base's in every dialect."""

    def of(self, text: str) -> str:
        """Return an identifier for a name, unlike all that were given before."""
        plain = re.sub(r"\W", "_", text, flags=re.ASCII) or "part"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        name, number = plain, 2
        while name in self.used or name == "world":
            name, number = f"{plain}_{number}", number + 1
        self.used.add(name)
        return name
