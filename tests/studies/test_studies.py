"""Studies: every claim has its finding and its recorded verdict, pages and reports say what the run measured."""

from __future__ import annotations

import base64
import dataclasses
import importlib.util
import json
import re
from itertools import takewhile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin.cli import app
from parakin.description import RobotDescription
from parakin.dynamics.count import five_bar_counts
from parakin.dynamics.count_table import count_table
from parakin.errors import UnknownNameError
from parakin.studies import STUDIES, Finding, Study, Verdict
from parakin.studies import report as reports
from parakin.studies import run as runs
from parakin.studies import table as tables
from parakin.studies.pages import BEGIN, END, page_table, refresh, refreshed, refreshed_readme
from parakin.studies.result import Result, result_of
from tests.commands import started
from tests.small_studies import module_study, run_module_study, small_study

PAGES = Path(__file__).parents[2] / "docs" / "studies"
WRITTEN = [name for name in STUDIES if importlib.util.find_spec(f"parakin.studies.{name}")]
LONG_STUDIES = ("abdellatif", "vivas")
"""Studies that simulate for half a minute and more; `make slow` runs them."""
LARGEST_FIGURE = 150_000
"""Largest size of a picture in the documents [bytes]."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LONG_STUDIES else []) for name in WRITTEN]
)
def test_a_study_finds_what_is_recorded_and_its_page_says_so(name: str) -> None:
    """One test a study and not several: each worker of pytest-xdist would run the study once more."""
    messages: list[str] = []
    study = tables.study(name)
    result = result_of(study, messages.append, vector=False)
    assert messages
    assert [claim.key for claim, _, _ in result.findings] == [claim.key for claim in study.claims]
    assert not result.news
    for claim, finding, judgement in result.findings:
        assert finding.measured, claim.key
        assert judgement.verdict is not Verdict.OPEN or finding.remark, f"{claim.key}: what is missing?"
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert refreshed(page, result) == page, f"python -m parakin.studies.pages docs/studies {name}"
    for picture in result.pictures:
        assert picture.caption
        assert f"figures/{picture.name}.png" in page
        assert (PAGES / "figures" / f"{picture.name}.png").stat().st_size < LARGEST_FIGURE


def test_the_readme_counts_the_recorded_verdicts() -> None:
    readme = (PAGES.parents[1] / "README.md").read_text(encoding="utf-8")
    assert refreshed_readme(readme) == readme, "python -m parakin.studies.pages docs/studies"


def test_the_theory_says_what_parakin_counts() -> None:
    rows = {
        row.form: row.count for row in takewhile(lambda r: r.model == "mass matrix", count_table(described("palida")))
    }
    ours = rows["virtual-work"]
    regrouping = (PAGES.parent / "theory" / "regrouping.md").read_text(encoding="utf-8")
    words = f"PaLiDA's mass matrix takes {ours.additions} additions and {ours.multiplications} multiplications"
    assert words in regrouping
    theory = (PAGES.parent / "theory" / "kinematic_elements.md").read_text(encoding="utf-8")
    for form, count in five_bar_counts(described("five_bar")).items():
        assert f"| {form} | {count.additions} | {count.multiplications} |" in theory


def described(name: str) -> RobotDescription:
    return pk.load(name).description


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> dict[str, Study]:
    """Small studies in the place of the real ones."""
    studies = {name: small_study(name) for name in ("vivas", "sinatra")}
    monkeypatch.setattr(runs, "study", lambda name: studies[name])
    return studies


def test_verdicts_that_change_are_news(small: dict[str, Study], tmp_path: Path) -> None:
    arguments = ["reproduce", "vivas", "sinatra", "--jobs", "1", "-o", str(tmp_path)]
    good = CliRunner().invoke(app, arguments)
    assert good.exit_code == 0, good.output
    assert "written:" in good.output
    small["sinatra"] = small_study("sinatra", Verdict.REFUTED)
    changed = CliRunner().invoke(app, arguments)
    assert changed.exit_code == 3
    assert "news: the verdict on sinatra: sum is not the recorded one" in changed.stderr


@pytest.mark.usefixtures("small")
def test_findings_can_be_read_by_programs(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["reproduce", "vivas", "--json", "-o", str(tmp_path)])
    (study,) = json.loads(run.stdout)
    assert study["study"] == "vivas"
    assert [(c["key"], c["verdict"], c["recorded"]) for c in study["claims"]] == [
        ("sum", "holds", "holds"),
        ("time", "cannot be checked", "cannot be checked"),
    ]


def test_the_report_stands_alone(small: dict[str, Study], tmp_path: Path) -> None:
    results = runs.run(tuple(small), jobs=1, progress=lambda *_: None)
    reports.write(results, tmp_path, "parakin reproduce vivas")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|<link|<script|@import|url\(", html)
    sources = re.findall(r'src="([^"]*)', html)
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    shown = {base64.b64decode(source.partition(",")[2]) for source in sources}
    assert {picture.png for result in results for picture in result.pictures} <= shown
    assert "sum | &lt;b&gt;is&lt;/b&gt; small" in html
    assert "parakin reproduce vivas" in html
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["report.html", *(f"{name}_line.{form}" for name in small for form in ("png", "svg"))]
    )


def findings_of(results: list[Result]) -> list[dict[str, Finding]]:
    return [{claim.key: finding for claim, finding, _ in result.findings if not finding.timed} for result in results]


def test_studies_side_by_side_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In processes of their own: two modules on their path stand for studies."""
    for name in ("first", "second"):
        text = f"from tests.small_studies import small_study\nSTUDY = small_study('{name}')\n"
        (tmp_path / f"{name}_study.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[2]}:{Path(runs.__file__).parents[2]}")
    monkeypatch.setattr(runs, "study", module_study)
    monkeypatch.setattr(runs, "_run_one", run_module_study)
    messages: list[tuple[str, str]] = []
    names = ("first", "second")
    together = runs.run(names, jobs=2, progress=lambda *message: messages.append(message))
    alone = runs.run(names, jobs=1, progress=lambda *_: None)
    assert findings_of(together) == findings_of(alone)
    assert [result.pictures for result in together] == [result.pictures for result in alone]
    assert sorted(messages) == [("first", "adding"), ("second", "adding")]


