"""Write docs/json.md, spec-json.md and decisions-json.md: the keys of the JSON, with their meaning.

`python -m tools.json_reference` rewrites the pages; the tests compare.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel

from bot.archive.lines import ActualLine, AnswerLine, CommentLine, DecisionLine, TickLine
from bot.decisions.records import Decision, Details, Event, Rules
from bot.opinion import SecondOpinion
from sizing.answer import CatalogueStamp, GroupWeights, Memory, Training
from sizing.option import CardShare, HostCache, Option, PerGpu
from sizing.performance import (
    Bounds,
    Estimate,
    Goodput,
    Measurement,
    Performance,
    Speculated,
    Way,
)
from sizing.price import ApiCost, Cost, Price, Purchase, Rental, Running, Terms
from sizing.records import ApiQuote
from sizing.request import GpuChoice, Targets
from sizing.spec.answer import Servers, SpecWorkload
from sizing.spec.circuits import Circuit, CircuitUse
from sizing.spec.cooling import CoolingPlan
from sizing.spec.drives import DriveSet
from sizing.spec.equivalents import Equivalent
from sizing.spec.host_parts import PowerPart
from sizing.spec.host_plan import HostPlan
from sizing.spec.inside import Inside, InsideFigures
from sizing.spec.loading import LoadTime
from sizing.spec.mig_plan import MigCard, MigSlice
from sizing.spec.money_plan import BudgetCheck, CloudCost, CostLine, CostPlan, TokenCost, YearCost
from sizing.spec.nim import NimSupport
from sizing.spec.platform_plan import PlatformAsk, PlatformOption
from sizing.spec.power import ServerPower
from sizing.spec.sharing import Seat
from sizing.spec.site import EnergyPlan, SitePlan
from sizing.spec.software_plan import EngineSoftware, LicenseNeed, SoftwarePlan
from sizing.spec.storage import StoragePlan
from sizing.spec.supplies import SupplyPlan
from sizing.speculation import Speculation
from sizing.understood import Understood

PAGE = Path(__file__).parent.parent / "docs" / "json.md"

HEAD = Path(__file__).with_suffix(".md")
"""What the page says before its tables."""

SECTIONS = (
    ("understood", Understood),
    ("understood.gpus[]", GpuChoice),
    ("understood.targets", Targets),
    ("understood.speculation", Speculation),
    ("memory", Memory),
    ("memory.groups[]", GroupWeights),
    ("options[]", Option),
    ("options[].per_gpu", PerGpu),
    ("options[].cards[]", CardShare),
    ("options[].host_cache", HostCache),
    ("options[].performance", Performance),
    ("options[].performance.*", Estimate),
    ("options[].performance.goodput", Goodput),
    ("options[].performance.goodput.*", Bounds),
    ("options[].performance.speculation", Speculated),
    ("options[].performance.measured[]", Measurement),
    ("options[].performance.ways[]", Way),
    ("second_opinion", SecondOpinion),
    ("options[].price", Price),
    ("options[].price.rental", Rental),
    ("options[].price.purchase", Purchase),
    ("training", Training),
    ("cost", Cost),
    ("cost.terms", Terms),
    ("cost.at_load", Running),
    ("cost.api", ApiCost),
    ("cost.api.quote", ApiQuote),
    ("catalogue", CatalogueStamp),
)
"""Parts of the contract, each described by the record it is made from."""

SPEC_PAGE = PAGE.with_name("spec-json.md")

SPEC_HEAD = HEAD.with_name("spec_json_reference.md")

SPEC_SECTIONS = (
    ("workloads[]", SpecWorkload),
    ("workloads[].seats[]", Seat),
    ("servers", Servers),
    ("servers.equivalents[]", Equivalent),
    ("mig[]", MigCard),
    ("mig[].slices[]", MigSlice),
    ("host", HostPlan),
    ("storage", StoragePlan),
    ("storage.sets[]", DriveSet),
    ("storage.load_times[]", LoadTime),
    ("platform.options[]", PlatformOption),
    ("platform.ask", PlatformAsk),
    ("power", ServerPower),
    ("power.parts[]", PowerPart),
    ("power.supply", SupplyPlan),
    ("circuits.needed", CircuitUse),
    ("circuits.needed.circuit", Circuit),
    ("cooling", CoolingPlan),
    ("site", SitePlan),
    ("site.energy", EnergyPlan),
    ("software", SoftwarePlan),
    ("software.engines[]", EngineSoftware),
    ("software.licenses[]", LicenseNeed),
    ("nim[]", NimSupport),
    ("cost", CostPlan),
    ("cost.years[]", YearCost),
    ("cost.years[].lines[]", CostLine),
    ("cost.cloud", CloudCost),
    ("cost.by_token", TokenCost),
    ("cost.budget", BudgetCheck),
    ("inside", Inside),
    ("inside.plans[]", InsideFigures),
)
"""Parts of the contract of a server."""

DECISIONS_PAGE = PAGE.with_name("decisions-json.md")

DECISIONS_HEAD = HEAD.with_name("decisions_json_reference.md")

DECISIONS_SECTIONS = (
    ("decision", Decision),
    ("decision.rules", Rules),
    ("events[]", Event),
    ("events[].details", Details),
    ("answer line", AnswerLine),
    ("tick line", TickLine),
    ("decision line", DecisionLine),
    ("comment line", CommentLine),
    ("actual line", ActualLine),
)
"""Parts of the contracts of decisions, and the lines of a log by their `kind`."""

WORDS = {
    date: "day",
    int: "count",
    float: "number",
    str: "text",
    bool: "true or false",
    type(None): "null",
}
"""How types are called."""


def reference() -> str:
    """Return the page about answers."""
    return _page(HEAD, SECTIONS)


def spec_reference() -> str:
    """Return the page about servers."""
    return _page(SPEC_HEAD, SPEC_SECTIONS)


def decisions_reference() -> str:
    """Return the page about decisions and the lines of a log."""
    return _page(DECISIONS_HEAD, DECISIONS_SECTIONS)


def _page(head: Path, sections: tuple[tuple[str, type[BaseModel]], ...]) -> str:
    parts = (f"\n## `{name}`\n\n{_table(record)}" for name, record in sections)
    return head.read_text(encoding="utf-8") + "".join(parts)


def _table(record: type[BaseModel]) -> str:
    hints = typing.get_type_hints(record)
    rows = (
        f"| `{name}` | {_words(hints[name])} | {_cell(text)} |\n"
        for name, text in _docstrings(record).items()
    )
    return "| Key | Type | Meaning |\n|---|---|---|\n" + "".join(rows)


def _cell(text: str) -> str:
    meaning = re.sub(r"\s+", " ", text).strip().rstrip(".")
    return meaning.replace("None", "null").replace("|", "\\|")


def _docstrings(record: type[BaseModel]) -> dict[str, str]:
    """Return the text below each field, in the order of the source; own fields before others."""
    bases = (base for base in record.__mro__ if issubclass(base, BaseModel))
    bodies = (_body(base) for base in bases if base is not BaseModel)
    return {name: text for body in bodies for name, text in _described(body)}


def _body(record: type[BaseModel]) -> list[ast.stmt]:
    module = importlib.import_module(record.__module__)
    tree = ast.parse(inspect.getsource(module))
    return next(
        node.body
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == record.__name__
    )


def _described(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, text in pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            yield field.target.id, str(text.value.value)


def _words(annotation: object) -> str:
    """Return a type in words: `count or null`, `list of text`, `fits, tight …`."""
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:
        return _words(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_words(each) for each in arguments))
    if origin in (tuple, list):
        return f"list of {_words(arguments[0])}"
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return "one of " + ", ".join(f"`{member.value}`" for member in annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "object"
    return WORDS.get(typing.cast("type", annotation), "object")


def main() -> int:
    """Write the pages."""
    PAGE.write_text(reference(), encoding="utf-8")
    SPEC_PAGE.write_text(spec_reference(), encoding="utf-8")
    DECISIONS_PAGE.write_text(decisions_reference(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
