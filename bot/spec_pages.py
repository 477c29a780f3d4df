"""All pages of a server: what is told of it at once, and the report that is signed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

from bot.inside_lines import spec_view_of
from bot.markup import escape
from bot.printing import PICTURE_SCHEME
from bot.report import Section, report_page
from sizing.spec.money_rows import rows_of

if TYPE_CHECKING:
    from bot.render import Renderer
    from bot.ticks import Tick
    from sizing.spec.answer import Spec
    from sizing.spec.checklist_records import Checklist


class SpecPages:
    """Words the parts of a spec, each by its own template."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer

    def report(
        self,
        spec: Spec,
        checklist: Checklist,
        *,
        language: str,
        answer_id: str,
        ticks: Iterable[Tick] = (),
        pictures: Mapping[str, str] | None = None,
    ) -> str:
        """Return one document: models, machines, host, room, software, costs, purchase, names.

        `pictures` are alternative texts by section: each stands for a picture below its words.
        """
        return report_page(
            self._renderer.spec_summary(spec, language).rstrip("."),
            self._sections(spec, language, pictures or {}),
            checklist,
            language=language,
            made_on=date.fromisoformat(spec.catalogue.date),
            answer_id=answer_id,
            ticks=ticks,
        )

    def _sections(
        self, spec: Spec, language: str, pictures: Mapping[str, str]
    ) -> Iterator[Section]:
        around, view = spec.around, spec_view_of(spec)
        parts: tuple[tuple[str, str, dict[str, object]], ...] = (
            ("models", "spec_models", {"view": view}),
            ("machines", "spec_platform", {"platform": around.platform}),
            ("host", "spec_host", {"host": around.host}),
            ("storage", "spec_storage", {"storage": around.storage}),
            ("facility", "spec_facility", {"plan": around.facility}),
            ("software", "spec_software", {"software": spec.software}),
            ("cost", "spec_cost", {"plan": spec.cost, "rows": rows_of(spec.cost)}),
        )
        for code, template, values in parts:
            page = self._part(template, language, values)
            if code in pictures:
                page = f"{page.rstrip()}\n\n![{escape(pictures[code])}]({PICTURE_SCHEME}{code})\n"
            yield self._section(code, page, language)
        nims = (
            f"### {escape(one.name)}\n\n{self._part('spec_nim', language, {'nim': one.support})}"
            for one in view.nims
        )
        yield self._section("nim", "\n\n".join(nims), language)

    def _part(self, template: str, language: str, values: dict[str, object]) -> str:
        """Return a part without its own heading: the section has one."""
        page = self._renderer.part(template, language, **values)
        first, _, rest = page.partition("\n")
        return rest.strip() if first.startswith("## ") else page

    def _section(self, code: str, page: str, language: str) -> Section:
        return Section(self._renderer.messages(language).label("sections", code), page)
