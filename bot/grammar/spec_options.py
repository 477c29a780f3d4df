"""Keys of a server spec: growth, host, storage, site, software and money."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot import numbers
from bot.grammar.cost_options import ratio, years
from bot.grammar.options import NumberOption
from bot.grammar.quantities import count, gigabytes
from sizing.spec.wishes import Orchestrator, Sharing

GROWTH, HOST, STORAGE, SITE, SOFTWARE, MONEY, WORKLOAD = (
    "growth", "host", "storage", "site", "software", "money", "workload",
)  # fmt: skip
"""Parts of a spec that an option belongs to."""


@dataclass(frozen=True)
class SpecOption:
    """An option of a spec whose value is a number."""

    section: str
    """Part of the spec."""

    number: NumberOption
    """How it is read."""


def percent(text: str) -> float | None:
    """Return a number of per cent."""
    return numbers.quantity(text, {"": 1, "%": 1})


def volts(text: str) -> float | None:
    """Return a number of volts."""
    return numbers.quantity(text, {"": 1, "v": 1, "kv": 1e3})


def amperes(text: str) -> float | None:
    """Return a number of amperes."""
    return numbers.quantity(text, {"": 1, "a": 1})


def kilowatts(text: str) -> float | None:
    """Return a number of kilowatts."""
    return numbers.quantity(text, {"": 1, "kw": 1, "w": 1e-3, "mw": 1e3})


def rack_units(text: str) -> float | None:
    """Return a number of rack units."""
    return numbers.quantity(text, {"": 1, "u": 1, "ru": 1})


def celsius(text: str) -> float | None:
    """Return a temperature, degrees Celsius."""
    return numbers.quantity(text, {"": 1, "c": 1})


def metres(text: str) -> float | None:
    """Return a number of metres."""
    return numbers.quantity(text, {"": 1, "m": 1, "km": 1e3})


def grams(text: str) -> float | None:
    """Return grams for each kWh."""
    return numbers.quantity(text, {"": 1, "g": 1, "g/kwh": 1, "kg": 1e3, "kg/kwh": 1e3})


def gigabytes_per_day(text: str) -> float | None:
    """Return gigabytes a day."""
    return gigabytes(text.removesuffix("/d").removesuffix("/day").removesuffix("/dia"))


Reader = Callable[[str], float | None]
Row = tuple[str, str, Reader, float, float, bool, tuple[str, ...]]

ROWS: Final[tuple[Row, ...]] = (
    (GROWTH, "growth_percent", percent, 0, 1000, False, ("growth", "crecimiento", "growth/year")),
    (GROWTH, "horizon_years", years, 0, 50, False, (
        "years", "anos", "horizon", "horizonte", "plazo",
    )),
    (GROWTH, "spare_servers", count, 0, 1000, True, (
        "spare", "spares", "reserva", "repuesto", "repuestos",
    )),
    (WORKLOAD, "people", count, 0, 10**8, True, ("people", "personas", "employees", "empleados")),
    (WORKLOAD, "requests_per_person_per_hour", ratio, 0, 10**5, False, (
        "rph", "per-person", "por-persona", "requests/hour", "peticiones/hora",
    )),
    (HOST, "ram_gb", gigabytes, 0, 10**6, False, ("ram", "host-ram", "memoria")),
    (HOST, "cpu_cores", count, 0, 10**4, True, ("cores", "nucleos", "cpu-cores")),
    (STORAGE, "dataset_gb", gigabytes, 0, 10**8, False, ("dataset", "datasets", "datos")),
    (STORAGE, "revisions", count, 0, 1000, True, ("revisions", "revisiones")),
    (STORAGE, "checkpoints", count, 0, 10**4, True, ("checkpoints", "puntos-de-control")),
    (STORAGE, "log_gb_per_day", gigabytes_per_day, 0, 10**6, False, ("logs", "registros")),
    (STORAGE, "log_days", count, 0, 10**5, True, (
        "log-days", "dias-de-registros", "retention", "retencion",
    )),
    (SITE, "voltage_v", volts, 0, 10**5, False, ("voltage", "voltaje", "tension", "volts")),
    (SITE, "phases", ratio, 1, 3, True, ("phases", "fases")),
    (SITE, "breaker_a", amperes, 0, 10**4, False, (
        "breaker", "amps", "amperes", "amperios", "disyuntor", "interruptor",
    )),
    (SITE, "circuits", count, 0, 10**4, True, ("circuits", "circuitos")),
    (SITE, "feeds", count, 1, 2, True, ("feeds", "acometidas", "alimentaciones")),
    (SITE, "limit_kw", kilowatts, 0, 10**6, False, ("kw", "max-kw", "limit-kw", "limite-kw")),
    (SITE, "rack_units", rack_units, 0, 10**4, True, (
        "rack", "rack-units", "ru", "unidades-de-rack",
    )),
    (SITE, "rack_height", rack_units, 3, 100, True, ("rack-height", "altura-de-bastidor")),
    (SITE, "rack_kw", kilowatts, 0, 10**4, False, ("rack-kw", "kw-por-bastidor")),
    (SITE, "power_factor", ratio, 0, 1, False, ("pf", "power-factor", "factor-de-potencia")),
    (SITE, "inlet_c", celsius, 0, 60, False, ("inlet", "intake", "aire", "entrada-de-aire")),
    (SITE, "altitude_m", metres, 0, 9000, True, ("altitude", "altitud")),
    (SITE, "grid_g_co2e_per_kwh", grams, 0, 5000, False, ("co2", "co2e", "grid", "carbon")),
    (MONEY, "usd_per_unit", ratio, 0, 10**6, False, ("fx", "cambio", "exchange", "tipo-de-cambio")),
    (MONEY, "tax_percent", percent, 0, 200, False, ("tax", "vat", "iva", "impuesto")),
    (MONEY, "staff_usd_per_year", numbers.money, 0, 10**9, False, ("staff", "personal")),
    (MONEY, "site_usd_per_year", numbers.money, 0, 10**9, False, (
        "hosting", "colocation", "alojamiento", "colocacion",
    )),
    (MONEY, "support_percent", percent, 0, 200, False, ("support", "soporte")),
)  # fmt: skip
"""Section, field, reader, least and largest value that is believed, whole, and keys."""

SPEC_NUMBERS: Final[Mapping[str, SpecOption]] = {
    key: SpecOption(section, NumberOption(field, read, least, whole, largest, keys))
    for section, field, read, least, largest, whole, keys in ROWS
    for key in keys
}
"""Number options by each of their keys."""

SPEC_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "country": (SITE, "country"), "pais": (SITE, "country"),
    "currency": (MONEY, "currency"), "moneda": (MONEY, "currency"),
    "platform": (HOST, "platform"), "plataforma": (HOST, "platform"),
    "server": (HOST, "platform"), "servidor": (HOST, "platform"),
    "liquid": (SITE, "liquid"), "liquida": (SITE, "liquid"),
    "share": ("", "sharing"), "sharing": ("", "sharing"),
    "compartir": ("", "sharing"), "comparte": ("", "sharing"),
    "orchestrator": (SOFTWARE, "orchestrator"), "orquestador": (SOFTWARE, "orchestrator"),
    "os": (SOFTWARE, "operating_system"), "so": (SOFTWARE, "operating_system"),
    "operating-system": (SOFTWARE, "operating_system"),
    "sistema-operativo": (SOFTWARE, "operating_system"), "sistema": (SOFTWARE, "operating_system"),
    "production": (SOFTWARE, "production"), "produccion": (SOFTWARE, "production"),
    "education": (SOFTWARE, "reduced_license"), "educacion": (SOFTWARE, "reduced_license"),
}  # fmt: skip
"""Section and field of options whose value is a word; no section is the spec itself."""

YES_OR_NO: Final = frozenset({"liquid", "production", "reduced_license"})
"""Fields that are yes or no."""

YES: Final = frozenset({"yes", "y", "true", "on", "1", "si", "s", "verdadero"})
NO: Final = frozenset({"no", "n", "false", "off", "0", "falso"})

NAMED: Final[Mapping[str, Mapping[str, str]]] = {
    "sharing": {
        **dict.fromkeys(("mig", "slices", "particiones"), Sharing.SLICES.value),
        **dict.fromkeys((*sorted(YES), "memory", "memoria"), Sharing.FRACTIONS.value),
        **dict.fromkeys(sorted(NO), Sharing.NONE.value),
    },
    "orchestrator": {
        **dict.fromkeys(("kubernetes", "k8s", "openshift"), Orchestrator.KUBERNETES.value),
        **dict.fromkeys(("docker", "compose"), Orchestrator.DOCKER.value),
    },
}
"""Values of options that choose between a few, by each of their names."""

SYSTEMS: Final[Mapping[str, str]] = {
    "ubuntu": "Ubuntu", "rhel": "RHEL", "redhat": "RHEL", "red-hat": "RHEL", "debian": "Debian",
    "rocky": "Rocky Linux", "sles": "SLES", "suse": "SLES", "windows": "Windows",
    "oracle": "Oracle Linux", "amazon": "Amazon Linux", "macos": "macOS",
}  # fmt: skip
"""Names of operating systems, as their tables of support spell them."""

SYSTEM: Final = re.compile(r"(?P<name>[a-z][a-z-]*?)[-_ ]?(?P<version>\d+(?:\.\d+)*)?")
"""An operating system with or without its release: `ubuntu-24.04`, `rhel9`."""


def system_named(text: str) -> str | None:
    """Return an operating system as tables of support spell it; None for no such name."""
    found = SYSTEM.fullmatch(text)
    name = SYSTEMS.get(found["name"].removesuffix("-linux")) if found else None
    if found is None or name is None:
        return None
    return f"{name} {found['version']}" if found["version"] else name


EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "sharing": ("share=mig", "share=yes", "share=no"),
    "orchestrator": ("orchestrator=docker", "orchestrator=kubernetes"),
    "operating_system": ("os=ubuntu-24.04", "os=rhel-9"),
}
"""What to type in place of a value that is not known, by field."""
