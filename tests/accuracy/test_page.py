"""The page is the same whenever it is written, and the README shows lines of it."""

from __future__ import annotations

import re
from pathlib import Path

from sizing.catalogue import Catalogue
from tools.scoring.page import PAGE, page
from tools.scoring.results import Results

README = Path(__file__).parents[2] / "README.md"


def test_the_page_is_deterministic(catalogue: Catalogue) -> None:
    assert page(Results(catalogue)) == page(Results(catalogue))


def test_the_readme_shows_lines_of_the_page() -> None:
    text = README.read_text(encoding="utf-8")
    section = re.search(r"## How exact the numbers are\n(.*?)\n## ", text, re.DOTALL)
    assert section is not None
    shown = [line for line in section[1].splitlines() if line.startswith("| ")]
    assert "docs/accuracy.md" in section[1]
    assert len(shown) > 3
    assert set(shown) <= set(PAGE.read_text(encoding="utf-8").splitlines())
