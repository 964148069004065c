"""Refresh tables and figures of docs/studies, and the README's table, so that no number in them is typed by hand.

python -m parakin.studies.pages docs/studies [study ...]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from parakin.files import replacing
from parakin.studies.criteria import Verdict
from parakin.studies.report import HEADER, rows
from parakin.studies.result import Result, result_of
from parakin.studies.table import STUDIES, study
from parakin.studies.wording import apparatus_of, decided, judged_in

BEGIN, END = "<!-- findings -->\n", "<!-- /findings -->"
"""The lines of a page between which the table stands."""
TIMED = "timed: see the run"
"""What a page shows in the place of a computing time, which differs from run to run."""


def page_table(result: Result) -> str:
    """Return the findings as a Markdown table; below it what decided, the apparatus and readings of the paper."""
    lines = [_row(HEADER), _row(["---"] * len(HEADER))]
    for (says, words, measured, verdict), (claim, finding, _) in zip(rows(result), result.findings, strict=True):
        shown = TIMED if finding.timed else measured
        lines.append(_row((f"`{claim.key}`: {says}", words, shown, f"**{verdict}**")))
    judged = [
        f"- `{claim.key}`: {decided(claim, judgement)}.{f' {finding.remark}' if finding.remark else ''}"
        for claim, finding, judgement in result.findings
    ]
    apparatus = [f"- {each.name}: {each.needs} {judged_in(result, each)}".rstrip() for each in apparatus_of(result)]
    gaps = [f"- {gap}" for gap in result.gaps]
    parts = [*lines, "", "What decided:", "", *judged, "", "Apparatus:", "", *apparatus, "", "Readings:", "", *gaps]
    return "\n".join(parts)


def summary_table() -> str:
    """Return the table of the README: how many claims of each paper have which recorded verdict."""
    lines = [_row(("paper", *(verdict.value for verdict in Verdict))), _row(["---"] + ["---:"] * len(Verdict))]
    for name in STUDIES:
        recorded = [claim.recorded for claim in study(name).claims]
        counts = [str(recorded.count(verdict)) for verdict in Verdict]
        lines.append(_row((f"[{study(name).title}](docs/studies/{name}.md)", *counts)))
    return "\n".join(lines)


def refreshed_readme(text: str) -> str:
    """Return the README with the table of recorded verdicts between its markers, and all else as it was."""
    return _between(text, "<!-- studies -->\n", "<!-- /studies -->", summary_table())


def refreshed(page: str, result: Result) -> str:
    """Return the page with the table of this result between its markers, and all else as it was."""
    return _between(page, BEGIN, END, page_table(result))


def _between(text: str, begin: str, end: str, table: str) -> str:
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}{table}\n{end}{after}"


def refresh(directory: Path, results: Sequence[Result]) -> None:
    """Rewrite the pages <study>.md in `directory` and their pictures figures/<name>.png from these results."""
    figures = directory / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for result in results:
        page = directory / f"{result.study}.md"
        with replacing(page) as partial:
            partial.write_text(refreshed(page.read_text(encoding="utf-8"), result), encoding="utf-8")
        for picture in result.pictures:
            (figures / f"{picture.name}.png").write_bytes(picture.png)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    chosen, pages = sys.argv[2:] or STUDIES, Path(sys.argv[1])
    refresh(pages, [result_of(study(name), lambda _: None, vector=False) for name in chosen])
    readme = pages.resolve().parents[1] / "README.md"
    with replacing(readme) as partial:
        partial.write_text(refreshed_readme(readme.read_text(encoding="utf-8")), encoding="utf-8")
