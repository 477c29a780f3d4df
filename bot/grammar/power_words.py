"""Words of questions about electricity, and watts with what they belong to."""

from __future__ import annotations

import re
from typing import Final

from bot.names import word_set

SERVER: Final = (
    r"(?:nodes?|nodos?|servers?|servidor(?:es)?|equipos?|machines?|maquinas?|hosts?|boxes"
    r"|unidad(?:es)?|units?)"
)
SUPPLY: Final = (
    r"(?:psus?|fuentes?(?: de (?:alimentacion|poder))?|power[- ]suppl(?:y|ies)|suppl(?:y|ies)"
    r"|pdu?s? de alimentacion)"
)
OF: Final = r"(?:\s*(?:de|of|at|a|con|with|:|@|,)\s*)?\s*"
WATTS: Final = (
    r"(?<![\w.,])(?:(?P<count>\d{1,3})\s*x\s*)?(?P<watts>\d[\d.,]*)\s*(?P<kilo>k?)"
    r"(?:w(?:atts?)?|vatios?|kilovatios?)(?![a-z])"
)
"""Watts, with how many of them and whether they are kW."""

SUPPLIES: Final = (
    re.compile(rf"{WATTS}\s*(?:de\s+)?{SUPPLY}(?![a-z])"),
    re.compile(rf"(?<![\w])(?:(?P<before>\d{{1,2}})\s*x?\s*)?{SUPPLY}{OF}{WATTS}"),
)
"""`2x 1100W PSU`, `dos fuentes de 1600 W`, `2 power supplies 1.8 kW`."""

SERVER_WATTS: Final = (
    re.compile(rf"{WATTS}\s*(?:(?:per|por|each|cada|/)\s*)?{SERVER}(?![a-z])"),
    re.compile(rf"(?<!\w)(?:(?P<before>\d{{1,4}})\s*x?\s*)?{SERVER}{OF}{WATTS}"),
)
"""`500W nodes`, `20 servidores de 2 kW`."""

CPU_WATTS: Final = (
    re.compile(rf"(?<!\w)(?:cpus?|procesador(?:es)?|processors?){OF}{WATTS}"),
    re.compile(rf"{WATTS}\s*(?:de\s+)?(?:cpus?|procesador(?:es)?|processors?)(?![a-z])"),
)
"""`280W CPU`."""

_LIMIT: Final = r"(?<![\w.,])(?P<watts>\d[\d.,]*)\s*(?P<kilo>k)(?:w|va)(?![a-z])"
_LIMITED: Final = r"(?:racks?|armarios?|ups|sai|limite?|presupuesto|budget)"

LIMITS: Final = (
    re.compile(rf"{_LIMIT}\s*(?:(?:per|por|each|cada|/|of|de)\s*)?{_LIMITED}(?![a-z])"),
    re.compile(rf"(?<!\w){_LIMITED}{OF}{_LIMIT}"),
)
"""`40 kW rack`, `UPS de 10 kVA`."""

PEAKS: Final = re.compile(r"(?<!\w)(?:transient\w*|transitori\w*|peaks?|picos?|spik\w*)(?!\w)")
"""What a card draws for a moment."""

LOOSE_WATTS: Final = re.compile(WATTS)
"""Watts with nothing beside them."""

PROCESSOR: Final = re.compile(
    r"(?<!\w)(?:(?:amd|intel)\s+)?(?:epyc|xeon|threadripper|ryzen)(?:\s+(?:pro|gold|platinum|silver|w))*"
    r"(?:[\s-]+[a-z]{0,2}\d{1,2}?-?\d{3,4}[a-z]{0,3}\+?)?(?!\w)"
)
"""Names of processors: their watts are told apart from them."""

GPU_COUNT: Final = re.compile(
    r"(?<![\w.,])(?P<count>\d{1,2})\s*[x-]?\s*(?:gpus?|graficas?|tarjetas?|cards?)(?!\w)"
)
"""`8 GPU`, `8-GPU`."""

