"""What one item of a pass is: a text, a picture, a clip or a stretch of sound."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.defaults import to_answer_per_s
from sizing.media import TEXT_ALONE, Media
from sizing.records import ModelRecord, PipelineRecord
from sizing.request import SizingRequest
from sizing.units import ceil_div

DEFAULT_TEXT_TOKENS = 512
"""Tokens of a passage to embed: what most encoders were trained on."""

DEFAULT_TEXTS = 32
"""Texts of a batch (`SentenceTransformer.encode`: batch_size = 32)."""


@dataclass(frozen=True)
class Work:
    """One item, and how many of them are asked for at once."""

    items: int
    tokens: int | None = None
    media: Media = TEXT_ALONE
    """Images that a text brings with it, part of its tokens."""
    width_pixels: int | None = None
    height_pixels: int | None = None
    frames: int | None = None
    seconds: int | None = None
    steps: int | None = None
    """Steps of denoising."""
    steps_are_asked: bool = False
    arriving_per_s: float | None = None
    """Items to answer each second, head-room included, where only a rate is told: each copy then
    works on as many at once."""

    def on_each(self, replicas: int) -> int:
        """Return the items that the copy with most of them works on at once."""
        return ceil_div(self.items, replicas) if self.arriving_per_s is None else self.items

    @property
    def pixels(self) -> int:
        """Return the pixels of one picture of an item."""
        return (self.width_pixels or 0) * (self.height_pixels or 0)

    @property
    def frame_pixels(self) -> int:
        """Return the pixels of all pictures of an item."""
        return self.pixels * (self.frames or 1)


def work_of(request: SizingRequest, model: ModelRecord, media: Media) -> Work:
    """Return the asked work, what was left open filled in; pictures of a pipeline are items."""
    if model.pipeline is not None:
        return _of_pipeline(request, model.pipeline)
    longest = model.max_context_tokens or DEFAULT_TEXT_TOKENS + media.context_tokens
    return Work(
        items=request.concurrent_requests or DEFAULT_TEXTS,
        arriving_per_s=_arriving(request),
        tokens=_text_tokens(request, longest, media.context_tokens),
        media=media,
    )


def _arriving(request: SizingRequest) -> float | None:
    return None if request.concurrent_requests else to_answer_per_s(request)


def _text_tokens(request: SizingRequest, longest_tokens: int, media_tokens: int) -> int:
    """Return the tokens of a text, those of its images inside a length told as a whole."""
    if request.context_tokens:
        return max(request.context_tokens, media_tokens)
    parts = (request.input_tokens or 0) + (request.output_tokens or 0)
    usual = min(DEFAULT_TEXT_TOKENS + media_tokens, longest_tokens)
    return parts + media_tokens if parts else max(media_tokens, usual)


def _of_pipeline(request: SizingRequest, pipeline: PipelineRecord) -> Work:
    has_picture = pipeline.width_pixels is not None
    width, height = request.width_pixels, request.height_pixels
    return Work(
        items=request.concurrent_requests or request.images or 1,
        arriving_per_s=_arriving(request),
        width_pixels=(width or pipeline.width_pixels) if has_picture else None,
        height_pixels=(height or pipeline.height_pixels) if has_picture else None,
        frames=(request.frames or pipeline.frames) if pipeline.frames else None,
        seconds=(request.seconds or pipeline.seconds) if pipeline.seconds else None,
        steps=(request.steps or pipeline.steps) if pipeline.steps else None,
        steps_are_asked=request.steps is not None,
    )
