"""Tables and figures as the page shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tools.scoring.comparison import Comparison, counted, summary

STATISTICS = ("", "Rows", "Median", "90 % within", "95 % within", "Largest", "Between bounds")


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table; columns of numbers are aligned to the right."""
    names = tuple(heads)
    kept = [tuple(str(cell).replace("|", "/") for cell in row) for row in rows]
    if not kept:
        return "None."
    marks = ["---" if _is_text([row[at] for row in kept]) else "--:" for at in range(len(names))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (names, marks, *kept))


def _is_text(cells: Iterable[str]) -> bool:
    return any(cell[:1].isalpha() or cell[:1] in "*`" for cell in cells if cell)


def statistics(
    rows: list[Comparison], by: Callable[[Comparison], str] = lambda row: row.architecture
) -> str:
    """Return the statistics of one kind of figure: of all rows, then by a label of theirs."""
    kept = counted(rows)
    labels = sorted({by(row) for row in kept})
    lines = [_line("**all**", kept)]
    lines += [_line(label, [row for row in kept if by(row) == label]) for label in labels]
    return table(STATISTICS, lines)


def _line(label: str, rows: list[Comparison]) -> tuple[object, ...]:
    found = summary(rows)
    if found is None:
        return (label, 0, "", "", "", "", "")
    return (
        label,
        found.rows,
        percent(found.median),
        percent(found.p90),
        percent(found.p95),
        percent(found.largest),
        "" if found.covered is None else percent(found.covered),
    )


def percent(value: float) -> str:
    """Return a share or an error, never as a bare zero where it is not."""
    if 0 < abs(value) < 0.0005:
        return "< 0.1 %"
    return f"{value * 100:.1f} %"


def signed(value: float) -> str:
    """Return an error with its sign."""
    return f"{value * 100:+.1f} %"