SERVERS: Final = re.compile(rf"(?<![\w.,])(?P<count>\d{{1,4}})\s*x?\s*{SERVER}(?!\w)")
"""`10 servers`."""

CIRCUITS: Final = re.compile(
    r"(?<![\w.,])(?P<count>\d{1,2})\s*x?\s*(?:circuit(?:o)?s?|pdus?|lineas?|tomas?|breakers?)(?!\w)"
)
"""`2 circuits`."""

FEEDS: Final = re.compile(
    r"(?<!\w)(?:a\s*[/+y&]\s*b(?!\w)|n\s*\+\s*n|2n(?!\w)|(?:2|two|dos|dual|doble)\s+"
    r"(?:independent\s+|redundant\s+)?(?:feeds?|ramas?|ramales|alimentaciones|acometidas|alimentacion)"
    r"|(?:feeds?|alimentacion)\s+(?:redundantes?|redundant))"
)
"""Two feeds."""

ALTITUDE: Final = re.compile(
    r"(?<![\w.,])(?P<metres>\d{1,2}[.,]?\d{3}|\d{3})\s*(?:m|msnm|metros|metres|meters)(?!\w)"
)

RESTARTS: Final = re.compile(
    r"(?<!\w)(?:se\s+)?(?:reinicia\w*|reboot\w*|restart\w*|apaga\w*|shuts?\s*(?:down|off)|crash\w*|trips?|tripping"
    r"|salta\w*|dispara\w*|cuelga)(?!\w)"
)
"""A machine that does not stay on."""

COUNT_CARDS: Final = re.compile(r"(?<!\w)(?:how many|cuant[oa]s)\s+(?!serv|nod|equip|mach|host)")
"""How many cards, not how many servers."""

HEAT: Final = re.compile(
    r"(?<!\w)(?:btus?(?:/h\w*)?|cooling|refrigeracion|enfria\w*|calor|heat|cfm|airflow|caudal)(?!\w)"
)

ELECTRIC: Final = re.compile(
    r"(?<!\w)(?:psus?|fuentes?|power[- ]suppl(?:y|ies)|pdus?|enchufes?|outlets?|sockets?"
    r"|breakers?|disyuntor\w*|circuit(?:o)?s?|kva|btus?(?:/h\w*)?|kw|kilowatts?|trifasic\w+"
    r"|monofasic\w+|three-phase|single-phase|tomas?|magnetotermico\w*|diferencial|amperios?|amps"
    r"|watts?|vatios?|consum\w+)(?!\w)"
)
"""Words of electricity: a line without a model that has one is about power."""

QUIET: Final = word_set("""
    power supply supplies psu psus fuente fuentes alimentacion poder enchufe enchufes outlet outlets
    socket sockets breaker circuit circuits circuito circuitos pdu pdus rack racks kw kva btu btu/h
    btus toma tomas nodes node nodo nodos rating need needs watt watts vatios consumo consume
    consumen consumption draw draws electricity electricidad energia corriente potencia cpu gpu gpus
    service servicio feed feeds al on existing fit carry carries carga soporta linea line dedicated
    heat calor cooling refrigeracion reinicia reboots rebooting apaga entrenar training train load
    bajo under servers server servidores servidor phase fase fases single three h caben cabe hacen
    falta wall amps amp amperios many much keeps transient transients peak peaks
    pico picos spike spikes shuts down tripped requirements requisitos both trip trips per por run
    """)
"""Words that nobody needs to be told were ignored."""

COUNT_WORDS: Final = re.compile(
    r"(?<!\w)(two|dos|three|tres|four|cuatro|five|cinco|six|seis|seven|siete|eight|ocho|ten|diez)"
    r"\s+(?P<digit>(?=\d))?"
)
"""Small numbers in words; before another number they count it."""
