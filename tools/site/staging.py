"""The hand-written pages, gathered from where they are in the repository to where they are in the site.

Links between them are written for a code host. A link to a file that the site does not have, or to no file, is an
error.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
"""The repository."""
PLACES = {
    "docs": "",
    "benchmarks/results": "benchmarks",
    "examples": "tutorials",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
}
"""Path in the repository -> path in the site; of several that fit, the longest counts."""
COPIED = ("docs", "benchmarks/results", "CHANGELOG.md", "CONTRIBUTING.md")
"""What is copied; the other places are of pages that are generated."""
FILES = ("src/", "LICENSE", "CITATION.cff")
"""Files and folders that pages speak of without their being in the site: such a link becomes its text."""
_LINK = re.compile(r"(?<!\\)\[(?P<text>[^\]]*)\]\((?P<target>(?!https?://|#|mailto:)[^)#\s]+)(?P<anchor>#[^)]*)?\)")


CONTENTS = ROOT / "docs" / "contents.txt"
"""The order of pages in the site: a line for each part, its title and its pages."""


def stage(source: Path) -> None:
    """Copy all pages, pictures and data to the source folder of the site, links rewritten, and add the contents."""
    for name in COPIED:
        origin = ROOT / name
        for file in sorted(origin.rglob("*")) if origin.is_dir() else [origin]:
            if file.is_dir() or "__pycache__" in file.parts:
                continue
            target = source / placed(file.relative_to(ROOT).as_posix())
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix == ".md":
                text = file.read_text(encoding="utf-8")
                target.write_text(relinked(text, file.relative_to(ROOT).as_posix()), encoding="utf-8")
            else:
                shutil.copyfile(file, target)
    with (source / "index.md").open("a", encoding="utf-8") as index:
        index.write(contents())


def contents() -> str:
    """Return what tells Sphinx the order of pages, to be put at the end of the first page."""
    trees: list[str] = []
    for line in CONTENTS.read_text(encoding="utf-8").splitlines():
        title, _, pages = line.partition(": ")
        listed = "\n".join(page.strip() for page in pages.split(","))
        trees.append(f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n")
    return "".join(trees)


def placed(path: str) -> str:
    """Return where a file of the repository is in the site; raise LookupError if it is not there."""
    for place in sorted(PLACES, key=len, reverse=True):
        if path == place:
            return PLACES[place] or "index.md"
        if path.startswith(f"{place}/"):
            return str(PurePosixPath(PLACES[place], path.removeprefix(f"{place}/")))
    raise LookupError(path)


def relinked(text: str, page: str) -> str:
    """Return the text of a page of the repository with its links leading to pages of the site.

    Blocks of code are left alone.
    """
    code = {match.span() for match in re.finditer(r"^```.*?^```$", text, flags=re.DOTALL | re.MULTILINE)}

    def linked(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in code):
            return match[0]
        path = _resolved(page, match["target"])
        if any(path == file or path.startswith(file) for file in FILES):
            return match["text"]
        if path == "examples":
            return f"[{match['text']}](/tutorials/index.md)"
        if path.startswith("examples/"):
            return f"[{match['text']}](/tutorials/{PurePosixPath(path).stem}.md)"
        return f"[{match['text']}](/{placed(path)}{match['anchor'] or ''})"

    return _LINK.sub(linked, text)


def _resolved(page: str, target: str) -> str:
    """Return the path in the repository that a link of a page leads to; raise LookupError if nothing is there."""
    path = (ROOT / page).parent.joinpath(target).resolve()
    if not path.exists():
        raise LookupError(f"{page}: the link to {target} leads nowhere")
    return path.relative_to(ROOT).as_posix()
