"""Engines in containers: which release runs on the card, and what computes in which format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sizing.notes import Note, note
from sizing.spec.drivers import CardStack, toolkit_of
from sizing.spec.engine_facts import GateRecord, ImageRecord
from sizing.spec.load import ModelLoad
from sizing.spec.software_facts import SoftwareCatalogue
from sizing.spec.software_plan import EngineSoftware, FormatGate
from sizing.spec.stack_facts import Platform
from sizing.spec.versions import is_before


def images_of(
    models: Iterable[ModelLoad], platform: Platform, facts: SoftwareCatalogue
) -> tuple[ImageRecord, ...]:
    """Return what is known of the engines of the models on that platform, by id."""
    engines = {model.engine for model in models}
    return tuple(
        image for image in facts.image if image.engine in engines and image.platform is platform
    )


def engines_of(
    models: Iterable[ModelLoad], images: Iterable[ImageRecord], known: CardStack
) -> tuple[EngineSoftware, ...]:
    """Return each engine with its models, by id; one that nothing is known of keeps its name."""
    named: dict[str, list[str]] = {}
    for model in models:
        named.setdefault(model.engine, []).append(model.name)
    by_engine = {image.engine: image for image in images}
    return tuple(
        _engine(engine, tuple(names), by_engine.get(engine), known)
        for engine, names in sorted(named.items())
    )


def _engine(
    engine: str, models: tuple[str, ...], image: ImageRecord | None, known: CardStack
) -> EngineSoftware:
    if image is None:
        return EngineSoftware(
            engine=engine, models=models, image=None, version=None, first_version=None,
            toolkit=None, is_confirmed=False, sources=(), checked=None,
        )  # fmt: skip
    last, first = _release(image.last_versions, known), _release(image.first_versions, known)
    told = {
        "version": last or image.version,
        "toolkit": image.toolkit,
        "first_versions": first,
        "last_versions": last,
    }
    return EngineSoftware(
        engine=engine,
        models=models,
        image=image.image,
        version=told["version"],
        first_version=first,
        toolkit=toolkit_of(known, image),
        is_confirmed=not any(told.get(key) for key in image.unconfirmed),
        sources=image.sources,
        checked=image.checked,
    )


def _release(releases: dict[str, str], known: CardStack) -> str | None:
    """Return the release for a card, else for its architecture."""
    return releases.get(known.gpu.id) or releases.get(known.gpu.architecture)


def gates_of(
    models: Iterable[ModelLoad], known: CardStack, facts: SoftwareCatalogue
) -> tuple[FormatGate, ...]:
    """Return the gates of the models' formats on an NVIDIA card, by precision."""
    capability = known.gpu.compute_capability
    if known.stack.platform is not Platform.CUDA or capability is None:
        return ()
    precisions = sorted({model.precision for model in models})
    gates = ((precision, _gate(precision, facts.gate)) for precision in precisions)
    return tuple(
        FormatGate(
            precision=precision,
            needed_capability=gate.capability,
            capability=capability,
            is_passed=not is_before(capability, gate.capability),
        )
        for precision, gate in gates
        if gate
    )


def _gate(precision: str, gates: Iterable[GateRecord]) -> GateRecord | None:
    return next((gate for gate in gates if precision in gate.precisions), None)


def engine_notes(
    models: Iterable[ModelLoad], images: Iterable[ImageRecord], known: CardStack
) -> Iterator[Note]:
    """Warn of engines that dropped the card, are no longer maintained, or are not known."""
    by_engine = {image.engine: image for image in images}
    for engine in sorted({model.engine for model in models}):
        image = by_engine.get(engine)
        if image is None:
            yield note("software_engine_unknown", engine=engine)
            continue
        yield from _image_notes(image, known)


def _image_notes(image: ImageRecord, known: CardStack) -> Iterator[Note]:
    last, capability = _release(image.last_versions, known), known.gpu.compute_capability
    if last:
        yield note("software_engine_dropped", engine=image.engine, version=last, gpu=known.gpu.id)
    elif image.capability and capability and is_before(capability, image.capability):
        yield note(
            "software_capability_short",
            engine=image.engine,
            gpu=known.gpu.id,
            needed_capability=image.capability,
            capability=capability,
        )
    if not image.maintained:
        yield note("software_engine_not_maintained", engine=image.engine)
