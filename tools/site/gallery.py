"""The gallery: every robot and mechanism of the library as a picture, a card and a page that computes."""

from __future__ import annotations

from pathlib import Path

import parakin as pk
from parakin.description import library
from parakin.robot.cards import card
from tools.site.markdown import plain


def write_gallery(place: Path, live: Path, *, pages: bool = True) -> None:
    """Write a page for each robot with its picture and card, its live page, and a page of all of them.

    pages: whether live pages are made, which takes most of the time.
    """
    import matplotlib.pyplot as plt

    for folder in (place, live):
        folder.mkdir(parents=True)
    names = {"Robots of legs and a platform": library(), "Mechanisms of bodies and joints": pk.mechanism_library()}
    tables: list[str] = []
    for heading, listed in names.items():
        cells: list[str] = []
        for name in listed:
            robot = pk.load(name)
            axes = pk.draw(robot)
            figure = axes.figure
            figure.savefig(place / f"{name}.png", dpi=90, bbox_inches="tight")
            plt.close("all")
            if pages:
                pk.view(robot).save(live / f"{name}.html")
            (place / f"{name}.md").write_text(robot_page(robot, live=pages), encoding="utf-8")
            shown = f"[![{name}]({name}.png)]({name}.md)\n\n[{name}]({name}.md)\n\n{plain(robot.title)}"
            cells.append(f":::{{container}} robot\n{shown}\n:::")
        tables.append(f"## {heading}\n\n::::{{container}} gallery\n" + "\n".join(cells) + "\n::::")
    contents = "\n".join(name for listed in names.values() for name in listed)
    text = (
        "# Gallery\n\nEvery robot of the library. Open one to see its card, where its numbers come from, and the robot "
        "itself: its page computes, so take hold of the platform.\n\n"
        + "\n\n".join(tables)
        + f"\n\n```{{toctree}}\n:hidden:\n\n{contents}\n```\n"
    )
    (place / "index.md").write_text(text, encoding="utf-8")


def robot_page(robot: pk.Robot, *, live: bool) -> str:
    """Return the page of one robot: the robot itself in a frame, and its card."""
    name = robot.name
    frame = (
        f'```{{raw}} html\n<iframe class="live" src="../live/{name}.html" title="{name}" loading="lazy"></iframe>\n'
        f'<p><a href="../live/{name}.html">The page alone</a>, one file to keep or to send.</p>\n```\n'
        if live
        else f"![{name}]({name}.png)\n"
    )
    sections = "\n".join(_section(heading, rows) for heading, rows in card(robot))
    loaded = f'```python\nimport parakin as pk\n\nrobot = pk.load("{name}")\n```'
    return f"# {name}\n\n{plain(robot.title)}\n\n{frame}\n{loaded}\n\n{sections}"


def _section(heading: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| {plain(what)} | {plain(value)} |" for what, value in rows]
    return f"## {heading}\n\n| | |\n|---|---|\n" + "\n".join(lines) + "\n"
