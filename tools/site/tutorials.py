"""Tutorials: the examples, run while the site is built, each with what it printed and drew."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.site.staging import ROOT

EXAMPLES = ROOT / "examples"
NAMES = {"c": "C", "carlo": "Carlo"}
"""Words of file names that are written with capitals."""


def write_tutorials(place: Path, *, run: bool = True) -> None:
    """Write a page of every example, and a page that lists them all. run: whether they are run, as the site needs."""
    place.mkdir(parents=True)
    pages = {path.stem: _written(path, place, run=run) for path in sorted(EXAMPLES.glob("*.py"))}
    listed = "\n".join(f"- [{title}]({name}.md)" for name, title in pages.items())
    contents = "\n".join(pages)
    text = (
        "# Tutorials\n\nThe scripts of `examples/`, as they were run when this site was built: their code, what they "
        "print and the pictures they make. Each takes the folder for its files as an argument.\n\n"
        f"{listed}\n\n```{{toctree}}\n:hidden:\n\n{contents}\n```\n"
    )
    (place / "index.md").write_text(text, encoding="utf-8")


def _written(path: Path, place: Path, *, run: bool) -> str:
    """Write the page of one example and return its title."""
    about, code = parts(path.read_text(encoding="utf-8"))
    shown = _outcome(path, place) if run else ""
    title = _heading(path.stem)
    (place / f"{path.stem}.md").write_text(
        f"# {title}\n\n{about}\n\n```python\n{code}\n```\n\n{shown}\n", encoding="utf-8"
    )
    return title


def parts(source: str) -> tuple[str, str]:
    """Return what an example says about itself, as Markdown, and its code; about: its docstring, or its first cell."""
    docstring = ast.get_docstring(ast.parse(source))
    if docstring is not None:
        about, _, usage = docstring.rpartition("\n\n")
        return f"{about}\n\n```sh\n{usage}\n```", source.split('"""', 2)[2].strip()
    _, first, rest = source.split("# %%", 2)
    about = "\n".join(line.removeprefix("#").strip() for line in first.splitlines()[1:])
    return about.strip(), rest.strip()


def _outcome(path: Path, place: Path) -> str:
    """Run an example; return what it printed and its pictures, as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(path), folder]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
        pictures = _kept(Path(folder), place, path.stem)
    shown = "\n\n".join(f"![{name}]({name})" for name in pictures)
    return f"It prints:\n\n```text\n{done.stdout.replace(folder, 'out').rstrip()}\n```\n\n{shown}"


def _heading(stem: str) -> str:
    number, *words = stem.split("_")
    text = " ".join(NAMES.get(word, word) for word in words)
    return f"{int(number)}. {text[0].upper()}{text[1:]}"


def _kept(folder: Path, place: Path, stem: str) -> list[str]:
    """Copy the pictures that an example made, one format of each, and return their names."""
    names: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".png" or (path.suffix == ".svg" and not path.with_suffix(".png").exists()):
            name = f"{stem}-{path.stem}{path.suffix}"
            shutil.copyfile(path, place / name)
            names.append(name)
    return names
