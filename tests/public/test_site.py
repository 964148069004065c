"""The tools that gather and generate the pages of the documentation site; `make docs` builds the whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import parakin as pk
from tools.api_page import FRONT, MORE
from tools.site.checks import remote_resources
from tools.site.commands import command_pages
from tools.site.formats import format_pages
from tools.site.markdown import paragraphs, plain
from tools.site.mathjax import write_mathjax
from tools.site.reference import reference_pages
from tools.site.staging import CONTENTS, ROOT, placed, relinked, stage
from tools.site.symbols import letters, unknown_symbols
from tools.site.tutorials import parts


def test_links_lead_to_pages_of_the_site() -> None:
    text = (
        "[a](../benchmarks/results/page.md), [b](control.md#gains), [c](https://x.org), [`d`](../src/parakin/files.py)"
    )
    assert relinked(text, "docs/simulation.md") == (
        "[a](/benchmarks/page.md), [b](/control.md#gains), [c](https://x.org), `d`"
    )
    assert relinked("```\n[a](nowhere.md)\n```", "docs/simulation.md") == "```\n[a](nowhere.md)\n```"
    assert relinked("[a](../examples/04_regressor.py)", "docs/start.md") == "[a](/tutorials/04_regressor.md)"


def test_links_that_lead_nowhere_fail() -> None:
    with pytest.raises(LookupError, match=r"the link to nowhere\.md leads nowhere"):
        relinked("[a](nowhere.md)", "docs/control.md")
    with pytest.raises(LookupError, match="Makefile"):
        placed("Makefile")


def test_every_page_is_in_the_contents(tmp_path: Path) -> None:
    stage(tmp_path)
    listed = set(re.findall(r"[\w/]+(?=,|$)", CONTENTS.read_text().replace(" ", ""), re.MULTILINE))
    staged = {path.relative_to(tmp_path).with_suffix("").as_posix() for path in tmp_path.rglob("*.md")}
    assert staged - listed == {"index"}


def test_every_public_name_is_in_the_reference() -> None:
    pages = reference_pages()
    assert {f"reference/{name.replace('.', '_')}.md" for name in FRONT + MORE} < set(pages)
    front = pages["reference/parakin.md"]
    for name in pk.__all__:
        assert f"pk.{name}" in front, name
    assert "{py:method} inverse_dynamics(" in front
    assert "{py:attribute} payload" in front


def test_every_command_and_its_options_are_in_the_reference() -> None:
    (text,) = command_pages().values()
    for command in ("identify", "view", "export-c"):
        assert f"## `{command}`" in text
    assert "| `--payload` |" in text
    assert "```sh\nparakin info delta\n```" in text


def test_every_key_of_a_file_is_in_the_reference() -> None:
    pages = format_pages()
    assert "| `gravity` |" in pages["reference/robot_file.md"]
    assert "| `joints` |" in pages["reference/mechanism_file.md"]


def test_examples_are_told_from_their_code() -> None:
    for path in (ROOT / "examples").glob("*.py"):
        about, code = parts(path.read_text())
        assert about[0].isupper()
        assert "import parakin" in code
        assert '"""' not in about


def test_what_comes_from_elsewhere_is_found(tmp_path: Path) -> None:
    good = '<script src="a.js"></script><a href="https://x.org">x</a><link rel="stylesheet" href="b.css">'
    (tmp_path / "good.html").write_text(good)
    assert remote_resources(tmp_path) == []
    for number, bad in enumerate(
        (
            '<script src="https://x.org/a.js">',
            '<link rel="stylesheet" href="//x.org/b.css">',
            '<img alt="" src=http://x>',
        )
    ):
        (tmp_path / f"bad{number}.html").write_text(bad)
    assert len(remote_resources(tmp_path)) == 3


def test_text_stays_text() -> None:
    assert plain("a_b |x| <y> `c_d`") == r"a\_b \|x\| \<y> `c_d`"
    assert paragraphs("x < y\n\n    code < z") == "x \\< y\n\n    code < z"
    assert paragraphs("x.\n\n>>> 1 < 2\nTrue\n\ny < z") == "x.\n\n```pycon\n>>> 1 < 2\nTrue\n```\n\ny \\< z"
    assert paragraphs("a $ and `$b`") == "a \\$ and `$b`"
    assert paragraphs("x.\n\n>>> 1 < 2\nTrue") == "x.\n\n```pycon\n>>> 1 < 2\nTrue\n```"


def test_symbols_of_equations_are_in_the_notation() -> None:
    notation = (ROOT / "docs" / "notation.md").read_text()
    pages = sorted((ROOT / "docs" / "theory").glob("*.md"))
    equations = [page for page in pages if "```math" in page.read_text()]
    assert len(equations) == len(pages)
    for page in pages:
        text = page.read_text()
        assert unknown_symbols(text, notation) == set(), page.name
        assert "(../notation.md)" in text, page.name


def test_symbols_that_the_notation_lacks_are_found() -> None:
    assert letters(r"\dot q = J_{qv}\,v + \text{friction} \int r\,dm") == {"q", "J", "v", "r", "m"}
    assert unknown_symbols("```math\n\\tau = k\n```\n", "| $\\tau$ |") == {"k"}


def test_without_mathjax_the_site_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.site.mathjax.INSTALLED", tmp_path / "tex-svg.js")
    with pytest.raises(FileNotFoundError, match="`make docs` installs it"):
        write_mathjax(tmp_path)
    (tmp_path / "tex-svg.js").write_text("script")
    write_mathjax(tmp_path / "static")
    assert (tmp_path / "static" / "mathjax" / "tex-svg.js").read_text() == "script"
