"""The files that a plan can be handed on as: report, page for printing, workbook, bill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, time
from functools import partial
from typing import TYPE_CHECKING

from bot.checklist.sheets import sheets_of
from bot.checklist.words import checklist_words
from bot.errors import CodedError
from bot.pictures import picture_of
from bot.printing import to_html
from bot.sheets import to_csv, to_xlsx
from bot.spec_pages import SpecPages

if TYPE_CHECKING:
    from bot.plots import Plot
    from bot.render import Renderer
    from sizing.spec.answer import Spec
    from sizing.spec.checklist_records import Checklist

CHECKLIST_SHEET = 1
"""Place of the checklist among the sheets."""

PICTURE = ".png"
"""End of the name of what is drawn."""


class SpecFiles:
    """Writes a plan as a file; nothing is made before it is asked for."""

    def __init__(
        self,
        renderer: Renderer,
        spec: Spec,
        checklist: Checklist,
        charts: Sequence[Plot],
        *,
        language: str,
        answer_id: str,
    ) -> None:
        self._pages = SpecPages(renderer)
        self._title = renderer.spec_summary(spec, language).strip().rstrip(".")
        self._spec = spec
        self._checklist = checklist
        self._charts = charts
        self._language = language
        self._answer_id = answer_id

    @property
    def makers(self) -> Mapping[str, Callable[[], bytes]]:
        """Return what makes each file, by the end of its name."""
        drawn = {PICTURE: lambda: picture_of(self._charts)} if self._charts else {}
        return drawn | {
            ".md": lambda: self.report().encode(),
            ".html": lambda: self._printed().encode(),
            ".xlsx": self._workbook,
            ".csv": partial(self._sheet, CHECKLIST_SHEET),
        }

    def report(self, pictures: Mapping[str, str] | None = None) -> str:
        """Return the whole plan as one document; `pictures` are alternative texts by section."""
        return self._pages.report(
            self._spec,
            self._checklist,
            language=self._language,
            answer_id=self._answer_id,
            pictures=pictures or {},
        )

    def _printed(self) -> str:
        drawn = self._drawn()
        told = {chart.section: chart.alt_text for chart in self._charts if chart.section in drawn}
        page = self.report(told)
        return to_html(page, language=self._language, title=self._title, pictures=drawn)

    def _drawn(self) -> dict[str, bytes]:
        """Return what is drawn of each section, as SVG; nothing where nothing here can draw."""
        try:
            return {chart.section: picture_of(chart, "svg") for chart in self._charts}
        except CodedError:
            return {}

    def _workbook(self) -> bytes:
        made = datetime.combine(datetime.fromisoformat(self._spec.catalogue.date), time(), UTC)
        return to_xlsx(sheets_of(self._checklist, checklist_words(self._language)), at=made)

    def _sheet(self, place: int) -> bytes:
        sheets = sheets_of(self._checklist, checklist_words(self._language))
        return to_csv(sheets[place], self._language)
