"""Fields of the form, and what each of them adds to the line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

PREFIX: Final = "gpus1.form."
"""Start of the action ids of all fields."""

Values = Mapping[str, "str | tuple[str, ...] | None"]
"""What stands in the fields, by name: the value of an option, a number as typed, a channel."""


class Kind(StrEnum):
    """How a field is filled in."""

    SEARCH = "external_select"
    SEARCH_MANY = "multi_external_select"
    CHOICE = "static_select"
    RADIO = "radio_buttons"
    NUMBER = "number_input"
    CHANNEL = "conversations_select"


@dataclass(frozen=True)
class Field:
    """One field."""

    name: str
    """Name of its block; its action is the same behind PREFIX."""

    kind: Kind
    """How it is filled in."""

    word: str = ""
    """What the line says: `{}` stands for the value; empty for what is said otherwise."""

    optional: bool = True
    """Whether it may stay empty."""

    least: float = 0
    """Smallest number."""

    most: float = 10**9
    """Largest number."""

    decimals: bool = False
    """Whether the number may have decimals."""

    options: tuple[str, ...] = ()
    """Values of a choice, in order; the first is chosen at the start."""

    only_if: tuple[str, str] | None = None
    """Field and value with which it is shown; None for always."""

    redraws: bool = False
    """Whether other fields come and go with its value."""

    @property
    def action_id(self) -> str:
        """Return the name of its element."""
        return PREFIX + self.name


WORKLOAD: Final = (
    Field("model", Kind.SEARCH, "{}", optional=False),
    Field("others", Kind.SEARCH_MANY),
    Field("precision", Kind.CHOICE, "{}", options=(
        "published", "fp16", "fp8", "int8", "int4", "nvfp4", "q4_k_m",
    )),
    Field("use", Kind.RADIO, options=("infer", "lora", "qlora", "full"), redraws=True),
    Field("load", Kind.RADIO, options=("users", "people", "rate"), only_if=("use", "infer"),
          redraws=True),
    Field("users", Kind.NUMBER, "users={}", least=1, only_if=("load", "users")),
    Field("people", Kind.NUMBER, "people={}", optional=False, least=1, only_if=("load", "people")),
    Field("rph", Kind.NUMBER, "rph={}", optional=False, least=0.01, decimals=True,
          only_if=("load", "people")),
    Field("rps", Kind.NUMBER, "rps={}", optional=False, least=0.001, decimals=True,
          only_if=("load", "rate")),
    Field("input", Kind.NUMBER, "in={}", least=1, most=10**8, only_if=("use", "infer")),
    Field("output", Kind.NUMBER, "out={}", least=1, most=10**8, only_if=("use", "infer")),
    Field("ttft", Kind.NUMBER, "ttft<{}s", least=0.01, most=3600, decimals=True,
          only_if=("use", "infer")),
)  # fmt: skip
"""Fields of the first view."""

COUNTRIES: Final = (
    "any", "AR", "BR", "CA", "CL", "CO", "DE", "ES", "FR", "GB", "JP", "MX", "PE", "US",
)  # fmt: skip
"""Countries whose electricity is known; `any` leaves it open."""

SYSTEMS: Final = ("any", "ubuntu-24.04", "ubuntu-22.04", "rhel-10", "rhel-9", "rhel-8")
"""Operating systems that drivers are tested on most; `any` leaves it open."""

SERVER: Final = (
    Field("gpu", Kind.SEARCH, "{}"),
    Field("count", Kind.NUMBER, least=1, most=4096),
    Field("means", Kind.RADIO, "{}", options=("both", "buy", "rent")),
    Field("growth", Kind.NUMBER, "growth={}%", most=1000, decimals=True),
    Field("years", Kind.NUMBER, "years={}", least=0.5, most=50, decimals=True),
    Field("spare", Kind.NUMBER, "spare={}", most=1000),
    Field("country", Kind.CHOICE, "country={}", options=COUNTRIES),
    Field("kw", Kind.NUMBER, "kw={}", least=0.05, most=10**6, decimals=True),
    Field("budget", Kind.NUMBER, "budget={}", least=1),
    Field("share", Kind.CHOICE, "share={}", options=("any", "mig", "no")),
    Field("orchestrator", Kind.CHOICE, "orchestrator={}", options=("any", "docker", "kubernetes")),
    Field("system", Kind.CHOICE, "os={}", options=SYSTEMS),
    Field("channel", Kind.CHANNEL, optional=False),
)
"""Fields of the second view."""

REFINED: Final = (
    *(replace(field, options=("users", "rate")) if field.name == "load" else field
      for field in WORKLOAD if field.name not in {"others", "people", "rph"}),
    *(field for field in SERVER if field.name in {"gpu", "count", "means", "budget"}),
)  # fmt: skip
"""Fields of the view that asks a question about one model again."""

OPEN: Final = frozenset({"published", "any", "both"})
"""Values that leave a choice open: the line says nothing of them."""


def shown(fields: tuple[Field, ...], values: Values) -> tuple[Field, ...]:
    """Return the fields to show with these values: some depend on others."""
    return tuple(field for field in fields if _is_shown(field, fields, values))


def _is_shown(field: Field, fields: tuple[Field, ...], values: Values) -> bool:
    if field.only_if is None:
        return True
    name, wanted = field.only_if
    decides = next(other for other in fields if other.name == name)
    value = values.get(name) or decides.options[0]
    return value == wanted and _is_shown(decides, fields, values)
