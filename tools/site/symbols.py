"""Symbols of equations: those of the theory pages are in the tables of docs/notation.md."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^```math\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_WORDS = re.compile(
    r"\\(?:text|operatorname|begin|end)\{[^}]*\}|_\{[^}]*\}|_\\times|_\\?\w|\^T|\bd(?=m\b)|\bdt\b|\\partial|\{d\}\{dt\}"
)
"""What holds letters that are no symbols: words, indices, transposition, differentials."""
_GREEK = {"tau", "Psi", "Gamma", "Sigma", "omega", "lambda", "gamma", "phi", "theta"}
"""Commands that are symbols."""
_TOKEN = re.compile(r"\\([A-Za-z]+)|([A-Za-z])")


def letters(tex: str) -> set[str]:
    """Return the letters that an equation speaks of, without indices, accents and words."""
    found: set[str] = set()
    for command, letter in _TOKEN.findall(_WORDS.sub(" ", tex)):
        if command in _GREEK:
            found.add(f"\\{command}")
        elif letter:
            found.add(letter)
    return found


def unknown_symbols(page: str, notation: str) -> set[str]:
    """Return the letters of a page's equations that the notation does not have."""
    used = set().union(*(letters(tex) for tex in _FENCE.findall(page)))
    return used - set().union(*(letters(tex) for tex in re.findall(r"\$([^$]+)\$", notation)))
