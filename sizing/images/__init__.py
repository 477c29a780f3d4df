"""How many tokens an image becomes: one rule for each processor, over its width and height."""

from sizing.images.patches import most_tokens
from sizing.images.picture import Picture
from sizing.images.tokens import image_tokens, sound_tokens

__all__ = ["Picture", "image_tokens", "most_tokens", "sound_tokens"]
