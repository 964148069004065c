"""The table of files in docs/architecture.md names each file once, and none that is not there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "parakin"
PAGE = ROOT / "docs" / "architecture.md"


def named() -> Iterator[str]:
    """Files in the first column; a name is looked up beside the name before it, in its room, and in its section."""
    section = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = "kernels" if "kernels" in line else ""
        folder = section
        for name in re.findall(r"`([^`]+\.py)`", line.split(" | ")[0] if line.startswith("| `") else ""):
            places = (folder, "", folder.partition("/")[0], section)
            found = next((place for place in places if (SOURCE / place / name).exists()), "nowhere")
            file = Path(found, name)
            folder = str(file.parent)
            yield str(file)


def test_every_file_of_the_table_is_there_once() -> None:
    files = Counter(named())
    assert len(files) > 200
    assert [name for name, times in files.items() if times > 1] == []
    assert [name for name in files if name.startswith("nowhere")] == []
