"""What an answer says about images and sound."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.catalogue import Catalogue
from sizing.images import most_tokens
from sizing.kv_cache import CacheLayout
from sizing.media import Media, asked_images
from sizing.notes import Note, note
from sizing.records import Fit, ModelKind, PatchRule, TensorGroup
from sizing.request import SizingRequest
from sizing.subject import Subject

SHOWN_SECONDS = 60
"""Stretch of sound whose tokens are told where none was asked about."""


def media_assumptions(
    request: SizingRequest, subject: Subject, media: Media, bits: float
) -> Iterator[Note]:
    """Say what images and sound take; where none was asked about, what one would take.

    `bits` are those of a number in the KV cache.
    """
    if media.images:
        yield from _counted_images(request, media)
        yield from _beside_text(subject, media, bits)
    elif media.image_rule is not None:
        yield from _one_image(subject, media, bits)
    yield from _cells(media)
    if media.seconds:
        yield note("sound_counted", seconds=media.seconds, sound_tokens=media.sound_tokens)
    elif media.sound_rule is not None:
        minute = Media(sound_rule=media.sound_rule, seconds=SHOWN_SECONDS)
        yield note("sound_tokens", seconds=SHOWN_SECONDS, sound_tokens=minute.sound_tokens)


def wish_warnings(request: SizingRequest) -> Iterator[Note]:
    """Say that wishes about tokens mean nothing to models that work on whole inputs."""
    wishes = request.targets
    asked = {"ttft": wishes.ttft_ms, "itl": wishes.itl_ms, "tps": wishes.tokens_per_s}
    for option, limit in asked.items():
        if limit is not None:
            yield note("option_without_effect", option=option)


def media_warnings(
    request: SizingRequest, subject: Subject, media: Media, catalogue: Catalogue
) -> Iterator[Note]:
    """Say which images and what sound are not counted, and what does not fit the context."""
    if asked_images(request) and media.image_rule is None:
        may_see = _may_see(request, subject, catalogue)
        yield note("images_not_known" if may_see else "reads_no_images", model=subject.name)
    if request.frames:
        yield note("option_not_covered", option="frames")
    if request.steps:
        yield note("option_without_effect", option="steps")
    if subject.kind is ModelKind.ASR:
        yield from wish_warnings(request)
    if request.seconds and media.sound_rule is None:
        yield note("reads_no_sound", model=subject.name)
    longest = media.sound_rule.longest_seconds if media.sound_rule else None
    if longest is not None and media.seconds > longest:
        yield note("sound_cut", longest_seconds=longest, seconds=media.seconds)
    told = request.context_tokens
    has_both = request.input_tokens and request.output_tokens
    if told and not has_both and media.context_tokens > told:
        yield note("media_beyond_context", media_tokens=media.context_tokens, context_tokens=told)


def _may_see(request: SizingRequest, subject: Subject, catalogue: Catalogue) -> bool:
    """Return whether the model reads images by a rule that is not known."""
    model = catalogue.models.get(request.model_id or "")
    is_unpublished = model is not None and not model.processor_is_published
    is_unknown = model is None and request.given is None
    groups = subject.architecture.given_parameters
    return is_unpublished or is_unknown or TensorGroup.VISION in groups


def _counted_images(request: SizingRequest, media: Media) -> Iterator[Note]:
    picture = media.picture
    if not request.width_pixels:
        yield note(
            "default_picture",
            width_pixels=picture.width_pixels,
            height_pixels=picture.height_pixels,
        )
    if not media.is_beside_text:
        yield note(
            "images_counted",
            images=media.images,
            image_tokens=media.image_tokens,
            all_tokens=media.images * media.image_tokens,
            width_pixels=picture.width_pixels,
            height_pixels=picture.height_pixels,
        )


def _cells(media: Media) -> Iterator[Note]:
    """Say how the tokens follow from the pixels, where each stands for as many."""
    rule = media.image_rule
    if not isinstance(rule, PatchRule):
        return
    cell = rule.cell_pixels
    if rule.fit is Fit.BUDGET:
        yield note("image_budget", budget_tokens=(rule.largest_pixels or 0) // cell**2)
    else:
        yield note(
            "image_cells", cell_pixels=cell, area_pixels=cell**2, most_tokens=most_tokens(rule)
        )


def _beside_text(subject: Subject, media: Media, bits: float) -> Iterator[Note]:
    if media.is_beside_text and subject.cache is not None:
        size_bytes = _image_bytes(subject.cache, media.source_tokens, bits)
        yield note(
            "images_beside_text",
            images=media.images,
            image_tokens=media.image_tokens,
            image_bytes=size_bytes,
        )


def _one_image(subject: Subject, media: Media, bits: float) -> Iterator[Note]:
    picture = media.picture
    if not media.is_beside_text:
        yield note(
            "image_tokens",
            image_tokens=media.image_tokens,
            width_pixels=picture.width_pixels,
            height_pixels=picture.height_pixels,
        )
    elif subject.cache is not None:
        size_bytes = _image_bytes(subject.cache, media.image_tokens, bits)
        yield note(
            "image_cache",
            image_bytes=size_bytes,
            width_pixels=picture.width_pixels,
            height_pixels=picture.height_pixels,
        )


def _image_bytes(cache: CacheLayout, source_tokens: int, bits: float) -> int:
    group = cache.image_group
    return round(group.elements_per_token * source_tokens * bits) // 8 if group else 0
