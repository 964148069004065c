"""The claims of all studies: quoted from their papers, able to fail, judged in configurations that they share."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

import pytest

from parakin.studies import STUDIES, Claim, Evidence, Finding, NominalLoop, Outcome, Verdict, study
from parakin.studies.judging import judgements

ROOT = Path(__file__).parents[2]
TEXTS = {
    "codourey": "codourey-linear-form.txt",
    "ozgur": "kinematic-elements.txt",
    "abdellatif": "abdellatif-mass-matrix.txt",
    "vivas": "vivas-predictive-control.txt",
    "sinatra": "staicu-hexapod.txt",
}
"""Files with the extracted texts of the papers, in a folder shared/papers that is not part of the repository."""
LONGEST_QUOTE = 260
"""Letters that a quotation may have: a sentence, not a passage."""
CLAIMS = [pytest.param(name, claim, id=f"{name}-{claim.key}") for name in STUDIES for claim in study(name).claims]


def papers() -> Path | None:
    """Return the folder of the papers: PARAKIN_PAPERS, or shared/papers beside this checkout or beside its own."""
    given = os.environ.get("PARAKIN_PAPERS")
    git = ROOT / ".git"
    owner = [Path(git.read_text(encoding="utf-8").partition("gitdir: ")[2].strip())] if git.is_file() else []
    places = [parent / "shared" / "papers" for path in (ROOT, *owner) for parent in path.parents]
    return next((place for place in ([Path(given)] if given else places) if place.is_dir()), None)


def folded(text: str) -> str:
    """Fold what extraction and typesetting leave: hyphens at line ends, markup, white space."""
    text = unicodedata.normalize("NFC", text).replace("\\equiv", "≡").replace("\\cos", "cos")
    text = re.sub(r"(?<=\w)-\s*\n\s*(?=\w)", "", text)
    return re.sub(r"\s+", " ", re.sub(r"[*$\\]", "", text)).strip()


def unhyphenated(text: str) -> str:
    """Leave out hyphens and spaces: an extracted hyphen at a line's end may belong to the word or not."""
    return re.sub(r"[\s-]", "", text)


@pytest.mark.parametrize(("name", "claim"), CLAIMS)
def test_a_claim_quotes_its_paper(name: str, claim: Claim) -> None:
    assert bool(claim.quote) == (claim.recorded is not Verdict.ADDED)
    assert len(claim.quote) <= LONGEST_QUOTE or re.search(r"[.?!]\s", claim.quote[:-1]) is None
    folder = papers()
    if folder is None:
        pytest.skip("the papers' texts are not here")
    text = (folder / TEXTS[name]).read_text(encoding="utf-8")
    assert unhyphenated(folded(claim.quote)) in unhyphenated(folded(text))


def test_words_that_a_paper_does_not_have_are_found_out() -> None:
    assert unhyphenated(folded("the *com-\nputed* torque")) == unhyphenated("the computed torque")
    assert unhyphenated(folded("with $g_i \\equiv -g \\cos q_i$")) == unhyphenated("with g_i ≡ -g cos q_i")
    assert unhyphenated("saturates never") not in unhyphenated(folded("the controller which saturates the torques"))


@pytest.mark.parametrize(("name", "claim"), CLAIMS)
def test_a_claim_can_hold_and_can_fail(name: str, claim: Claim) -> None:
    """Constructed measurements go through the law; claims that are not judged say that nothing is compared."""
    assert (claim.evidence is Evidence.NONE) == (not claim.criteria), name
    if not claim.criteria:
        assert claim.recorded in (Verdict.OPEN, Verdict.ADDED)
        return
    own = claim.evidence in (Evidence.CONSISTENCY, Evidence.OWN)
    agreed = Verdict.CONSISTENT if own else Verdict.HOLDS
    failed = Verdict.NOT_REPRODUCED if own or claim.evidence is Evidence.COUNT else Verdict.REFUTED
    good = tuple(criterion.example(met=True) for criterion in claim.criteria)
    assert judged(claim, good) == agreed
    for k, criterion in enumerate(claim.criteria):
        bad = (*good[:k], criterion.example(met=False), *good[k + 1 :])
        assert judged(claim, bad) == failed, criterion.quantity


def test_what_parakin_is_compared_with_is_marked() -> None:
    """Another implementation of this package cannot bear out a published claim, and its counts cannot refute one."""

    def marked(evidence: Evidence) -> set[str]:
        claims = (claim for name in STUDIES for claim in study(name).claims)
        return {claim.key for claim in claims if claim.evidence is evidence}

    assert marked(Evidence.OWN) == {"share", "dearer", "severe", "operations"}
    assert marked(Evidence.COUNT) == {"trigonometry", "operators", "vision", "counts"}
    assert marked(Evidence.CONSISTENCY) == {"equal", "six", "steps", "exact", "table", "method"}


def judged(claim: Claim, values: tuple[object, ...]) -> Verdict:
    names = claim.apparatus.configurations
    loops = {name: (NominalLoop("law", 0.9, 2.0, 1e-3),) for name in names} if claim.apparatus.loops else {}
    outcome = Outcome({claim.key: Finding("", dict.fromkeys(names, values))}, {}, loops)  # type: ignore[arg-type]
    return judgements([claim], outcome)[0].verdict


@pytest.mark.parametrize("name", STUDIES)
def test_claims_about_one_apparatus_share_one_object(name: str) -> None:
    claims = study(name).claims
    assert len({claim.key for claim in claims}) == len(claims)
    for claim in claims:
        same = [other.apparatus for other in claims if other.apparatus.name == claim.apparatus.name]
        assert all(each is claim.apparatus for each in same)
        assert claim.apparatus.needs.endswith(".")
    assert sum(apparatus.loops for apparatus in {claim.apparatus for claim in claims}) <= 1


@pytest.mark.parametrize(("name", "claim"), CLAIMS)
def test_thresholds_say_where_they_come_from(name: str, claim: Claim) -> None:
    for criterion in claim.criteria:
        assert criterion.reason, f"{name}: {claim.key}: {criterion.quantity}"
