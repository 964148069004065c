"""A study that was run: its claims in order, its figures rendered, its news, and what reports say of it."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from parakin.errors import StudyError
from parakin.studies import Apparatus, Finding, Measured, Outcome, Progress, Study, Verdict
from parakin.studies.definition import AS_PRINTED
from parakin.studies.judging import judgements
from parakin.studies.pages import TIMED, page_table
from parakin.studies.report import page_of, rows
from parakin.studies.result import Result, result_of
from tests.small_studies import claim

CLAIMS = (claim("first", Verdict.HOLDS), claim("second", Verdict.REFUTED), claim("third", Verdict.ADDED))


def run(progress: Progress) -> Outcome:
    progress("running")
    findings = {
        "third": Finding("3 N"),
        "first": Finding("1 N", {AS_PRINTED: (Measured(1.0, 0.5, 2.5, "4 seeds"),)}, "if it rains"),
        "second": Finding("2 s", {AS_PRINTED: (Measured(3.0),)}, timed=True),
    }
    return Outcome(findings, {"empty": (Figure(figsize=(1.0, 1.0)), "Nothing.")})


def result(*, vector: bool = False) -> Result:
    return result_of(Study("key", "paper", "title", (), CLAIMS, ("a gap",), run), lambda _: None, vector=vector)


def test_findings_come_in_the_order_of_the_claims_and_changed_verdicts_are_news() -> None:
    done = result()
    assert [(claim.key, finding.measured, judgement.verdict) for claim, finding, judgement in done.findings] == [
        ("first", "1 N", Verdict.UNDECIDED),
        ("second", "2 s", Verdict.REFUTED),
        ("third", "3 N", Verdict.ADDED),
    ]
    assert [claim.key for claim in done.news] == ["first"]
    assert done.seconds > 0.0


def test_tables_print_the_numbers_of_the_configuration_that_is_judged() -> None:
    """Numbers of one configuration beside the verdict in another would mislead; `two` is where both claims hold."""
    cells = Apparatus("cells", "Any.", ("one", "two"))
    pair = (claim("first", Verdict.CONDITIONAL, apparatus=cells), claim("second", Verdict.CONDITIONAL, apparatus=cells))
    cases = {"one": (Measured(9.0),), "two": (Measured(1.0),)}

    def run_pair(_: Progress) -> Outcome:
        return Outcome({key: Finding({"one": "9 N", "two": "1 N"}, cases) for key in ("first", "second")}, {})

    done = result_of(Study("key", "paper", "title", (), pair, (), run_pair), lambda _: None, vector=False)
    assert [row[2:] for row in rows(done)] == [("1 N", "holds under conditions")] * 2
    assert not done.news
    with pytest.raises(StudyError, match="first: measured: must be one text, or one for each configuration"):
        judgements(pair[:1], Outcome({"first": Finding({"one": "9 N"}, cases)}, {}))


def test_vector_graphics_are_made_when_asked_for() -> None:
    (plain,), (both,) = result().pictures, result(vector=True).pictures
    assert plain.name == "key_empty"
    assert plain.png == both.png
    assert plain.png.startswith(b"\x89PNG")
    assert plain.svg == b""
    assert b"<svg" in both.svg


def test_tables_say_words_measurement_threshold_interval_and_verdict() -> None:
    done = result()
    words = "eq. (1): “words on first”"
    assert rows(done)[0] == ("first | <b>is</b> small", words, "1 N", "undecided")
    table = page_table(done).splitlines()
    assert table[2] == f"| `first`: first \\| <b>is</b> small | {words} | 1 N | **undecided** |"
    assert f"| {TIMED} | **does not hold** |" in table[3]
    decided = table[table.index("What decided:") + 2]
    assert decided == (
        "- `first`: force at most 2 N: 1 N (0.5 to 2.5 over 4 seeds), 0.5 of the threshold; independent. if it rains"
    )
    assert "- a table: Pen and paper." in table
    assert table[-1] == "- a gap"
    page = page_of([done], "parakin reproduce key")
    assert "1 undecided; 1 does not hold; 1 not in the paper." in page
    assert "if it rains" in page
    assert "<td class=bad>does not hold</td>" in page
    assert "<td class=open>undecided</td>" in page
    assert '<a href="#title">title</a>' in page
    assert '<h2 id="title">title</h2>' in page
