"""From a request to what weighs its load on any GPU, every default filled in."""

from __future__ import annotations

from sizing.catalogue import Catalogue
from sizing.defaults import load_of
from sizing.placement import Placer
from sizing.request import SizingRequest
from sizing.subject import subject_of
from sizing.weights import loaded_part, loaded_precision


def placer_of(request: SizingRequest, catalogue: Catalogue) -> Placer:
    """Return what weighs the load; raise SizingError where the request cannot be read."""
    subject = subject_of(request, catalogue)
    precision = loaded_precision(subject, request, catalogue)
    load = load_of(request, loaded_part(subject, precision, request.engine), precision, catalogue)
    return Placer(load, precision, catalogue)