def test_pages_are_refreshed_between_their_markers(tmp_path: Path) -> None:
    result = result_of(small_study("small"), lambda _: None)
    page = tmp_path / "small.md"
    page.write_text(f"# Title\n\n{BEGIN}old\n{END}\n\nend\n")
    refresh(tmp_path, [result])
    text = page.read_text()
    assert text == f"# Title\n\n{BEGIN}{page_table(result)}\n{END}\n\nend\n"
    assert "sum \\| <b>is</b> small" in text
    assert "0.123 s" not in text
    assert (tmp_path / "figures" / "small_line.png").read_bytes() == result.pictures[0].png
    later = dataclasses.replace(result, seconds=result.seconds + 1)
    assert refreshed(text, later) == text


def test_unknown_studies_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no study 'newton'; choose one of codourey"):
        tables.study("newton")
    assert CliRunner().invoke(app, ["reproduce", "newton", "-o", str(tmp_path)]).exit_code == 1


@pytest.mark.slow
def test_the_command_reproduces_all_papers_side_by_side(tmp_path: Path) -> None:
    """The whole way, in processes of their own; each study alone is tested above."""
    done = started("reproduce", "--json", "-o", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert [study["study"] for study in json.loads(done.stdout)] == list(STUDIES)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "does not hold" in html
    pictures = sorted(path.stem for path in tmp_path.glob("*.svg"))
    assert pictures == sorted(path.stem for path in tmp_path.glob("*.png"))
    assert {picture.partition("_")[0] for picture in pictures} == set(STUDIES)
