"""A study that was run: its claims in order, its figures rendered, its news."""

from __future__ import annotations

from matplotlib.figure import Figure

from parakin.studies import Claim, Finding, Outcome, Progress, Study, Verdict
from parakin.studies.pages import TIMED, page_table
from parakin.studies.report import page_of, rows
from parakin.studies.result import Result, result_of

CLAIMS = (
    Claim("first", "eq. (1)", "one", "1", Verdict.HOLDS),
    Claim("second", "eq. (2)", "two", "2", Verdict.REFUTED),
    Claim("third", "eq. (3)", "three", "-", Verdict.ADDED),
)


def run(progress: Progress) -> Outcome:
    progress("running")
    findings = {
        "third": Finding("3 N", Verdict.ADDED),
        "first": Finding("1 N", Verdict.CONDITIONAL, "if it rains"),
        "second": Finding("2 s", Verdict.REFUTED, timed=True),
    }
    return Outcome(findings, {"empty": (Figure(figsize=(1.0, 1.0)), "Nothing.")})


def result(*, vector: bool = False) -> Result:
    return result_of(Study("key", "paper", "title", (), CLAIMS, ("a gap",), run), lambda _: None, vector=vector)


def test_findings_come_in_the_order_of_the_claims_and_changed_verdicts_are_news() -> None:
    done = result()
    assert [(claim.key, finding.measured) for claim, finding in done.findings] == [
        ("first", "1 N"),
        ("second", "2 s"),
        ("third", "3 N"),
    ]
    assert [claim.key for claim in done.news] == ["first"]
    assert done.seconds > 0.0


def test_vector_graphics_are_made_when_asked_for() -> None:
    (plain,), (both,) = result().pictures, result(vector=True).pictures
    assert plain.name == "key_empty"
    assert plain.png == both.png
    assert plain.png.startswith(b"\x89PNG")
    assert plain.svg == b""
    assert b"<svg" in both.svg


def test_tables_say_place_claim_publication_measurement_and_verdict() -> None:
    done = result()
    assert rows(done)[0] == ("eq. (1): one", "1", "1 N", "holds under conditions")
    table = page_table(done).splitlines()
    assert table[2] == "| `first`: eq. (1): one | 1 | 1 N | **holds under conditions** |"
    assert f"| 2 | {TIMED} | **does not hold** |" in table[3]
    assert table[table.index("Remarks:") + 2] == "- `first`: if it rains"
    assert table[-1] == "- a gap"
    page = page_of([done], "parakin reproduce key")
    assert "1 holds under conditions; 1 does not hold; 1 not in the paper." in page
    assert "if it rains" in page
    assert "<td class=bad>does not hold</td>" in page
    assert "<td class=open>holds under conditions</td>" in page
