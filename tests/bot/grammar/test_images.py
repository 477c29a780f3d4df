"""Images of a request, and how many of them come in a stretch of time."""

import pytest


@pytest.mark.parametrize(
    ("text", "images", "size"),
    [
        ("qwen2.5-vl-7b images=2 1024x1024", 2, (1024, 1024)),
        ("qwen2.5-vl-7b --images 3", 3, None),
        ("qwen2.5-vl-7b with 4 images of 1280x720", 4, (1280, 720)),
        ("qwen2.5-vl-7b 12 imágenes por petición", 12, None),
        ("qwen2.5-vl-7b una imagen por solicitud", 1, None),
        ("qwen2.5-vl-7b 3 fotos de 1080p", 3, (1920, 1080)),
        ("gemma-3-27b imagenes=5 res=896", 5, (896, 896)),
        ("gemma-3-27b 2 images per request and 8 users", 2, None),
    ],
)
def test_images_of_a_request(ask, text, images, size):
    request = ask(text)
    assert request.images == images
    assert (request.width_pixels, request.height_pixels) == (size or (None, None))


@pytest.mark.parametrize(
    "text",
    [
        "qwen2.5-vl-7b 1000 imágenes por hora",
        "qwen2.5-vl-7b 50000 images a day",
        "qwen2.5-vl-7b 20 imágenes al día",
        "qwen2.5-vl-7b 5 images per second",
    ],
)
def test_images_for_a_stretch_of_time_are_a_rate(ask, text):
    """How many come in an hour says nothing of one request."""
    request = ask(text)
    assert request.images is None
    assert request.ignored
