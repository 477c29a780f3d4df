"""Measured speeds of pictures, sound and texts beside estimates that had not seen them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from sizing.catalogue import Catalogue
from tools.scoring.score import Score
from tools.scoring.speed import Accuracy, accuracy
from tools.scoring.speed_ranges import is_calibrated
from tools.throughput.cases import cases_of
from tools.throughput.folds import LEFT_OUT, HeldOut, spreads
from tools.throughput.rows import FOLDS, Row, read_held_out, read_rows

KINDS: Mapping[str, str] = {"image": "pictures", "asr": "speech", "embedding": "texts"}
"""Kinds of rows, as the page calls them."""

UNSEEN: Mapping[str, str] = {"gpu": "GPU unseen", "model": "model unseen"}
"""What a fit had not seen, by fold."""

MEDIAN_AIM, COVERAGE_AIM = 0.25, 0.75
"""Error of half of the rows on GPUs unseen, and least share of rows between our bounds."""


class Throughputs:
    """Every measured speed of these kinds with its held-out estimates."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    @cached_property
    def collected(self) -> list[Row]:
        """Return every row, those that are left out included."""
        return read_rows()

    @cached_property
    def rows(self) -> list[HeldOut]:
        """Return the rows that are scored."""
        estimates = read_held_out()
        cases = cases_of(self.collected, self._catalogue)
        return [HeldOut(case, estimates[case.row.id]) for case in cases]

    def of(self, kind: str, fold: str) -> list[HeldOut]:
        """Return the rows of a kind that have an estimate of a fold."""
        return [row for row in self.rows if row.case.row.kind == kind and fold in row.estimates]

    def accuracy(self, kind: str, fold: str) -> Accuracy:
        """Return the errors of a kind in speed: estimate over measurement, less one."""
        return accuracy(error(row, fold) for row in self.of(kind, fold))

    def coverage(self, kind: str, fold: str) -> float:
        """Return the share of rows between bounds that rows of other GPUs, or models, set."""
        rows, inside = self.of(kind, fold), 0
        key = LEFT_OUT[fold]
        for name in sorted({key(row.case) for row in rows}):
            bounds = spreads(row for row in self.rows if key(row.case) != name)[f"{kind}/{fold}"]
            inside += sum(
                bounds.low <= row.speed_ratio(fold) <= bounds.high
                for row in rows
                if key(row.case) == name
            )
        return inside / len(rows)


def error(row: HeldOut, fold: str) -> float:
    """Return the estimated speed over the measured one, less one."""
    return 1 / row.speed_ratio(fold) - 1


def throughput_scores(found: Throughputs) -> Iterable[Score]:
    """Return scores of errors on GPUs unseen, and of bounds on GPUs and models unseen."""
    for kind, name in KINDS.items():
        what = f"speed of {name}, {UNSEEN['gpu']}: median error"
        rows, median = len(found.of(kind, "gpu")), found.accuracy(kind, "gpu").median
        yield Score(what, what, median, MEDIAN_AIM, rows, is_share=False)
        for fold, unseen in UNSEEN.items():
            what = f"speed of {name}, {unseen}: rows between our bounds"
            rows, covered = len(found.of(kind, fold)), found.coverage(kind, fold)
            yield Score(what, what, covered, COVERAGE_AIM, rows, is_share=True)
    what = "speed of pictures, speech and texts: ranges that hold 75 to 90 % of rows"
    held = [is_calibrated(found.coverage(kind, fold)) for kind in KINDS for fold in FOLDS]
    yield Score(what, what, sum(held) / len(held), 1.0, len(held), is_share=True)
