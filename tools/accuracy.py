"""Write docs/accuracy.md; with --check say whether it is stale or a score has got worse."""

from __future__ import annotations

import sys
from pathlib import Path

from sizing.catalogue import load_catalogue
from tools.scoring.page import PAGE, page
from tools.scoring.results import Results
from tools.scoring.score import Score
from tools.scoring.targets import keep, scores, worse_than_kept

CHECK = "--check"
ACCEPT = "--accept"

README = Path(__file__).parents[1] / "README.md"


def main(words: list[str]) -> int:
    """Write or check the page; return 1 where a score got worse or the page is stale."""
    results = Results(load_catalogue())
    found = scores(results)
    for score in found:
        print(f"{_mark(score)} {score.name}: {score.value:.2%}")
    worse = worse_than_kept(found)
    for score in worse:
        print(f"worse than kept: {score.name}: {score.value:.2%}")
    if worse and ACCEPT not in words:
        return 1
    return _check(results) if CHECK in words else _write(results, found)


def _mark(score: Score) -> str:
    return "met   " if score.is_reached else "missed"


def _check(results: Results) -> int:
    stale = [path for path, text in _written(results).items() if _text(path) != text]
    for path in stale:
        print(f"{path.name} is stale: make accuracy")
    return int(bool(stale))


def _write(results: Results, found: list[Score]) -> int:
    for path, text in _written(results).items():
        path.write_text(text, encoding="utf-8")
    keep(found)
    return 0


def _written(results: Results) -> dict[Path, str]:
    """Return the page, and the README with its lines."""
    text = page(results)
    return {PAGE: text, README: _with_lines_of(text, _text(README))}


def _with_lines_of(page_text: str, readme: str) -> str:
    """Return the README with each line that the page's first table holds too, by its first cell."""
    first_table = page_text.split("\n| ", 1)[1].split("\n\n", 1)[0]
    lines = {_first_cell(f"| {line}"): f"| {line}" for line in first_table.split("\n| ")}
    return "\n".join(
        lines.get(_first_cell(line), line) if line.startswith("| ") else line
        for line in readme.split("\n")
    )


def _first_cell(line: str) -> str:
    return line.split("|")[1].strip()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
