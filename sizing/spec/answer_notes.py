"""What to mind of an answer about electricity, as notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor

from sizing.notes import Note, note
from sizing.records import GpuRecord, Segment
from sizing.spec.circuits import THREE_PHASES, CircuitUse
from sizing.spec.electricity import Electricity
from sizing.spec.electricity_records import CountryRecord
from sizing.spec.power import ServerPower
from sizing.spec.power_question import PowerQuestion, Topic

SAFE_SHARE = 0.85
"""Share of the board power that a limit is set to against restarts."""

TEN = 10
"""Watts that such a limit is rounded to."""

C13_A = 10.0
"""Amps of an outlet C13 outside North America."""

MAINS_V = 230.0
"""Voltage that amps of a single supply are told at, V."""


def answer_notes(
    question: PowerQuestion,
    electricity: Electricity,
    *,
    server: ServerPower | None,
    load_w: float | None,
    gpu: GpuRecord | None,
    country: CountryRecord | None,
    circuits: Sequence[CircuitUse],
) -> tuple[Note, ...]:
    """Return the notes of an answer, what is asked first."""
    return (
        *_limit(question, load_w),
        *_restarts(question, gpu),
        *_supplies(question, electricity, gpu),
        *_server(server, gpu, question),
        *circuit_notes(electricity, country, circuits),
        *_ignored(question),
    )


def safe_limit_w(board_power_w: float) -> int:
    """Return a power limit below the board power that keeps most of the speed, W."""
    return round(board_power_w * SAFE_SHARE / TEN) * TEN


def _limit(question: PowerQuestion, load_w: float | None) -> Iterator[Note]:
    """Yield how many servers stay inside a limit."""
    if question.limit_w is None or load_w is None:
        return
    servers = floor(question.limit_w / load_w)
    yield note("limit_holds", limit_w=question.limit_w, servers=servers, load_w=load_w)


def _restarts(question: PowerQuestion, gpu: GpuRecord | None) -> Iterator[Note]:
    """Yield what to try where a machine restarts under load."""
    if Topic.RESTARTS not in question.topics:
        return
    if gpu and gpu.board_power_w and gpu.vendor == "NVIDIA":
        limit_w = safe_limit_w(gpu.board_power_w)
        command = f"sudo nvidia-smi -pl {limit_w}"
        yield note("restart_limit", command=command, board_power_w=gpu.board_power_w)
    else:
        yield note("restart_limit_any")
    yield note("restart_swap")


def _supplies(
    question: PowerQuestion, electricity: Electricity, gpu: GpuRecord | None
) -> Iterator[Note]:
    """Yield what holds of supplies that were named or asked for."""
    sold = electricity.supplies
    if question.supply_w:
        yield note("supply_is_output")
    if question.supply_w and (question.supplies or 1) > 1:
        yield note("pair_is_one", supplies=question.supplies, supply_w=question.supply_w)
    about = question.supply_w or {Topic.SUPPLIES, Topic.RESTARTS} & set(question.topics)
    if about and gpu:
        ratios = [each.peak_w / each.board_power_w for each in sold.transients]
        yield note("peaks", low_ratio=min(ratios), high_ratio=max(ratios), margin=sold.gpu_margin)
    if (question.supply_w and gpu) or Topic.RESTARTS in question.topics:
        yield note("rails")


def _server(
    server: ServerPower | None, gpu: GpuRecord | None, question: PowerQuestion
) -> Iterator[Note]:
    """Yield what holds of the server itself."""
    if server is None:
        return
    if question.gpu_w and question.gpu is None and question.system is None:
        yield note("card_stands_in", gpu_w=question.gpu_w)
    yield from server.notes
    if (factor := server.system_factor) and server.board_power_w:
        gpus_w = server.gpus * server.board_power_w
        yield note("system_factor", factor=factor, gpus_w=gpus_w)
    input_w = server.supply.supply_w * 100 / server.supply.efficiency_percent
    if gpu and gpu.segment is not Segment.RACK:
        amps = input_w / MAINS_V
        is_large = amps > C13_A
        supply_w = server.supply.supply_w
        yield note("outlets_c19" if is_large else "outlets_c13", supply_w=supply_w, amps=amps)


def circuit_notes(
    electricity: Electricity, country: CountryRecord | None, circuits: Sequence[CircuitUse]
) -> Iterator[Note]:
    """Yield the rules that the circuits were counted by."""
    share = electricity.fallback.continuous_percent
    factor = electricity.fallback.power_factor
    yield note("amps_rule", power_factor=factor)
    if country and country.code:
        yield note("share_is_law", percent=share, rule=country.code)
    else:
        yield note(
            "share_is_margin" if country else "share_of_breaker",
            percent=share,
            example="country=de",
        )
    if any(use.circuit.phases == THREE_PHASES for use in circuits):
        yield note("root_three")
    first = circuits[0].circuit
    yield note(
        "both_feeds",
        percent=share / 2,
        voltage_v=first.voltage_v,
        breaker_a=first.breaker_a,
        amps=first.usable_a / 2,
        half_va=first.usable_va / 2,
    )


def _ignored(question: PowerQuestion) -> Iterator[Note]:
    if question.ignored:
        yield note("power_words_ignored", words=question.ignored)
