"""Images and sound of one request, and the tokens they become."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sizing.catalogue import Catalogue
from sizing.images import Picture, image_tokens, sound_tokens
from sizing.records import ImageRule, ModelRecord, SoundRule, TileRule
from sizing.request import SizingRequest

DEFAULT_PICTURE: Final = Picture(1024, 1024)
"""An image whose size nobody told."""


@dataclass(frozen=True)
class Media:
    """What a request brings beside its text; all zero where that is not known."""

    image_rule: ImageRule | None = None
    sound_rule: SoundRule | None = None
    images: int = 0
    """Images of a request."""
    picture: Picture = DEFAULT_PICTURE
    """Size of each image."""
    seconds: int = 0
    """Length of its sound, s."""

    @property
    def image_tokens(self) -> int:
        """Return the tokens of one image of that size, wherever they go; 0 without a rule."""
        return image_tokens(self.image_rule, self.picture) if self.image_rule else 0

    @property
    def is_beside_text(self) -> bool:
        """Return whether images are attended to beside the text, in layers of their own."""
        return isinstance(self.image_rule, TileRule) and self.image_rule.cross_attention

    @property
    def sound_tokens(self) -> int:
        """Return the tokens of the sound."""
        return sound_tokens(self.sound_rule, self.seconds) if self.sound_rule else 0

    @property
    def context_tokens(self) -> int:
        """Return what images and sound take of the context: a mark for an image beside the text."""
        each = 1 if self.is_beside_text else self.image_tokens
        return self.images * each + self.sound_tokens

    @property
    def source_tokens(self) -> int:
        """Return the tokens that the layers beside the text attend to."""
        return self.images * self.image_tokens if self.is_beside_text else 0


TEXT_ALONE: Final = Media()
"""A request without images and sound."""


def media_of(request: SizingRequest, catalogue: Catalogue) -> Media:
    """Return the images and the sound of one request; none that the model cannot read."""
    image_rule, sound_rule = rules_of(request, catalogue)
    return Media(
        image_rule=image_rule,
        sound_rule=sound_rule,
        images=asked_images(request) if image_rule else 0,
        picture=_picture(request),
        seconds=(request.seconds or 0) if sound_rule else 0,
    )


def asked_images(request: SizingRequest) -> int:
    """Return the images of a request: one where only a size was told."""
    return request.images or (1 if request.width_pixels else 0)


def rules_of(
    request: SizingRequest, catalogue: Catalogue
) -> tuple[ImageRule | None, SoundRule | None]:
    """Return how the asked model turns images and sound into tokens."""
    if request.given is not None:
        return request.given.image, request.given.sound
    model = catalogue.models.get(request.model_id or "")
    return rules_of_model(model, catalogue) if model else (None, None)


def rules_of_model(
    model: ModelRecord, catalogue: Catalogue
) -> tuple[ImageRule | None, SoundRule | None]:
    """Return how a model of the catalogue turns images and sound into tokens."""
    processor = catalogue.processors.get(model.processor or "")
    return (processor.image, processor.sound) if processor else (None, None)


def readers(request: SizingRequest, catalogue: Catalogue) -> Iterator[ModelRecord]:
    """Yield the models that read the asked images and sound by a known rule."""
    for model in catalogue.models.values():
        image, sound = rules_of_model(model, catalogue)
        sees = image is not None or not asked_images(request)
        if sees and (sound is not None or not request.seconds):
            yield model


def _picture(request: SizingRequest) -> Picture:
    width = request.width_pixels or DEFAULT_PICTURE.width_pixels
    return Picture(width, request.height_pixels or width)
