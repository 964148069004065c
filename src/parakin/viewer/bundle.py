"""One HTML page from its modules: no file beside it, no request to anywhere.

The modules of `assets/` import each other by name. In one page they stand one after the other in one scope, each after
those that it imports; their import lines, the word `export`, comments and indentation are left out. They are packed,
which makes a page 50 kB smaller, and a small script unpacks them; the page's policy names the digests of both.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import re
from collections.abc import Mapping
from importlib import resources

from parakin.viewer.packing import packed

ENTRY, LAYERED = "plain.js", "layered.js"
"""The modules that are the page: of a robot alone, and with layers, whose modules and style others need not carry."""
UNPACKING = "unpack.js"
"""The module that unpacks it."""
_IMPORT = re.compile(r'^import\s+(?:[^;]*?\sfrom\s+)?"\./(?P<module>[\w.]+)";\n', re.MULTILINE)
_BLOCK_COMMENT = re.compile(r"/\*\*.*?\*/[ \t]*\n?", re.DOTALL)
_LINE_COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_BLANK = re.compile(r"\n{2,}")


def page(title: str, data: Mapping[str, object], connect: str = "'none'") -> str:
    """Return the page as text. data: what it shows, as plain JSON; connect: what it may talk to while it is open."""
    layered = bool(data.get("layers"))
    script, modules = bundled(UNPACKING), bundled(LAYERED if layered else ENTRY)
    digests = " ".join(f"'sha256-{_digest(text)}'" for text in (script, modules))
    policy = (
        f"default-src 'none'; script-src {digests} 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
        f"img-src data: blob:; connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    # "<" is written as a code, so that no text in the data can end its element.
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    parts = {
        "policy": policy,
        "title": html.escape(title),
        "style": _asset("page.css") + (_asset("layers.css") if layered else ""),
        "script": script,
        "modules": packed(modules.encode()),
        "data": text,
    }
    return re.sub(r"\{(policy|title|style|script|modules|data)\}", lambda match: parts[match[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return resources.files("parakin.viewer").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@functools.cache
def bundled(entry: str) -> str:
    """Return a module and all that it imports as one, those that are imported first."""
    written: dict[str, str] = {}

    def write(name: str) -> None:
        if name in written:
            return
        source = _asset(name)
        for match in _IMPORT.finditer(source):
            write(match["module"])
        written[name] = shortened(source)

    write(entry)
    return "\n".join(written.values())


def shortened(source: str) -> str:
    """Return a module without imports, the word `export`, comments and indentation."""
    text = _IMPORT.sub("", source)
    text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
    for pattern, replacement in ((_BLOCK_COMMENT, ""), (_LINE_COMMENT, ""), (_INDENT, ""), (_BLANK, "\n")):
        text = pattern.sub(replacement, text)
    return text.strip()
